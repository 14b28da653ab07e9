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
    /// The log's line has room.
    Log,
}

/// The sources that want attention at one look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// [`Source::Timer`].
    pub timer: bool,
    /// [`Source::Uart`].
    pub uart: bool,
    /// [`Source::Link`].
    pub link: bool,
    /// [`Source::Log`].
    pub log: bool,
}

/// The interrupt controller of a core. All sources are levels: one stays pending until its device is
/// served or told to be quiet, or until the source is disabled.
pub trait Irq {
    /// The sources that are enabled and pending.
    fn pending(&mut self) -> Pending;

    /// Lets `source` interrupt.
    fn enable(&mut self, source: Source);

    /// Stops `source` from interrupting.
    fn disable(&mut self, source: Source);
}
