//! The tracks of an export: subject, number, name and parent of each.
//!
//! Invariant: different tracks have different numbers.

use super::message::{CounterDescriptor, ProcessDescriptor, TracePacket, TrackDescriptor};
use crate::header::TraceHeader;
use renga_abi::ProcId;

/// `CounterDescriptor.Unit`: a count.
const UNIT_COUNT: i32 = 2;

/// The subject of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum TrackKind {
    /// The phases that programs mark.
    Phases,
    /// The frames of the link.
    Link,
    /// The part of the time for which a frame is on the wire, %.
    LinkLoad,
    /// Frames that wait for the token.
    LinkQueue,
    /// A board, which is a process for Perfetto.
    Board,
    /// Processes and programs that wait for a core.
    RunQueue,
    /// Calls that wait for servers of a kind.
    CallQueue,
    /// Page frames that are free.
    FreeFrames,
    /// A core: its process or program.
    Core,
    /// The transfers of the disk.
    Disk,
    /// A user program.
    Program,
    /// A system process.
    Process,
}

/// A track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Track {
    pub(super) kind: TrackKind,
    /// Its board; 0 of a track of no board.
    board: u8,
    /// The core, the process, or the servers' kind.
    number: u16,
    /// Of a program.
    pid: u32,
}

impl Track {
    /// A track of no board.
    pub(super) const fn global(kind: TrackKind) -> Track {
        Track { kind, board: 0, number: 0, pid: 0 }
    }

    pub(super) const fn of_board(kind: TrackKind, board: u8) -> Track {
        Track { kind, board, number: 0, pid: 0 }
    }

    pub(super) fn core(board: u8, core: u8) -> Track {
        Track { kind: TrackKind::Core, board, number: core.into(), pid: 0 }
    }

    pub(super) fn process(id: ProcId) -> Track {
        Track { kind: TrackKind::Process, board: id.board.0, number: id.index, pid: 0 }
    }

    pub(super) fn program(slot: ProcId, pid: u32) -> Track {
        Track { kind: TrackKind::Program, board: slot.board.0, number: slot.index, pid }
    }

    /// Calls that wait for servers of kind `kind`, a place in [`TraceHeader::kinds`].
    pub(super) fn call_queue(board: u8, kind: usize) -> Track {
        Track { kind: TrackKind::CallQueue, board, number: kind as u16, pid: 0 }
    }

    /// Its board.
    pub(super) fn board(self) -> Option<u8> {
        use TrackKind::{Link, LinkLoad, LinkQueue, Phases};
        (!matches!(self.kind, Phases | Link | LinkLoad | LinkQueue)).then_some(self.board)
    }

    /// The track under which it is displayed.
    pub(super) fn parent(self) -> Option<Track> {
        let board = self.board().filter(|_| self.kind != TrackKind::Board);
        board.map(|board| Track::of_board(TrackKind::Board, board))
    }

    /// Its number.
    pub(super) fn uuid(self) -> u64 {
        (self.kind as u64 + 1) << 56 | u64::from(self.board) << 48 | u64::from(self.number) << 32 | u64::from(self.pid)
    }

    fn name(self, header: &TraceHeader) -> String {
        let process = ProcId::new(self.board, self.number);
        match self.kind {
            TrackKind::Phases => "phases".to_string(),
            TrackKind::Link => "link".to_string(),
            TrackKind::LinkLoad => "link load, %".to_string(),
            TrackKind::LinkQueue => "frames waiting for the token".to_string(),
            TrackKind::Board => format!("board {}", header.board(self.board)),
            TrackKind::RunQueue => "run queue".to_string(),
            TrackKind::CallQueue => format!("calls waiting for {}", header.kind_name(Some(self.number.into()))),
            TrackKind::FreeFrames => "free page frames".to_string(),
            TrackKind::Core => format!("core {}", self.number),
            TrackKind::Disk => "disk".to_string(),
            TrackKind::Program => format!("program of {}", header.name(process)),
            TrackKind::Process => header.name(process),
        }
    }

    /// Describes it; a program's track has the program's name.
    pub(super) fn described(self, header: &TraceHeader, program: Option<&String>) -> TracePacket {
        use TrackKind::{CallQueue, FreeFrames, LinkLoad, LinkQueue, RunQueue};
        let name = program.cloned().unwrap_or_else(|| self.name(header));
        let is_counter = matches!(self.kind, LinkLoad | LinkQueue | RunQueue | CallQueue | FreeFrames);
        let process = (self.kind == TrackKind::Board)
            .then(|| ProcessDescriptor { pid: Some(i32::from(self.board) + 1), process_name: Some(name.clone()) });
        TracePacket::of_track(TrackDescriptor {
            uuid: Some(self.uuid()),
            name: Some(name),
            process,
            parent_uuid: self.parent().map(Track::uuid),
            counter: is_counter.then_some(CounterDescriptor { unit: Some(UNIT_COUNT) }),
        })
    }
}
