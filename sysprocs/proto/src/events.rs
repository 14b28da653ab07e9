//! Event files: what programs wait for and read that is no stream of bytes. One process keeps those of each board.

use crate::clock::Left;
use crate::pipe::Polled;
use renga_abi::Errno;
use renga_core::{in_words, protocol, word_enum};

word_enum! {
    /// What an event file is.
    pub enum EventKind {
        /// A count that a read takes all of (eventfd).
        Count,
        /// A count that a read takes one of.
        Semaphore,
        /// How often a time has come (timerfd), since boot.
        Timer,
        /// The same by calendar time.
        CalendarTimer,
    }
}

in_words! {
    /// An event file that was made.
    pub struct EventFile {
        /// Its number on its board.
        number: u16,
        /// Which life of that number.
        life: u32,
    }
}

/// The largest count.
pub const COUNT_MAX: u64 = u64::MAX - 1;

protocol! {
    /// The event files of a board. `life` is what `MakeEvents` answered: `ESTALE` if the number is in another life by now,
    /// or the caller's board holds it no more. No entry waits: `slot` of the caller's board, unless that is nobody's, is
    /// woken once when it is to be tried again.
    pub Events = 27, EventsCall {
        /// Makes one, which the caller's board holds; `count`: what a counter starts with. `ENFILE`: there are as many as
        /// there can be.
        0 MakeEvents { kind: EventKind, count: u64 } (()) -> Result<EventFile, Errno>;
        /// One reference more, for the caller's board.
        1 HoldEvents { number: u16, life: u32 } (()) -> Result<(), Errno>;
        /// One reference less; the last ends it.
        2 DropEvents { number: u16, life: u32 } (()) -> Result<(), Errno> [releases];
        /// Takes the count, or one of it; of a timer how often its time has come since that was last asked. `EAGAIN`: 0.
        /// `ECANCELED`: calendar time was set, and the timer is one to be told.
        3 TakeCount { number: u16, life: u32, slot: u16 } (()) -> Result<u64, Errno>;
        /// Adds to the count. `EAGAIN`: it would be more than `COUNT_MAX`.
        4 AddCount { number: u16, life: u32, add: u64, slot: u16 } (()) -> Result<(), Errno>;
        /// Which of `events` hold, unless no more has happened than the `seen` edges (0: it does not matter).
        5 PollEvents { number: u16, life: u32, events: u32, slot: u16, seen: u32 } (()) -> Result<Polled, Errno>;
        /// Sets a timer as the clock's `SetTimer`; `told`: a read is to fail when calendar time is set.
        6 SetTimerFile { number: u16, life: u32, at_ns: u64, interval_ns: u64, absolute: bool, told: bool } (())
            -> Result<Left, Errno>;
        /// What is left of a timer.
        7 AskTimerFile { number: u16, life: u32 } (()) -> Result<Left, Errno>;
        /// Calendar time is `now_ns`: the timers follow.
        8 FollowCalendar { now_ns: u64 } (()) -> Result<(), Errno>;
        /// A board is dead: what it held is dropped.
        9 BoardDied { board: u8 } (()) -> Result<(), Errno>;
    }
}
