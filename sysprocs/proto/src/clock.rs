//! The clock of a board: calendar time, sleeping, and the timers of the board's programs.

use renga_abi::Errno;
use renga_core::{in_word, in_words, protocol, word_enum};

word_enum! {
    /// What a timer counts.
    pub enum Counted {
        /// Time since boot.
        Time,
        /// Calendar time.
        Calendar,
        /// What the program's own instructions take.
        OwnTime,
        /// That, and what is done for the program.
        UsedTime,
    }
}

in_words! {
    /// What is left of a timer.
    pub struct Left {
        /// Until it expires, ns; 0: it is not set.
        left_ns: u64,
        /// From then on again and again, ns; 0: it is not.
        interval_ns: u64,
    }
}

in_word! {
    /// What a timer sends; in one word.
    pub struct TimerSignal {
        /// The signal; 0: nothing.
        signal: u8 = 0..=7,
        /// The one thread that gets it; 0: the process.
        thread: u32 = 32..=63,
    }
}

/// In `MakeTimer`: an interval timer of the program, whose signals carry no timer number.
pub const INTERVAL_TIMER: u32 = u32::MAX;

protocol! {
    /// The clock.
    pub Clock = 12, ClockCall {
        /// Calendar time, ns since 1970.
        0 CalendarTime {} (()) -> Result<u64, Errno>;
        /// Answered at `until_ns` since boot, or of `calendar` time, however that is set meanwhile; `EINTR` at once if
        /// interrupted.
        1 SleepUntil { until_ns: u64, calendar: bool } (()) -> Result<(), Errno> [defers];
        /// Sets calendar time.
        2 SetCalendarTime { now_ns: u64 } (()) -> Result<(), Errno>;
        /// Makes a timer of process `pid` in `slot`, which is not set yet; its number. When it expires, the process
        /// gets the signal with `value`; `id` is its number to the program, or `INTERVAL_TIMER`. `EAGAIN`:
        /// there are as many as there can be.
        3 MakeTimer { pid: u32, slot: u16, counted: Counted, signal: TimerSignal, id: u32, value: u64 } (()) -> Result<u32, Errno>;
        /// Sets a timer of `pid` to expire at `at_ns` of what it counts, or (not `absolute`) in so many ns, and then
        /// every `interval_ns` (0: once). `at_ns` 0: never. What was left of it.
        4 SetTimer { pid: u32, timer: u32, at_ns: u64, interval_ns: u64, absolute: bool } (()) -> Result<Left, Errno>;
        /// What is left of a timer of `pid`.
        5 AskTimer { pid: u32, timer: u32 } (()) -> Result<Left, Errno>;
        /// A timer of `pid` is no more.
        6 DropTimer { pid: u32, timer: u32 } (()) -> Result<(), Errno>;
        /// The signal of a timer of `pid` was taken: it goes on, if it is one that expires again. How often it had
        /// expired by now, beyond the first time.
        7 GoOn { pid: u32, timer: u32 } (()) -> Result<u32, Errno>;
        /// What `GoOn` answered last.
        8 Overruns { pid: u32, timer: u32 } (()) -> Result<u32, Errno>;
        /// Replies when the program in `slot` is to wake, on its board or on `boards` (a bit each): at the next
        /// `Wake` of it since the last reply, when one of these boards fails, or at `until_ns` since boot; `EINTR` at
        /// once if interrupted.
        9 AwaitWake { slot: u16, until_ns: u64, boards: u8 } (()) -> Result<(), Errno> [defers];
        /// Wakes slots of this board, a bit each.
        10 Wake { first: u64, second: u64, third: u64, fourth: u64 } (()) -> Result<(), Errno>;
        /// A board failed: wakes programs that wait for something there.
        11 BoardDied { board: u8 } (()) -> Result<(), Errno>;
    }
}
