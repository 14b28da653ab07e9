//! A traced run as tables, as the page has them: a row for each call, frame, transfer, and change of a state.
//!
//! Invariant: each table is in the order of its rows' beginnings, and an end is never before its beginning. Not here:
//! how the rows come about (`tabulator`).

use crate::processes::SeenProcesses;
use renga_trace::TraceHeader;

/// A call has no answer: its caller's board stopped.
pub const CALL_ABANDONED: u8 = 1;
/// A server forwarded the call; the next row of this caller continues it.
pub const CALL_FORWARDED: u8 = 2;
/// The caller continued before another board carried the call out.
pub const CALL_RELEASED: u8 = 4;
/// The trace ends before the call.
pub const CALL_OPEN: u8 = 8;

/// A call, or the part of one that one server had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// The caller: a place in [`SeenProcesses`], as everywhere here.
    pub caller: u32,
    /// The server.
    pub server: u32,
    /// The entry.
    pub op: u8,
    /// When, ns.
    pub begin_ns: u64,
    /// When a server took it, ns; of a call to another board, when the router did.
    pub accept_ns: Option<u64>,
    /// Until when, ns.
    pub end_ns: u64,
    /// Of a proxy's call: the row of the call that it carries.
    pub made_for: Option<u32>,
    /// Of a call to another board: the first row of the proxy's call there.
    pub made_by: Option<u32>,
    /// `CALL_*`.
    pub flags: u8,
    /// Of a call to another board: the server's, wire and token time, ns; the rest is software.
    pub parts_ns: [u64; 3],
}

/// A process is in another state from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateRow {
    /// From when, ns.
    pub time_ns: u64,
    /// Which process.
    pub process: u32,
    /// Its state.
    pub state: RowState,
}

/// What a process does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowState {
    /// Nothing is known of it.
    #[default]
    Unknown = 0,
    /// It has the core.
    Runs = 1,
    /// It would run.
    Ready = 2,
    /// It waits for a call, as a server.
    WaitsForCall = 3,
    /// It waits for an interrupt or an alarm.
    WaitsForNotification = 4,
    /// Its program has the core.
    Program = 5,
}

/// A core does something else from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreRow {
    /// From when, ns.
    pub time_ns: u64,
    /// Its place among all cores.
    pub core: u32,
    /// What.
    pub activity: CoreActivity,
    /// Of which process.
    pub process: Option<u32>,
}

/// What a core does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreActivity {
    /// It waits for an interrupt.
    Idle = 0,
    /// The system runs.
    System = 1,
    /// A user program runs.
    Program = 2,
    /// Its board has stopped.
    Off = 3,
}

/// A frame of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRow {
    /// When it took the wire, ns.
    pub time_ns: u64,
    /// The sender.
    pub from: u8,
    /// The receiver.
    pub to: u8,
    /// How long it had waited for the token, ns.
    pub token_wait_ns: u64,
    /// How long it is on the wire, ns.
    pub wire_ns: u64,
    /// When it arrives after it took the wire, ns.
    pub arrives_after_ns: u64,
    /// Its length.
    pub bytes: u32,
    /// What it is for: a place in [`crate::frame_role::ROLE_NAMES`].
    pub role: u8,
    /// The row of the call that it carries.
    pub call: Option<u32>,
}

/// A transfer of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferRow {
    /// From when, ns.
    pub begin_ns: u64,
    /// Until when, ns.
    pub end_ns: u64,
    /// On which board.
    pub board: u8,
    /// The first block.
    pub first: u64,
    /// How many.
    pub blocks: u32,
    /// Whether it writes.
    pub writes: bool,
}

/// A system call of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemCallRow {
    /// The program's process.
    pub process: u32,
    /// Its number on Linux.
    pub number: u32,
    /// From when, ns.
    pub begin_ns: u64,
    /// Until the program goes on or ends, ns.
    pub end_ns: u64,
}

/// A program of a slot, under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRow {
    /// The slot.
    pub process: u32,
    /// Its pid.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// From when, ns.
    pub begin_ns: u64,
    /// Until when, ns.
    pub end_ns: u64,
}

/// An event without duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstantRow {
    /// When, ns.
    pub time_ns: u64,
    /// On which board.
    pub board: u8,
    /// What: a place in [`INSTANT_NAMES`].
    pub kind: u8,
    /// Whose.
    pub process: Option<u32>,
    /// Its number: an address, an inode.
    pub number: u64,
}

/// The kinds of instants.
pub const INSTANT_NAMES: [&str; 8] = [
    "page fault",
    "commit begins",
    "commit ends",
    "lease",
    "revocation begins",
    "revocation ends",
    "the board stops",
    "the board starts",
];

/// A whole run.
#[derive(Clone, Debug, Default)]
pub struct RunTables {
    /// The names.
    pub header: TraceHeader,
    /// The first event, ns.
    pub begin_ns: u64,
    /// The last event, ns.
    pub end_ns: u64,
    /// How many events the trace has.
    pub events: u64,
    /// The trace has no end.
    pub is_cut: bool,
    /// The processes.
    pub processes: SeenProcesses,
    /// Calls.
    pub calls: Vec<CallRow>,
    /// States of processes.
    pub states: Vec<StateRow>,
    /// Activities of cores.
    pub cores: Vec<CoreRow>,
    /// Frames.
    pub frames: Vec<FrameRow>,
    /// When which board got the token, ns.
    pub tokens: Vec<(u64, u8)>,
    /// Transfers of disks.
    pub transfers: Vec<TransferRow>,
    /// System calls.
    pub system_calls: Vec<SystemCallRow>,
    /// Programs.
    pub programs: Vec<ProgramRow>,
    /// Instants.
    pub instants: Vec<InstantRow>,
    /// Words that programs wrote to `/proc/renga/mark`, and when, ns.
    pub marks: Vec<(u64, String)>,
}

impl CallRow {
    /// How long it took, ns.
    pub fn ns(&self) -> u64 {
        self.end_ns - self.begin_ns
    }
}
