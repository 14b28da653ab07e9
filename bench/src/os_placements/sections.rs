//! What a traced run says of the job of each board: how long it took, and what its calls between movable groups cost.
//!
//! Invariant: what a call costs is its time without that of its server (`observed`). Not here: other placements.

use super::placement::{BOARDS, BOARDS_COUNT};
use crate::observed::costs;
use crate::run::RunOutcome;
use anyhow::Result;
use renga_trace::TraceHeader;
use renga_trace::calls::{Calls, TracedCall};

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
    /// What those cost that crossed, ns.
    pub(super) crossing_ns: f64,
    /// How many crossed.
    pub(super) crossed: u64,
}

/// The job of a board.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct JobSection {
    pub(super) ns: f64,
    /// By edge.
    pub(super) edges: [EdgeCalls; MovableEdge::ALL.len()],
}

/// How long the jobs of a run took together, ns.
pub(super) fn total_ns(outcome: &RunOutcome) -> Result<u64> {
    BOARDS.iter().map(|board| Ok(outcome.measured(board)?.ns)).sum()
}

/// The jobs of a traced run, by board.
pub(super) fn sections(outcome: &RunOutcome) -> Result<[JobSection; BOARDS_COUNT as usize]> {
    let (header, events) = outcome.events()?;
    let calls = Calls::of(&header, &events);
    let costs = costs(&calls);
    let mut found: [JobSection; BOARDS_COUNT as usize] = Default::default();
    for (board, section) in BOARDS.iter().zip(&mut found) {
        let measured = outcome.measured(board)?;
        let window = measured.begin_ns..measured.begin_ns + measured.ns;
        section.ns = measured.ns as f64;
        let during = calls.iter().enumerate().filter(|(_, call)| window.contains(&call.begin_ns));
        for (place, call) in during.filter(|(_, call)| !header.is_proxy(call.caller)) {
            let Some(edge) = MovableEdge::of(&header, call) else { continue };
            let of_edge = &mut section.edges[edge as usize];
            of_edge.calls += 1;
            if let Some(ns) = costs.get(&place) {
                of_edge.crossed += 1;
                of_edge.crossing_ns += *ns as f64;
            }
        }
    }
    Ok(found)
}
