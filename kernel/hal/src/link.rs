//! A frame device on the link between boards: whole frames in, whole frames out.
//!
//! Not here: the content of a frame (`renga-wire`), the right to send (`renga-mac`).

/// Longest frame, in bytes.
pub const FRAME_BYTES_MAX: usize = 1088;

/// The transmitter holds as many frames as it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitFull;

/// A device that carries frames between boards.
pub trait FrameDevice {
    /// This board's number on the link.
    fn board(&self) -> u8;

    /// Takes the oldest frame received into `out` and returns its length, in bytes.
    fn receive(&mut self, out: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize>;

    /// Whether [`FrameDevice::send`] would take a frame now.
    fn has_room(&self) -> bool;

    /// Queues `frame` (at most [`FRAME_BYTES_MAX`]) for board `destination` (0xff: all).
    fn send(&mut self, destination: u8, frame: &[u8]) -> Result<(), TransmitFull>;

    /// Whether the device interrupts while a received frame waits.
    fn enable_receive_interrupt(&mut self, on: bool);

    /// Whether the device interrupts while it has room for a frame to send.
    fn enable_transmit_interrupt(&mut self, on: bool);

    /// CRC-32C of `bytes`, if there is hardware for it.
    fn crc32c(bytes: &[u8]) -> Option<u32>
    where
        Self: Sized,
    {
        let _ = bytes;
        None
    }

    /// Does what is due at `now_ns`: called whenever the device has interrupted, when
    /// [`FrameDevice::deadline_ns`] has come, and after frames were given to it.
    fn attend(&mut self, now_ns: u64) {
        let _ = now_ns;
    }

    /// When it wants to be attended to though it does not interrupt.
    fn deadline_ns(&self) -> Option<u64> {
        None
    }

    /// Whether frames were lost for lack of buffers since the last call.
    fn take_overrun(&mut self) -> bool;
}
