//! The critical path of a process: at each instant, the end of its chain of waits.
//!
//! As in `renga_trace::path`, a caller waits for its server, which may wait for another one, across boards too.
//! Invariant: the segments of a path follow each other without gaps. Called by: `packing`, for each program. Unlike
//! `renga_trace::path`, this follows the chain through tables, so that the paths of all programs take no pass each.

use crate::call_index::CallIndex;
use crate::call_parts::{for_token, on_wire};
use crate::interval_index::IntervalIndex;
use crate::tables::{RowState, RunTables};

/// Links of a chain at most: a trace may say anything.
const CHAIN_MAX: u32 = 32;

/// Why the end of a chain has not gone on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathCause {
    /// The program computes.
    Program = 0,
    /// A system process runs.
    System = 1,
    /// It is ready, and another one has the core.
    Ready = 2,
    /// The routers work on a call to another board.
    Link = 3,
    /// A frame waits for the token.
    Token = 4,
    /// A frame is on the wire.
    Wire = 5,
    /// The disk transfers.
    Medium = 6,
    /// A server keeps the call until something happens.
    Kept = 7,
    /// It waits for an interrupt or an alarm.
    Notification = 8,
    /// The trace does not say.
    Unknown = 9,
}

/// The names of causes, in their order.
pub const CAUSE_NAMES: [&str; 10] = [
    "program",
    "system",
    "ready, core taken",
    "link software",
    "token",
    "wire",
    "disk medium",
    "server keeps the call",
    "alarm or interrupt",
    "unknown",
];

/// A segment of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticalSegment {
    /// From when, ns.
    pub begin_ns: u64,
    /// Until when, ns.
    pub end_ns: u64,
    /// The end of the chain; while a call is between boards, its caller.
    pub process: u32,
    /// Why.
    pub cause: PathCause,
    /// The last call of the chain.
    pub call: Option<u32>,
}

/// What is needed to follow chains.
pub struct PathFinder<'a> {
    tables: &'a RunTables,
    calls: CallIndex,
    states_of: IntervalIndex,
    transfers_of: IntervalIndex,
    is_disk: Vec<bool>,
}

/// A part of a path: whose, from when to when, how long the chain is, and its last call.
#[derive(Clone, Copy)]
struct Stretch {
    process: u32,
    begin_ns: u64,
    end_ns: u64,
    depth: u32,
    call: Option<u32>,
}

