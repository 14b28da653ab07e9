//! What a traced run says of the job of each board: how long it took, and how long its programs waited for calls
//! between movable groups that were on their way to another board or back.
//!
//! Invariant: an instant counts once, and not while a program runs: what overlaps with that saves nothing. Not here:
//! other placements.

use super::placement::{BOARDS, BOARDS_COUNT, OsPlacement};
use crate::run::RunOutcome;
use anyhow::Result;
use renga_abi::ProcId;
use renga_trace::TraceHeader;
use renga_trace::calls::{Calls, TracedCall};
use renga_trace::cores::{Doing, TracedCores};
use renga_trace::event::{Timed, TraceEvent, TracedFrame};
use std::collections::BTreeSet;
use std::ops::Range;

/// Links of a chain of waits at most: placement allows no circles, but a trace may say anything.
const CHAIN_MAX: usize = 32;
/// A frame with fewer is a request, or an answer without data.
const DATA_BYTES_MIN: usize = 512;

/// Calls whose way depends on the placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MovableEdge {
    /// The file system to buffers of metadata.
    FilesToBuffers,
    /// The file system to the disk: data, the journal.
    FilesToDisk,
    /// Buffers to the disk.
    BuffersToDisk,
    /// Programs to the terminal.
    ProgramsToConsole,
}

impl MovableEdge {
    pub(super) const ALL: [MovableEdge; 4] = [
        MovableEdge::FilesToBuffers,
        MovableEdge::FilesToDisk,
        MovableEdge::BuffersToDisk,
        MovableEdge::ProgramsToConsole,
    ];

    fn of(header: &TraceHeader, call: &TracedCall) -> Option<MovableEdge> {
        let is_buffer = |kind: &str| kind.starts_with("buffer");
        match (header.kind(call.caller), header.kind(call.server)) {
            (caller, "disk") if is_buffer(caller) => Some(MovableEdge::BuffersToDisk),
            (_, "disk") => Some(MovableEdge::FilesToDisk),
            ("user", "console") => Some(MovableEdge::ProgramsToConsole),
            (_, server) if is_buffer(server) => Some(MovableEdge::FilesToBuffers),
            _ => None,
        }
    }
}

/// The calls of an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct EdgeCalls {
    pub(super) calls: u64,
    /// How many crossed.
    pub(super) crossed: u64,
    /// How long these were on their way while a program waited for one of them and none ran, ns.
    pub(super) waited_ns: u64,
}

/// The job of a board.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct JobSection {
    pub(super) ns: u64,
    /// By edge.
    pub(super) edges: [EdgeCalls; MovableEdge::ALL.len()],
}

/// The jobs of a run, by board.
pub(super) type JobSections = [JobSection; BOARDS_COUNT as usize];

/// How long the jobs of a run took together, ns.
pub(super) fn total_ns(outcome: &RunOutcome) -> Result<u64> {
    BOARDS.iter().map(|board| Ok(outcome.measured(board)?.ns)).sum()
}

/// The jobs of the traced run of a placement.
pub(super) fn sections(placement: &OsPlacement, outcome: &RunOutcome) -> Result<JobSections> {
    let measured = BOARDS.iter().map(|board| outcome.measured(board)).collect::<Result<Vec<_>>>()?;
    let windows: Vec<Range<u64>> = measured.iter().map(|line| line.begin_ns..line.begin_ns + line.ns).collect();
    outcome.with_trace(|header, events| {
        let mut followed = Followed::new(&header, *placement);
        let mut found = JobSections::default();
        for (section, line) in found.iter_mut().zip(&measured) {
            section.ns = line.ns;
        }
        let mut before_ns = 0;
        for timed in events {
            let timed = timed?;
            for (section, window) in found.iter_mut().zip(&windows) {
                let (from, to) = (before_ns.max(window.start), timed.time_ns.min(window.end));
                if from < to && followed.programs_wait() {
                    let waited = followed.waited(&header, from..to);
                    waited.into_iter().for_each(|(edge, ns)| section.edges[edge as usize].waited_ns += ns);
                }
            }
            before_ns = timed.time_ns;
            followed.take(&header, &timed, |begin_ns, edge, crosses| {
                let section = windows.iter().position(|window| window.contains(&begin_ns));
                if let Some(of_edge) = section.map(|place| &mut found[place].edges[edge as usize]) {
                    of_edge.calls += 1;
                    of_edge.crossed += u64::from(crosses);
                }
            });
        }
        Ok(found)
    })
}

