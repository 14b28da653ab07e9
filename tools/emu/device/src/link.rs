//! The device behind the page of registers.
//!
//! Invariant: what a register shows depends on the virtual time of the access and on the orders received, never on
//! when the orders were received, so neither the length of quanta nor the host can be seen from the board.
//!
//! Not here: the times of sending (`renga_emu::bus`), raising the interrupt (`renga-emu-plugin`).

use crate::messages::{BoardOrder, BoardRecord, Welcome};
use crate::registers as at;
use crate::registers::{FRAME_BYTES_MAX, RECEIVE_SLOTS, TRANSMIT_SLOTS};
use std::collections::VecDeque;

const NS_PER_S: u64 = 1_000_000_000;

/// What the plugin has to do after a write.
#[derive(Debug, PartialEq, Eq)]
pub enum LinkEffect {
    /// Nothing more than to check [`EmulatedLink::interrupt`] and [`EmulatedLink::next_ns`].
    None,
    /// To report this.
    Report(BoardRecord),
    /// To report the end of the board with this status.
    Exit(u8),
}

#[derive(Debug)]
struct ReceivedFrame {
    time_ns: u64,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Departed {
    time_ns: u64,
    token_wait_ns: u32,
    wire_ns: u32,
}

/// The link device of one board, with the services beside it.
#[derive(Debug)]
pub struct EmulatedLink {
    identity: Welcome,
    interrupts: u32,
    overrun: bool,
    overruns: u64,
    /// Ordered by time; not arrived yet.
    arriving: VecDeque<ReceivedFrame>,
    receive: VecDeque<ReceivedFrame>,
    read_position_bytes: usize,
    /// The frame being composed.
    transmit: Vec<u8>,
    /// Frames sent whose departure has not been reached.
    sending: usize,
    /// Ordered by time; not reached yet.
    departing: VecDeque<Departed>,
    last_departed: Departed,
}

impl EmulatedLink {
    /// A device with nothing in it.
    pub fn new(identity: Welcome) -> Self {
        Self {
            identity,
            interrupts: 0,
            overrun: false,
            overruns: 0,
            arriving: VecDeque::new(),
            receive: VecDeque::new(),
            read_position_bytes: 0,
            transmit: Vec::with_capacity(FRAME_BYTES_MAX),
            sending: 0,
            departing: VecDeque::new(),
            last_departed: Departed::default(),
        }
    }

    /// Takes an order for the future; [`BoardOrder::Input`] and [`BoardOrder::Pins`] are not for this device and are
    /// ignored.
    ///
    /// # Panics
    /// If the order lies before `now_ns`: the coordinator let this board run too far.
    pub fn order(&mut self, order: BoardOrder, now_ns: u64) {
        assert!(order.time_ns() >= now_ns, "{now_ns} ns: an order comes too late: {order:?}");
        match order {
            BoardOrder::Deliver { time_ns, bytes } => {
                let place = self.arriving.partition_point(|other| other.time_ns <= time_ns);
                self.arriving.insert(place, ReceivedFrame { time_ns, bytes });
            }
            BoardOrder::Departed { time_ns, token_wait_ns, wire_ns } => {
                let place = self.departing.partition_point(|other| other.time_ns <= time_ns);
                self.departing.insert(place, Departed { time_ns, token_wait_ns, wire_ns });
            }
            BoardOrder::Input { .. } | BoardOrder::Pins { .. } => {}
        }
    }

    /// Lets everything happen that is due by `now_ns`.
    pub fn advance(&mut self, now_ns: u64) {
        while let Some(frame) = self.arriving.pop_front_if(|frame| frame.time_ns <= now_ns) {
            if self.receive.len() < RECEIVE_SLOTS {
                self.receive.push_back(frame);
            } else {
                self.lose();
            }
        }
        while let Some(departed) = self.departing.pop_front_if(|departed| departed.time_ns <= now_ns) {
            self.sending -= 1;
            self.last_departed = departed;
        }
    }

    /// Whether the interrupt line is high.
    pub fn interrupt(&self) -> bool {
        self.interrupts & at::INTERRUPT_RECEIVE != 0 && !self.receive.is_empty()
            || self.interrupts & at::INTERRUPT_TRANSMIT != 0 && self.sending < TRANSMIT_SLOTS
    }

