//! What can happen, as plain data.
//!
//! Each kind of event but a frame and a start has the name of a probe of the kernel, and the probe's numbers, in their
//! order:
//! [`ProbeEventKind`] is the one table of both. Invariant: an event built from numbers gives the same numbers again.

use renga_abi::ProcId;

/// Most numbers of an event.
pub const NUMBERS_MAX: usize = 4;

/// Something that happened, when and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    /// When, ns of the cluster's time.
    pub time_ns: u64,
    /// On which board; of a frame, whose it is.
    pub board: u8,
    /// On which of its cores; 0 of what is not a core's.
    pub core: u8,
    /// What.
    pub event: TraceEvent,
}

/// A frame of the link; its time is when it took the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedFrame {
    /// The receiver.
    pub destination: u8,
    /// How long it had waited for the token, ns.
    pub token_wait_ns: u64,
    /// How long it is on the wire, ns.
    pub wire_ns: u64,
    /// When it arrives, after it took the wire, ns.
    pub arrives_after_ns: u64,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// What a number of an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventNumber {
    /// A process.
    Id,
    /// Anything else.
    Plain,
}

macro_rules! events { ($($(#[$doc:meta])* $Name:ident = $name:literal { $($(#[$about:meta])* $field:ident: $How:ident as $Type:ty),* },)*) => {
    /// What happened.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum TraceEvent {
        /// The board was restarted; absent for the first start.
        Started,
        /// The board does nothing more: its power is cut, it hangs, it has died or ended.
        Stopped,
        /// A frame took the wire.
        Frame(TracedFrame),
        $($(#[$doc])* $Name { $($(#[$about])* $field: $Type),* },)*
    }

    /// A kind of event that a probe reports.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ProbeEventKind { $($(#[$doc])* $Name),* }

    impl ProbeEventKind {
        /// All of them.
        pub const ALL: &'static [ProbeEventKind] = &[$(ProbeEventKind::$Name),*];

        /// The name of its probes.
        pub const fn name(self) -> &'static str {
            match self { $(ProbeEventKind::$Name => $name),* }
        }

        /// Its numbers.
        pub const fn numbers(self) -> &'static [EventNumber] {
            match self { $(ProbeEventKind::$Name => &[$(EventNumber::$How),*]),* }
        }
    }

    impl TraceEvent {
        /// The event of `kind` with these numbers, as many as it has.
        pub fn of(kind: ProbeEventKind, numbers: &[u64]) -> TraceEvent {
            let mut numbers = numbers.iter().copied();
            match kind { $(ProbeEventKind::$Name => TraceEvent::$Name {
                $($field: <$Type as Field>::from_number(numbers.next().unwrap_or(0))),*
            }),* }
        }

        /// Its kind and its numbers; none of a frame, a start and an end.
        pub fn numbers(&self) -> Option<(ProbeEventKind, Vec<u64>)> {
            match self {
                TraceEvent::Started | TraceEvent::Stopped | TraceEvent::Frame(_) => None,
                $(TraceEvent::$Name { $($field),* } => Some((ProbeEventKind::$Name, vec![$(Field::to_number(*$field)),*])),)*
            }
        }
    }
} }

events! {
    /// A process calls another one.
    Call = "call" {
        /// The caller, which waits from now on.
        caller: Id as ProcId,
        /// The server.
        server: Id as ProcId,
        /// Which entry.
        op: Plain as u8
    },
    /// A server has forwarded a call.
    Forward = "forward" {
        /// The caller.
        caller: Id as ProcId,
        /// The new server.
        server: Id as ProcId,
        /// Which entry.
        op: Plain as u8
    },
    /// A server takes a call: the router too, of a call to another board.
    Accept = "accept" {
        /// The new server.
        server: Id as ProcId,
        /// The caller.
        caller: Id as ProcId,
        /// Which entry.
        op: Plain as u8
    },
    /// A call is answered.
    Reply = "reply" {
        /// The caller, which continues.
        caller: Id as ProcId,
        /// The server.
        server: Id as ProcId,
        /// Which entry.
        op: Plain as u8
    },
    /// A process waits for a call.
    WaitCall = "wait-call" {
        /// The process.
        process: Id as ProcId
    },
    /// A process waits for a notification.
    WaitNotification = "wait-notification" {
        /// The process.
        process: Id as ProcId
    },
    /// A process waits until others had their slice.
    WaitTimeSlice = "wait-turn" {
        /// The process.
        process: Id as ProcId
    },
    /// A process is notified.
    Notify = "notify" {
        /// The process.
        process: Id as ProcId
    },
    /// A process gets the core.
    Dispatch = "dispatch" {
        /// The process.
        process: Id as ProcId
    },
    /// A process works for an account from now on, and so do servers whose calls come from it.
    Account = "account" {
        /// The process.
        process: Id as ProcId,
        /// The account: 0 is the system's; the boards' slots follow.
        account: Plain as u16
    },
    /// A user program gets the core.
    Enter = "enter" {
        /// Whose it is.
        process: Id as ProcId
    },
    /// A user program has left the core.
    Trap = "trap" {
        /// Whose it is.
        process: Id as ProcId
    },
    /// A user program has issued a system call.
    SystemCall = "system-call" {
        /// Whose it is.
        process: Id as ProcId,
        /// Which, as Linux numbers them.
        number: Plain as u32
    },
    /// A user program has touched memory that it may not, or may not yet.
    Fault = "fault" {
        /// Whose it is.
        process: Id as ProcId,
        /// Where.
        address: Plain as u64,
        /// To read (0), to write (1), to execute (2).
        kind: Plain as u8
    },
    /// The core waits for an interrupt.
    Idle = "idle" {},
    /// The alarm has gone off.
    Alarm = "interrupt-alarm" {},
    /// The devices were polled.
    Devices = "interrupt-devices" {
        /// Those that want attention, a bit each: console, log, link.
        sources: Plain as u8
    },
    /// The disk begins to read or write.
    Disk = "disk" {
        /// The disk's process.
        process: Id as ProcId,
        /// The first block.
        first: Plain as u64,
        /// How many.
        blocks: Plain as u32,
        /// Whether it writes.
        writes: Plain as bool
    },
    /// The disk is done.
    DiskEnd = "disk-end" {
        /// The disk's process.
        process: Id as ProcId
    },
    /// A commit of the file system begins.
    Commit = "commit" {
        /// The committing process.
        process: Id as ProcId
    },
    /// It is over.
    CommitEnd = "commit-end" {
        /// The committing process.
        process: Id as ProcId
    },
    /// A board may keep a page of a file.
    Lease = "lease" {
        /// Whose page: the inode's number.
        ino: Plain as u32,
        /// The board.
        board: Plain as u8,
        /// Which page.
        page: Plain as u32
    },
    /// A lease is revoked at a board.
    Revoke = "recall" {
        /// Whose pages: the inode's number.
        ino: Plain as u32,
        /// The board with the lease.
        board: Plain as u8,
        /// The first.
        from: Plain as u32,
        /// Behind the last.
        to: Plain as u32
    },
    /// It has given them up.
    RevokeEnd = "recall-end" {
        /// Whose pages: the inode's number.
        ino: Plain as u32,
        /// The board that had the lease.
        board: Plain as u8
    },
    /// A slot of user programs has this program from now on, or the one that it has is called so.
    Program = "program" {
        /// The slot.
        process: Id as ProcId,
        /// The program's pid.
        pid: Plain as u32,
        /// The first eight bytes of its name, the first the lowest.
        name: Plain as u64,
        /// The others.
        rest: Plain as u64
    },
    /// The program of a slot has ended, and all that it had was let go.
    ProgramEnd = "program-end" {
        /// The slot.
        process: Id as ProcId
    },
    /// The board has the token of the link from now on.
    Token = "token" {},
    /// A program has written a word to `/proc/renga/mark`: a phase of the run begins.
    Mark = "mark" {
        /// The server of synthetic files.
        process: Id as ProcId,
        /// The first eight bytes of the word, the first the lowest.
        name: Plain as u64,
        /// The others.
        rest: Plain as u64
    },
    /// The process of the board's page frames has served a call.
    FreeFrames = "free-frames" {
        /// How many are free now.
        free: Plain as u32
    },
}

impl ProbeEventKind {
    /// The kind of the probes of this name.
    pub fn named(name: &str) -> Option<ProbeEventKind> {
        ProbeEventKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// The name in the two words of [`TraceEvent::Program`] and [`TraceEvent::Mark`].
pub fn program_name(words: [u64; 2]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A part of an event, as a number.
trait Field: Copy {
    fn from_number(number: u64) -> Self;
    fn to_number(self) -> u64;
}

macro_rules! fields { ($($Type:ty),*) => { $(impl Field for $Type {
    fn from_number(number: u64) -> Self {
        number as $Type
    }
    fn to_number(self) -> u64 {
        self as u64
    }
})* } }
fields!(u8, u16, u32, u64);

impl Field for bool {
    fn from_number(number: u64) -> Self {
        number != 0
    }
    fn to_number(self) -> u64 {
        u64::from(self)
    }
}

impl Field for ProcId {
    fn from_number(number: u64) -> Self {
        ProcId::from_word(number as u32)
    }
    fn to_number(self) -> u64 {
        self.to_word().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_numbers_round_trip() {
        for kind in ProbeEventKind::ALL {
            let numbers: Vec<u64> = (1..=kind.numbers().len() as u64).map(|at| at.min(1 + at % 2)).collect();
            assert!(numbers.len() <= NUMBERS_MAX);
            let same: Vec<u64> = if *kind == ProbeEventKind::Disk { vec![1, 2, 3, 1] } else { numbers };
            assert_eq!(TraceEvent::of(*kind, &same).numbers(), Some((*kind, same)));
            assert_eq!(ProbeEventKind::named(kind.name()), Some(*kind));
        }
        assert_eq!(ProbeEventKind::named("hello"), None);
    }
}
