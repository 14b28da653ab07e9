//! The clock and the one alarm of a core.

/// A clock that counts from boot, with one alarm.
pub trait HardwareTimer {
    /// Time since boot, in nanoseconds. Never goes back.
    fn now_ns(&self) -> u64;

    /// Interrupts from `at_ns` on (at once when that is past), or not at all. The interrupt stays pending until the
    /// owner sets the alarm again; otherwise waiting returns at once.
    fn set_alarm_ns(&mut self, at_ns: Option<u64>);
}
