//! Counters of an export: load and queue of the link, run queues, calls that wait for servers, free page frames.
//!
//! Invariant: a counter is a sum of intervals, each with an amount, so it ends at 0; it has one value at each time.
//! Left out: counters that never change, and queues in which never two calls wait.

use super::message::{COUNTER, TracePacket, TrackEvent};
use super::run_queue::RunQueueWaits;
use super::track::{Track, TrackKind};
use crate::event::{Timed, TraceEvent, TracedFrame};
use crate::header::TraceHeader;
use renga_abi::ProcId;
use std::collections::{BTreeMap, HashMap};

const NS_PER_MS: u64 = 1_000_000;
/// The link's load is that of windows of this length.
const LOAD_WINDOW_NS: u64 = NS_PER_MS;
/// A frame counts for so long at most: a file may say anything.
const WIRE_NS_MAX: u64 = 1000 * NS_PER_MS;
/// The fewest calls that are a queue.
const QUEUE_MIN: i64 = 2;

/// The intervals so far.
pub(super) struct Counters<'a> {
    header: &'a TraceHeader,
    /// The kind of routers, a place in [`TraceHeader::kinds`].
    router: Option<usize>,
    run_queue: RunQueueWaits,
    /// Calls that no server has taken yet: the queue, and since when, ns.
    waiting: HashMap<ProcId, (Track, u64)>,
    /// By board: its free page frames, and since when, ns.
    free_frames: BTreeMap<u8, (u32, u64)>,
    /// How long frames were on the wire, by window, ns.
    wire_ns: BTreeMap<u64, u64>,
    /// By how much each counter changes, and when, ns.
    changes: BTreeMap<Track, BTreeMap<u64, i64>>,
}

impl<'a> Counters<'a> {
    pub(super) fn new(header: &'a TraceHeader) -> Counters<'a> {
        Counters {
            header,
            router: header.kinds.iter().position(|kind| kind.name == "router"),
            run_queue: RunQueueWaits::default(),
            waiting: HashMap::new(),
            free_frames: BTreeMap::new(),
            wire_ns: BTreeMap::new(),
            changes: BTreeMap::new(),
        }
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, timed: &Timed) {
        let at_ns = timed.time_ns;
        if let Some(since_ns) = self.run_queue.take(timed) {
            self.add(Track::of_board(TrackKind::RunQueue, timed.board), since_ns, at_ns, 1);
        }
        match &timed.event {
            TraceEvent::Call { caller, server, .. } | TraceEvent::Forward { caller, server, .. } => {
                self.leave_queue(*caller, at_ns);
                self.join_queue(*caller, *server, at_ns);
            }
            TraceEvent::Accept { caller, .. } | TraceEvent::Reply { caller, .. } => self.leave_queue(*caller, at_ns),
            TraceEvent::Started | TraceEvent::Stopped => {
                let callers = self.waiting.keys().copied().filter(|caller| caller.board.0 == timed.board);
                callers.collect::<Vec<_>>().into_iter().for_each(|caller| self.leave_queue(caller, at_ns));
                self.end_free_frames(timed.board, at_ns);
            }
            TraceEvent::FreeFrames { free } => {
                self.end_free_frames(timed.board, at_ns);
                self.free_frames.insert(timed.board, (*free, at_ns));
            }
            TraceEvent::Frame(frame) => self.frame(frame, at_ns),
            _ => {}
        }
    }

    /// A call to another board waits for the router of its own.
    fn join_queue(&mut self, caller: ProcId, server: ProcId, at_ns: u64) {
        let is_local = caller.board == server.board;
        if let Some(kind) = if is_local { self.header.kind_number(server) } else { self.router } {
            self.waiting.insert(caller, (Track::call_queue(caller.board.0, kind), at_ns));
        }
    }

    fn leave_queue(&mut self, caller: ProcId, at_ns: u64) {
        if let Some((queue, since_ns)) = self.waiting.remove(&caller) {
            self.add(queue, since_ns, at_ns, 1);
        }
    }

    /// Until now the board had as many free page frames as were reported last.
    fn end_free_frames(&mut self, board: u8, at_ns: u64) {
        if let Some((free, since_ns)) = self.free_frames.remove(&board) {
            self.add(Track::of_board(TrackKind::FreeFrames, board), since_ns, at_ns, free.into());
        }
    }

    fn frame(&mut self, frame: &TracedFrame, at_ns: u64) {
        let since_ns = at_ns.saturating_sub(frame.token_wait_ns);
        self.add(Track::global(TrackKind::LinkQueue), since_ns, at_ns, 1);
        let (mut from_ns, until_ns) = (at_ns, at_ns.saturating_add(frame.wire_ns.min(WIRE_NS_MAX)));
        while from_ns < until_ns {
            let window = from_ns / LOAD_WINDOW_NS;
            let end_ns = until_ns.min((window + 1).saturating_mul(LOAD_WINDOW_NS));
            *self.wire_ns.entry(window).or_default() += end_ns - from_ns;
            from_ns = end_ns;
        }
    }

    fn add(&mut self, counter: Track, from_ns: u64, until_ns: u64, amount: i64) {
        // Clocks of the cores of a board may differ by a slice.
        if from_ns < until_ns {
            let changes = self.changes.entry(counter).or_default();
            *changes.entry(from_ns).or_default() += amount;
            *changes.entry(until_ns).or_default() -= amount;
        }
    }

    /// The values of all counters, each counter's in the order of time.
    pub(super) fn finish(mut self, end_ns: u64) -> Vec<(Track, TracePacket)> {
        let callers: Vec<ProcId> = self.waiting.keys().copied().collect();
        callers.into_iter().for_each(|caller| self.leave_queue(caller, end_ns));
        let boards: Vec<u8> = self.free_frames.keys().copied().collect();
        boards.into_iter().for_each(|board| self.end_free_frames(board, end_ns));
        for (window, wire_ns) in std::mem::take(&mut self.wire_ns) {
            let begin_ns = window * LOAD_WINDOW_NS;
            let percent = (wire_ns * 100).div_ceil(LOAD_WINDOW_NS).min(100) as i64;
            let load = Track::global(TrackKind::LinkLoad);
            self.add(load, begin_ns, begin_ns.saturating_add(LOAD_WINDOW_NS), percent);
        }
        self.changes.iter().flat_map(|(counter, changes)| values(*counter, changes)).collect()
    }
}

/// The values of a counter; none if it is left out.
fn values(counter: Track, changes: &BTreeMap<u64, i64>) -> Vec<(Track, TracePacket)> {
    let (mut value, mut most, mut values) = (0i64, 0i64, Vec::new());
    for (time_ns, change) in changes.iter().filter(|(_, change)| **change != 0) {
        value += change;
        most = value.max(most);
        let track_uuid = Some(counter.uuid());
        let event =
            TrackEvent { r#type: Some(COUNTER), track_uuid, counter_value: Some(value), ..TrackEvent::default() };
        values.push((counter, TracePacket::of_event(*time_ns, event)));
    }
    if counter.kind == TrackKind::CallQueue && most < QUEUE_MIN { Vec::new() } else { values }
}
