//! What the page shows of a running cluster: counters, the latest events and frames, the console.

use renga_abi::ProcId;
use renga_core::events::Event;
use renga_sim::CrossedFrame;
use renga_sim::system::SimSystem;
use renga_sim::trace::WatchedEvent;
use serde::Serialize;

/// Bytes of the console that the page shows.
const CONSOLE_BYTES_MAX: usize = 6000;

/// An event: time, board, what (0 call, 1 reply, 2 dispatch, 3 trap), the process, the server, the entry. Processes as
/// board and number.
pub type EventRow = (u64, u8, u8, [u16; 2], [u16; 2], u8);
/// A frame: end, time on the wire, kind, sender, receiver, bytes, boards that it did not reach whole.
pub type FrameColumns = (u64, u64, String, u8, u8, usize, u16);

/// A moment of a run.
#[derive(Clone, Debug, Serialize)]
pub struct PageState {
    /// Simulated time, ns.
    pub now_ns: u64,
    /// Events so far.
    pub events: u64,
    /// All of them in one number, in hexadecimal.
    pub hash: String,
    /// The status with which the system was stopped.
    pub stopped: Option<u8>,
    /// By number.
    pub boards: Vec<PageBoard>,
    /// Frames on the bus, their bytes, hand-overs of the token, collisions, time that frames took, ns.
    pub bus: [u64; 5],
    /// Frames of a thousand that are lost, doubled, changed.
    pub faults: [u16; 3],
    /// Bytes that the console has shown so far.
    pub console_bytes: usize,
    /// Events since the last state.
    pub latest: Vec<EventRow>,
    /// Frames since the last state.
    pub frames: Vec<FrameColumns>,
}

/// A board at that moment.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PageBoard {
    /// Whether it has power.
    pub alive: bool,
    /// Whether its processor stands still.
    pub hung: bool,
    /// Whether its wires are cut.
    pub cut: bool,
    /// The router's counters since boot: synchronous calls, asynchronous calls, frames sent, frames sent again.
    pub link: [u64; 4],
}

impl PageState {
    /// That of `system`, to which `frames` have come.
    pub(crate) fn of(system: &SimSystem, frames: Vec<CrossedFrame>) -> PageState {
        let (trace, bus) = (system.cluster.trace(), system.cluster.bus().count());
        let boards = system.link_stats().len().max(1) as u8;
        let board = |number: u8| PageBoard {
            alive: system.cluster.alive(number),
            link: system.link_stats().get(usize::from(number)).map_or([0; 4], |stats| {
                [&stats.calls_sync, &stats.calls_async, &stats.frames_sent, &stats.retransmissions].map(|n| n.get())
            }),
            ..PageBoard::default()
        };
        PageState {
            now_ns: system.cluster.now_ns(),
            events: trace.events(),
            hash: format!("{:016x}", trace.hash()),
            stopped: system.stopped(),
            boards: (0..boards).map(board).collect(),
            bus: [bus.frames, bus.bytes, bus.tokens, bus.collisions, bus.busy_ns],
            faults: [0; 3],
            console_bytes: system.line.screen().len(),
            latest: trace.take_watched().into_iter().map(event).collect(),
            frames: frames.into_iter().map(frame).collect(),
        }
    }
}

/// The latest part of what the console shows.
pub(crate) fn console_tail(system: &SimSystem) -> String {
    let screen = system.screen();
    let from = screen.len().saturating_sub(CONSOLE_BYTES_MAX);
    let from = (from..screen.len()).find(|at| screen.is_char_boundary(*at)).unwrap_or(screen.len());
    screen[from..].to_string()
}

fn event(watched: WatchedEvent) -> EventRow {
    let pair = |id: ProcId| [u16::from(id.board.0), id.index];
    let WatchedEvent { time_ns, board, event } = watched;
    let none = ProcId::default();
    let (what, process, server, op) = match event {
        Event::Call { caller, server, op } => (0, caller, server, op),
        Event::Reply { caller } => (1, caller, none, 0),
        Event::Dispatch { process } => (2, process, none, 0),
        Event::UserTrap { process } => (3, process, none, 0),
    };
    (time_ns, board, what, pair(process), pair(server), op)
}

fn frame(record: CrossedFrame) -> FrameColumns {
    let CrossedFrame { end_ns, wire_ns, kind, source, destination, bytes, harmed } = record;
    (end_ns, wire_ns, format!("{kind:?}"), source, destination, bytes, harmed)
}
