//! The timers of a program, as numbers of its board's clock.
//!
//! Not here: the calls about them (`facts/timers.rs`), when they expire (the clock).

/// The first timers of a program are those that it can set without having made them.
pub const INTERVAL_TIMERS: usize = 3;
/// Timers that a program can make. More: `EAGAIN`.
pub const TIMERS_MAX: usize = 32;

/// The timers of one program: the clock's number of each, and one; 0: there is none.
pub struct Timers(pub [u32; INTERVAL_TIMERS + TIMERS_MAX]);

impl Timers {
    /// None.
    pub const NONE: Timers = Timers([0; INTERVAL_TIMERS + TIMERS_MAX]);
}
