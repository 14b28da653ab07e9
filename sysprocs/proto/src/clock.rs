//! The clock of a board: calendar time and sleeping.

use renga_abi::Errno;
use renga_core::protocol;

protocol! {
    /// The clock.
    pub Clock = 12, ClockCall {
        /// Calendar time, ns since 1970.
        0 CalendarTime {} (()) -> Result<u64, Errno>;
        /// Answered at `until_ns` since boot; `EINTR` at once if interrupted.
        1 SleepUntil { until_ns: u64 } (()) -> Result<(), Errno> [defers];
        /// Sets calendar time.
        2 SetCalendarTime { now_ns: u64 } (()) -> Result<(), Errno>;
    }
}
