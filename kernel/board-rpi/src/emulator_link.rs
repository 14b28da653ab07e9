//! The link device of the cluster emulator: a page of registers and interrupt 48.
//!
//! Also the emulator's other services to the kernel: identity, wall-clock epoch, exit. On a real
//! board the page does not exist; [`EmulatorLink::probe`] finds out.
//!
//! Not here: what frames contain (`renga-wire`), the device itself (`tools/emu`).

use renga_hal::link::{FRAME_BYTES_MAX, FrameDevice, TransmitFull};
use renga_hal::registers::Registers;

mod offset {
    pub const MAGIC: usize = 0x00;
    pub const STATUS: usize = 0x04;
    pub const RECEIVE_LENGTH: usize = 0x08;
    pub const RECEIVE_WORD: usize = 0x0c;
    pub const RECEIVE_DROP: usize = 0x10;
    pub const TRANSMIT_WORD: usize = 0x14;
    pub const TRANSMIT_SEND: usize = 0x18;
    pub const BOARD: usize = 0x1c;
    pub const ARRIVAL: usize = 0x20;
    pub const INTERRUPTS: usize = 0x28;
    pub const TRANSMIT_FREE: usize = 0x2c;
    pub const EXIT: usize = 0x30;
    pub const TOKEN_WAIT: usize = 0x34;
    pub const WIRE_TIME: usize = 0x38;
    pub const FLAGS: usize = 0x44;
    pub const EPOCH: usize = 0x48;
    pub const EPOCH_NS: usize = 0x50;
    pub const STARTS: usize = 0x54;
}

/// "RLNK".
const MAGIC: u32 = 0x524c_4e4b;
const STATUS_RECEIVED: u32 = 1 << 0;
const STATUS_OVERRUN: u32 = 1 << 2;
const INTERRUPT_RECEIVE: u32 = 1 << 0;
const INTERRUPT_TRANSMIT: u32 = 1 << 1;
const FLAG_INTERACTIVE: u32 = 1 << 1;
const DESTINATION_SHIFT: u32 = 16;
const NS_PER_S: u64 = 1_000_000_000;

/// How long a frame took to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendTimes {
    /// Waiting for the token, in nanoseconds.
    pub token_wait_ns: u32,
    /// On the wire, in nanoseconds.
    pub wire_ns: u32,
}

/// The device.
pub struct EmulatorLink<R> {
    registers: R,
    /// The device's mark may stay set: it is reported once.
    overrun_known: bool,
}

impl<R: Registers> EmulatorLink<R> {
    /// The device, if this board runs in the cluster emulator, as it is: no interrupts at boot.
    pub fn probe(registers: R) -> Option<Self> {
        (registers.read(offset::MAGIC) == MAGIC).then_some(Self { registers, overrun_known: false })
    }

    /// When the oldest frame that waits arrived, in nanoseconds of virtual time.
    pub fn arrival_ns(&self) -> u64 {
        self.read_pair(offset::ARRIVAL)
    }

    /// Frames that can be queued for sending now.
    pub fn transmit_slots_free(&self) -> u32 {
        self.registers.read(offset::TRANSMIT_FREE)
    }

    /// About the frame that this board sent last.
    pub fn last_send_times(&self) -> SendTimes {
        SendTimes {
            token_wait_ns: self.registers.read(offset::TOKEN_WAIT),
            wire_ns: self.registers.read(offset::WIRE_TIME),
        }
    }

    /// Whether a person sits at the console.
    pub fn interactive(&self) -> bool {
        self.registers.read(offset::FLAGS) & FLAG_INTERACTIVE != 0
    }

    /// From 1970 to time 0 of this board's clock, in nanoseconds.
    pub fn epoch_ns(&self) -> u64 {
        self.read_pair(offset::EPOCH) * NS_PER_S + u64::from(self.registers.read(offset::EPOCH_NS))
    }

    /// How often this board was started, this time included.
    pub fn starts(&self) -> u32 {
        self.registers.read(offset::STARTS)
    }

    /// Ends this board; the emulator stops it at this instruction.
    pub fn exit(&mut self, status: u32) {
        self.registers.write(offset::EXIT, status);
    }

    fn read_pair(&self, low: usize) -> u64 {
        u64::from(self.registers.read(low)) | u64::from(self.registers.read(low + 4)) << 32
    }

    fn set_interrupts(&mut self, bits: u32, on: bool) {
        self.registers.modify(offset::INTERRUPTS, bits, if on { bits } else { 0 });
    }
}

impl<R: Registers> FrameDevice for EmulatorLink<R> {
    fn board(&self) -> u8 {
        self.registers.read(offset::BOARD) as u8
    }

    fn receive(&mut self, out: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize> {
        if self.registers.read(offset::STATUS) & STATUS_RECEIVED == 0 {
            return None;
        }
        let length = self.registers.read(offset::RECEIVE_LENGTH) as usize;
        assert!(length <= FRAME_BYTES_MAX, "the link device has a frame of {length} bytes");
        let (words, rest) = out[..length].as_chunks_mut::<4>();
        for word in words {
            *word = self.registers.read(offset::RECEIVE_WORD).to_le_bytes();
        }
        if !rest.is_empty() {
            let word = self.registers.read(offset::RECEIVE_WORD).to_le_bytes();
            for (byte, received) in rest.iter_mut().zip(word) {
                *byte = received;
            }
        }
        self.registers.write(offset::RECEIVE_DROP, 1);
        Some(length)
    }

    fn has_room(&self) -> bool {
        self.transmit_slots_free() > 0
    }

    fn send(&mut self, destination: u8, frame: &[u8]) -> Result<(), TransmitFull> {
        assert!(frame.len() <= FRAME_BYTES_MAX, "a frame of {} bytes is too long", frame.len());
        if self.transmit_slots_free() == 0 {
            return Err(TransmitFull);
        }
        let (words, rest) = frame.as_chunks::<4>();
        for &word in words {
            self.registers.write(offset::TRANSMIT_WORD, u32::from_le_bytes(word));
        }
        if !rest.is_empty() {
            let mut last = [0; 4];
            for (byte, sent) in last.iter_mut().zip(rest) {
                *byte = *sent;
            }
            self.registers.write(offset::TRANSMIT_WORD, u32::from_le_bytes(last));
        }
        self.registers.write(offset::TRANSMIT_SEND, u32::from(destination) << DESTINATION_SHIFT | frame.len() as u32);
        Ok(())
    }

    fn enable_receive_interrupt(&mut self, on: bool) {
        self.set_interrupts(INTERRUPT_RECEIVE, on);
    }

    fn enable_transmit_interrupt(&mut self, on: bool) {
        self.set_interrupts(INTERRUPT_TRANSMIT, on);
    }

    fn take_overrun(&mut self) -> bool {
        let overrun = self.registers.read(offset::STATUS) & STATUS_OVERRUN != 0;
        let news = overrun && !self.overrun_known;
        self.overrun_known = overrun;
        news
    }
}
