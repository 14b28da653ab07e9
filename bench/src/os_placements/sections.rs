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
    wire: LastFrame,
    placement: OsPlacement,
}

/// The last frame.
#[derive(Clone, Copy, Default)]
struct LastFrame {
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
            wire: LastFrame::default(),
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
                self.wire = LastFrame { boards, answers, until_ns: timed.time_ns + frame.wire_ns };
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

    /// For which edges programs wait at these times, directly or behind other calls, and how long, ns. While the wire
    /// is busy that is the frame's edge: whatever else is on its way has to wait for the wire, too.
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

#[cfg(test)]
mod tests {
    use super::{EdgeCalls, Followed, MovableEdge, sections};
    use crate::os_placements::placement::OsPlacement;
    use crate::support::{Traces, event, frame_to, measured};
    use renga_abi::ProcId;
    use renga_trace::event::{Timed, TraceEvent};
    use renga_trace::{CallsFor, ProcessKind, TraceBoard, TraceHeader};

    const PLACEMENT: OsPlacement = OsPlacement { files: 0, disk: 2, buffers: 1, console: 3, names: 15, prefetch: 15 };
    const USER: ProcId = ProcId::new(0, 0);
    const INODE: ProcId = ProcId::new(0, 1);
    const DISK: ProcId = ProcId::new(2, 1);
    const PROXY: ProcId = ProcId::new(2, 0);

    /// A program and an inode on a, the disk on c.
    fn header() -> TraceHeader {
        let mut boards =
            ["a", "b", "c", "d"].map(|name| TraceBoard { name: name.to_string(), ..TraceBoard::default() });
        boards[0].add(0, 0, 0);
        boards[0].add(1, 0, 1);
        boards[2].add_proxies(0, 1, 3, CallsFor::Shared(0, 0, 2));
        boards[2].add(1, 0, 2);
        let kinds = ["user", "inode", "disk", "proxy"].map(|name| ProcessKind { name: name.to_string(), serves: None });
        TraceHeader { boards: boards.into(), kinds: kinds.into(), ..TraceHeader::default() }
    }

    /// A program waits for a call of an inode to the disk, which is on its way from 20 to 40 and from 60 to 90.
    fn events() -> Vec<Timed> {
        [
            (0, 0, TraceEvent::Enter { process: USER }),
            (10, 0, TraceEvent::Call { caller: USER, server: INODE, op: 0 }),
            (20, 0, TraceEvent::Call { caller: INODE, server: DISK, op: 0 }),
            (21, 0, TraceEvent::Idle {}),
            (40, 2, TraceEvent::Call { caller: PROXY, server: DISK, op: 0 }),
            (60, 2, TraceEvent::Reply { caller: PROXY, server: DISK, op: 0 }),
            (61, 2, TraceEvent::Idle {}),
            (90, 0, TraceEvent::Reply { caller: INODE, server: DISK, op: 0 }),
            (95, 0, TraceEvent::Reply { caller: USER, server: INODE, op: 0 }),
            (100, 0, TraceEvent::Enter { process: USER }),
        ]
        .map(|(time_ns, board, what)| event(time_ns, board, what))
        .into()
    }

    /// What a's job waited for the disk, with more events; b's job is later.
    fn waited_ns(more: Vec<Timed>) -> u64 {
        let mut events = [events(), more].concat();
        events.sort_by_key(|timed| timed.time_ns);
        let text = [("a", 0), ("b", 200), ("c", 300), ("d", 400)].map(|(board, at)| measured(board, at, 100, "0"));
        let traces = Traces::new();
        let found = sections(&PLACEMENT, &traces.outcome_of(&header(), text.concat(), &events)).unwrap();
        let of_disk = found[0].edges[MovableEdge::FilesToDisk as usize];
        assert_eq!((found[0].ns, of_disk.calls, of_disk.crossed), (100, 1, 1));
        assert!(found[1..].iter().all(|job| job.edges == [EdgeCalls::default(); 4]));
        of_disk.waited_ns
    }

    #[test]
    fn os_placement_wait_is_way_of_crossing_call() {
        assert_eq!(waited_ns(Vec::new()), 20 + 30);
        // While another program runs nothing is waited for.
        let runs =
            vec![event(70, 3, TraceEvent::Enter { process: ProcId::new(3, 0) }), event(75, 3, TraceEvent::Idle {})];
        assert_eq!(waited_ns(runs), 20 + 30 - 5);
    }

    #[test]
    fn os_placement_wait_excludes_frames_of_others() {
        let sent = |board: u8, to: u8, bytes: usize| vec![event(62, board, frame_to(to, 9, bytes))];
        assert_eq!([1_000, 16].map(|bytes| waited_ns(sent(2, 0, bytes))), [50; 2], "its own answer");
        assert_eq!(waited_ns(sent(1, 3, 1_000)), 50 - 9, "between other boards");
        // A page from the disk, while the call that is awaited goes elsewhere, would leave the wire to it.
        let answers = |bytes| {
            let mut followed = Followed::new(&header(), PLACEMENT);
            followed.take(&header(), &event(0, 2, frame_to(0, 9, bytes)), |_, _, _| ());
            followed.wire.answers
        };
        assert_eq!([answers(1_000), answers(16)], [Some(MovableEdge::FilesToDisk), None]);
    }
}
