//! Interrupt sources.
//!
//! The kernel runs with interrupts masked and polls; an interrupt only ever interrupts a user program.

/// What interrupts a board's core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IrqSource {
    /// The alarm of [`crate::timer::HardwareTimer`].
    Timer,
    /// The console's serial line, either direction.
    Uart,
    /// The link between boards, either direction.
    Link,
    /// The log's line has room.
    Log,
}

/// The sources that are pending at one poll.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// [`IrqSource::HardwareTimer`].
    pub timer: bool,
    /// [`IrqSource::Uart`].
    pub uart: bool,
    /// [`IrqSource::Link`].
    pub link: bool,
    /// [`IrqSource::Log`].
    pub log: bool,
}
