//! The page of registers. The table in `tools/emu/README.md` is the specification; these are its numbers.

/// The page's size.
pub const PAGE_BYTES: u64 = 0x1000;
/// The peripherals' line that it drives, by level.
pub const INTERRUPT_LINE: u32 = 48;

/// R: [`MAGIC_VALUE`].
pub const MAGIC: u64 = 0x00;
/// R: the `STATUS_` bits. W: 1 clears [`STATUS_OVERRUN`].
pub const STATUS: u64 = 0x04;
/// R: bytes of the first frame that waits, 0 if none does.
pub const RECEIVE_LENGTH: u64 = 0x08;
/// R: the next word of that frame.
pub const RECEIVE_WORD: u64 = 0x0c;
/// W: drops that frame.
pub const RECEIVE_DROP: u64 = 0x10;
/// W: appends a word to the frame to send.
pub const TRANSMIT_WORD: u64 = 0x14;
/// W: sends it; bits 31 to 16 destination, 15 to 0 length in bytes.
pub const TRANSMIT_SEND: u64 = 0x18;
/// R: this board's number.
pub const BOARD: u64 = 0x1c;
/// R: when the first frame that waits arrived, ns, low word.
pub const ARRIVAL_LOW: u64 = 0x20;
/// R: its high word.
pub const ARRIVAL_HIGH: u64 = 0x24;
/// RW: the `INTERRUPT_` bits.
pub const INTERRUPTS: u64 = 0x28;
/// R: frames that the transmitter has room for.
pub const TRANSMIT_FREE: u64 = 0x2c;
/// W: ends this board with this status (low 8 bits).
pub const EXIT: u64 = 0x30;
/// R: how long the last frame of mine that left had waited since it was sent, ns.
pub const TOKEN_WAIT: u64 = 0x34;
/// R: how long that frame was on the wire, ns.
pub const WIRE_TIME: u64 = 0x38;
/// R: the `FLAG_` bits.
pub const FLAGS: u64 = 0x44;
/// R: seconds from 1970 to time 0 of this board, low word.
pub const EPOCH_LOW: u64 = 0x48;
/// R: its high word.
pub const EPOCH_HIGH: u64 = 0x4c;
/// R: nanoseconds that belong to them.
pub const EPOCH_NS: u64 = 0x50;
/// R: how often this board was started, this time included.
pub const STARTS: u64 = 0x54;

/// "RLNK".
pub const MAGIC_VALUE: u32 = 0x524c_4e4b;
/// A received frame waits.
pub const STATUS_RECEIVED: u32 = 1 << 0;
/// The transmitter holds a frame that has not left.
pub const STATUS_SENDING: u32 = 1 << 1;
/// A frame was lost: received with the queue full, or sent with no room or a wrong length.
pub const STATUS_OVERRUN: u32 = 1 << 2;
/// Interrupt while a received frame waits.
pub const INTERRUPT_RECEIVE: u32 = 1 << 0;
/// Interrupt while the transmitter has room.
pub const INTERRUPT_TRANSMIT: u32 = 1 << 1;
/// A person sits (or, replayed, sat) at the console.
pub const FLAG_INTERACTIVE: u32 = 1 << 1;

/// The destination that means every other board; 0xff does too.
pub const BROADCAST: u8 = 0xf;
/// Most bytes of a frame.
pub const FRAME_BYTES_MAX: usize = 1088;
/// Received frames that wait; one more is lost.
pub const RECEIVE_SLOTS: usize = 64;
/// Frames that the transmitter holds.
pub const TRANSMIT_SLOTS: usize = 2;
