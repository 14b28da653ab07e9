//! A serial line, byte by byte.
//!
//! Neither direction ever waits: the owner enables an interrupt and comes back.

/// A serial line with a queue in each direction.
pub trait Uart {
    /// Queues one byte for sending; `false` when the queue is full.
    fn try_write(&mut self, byte: u8) -> bool;

    /// The oldest byte received, if there is one.
    fn try_read(&mut self) -> Option<u8>;

    /// Whether the line interrupts while received bytes wait.
    fn enable_receive_interrupt(&mut self, on: bool);

    /// Whether the line interrupts while it has room for bytes to send.
    fn enable_transmit_interrupt(&mut self, on: bool);
}
