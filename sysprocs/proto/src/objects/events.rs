//! Event files: what programs wait for and read that is no stream of bytes, and sets of watches, by which they wait for
//! many things. One process keeps those of each board.

use crate::clock::Left;
use crate::pipe::Polled;
use renga_abi::Errno;
use renga_core::{in_word, in_words, protocol, word_enum};

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
        /// A set of watches (epoll).
        Watches,
        /// A queue of notices of changed files (inotify); `MakeNotices` creates one.
        Notices,
        /// A process, until it ends (pidfd); `MakeProcessFile` creates one.
        Process,
    }
}
word_enum! {
    /// What is done to a watch.
    pub enum WatchChange {
        /// It is made.
        Add,
        /// It is for other events, with other data, and whatever was reported of it is reported again.
        Modify,
        /// It is no more.
        Remove,
    }
}

in_words! {
    /// An event file that was made.
    pub struct EventFile {
        /// Its number on its board.
        number: u16,
        /// Which generation of that number.
        generation: u32,
    }
}

/// Of a watch's events: report an event once per edge.
pub const WATCH_EDGES: u32 = 1 << 31;
/// Of a watch's events: none is reported after the first, until the watch is changed.
pub const WATCH_ONCE: u32 = 1 << 30;
/// Of a watch's events: not everybody who waits has to be woken. It cannot be modified.
pub const WATCH_EXCLUSIVE: u32 = 1 << 28;

in_word! {
    /// Which watch is changed and how; in one word.
    pub struct WatchWish {
        /// What is done to it.
        change: WatchChange = 0..=15,
        /// The number by which its maker knows what is watched.
        descriptor: u16 = 16..=31,
        /// What it is for.
        events: u32 = 32..=63,
    }
    /// Which watch it is, and what for; in one word.
    pub struct WatchKey {
        /// Where the keeper has it.
        place: u16 = 0..=15,
        /// The number by which its maker knows what is watched.
        descriptor: u16 = 16..=31,
        /// What it is for.
        events: u32 = 32..=63,
    }
    /// How a watch stands; in one word.
    pub struct WatchStamp {
        /// Which change of it this is.
        version: u32 = 32..=63,
        /// The edges of what is watched when that was last reported; 0: none that matter.
        edges: u32 = 0..=31,
    }
}

in_words! {
    /// A watch.
    pub struct WatchEntry {
        /// Which, and what for.
        key: WatchKey,
        /// The user data to report with its events.
        data: u64,
        /// What is watched, as its maker wrote it.
        object: u64,
        /// The rest of that.
        more: u64,
        /// How it stands.
        stamp: WatchStamp,
    }
}

in_words! {
    /// What was found in a directory, and changed without its name.
    pub struct UnnamedChild {
        /// The directory.
        directory: u32,
        /// The inode.
        child: u32,
    }
    /// A watch of an inode.
    pub struct WatchedInode {
        /// Its number.
        watch: u32,
        /// The inode was not watched before.
        is_new: bool,
    }
    /// A process that is watched.
    pub struct WatchedProcess {
        /// Which.
        pid: u32,
        /// It has ended.
        ended: bool,
    }
}

/// The largest count.
pub const COUNT_MAX: u64 = u64::MAX - 1;

