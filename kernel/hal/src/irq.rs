//! Who wants attention.
//!
//! The kernel runs with interrupts masked and asks; only a user program is ever interrupted.

/// What interrupts a board's core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The alarm of [`crate::timer::Timer`].
    Timer,
    /// The console's serial line, either direction.
    Uart,
    /// The link between boards, either direction.
    Link,
}

/// The interrupt controller of a core. All sources are levels: one stays pending until its device is
/// served or told to be quiet, or until the source is disabled.
pub trait Irq {
    /// The most urgent source that is enabled and pending.
    fn pending(&mut self) -> Option<Source>;

    /// Lets `source` interrupt.
    fn enable(&mut self, source: Source);

    /// Stops `source` from interrupting.
    fn disable(&mut self, source: Source);
}