impl<'a> PathFinder<'a> {
    /// For this run.
    pub fn new(tables: &'a RunTables) -> PathFinder<'a> {
        let count = tables.processes.ids().len();
        let boards = tables.header.boards.len().max(usize::from(u8::MAX) + 1);
        let is_disk = tables.processes.ids().iter().map(|id| tables.header.kind(*id) == "disk");
        PathFinder {
            tables,
            calls: CallIndex::new(tables),
            states_of: IntervalIndex::new(count, tables.states.iter().map(|state| Some(state.process))),
            transfers_of: IntervalIndex::new(boards, tables.transfers.iter().map(|one| Some(u32::from(one.board)))),
            is_disk: is_disk.collect(),
        }
    }

    /// The path of `process` from `begin_ns` to `end_ns`.
    pub fn path(&self, process: u32, begin_ns: u64, end_ns: u64) -> Vec<CriticalSegment> {
        let mut segments = Vec::new();
        self.follow(Stretch { process, begin_ns, end_ns, depth: 0, call: None }, &mut segments);
        segments
    }

    fn follow(&self, stretch: Stretch, segments: &mut Vec<CriticalSegment>) {
        let mut at_ns = stretch.begin_ns;
        if stretch.depth == CHAIN_MAX {
            return add(segments, stretch, PathCause::Unknown);
        }
        let begin_ns = |row: u32| self.tables.calls[row as usize].begin_ns;
        for row in self.calls.calls_of.from(stretch.process, at_ns, begin_ns) {
            let call = &self.tables.calls[*row as usize];
            if call.begin_ns >= stretch.end_ns {
                break;
            }
            let (from_ns, to_ns) = (call.begin_ns.max(at_ns), call.end_ns.min(stretch.end_ns));
            if to_ns <= from_ns {
                continue;
            }
            self.alone(Stretch { begin_ns: at_ns, end_ns: from_ns, ..stretch }, segments);
            let made =
                Stretch { begin_ns: from_ns, end_ns: to_ns, depth: stretch.depth + 1, call: Some(*row), ..stretch };
            if self.is_remote(*row) {
                self.across(made, *row, segments);
            } else {
                self.follow(Stretch { process: call.server, ..made }, segments);
            }
            at_ns = to_ns;
        }
        self.alone(Stretch { begin_ns: at_ns, ..stretch }, segments);
    }

    fn is_remote(&self, row: u32) -> bool {
        let (call, processes) = (&self.tables.calls[row as usize], &self.tables.processes);
        processes.id(call.caller).board != processes.id(call.server).board
    }

    /// A call to another board: the link, the server there, the link.
    fn across(&self, stretch: Stretch, row: u32, segments: &mut Vec<CriticalSegment>) {
        let mut at_ns = stretch.begin_ns;
        for carrier in self.calls.carriers(self.tables, row) {
            let call = &self.tables.calls[*carrier as usize];
            let from_ns = call.begin_ns.clamp(at_ns, stretch.end_ns);
            let to_ns = call.end_ns.clamp(from_ns, stretch.end_ns);
            self.link(Stretch { begin_ns: at_ns, end_ns: from_ns, ..stretch }, row, segments);
            let there = Stretch { process: call.server, begin_ns: from_ns, end_ns: to_ns, ..stretch };
            self.follow(Stretch { call: Some(*carrier), ..there }, segments);
            at_ns = to_ns;
        }
        self.link(Stretch { begin_ns: at_ns, ..stretch }, row, segments);
    }

    /// Between boards: the frames of the call wait for the token, are on the wire, or are not there.
    fn link(&self, stretch: Stretch, row: u32, segments: &mut Vec<CriticalSegment>) {
        let mut at_ns = stretch.begin_ns;
        for frame in self.calls.frames_of.of(row) {
            let frame = &self.tables.frames[*frame as usize];
            for ((from_ns, to_ns), cause) in [(for_token(frame), PathCause::Token), (on_wire(frame), PathCause::Wire)] {
                let (from_ns, to_ns) = (from_ns.max(at_ns), to_ns.min(stretch.end_ns));
                if from_ns < to_ns {
                    add(segments, Stretch { begin_ns: at_ns, end_ns: from_ns, ..stretch }, PathCause::Link);
                    add(segments, Stretch { begin_ns: from_ns, end_ns: to_ns, ..stretch }, cause);
                    at_ns = to_ns;
                }
            }
        }
        add(segments, Stretch { begin_ns: at_ns, ..stretch }, PathCause::Link);
    }

    /// The process waits for no other one.
    fn alone(&self, stretch: Stretch, segments: &mut Vec<CriticalSegment>) {
        if stretch.begin_ns >= stretch.end_ns {
            return;
        }
        let (mut at_ns, mut cause) = (stretch.begin_ns, PathCause::Unknown);
        let begin_ns = |row: u32| self.tables.states[row as usize].time_ns;
        for row in self.states_of.from(stretch.process, at_ns, begin_ns) {
            let state = self.tables.states[*row as usize];
            if state.time_ns >= stretch.end_ns {
                break;
            }
            let until_ns = state.time_ns.max(at_ns);
            self.caused(Stretch { begin_ns: at_ns, end_ns: until_ns, ..stretch }, cause, segments);
            (at_ns, cause) = (until_ns, cause_of(state.state));
        }
        self.caused(Stretch { begin_ns: at_ns, ..stretch }, cause, segments);
    }

    /// Of a disk, the medium's transfers are apart from other waits.
    fn caused(&self, stretch: Stretch, cause: PathCause, segments: &mut Vec<CriticalSegment>) {
        let mut at_ns = stretch.begin_ns;
        if self.is_disk[stretch.process as usize] && matches!(cause, PathCause::Notification | PathCause::Kept) {
            let board = self.tables.processes.id(stretch.process).board.0;
            let begin_ns = |row: u32| self.tables.transfers[row as usize].begin_ns;
            for row in self.transfers_of.from(u32::from(board), at_ns, begin_ns) {
                let transfer = self.tables.transfers[*row as usize];
                if transfer.begin_ns >= stretch.end_ns {
                    break;
                }
                let (from_ns, to_ns) = (transfer.begin_ns.max(at_ns), transfer.end_ns.min(stretch.end_ns));
                if from_ns < to_ns {
                    add(segments, Stretch { begin_ns: at_ns, end_ns: from_ns, ..stretch }, cause);
                    add(segments, Stretch { begin_ns: from_ns, end_ns: to_ns, ..stretch }, PathCause::Medium);
                    at_ns = to_ns;
                }
            }
        }
        add(segments, Stretch { begin_ns: at_ns, ..stretch }, cause);
    }
}

fn cause_of(state: RowState) -> PathCause {
    match state {
        RowState::Unknown => PathCause::Unknown,
        RowState::Runs => PathCause::System,
        RowState::Ready => PathCause::Ready,
        RowState::WaitsForCall => PathCause::Kept,
        RowState::WaitsForNotification => PathCause::Notification,
        RowState::Program => PathCause::Program,
    }
}

fn add(segments: &mut Vec<CriticalSegment>, stretch: Stretch, cause: PathCause) {
    let Stretch { process, begin_ns, end_ns, call, .. } = stretch;
    if begin_ns >= end_ns {
        return;
    }
    match segments.last_mut() {
        Some(last) if (last.process, last.cause, last.call) == (process, cause, call) => last.end_ns = end_ns,
        _ => segments.push(CriticalSegment { begin_ns, end_ns, process, cause, call }),
    }
}
