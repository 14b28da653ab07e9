//! SPI in one direction: one board sends, others receive and never answer.
//!
//! The drivers poll both sides. Not here: the pins, and the right to send.

/// A transfer that did not end within its bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpiStuck;

/// A master that only sends.
pub trait SpiSender {
    /// Sends `octets` in one transfer: selects before the first and no more after the last has left.
    ///
    /// # Errors
    /// If the transfer does not end; nothing is selected then.
    fn send(&mut self, octets: &[u8]) -> Result<(), SpiStuck>;
}

/// What a slave gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Taken {
    /// Octets.
    pub octets: usize,
    /// Another one is on its way.
    pub more: bool,
}

/// A slave that only receives.
pub trait SpiReceiver {
    /// Forgets what has come.
    fn clear(&mut self);

    /// Takes what has come, as far as `into` has room.
    fn take(&mut self, into: &mut [u8]) -> Taken;
}
