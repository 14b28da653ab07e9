//! What waits for the master of a pair: output of the slave, and in packet mode its changes of state.
//!
//! Invariant: bytes come out in the order in which they went in. Not here: who waits (`pair.rs`).

use crate::line::{InputQueue, Screen};
use heapless::Deque;

/// Bytes that may wait for the master.
pub(crate) const OUTPUT_BYTES_MAX: usize = 4096;

/// What a packet says that has no data.
pub(crate) mod packet {
    pub const FLUSH_INPUT: u8 = 1;
    pub const FLUSH_OUTPUT: u8 = 2;
    pub const STOP: u8 = 4;
    pub const START: u8 = 8;
    pub const UNUSUAL_KEYS: u8 = 16;
    pub const USUAL_KEYS: u8 = 32;
}

/// What waits for the master.
pub(crate) struct MasterQueue {
    bytes: &'static mut Deque<u8, OUTPUT_BYTES_MAX>,
    /// The master reads packets.
    pub(crate) packets: bool,
    /// What the next packet says, if that is no data.
    status: u8,
}

impl Screen for MasterQueue {
    fn put(&mut self, byte: u8) {
        let _ = self.bytes.push_back(byte); // echo without room is lost
    }
    fn forget(&mut self) {
        self.bytes.clear();
        self.note(packet::FLUSH_OUTPUT);
    }
}

impl MasterQueue {
    pub const fn new(bytes: &'static mut Deque<u8, OUTPUT_BYTES_MAX>) -> MasterQueue {
        MasterQueue { bytes, packets: false, status: 0 }
    }
    /// As at first.
    pub fn reset(&mut self) {
        self.bytes.clear();
        (self.packets, self.status) = (false, 0);
    }
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
    /// Whether the next packet is no data.
    pub fn has_status(&self) -> bool {
        self.status != 0
    }
    /// Notes a status for the master's next packet, if it reads packets; the opposite status is dropped.
    pub fn note(&mut self, status: u8) {
        let back = match status {
            packet::STOP => packet::START,
            packet::START => packet::STOP,
            packet::USUAL_KEYS => packet::UNUSUAL_KEYS,
            packet::UNUSUAL_KEYS => packet::USUAL_KEYS,
            _ => 0,
        };
        if self.packets {
            self.status = self.status & !back | status;
        }
    }
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.status == 0
    }
    pub fn room(&self) -> usize {
        OUTPUT_BYTES_MAX - self.bytes.len()
    }
    /// Gives a master what there is, which is something; how many bytes.
    pub fn take(&mut self, into: &mut [u8]) -> usize {
        let (header, rest) = into.split_at_mut(usize::from(self.packets));
        if let [header] = header {
            *header = core::mem::take(&mut self.status);
            if *header != 0 {
                return 1;
            }
        }
        let count = rest.len().min(self.bytes.len());
        rest.iter_mut().take(count).for_each(|place| *place = self.bytes.pop_front().unwrap_or(0));
        usize::from(self.packets) + count
    }
}

/// Memory for what is on its way through a pair.
pub struct PairMemory {
    pub(crate) input: InputQueue,
    pub(crate) output: Deque<u8, OUTPUT_BYTES_MAX>,
}

impl PairMemory {
    /// With nothing in it.
    pub const fn new() -> PairMemory {
        PairMemory { input: Deque::new(), output: Deque::new() }
    }
}

impl Default for PairMemory {
    fn default() -> Self {
        PairMemory::new()
    }
}