    /// When [`EmulatedLink::interrupt`] may change by itself next, if anything for that is known.
    pub fn next_ns(&self) -> Option<u64> {
        let arrival_ns = self.arriving.front().map(|frame| frame.time_ns);
        let departure_ns = self.departing.front().map(|departed| departed.time_ns);
        arrival_ns.into_iter().chain(departure_ns.filter(|_| self.wants_departures())).min()
    }

    /// Whether the board waits for room in the transmitter.
    pub fn wants_departures(&self) -> bool {
        self.interrupts & at::INTERRUPT_TRANSMIT != 0
    }

    /// Frames lost since the beginning.
    pub fn overruns(&self) -> u64 {
        self.overruns
    }

    /// Reads the register at `offset`.
    pub fn read(&mut self, offset: u64, now_ns: u64) -> u32 {
        self.advance(now_ns);
        let arrival_ns = self.receive.front().map_or(0, |frame| frame.time_ns);
        match offset {
            at::MAGIC => at::MAGIC_VALUE,
            at::STATUS => {
                let received = if self.receive.is_empty() { 0 } else { at::STATUS_RECEIVED };
                let sending = if self.sending == 0 { 0 } else { at::STATUS_SENDING };
                received | sending | if self.overrun { at::STATUS_OVERRUN } else { 0 }
            }
            at::RECEIVE_LENGTH => self.receive.front().map_or(0, |frame| frame.bytes.len() as u32),
            at::RECEIVE_WORD => self.next_word(),
            at::BOARD => u32::from(self.identity.board),
            at::ARRIVAL_LOW => arrival_ns as u32,
            at::ARRIVAL_HIGH => (arrival_ns >> 32) as u32,
            at::INTERRUPTS => self.interrupts,
            at::TRANSMIT_FREE => (TRANSMIT_SLOTS - self.sending) as u32,
            at::TOKEN_WAIT => self.last_departed.token_wait_ns,
            at::WIRE_TIME => self.last_departed.wire_ns,
            at::FLAGS => self.identity.flags,
            at::EPOCH_LOW => (self.identity.epoch_ns / NS_PER_S) as u32,
            at::EPOCH_HIGH => ((self.identity.epoch_ns / NS_PER_S) >> 32) as u32,
            at::EPOCH_NS => (self.identity.epoch_ns % NS_PER_S) as u32,
            at::STARTS => self.identity.starts,
            _ => 0,
        }
    }

    /// Writes `value` to the register at `offset`.
    pub fn write(&mut self, offset: u64, value: u32, now_ns: u64) -> LinkEffect {
        self.advance(now_ns);
        match offset {
            at::STATUS => self.overrun &= value & at::STATUS_OVERRUN == 0,
            at::RECEIVE_DROP => {
                self.receive.pop_front();
                self.read_position_bytes = 0;
            }
            at::TRANSMIT_WORD if self.transmit.len() < FRAME_BYTES_MAX => {
                self.transmit.extend_from_slice(&value.to_le_bytes());
            }
            at::TRANSMIT_SEND => return self.send(value, now_ns),
            at::INTERRUPTS => self.interrupts = value & (at::INTERRUPT_RECEIVE | at::INTERRUPT_TRANSMIT),
            at::EXIT => return LinkEffect::Exit(value as u8),
            _ => {}
        }
        LinkEffect::None
    }

    fn next_word(&mut self) -> u32 {
        let Some(frame) = self.receive.front() else { return 0 };
        let mut word = [0; 4];
        for (to, from) in word.iter_mut().zip(frame.bytes.iter().skip(self.read_position_bytes)) {
            *to = *from;
        }
        self.read_position_bytes += word.len();
        u32::from_le_bytes(word)
    }

    fn send(&mut self, value: u32, now_ns: u64) -> LinkEffect {
        let mut bytes = std::mem::take(&mut self.transmit);
        let length = (value & 0xffff) as usize;
        if length == 0 || length > bytes.len() || self.sending == TRANSMIT_SLOTS {
            self.lose();
            return LinkEffect::None;
        }
        bytes.truncate(length);
        self.sending += 1;
        LinkEffect::Report(BoardRecord::Frame { time_ns: now_ns, destination: (value >> 16) as u8, bytes })
    }

    fn lose(&mut self) {
        self.overrun = true;
        self.overruns += 1;
    }
}

#[cfg(test)]
mod tests;