protocol! {
    /// The event files and sets of watches of a board. `generation` is from the reply to `MakeEvents`: `ESTALE` if
    /// the number is in another generation by now, or the caller's board has no reference any more. No entry waits:
    /// `slot` of the caller's board, unless it is `NO_PROGRAM`, is woken once to try again.
    pub Events = 27, EventsCall {
        /// Creates one, with a reference of the caller's board; `count`: a counter's first value. `ENFILE`: all are
        /// in use.
        0 MakeEvents { kind: EventKind, count: u64 } (()) -> Result<EventFile, Errno>;
        /// One reference more, for the caller's board.
        1 HoldEvents { number: u16, generation: u32 } (()) -> Result<(), Errno>;
        /// One reference less; the last ends it.
        2 DropEvents { number: u16, generation: u32 } (()) -> Result<(), Errno> [releases];
        /// Takes the count, or one of it; of a timer its expiries since the last read. `EAGAIN`: 0. `ECANCELED`:
        /// calendar time was set, and the timer was set with `cancel_on_set`.
        3 TakeCount { number: u16, generation: u32, slot: u16 } (()) -> Result<u64, Errno>;
        /// Adds to the count. `EAGAIN`: it would be more than `COUNT_MAX`.
        4 AddCount { number: u16, generation: u32, add: u64, slot: u16 } (()) -> Result<(), Errno>;
        /// Returns those of `events` that are true, unless the edge count is still `seen` (0: any). `EPERM`: it is in
        /// this generation, and only other boards have references.
        5 PollEvents { number: u16, generation: u32, events: u32, slot: u16, seen: u32 } (()) -> Result<Polled, Errno>;
        /// Sets a timer as the clock's `SetTimer`; `cancel_on_set`: a read is to fail when calendar time is set.
        6 SetTimerFile { number: u16, generation: u32, at_ns: u64, interval_ns: u64, absolute: bool, cancel_on_set: bool } (())
            -> Result<Left, Errno>;
        /// What is left of a timer.
        7 AskTimerFile { number: u16, generation: u32 } (()) -> Result<Left, Errno>;
        /// Calendar time is `now_ns`: the timers follow.
        8 FollowCalendar { now_ns: u64 } (()) -> Result<(), Errno>;
        /// A board failed: drops its references.
        9 BoardDied { board: u8 } (()) -> Result<(), Errno>;
        /// Changes the watch that a set has of a descriptor and object. `EEXIST`: it is there already; `ENOENT`: it is
        /// not; `ENOSPC`: the board has as many as there can be; `EINVAL`: no set, or a watch that cannot be modified.
        10 ChangeWatch { number: u16, generation: u32, wish: WatchWish, data: u64, object: u64, more: u64 } (())
            -> Result<(), Errno>;
        /// The first watch of a set, of those for anything, that is at place `from` or behind. `ENOENT`: there is none.
        /// `slot` is woken when a watch has been added or modified.
        11 NextWatch { number: u16, generation: u32, from: u16, slot: u16 } (()) -> Result<WatchEntry, Errno>;
        /// Claims the events of the watch at `place`, whose object was at `edges`, for the caller alone to report;
        /// `edges` 0: its object is gone, and so is the watch. `EAGAIN`: it is not at `stamp` any more.
        12 ClaimWatch { number: u16, generation: u32, place: u16, stamp: WatchStamp, edges: u32 } (()) -> Result<(), Errno>;
        /// Notes whether who takes or adds is to wait for it, for all who have it: no entry waits here.
        13 SetWaiting { number: u16, generation: u32, nonblocking: bool } (()) -> Result<(), Errno>;
        /// What `SetWaiting` has noted: whether it is nonblocking. At first it is not.
        14 AskWaiting { number: u16, generation: u32 } (()) -> Result<bool, Errno>;
        /// Creates a queue of notices; one `for_root` may use what is reserved of watches and notices. `ENFILE`: all
        /// event files are in use.
        15 MakeNotices { for_root: bool } (()) -> Result<EventFile, Errno>;
        /// Watches inode `ino`, or changes how. `EEXIST`: it is watched, and `wish` is for a new watch only; `ENOSPC`:
        /// the queue has as many watches as it may have; `EINVAL`: no queue of notices.
        16 WatchInode { number: u16, generation: u32, ino: u32, wish: u32 } (()) -> Result<WatchedInode, Errno>;
        /// Ends a watch, and says so in the queue; a `quiet` end drops the notices of the watch instead, as if it had
        /// never been. `EINVAL`: there is none.
        17 UnwatchInode { number: u16, generation: u32, watch: u32, quiet: bool } (()) -> Result<(), Errno>;
        /// Inode `ino`, found in directory `parent` (0: none), has changed so ([`crate::notices`]); of a name in the
        /// directory the slice has the name. `cookie` joins both notices of a move. From the files' owner only.
        18 NoteChange { ino: u32, parent: u32, change: u32, cookie: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Whose name the queue needs before it can be read. `ENOENT`: none.
        19 NextUnnamed { number: u16, generation: u32 } (()) -> Result<UnnamedChild, Errno>;
        /// The name of that; an empty one: it has none any more, and its notices are dropped.
        20 NameChild { number: u16, generation: u32, directory: u32, child: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Takes as many notices as fit in the slice, as programs read them (`struct inotify_event`). `EAGAIN`: there
        /// is none, or the first one needs its name; `EINVAL`: it does not fit.
        21 TakeNotices { number: u16, generation: u32, slot: u16 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// How many bytes all notices have that could be taken now.
        22 CountNotices { number: u16, generation: u32 } (()) -> Result<u32, Errno>;
        /// Creates a file of no process yet. `ENFILE`: all are in use.
        23 MakeProcessFile {} (()) -> Result<EventFile, Errno>;
        /// Process `pid` has ended. From the processes of this board only.
        24 EndProcess { pid: u32 } (()) -> Result<(), Errno>;
        /// Which process it is, and whether it has ended. `EINVAL`: no process.
        25 AskProcess { number: u16, generation: u32 } (()) -> Result<WatchedProcess, Errno>;
        /// Such a file is that of process `pid` of this board from now on, and readable when that has `ended`.
        26 SetProcess { number: u16, generation: u32, pid: u32, ended: bool } (()) -> Result<(), Errno>;
    }
}