/// Calls and cores at an instant of a trace.
struct Followed {
    calls: Calls,
    cores: TracedCores,
    /// Processes that have run programs.
    programs: BTreeSet<ProcId>,
    wire: Wire,
    placement: OsPlacement,
}

/// The last frame.
#[derive(Clone, Copy, Default)]
struct Wire {
    /// Of sender and receiver, a bit each.
    boards: u8,
    /// The edge whose answer it is.
    answers: Option<MovableEdge>,
    until_ns: u64,
}

/// A call that is on its way to another board or back.
#[derive(Clone, Copy)]
struct OnItsWay {
    edge: Option<MovableEdge>,
    /// A bit each.
    boards: u8,
}

impl Followed {
    fn new(header: &TraceHeader, placement: OsPlacement) -> Followed {
        Followed {
            calls: Calls::default(),
            cores: TracedCores::new(header),
            programs: BTreeSet::new(),
            wire: Wire::default(),
            placement,
        }
    }

    /// Takes the next event; of a call of a movable edge that is over: when it began, its edge, whether it crossed.
    fn take(&mut self, header: &TraceHeader, timed: &Timed, mut over: impl FnMut(u64, MovableEdge, bool)) {
        self.calls.take(header, timed, &mut |_, call| {
            if let Some(edge) = MovableEdge::of(header, call).filter(|_| !header.is_proxy(call.caller)) {
                over(call.begin_ns, edge, call.is_remote());
            }
        });
        self.cores.take(timed);
        match &timed.event {
            TraceEvent::Enter { process } => {
                self.programs.insert(*process);
            }
            TraceEvent::Frame(frame) => {
                let boards = 1 << timed.board | 1 << frame.destination;
                let answers = self.answers(timed.board, frame);
                self.wire = Wire { boards, answers, until_ns: timed.time_ns + frame.wire_ns };
            }
            _ => {}
        }
    }

    /// The edge whose answer a frame is: that of its sender, if it has data.
    fn answers(&self, sender: u8, frame: &TracedFrame) -> Option<MovableEdge> {
        let OsPlacement { files, disk, buffers, .. } = self.placement;
        match (sender, frame.destination) {
            _ if frame.bytes.len() < DATA_BYTES_MIN => None,
            way if way == (disk, files) => Some(MovableEdge::FilesToDisk),
            way if way == (buffers, files) => Some(MovableEdge::FilesToBuffers),
            way if way == (disk, buffers) => Some(MovableEdge::BuffersToDisk),
            _ => None,
        }
    }

    /// Whether no program runs.
    fn programs_wait(&self) -> bool {
        self.cores.doing().iter().flatten().all(|doing| *doing != Doing::Program)
    }

    /// For which edges programs wait at these times, directly or behind other calls, and how long, ns. While the wire is
    /// busy that is the frame's edge: whatever else is on its way has to wait for the wire, too.
    fn waited(&self, header: &TraceHeader, during: Range<u64>) -> [(MovableEdge, u64); 2] {
        let on_their_way = || self.programs.iter().filter_map(|program| self.on_its_way(header, *program));
        let movable = on_their_way().find(|way| way.edge.is_some()).or_else(|| on_their_way().next());
        let busy_until = self.wire.until_ns.clamp(during.start, during.end);
        let frames = movable.and_then(|way| if way.boards == self.wire.boards { way.edge } else { self.wire.answers });
        let of = |edge: Option<MovableEdge>, ns: u64| edge.map_or((MovableEdge::FilesToDisk, 0), |edge| (edge, ns));
        [of(frames, busy_until - during.start), of(movable.and_then(|way| way.edge), during.end - busy_until)]
    }

    fn on_its_way(&self, header: &TraceHeader, program: ProcId) -> Option<OnItsWay> {
        let mut at = program;
        for _ in 0..CHAIN_MAX {
            let call = self.calls.outstanding(at)?;
            at = match call.is_remote() {
                false => call.server,
                true => match self.calls.made_for(at) {
                    Some(made) => made.caller,
                    None => {
                        let boards = 1 << call.caller.board.0 | 1 << call.server.board.0;
                        return Some(OnItsWay { edge: MovableEdge::of(header, call), boards });
                    }
                },
            };
        }
        None
    }
}
