//! A pair: a terminal whose serial line is who has its master.
//!
//! Invariant: a call waits only while its side has nothing for it, or no room, and the other side is open; what changes
//! that answers it, or its cancellation does. Each change that can make an event true is an edge of its side. Not here:
//! which pairs there are (`pairs.rs`), what keys mean (`line.rs`).

use crate::line::{Line, Screen};
use crate::master_queue::{MasterQueue, OUTPUT_BYTES_MAX, PairMemory, packet};
use crate::termios::{TOSTOP, Termios};
use renga_proto::console::{JobControl, KeyboardSignal, WindowSize};
use renga_proto::pipe::{ERROR, HANG_UP, Polled, READABLE, WRITABLE};
use renga_proto::terminals::{
    PRIORITY, PairFacts, PollSide, ReadSide, SLAVE_GROUP, SLAVE_MODE, SideWritten, TerminalSide, WriteSide,
};
use renga_rt::{BoardReferences, Call, CallQueue, Errno, Generation, Waiters, Wakes, Watch};

const MASTER: usize = TerminalSide::Master as usize;
const SLAVE: usize = TerminalSide::Slave as usize;
const NO_SIGNAL: KeyboardSignal = KeyboardSignal { signal: 0, group: 0 };
const SIGHUP: u8 = 1;
pub(crate) const NOBODY: JobControl = JobControl { group: 0, session: 0, nonblocking: false };
const NO_SIZE: WindowSize = WindowSize { rows: 0, columns: 0 };
const NEW_NODE: PairFacts = PairFacts { generation: 0, mode: SLAVE_MODE, user: 0, group: SLAVE_GROUP };

/// A pair, or the place for one.
pub struct TerminalPair {
    pub(crate) generation: Option<Generation>,
    pub(crate) line: Line,
    pub(crate) output: MasterQueue,
    pub(crate) jobs: JobControl,
    /// The board that set them.
    pub(crate) jobs_from: u8,
    pub(crate) window: WindowSize,
    pub(crate) references: [BoardReferences; 2],
    /// The slave has been opened.
    pub(crate) opened: bool,
    pub(crate) locked: bool,
    pub(crate) facts: PairFacts,
    pub(crate) reading: [CallQueue<ReadSide>; 2],
    pub(crate) writing: [CallQueue<WriteSide>; 2],
    /// How much of each side's first writer's slice is written already.
    written: [usize; 2],
    /// When the slave's first reader gives up.
    until_ns: Option<u64>,
    edges: [u32; 2],
    waiters: [Waiters; 2],
    /// Boards with a reference, a bit each, as the router knows.
    watched: u8,
}

impl TerminalPair {
    /// The place for a pair, in this memory.
    pub const fn new(memory: &'static mut PairMemory) -> TerminalPair {
        let PairMemory { input, output } = memory;
        TerminalPair {
            generation: None,
            line: Line::new(input),
            output: MasterQueue::new(output),
            jobs: NOBODY,
            jobs_from: 0,
            window: NO_SIZE,
            references: [BoardReferences::NONE; 2],
            opened: false,
            locked: true,
            facts: NEW_NODE,
            reading: [const { CallQueue::new() }; 2],
            writing: [const { CallQueue::new() }; 2],
            written: [0; 2],
            until_ns: None,
            edges: [1; 2],
            waiters: [const { Waiters::NONE }; 2],
            watched: 0,
        }
    }

    pub(crate) fn is_free(&self) -> bool {
        self.references.iter().all(BoardReferences::is_empty)
    }
    /// Whether nobody is at the master any more.
    pub(crate) fn is_hung_up(&self) -> bool {
        self.references[MASTER].is_empty()
    }
    /// Whether the slave has been left.
    fn is_left(&self) -> bool {
        self.opened && self.references[SLAVE].is_empty()
    }

    /// Begins as a new pair of `user`, whose master `board` has. Nobody waits.
    pub(crate) fn begin(&mut self, boot: u8, board: u8, user: u32) -> u32 {
        let generation = self.generation.get_or_insert(Generation::before_first(boot));
        generation.next();
        let number = generation.number();
        self.line.set(Termios::INITIAL, true);
        self.output.reset();
        (self.line.stopped, self.until_ns) = (false, None);
        (self.jobs, self.window) = (NOBODY, NO_SIZE);
        (self.opened, self.locked) = (false, true);
        self.facts = PairFacts { generation: number, user, ..NEW_NODE };
        self.references[MASTER].add(board);
        number
    }

    /// After a change of references, of which there `were` some: who waits for a side that is closed learns of it. The
    /// signal for the session's leader.
    pub(crate) fn note_closed(&mut self, were: [bool; 2], wakes: &Wakes, watch: &Watch) -> KeyboardSignal {
        let closed = [MASTER, SLAVE].map(|side| were[side] && self.references[side].is_empty());
        let boards = self.references[MASTER].boards() | self.references[SLAVE].boards();
        watch.change(core::mem::replace(&mut self.watched, boards), boards);
        let leader = self.jobs.session;
        if closed[SLAVE] {
            self.note_edge(MASTER, wakes);
            self.jobs = NOBODY;
        }
        if closed[MASTER] {
            self.note_edge(SLAVE, wakes);
        }
        let has_leader = closed[MASTER] && leader != 0 && !self.references[SLAVE].is_empty();
        if has_leader { KeyboardSignal { signal: SIGHUP, group: leader } } else { NO_SIGNAL }
    }

    pub(crate) fn events(&self, side: TerminalSide) -> u32 {
        let flag = |event: u32, is_true: bool| if is_true { event } else { 0 };
        match side {
            TerminalSide::Slave if self.is_hung_up() => READABLE | WRITABLE | ERROR | HANG_UP,
            TerminalSide::Slave => {
                let writable = !self.line.stopped && self.output.room() >= OUTPUT_BYTES_MAX / 4;
                flag(READABLE, self.line.is_ready()) | flag(WRITABLE, writable)
            }
            TerminalSide::Master => {
                flag(READABLE, !self.output.is_empty())
                    | flag(PRIORITY, self.output.has_status())
                    | flag(WRITABLE, self.line.has_room())
                    | flag(HANG_UP, self.is_left())
            }
        }
    }

    pub(crate) fn poll(&mut self, poll: PollSide, board: u8, waits: bool) -> Polled {
        let PollSide { at, events, slot, seen } = poll;
        let (side, edges) = (at.side, self.edges[at.side as usize]);
        let events = if seen == edges { 0 } else { self.events(side) & (events | ERROR | HANG_UP) };
        if events == 0 && waits {
            self.waiters[side as usize].add(board, slot);
        }
        Polled { events, edges }
    }

    fn note_edge(&mut self, side: usize, wakes: &Wakes) {
        self.edges[side] = self.edges[side].wrapping_add(1).max(1);
        wakes.wake(&mut self.waiters[side]);
    }

    /// Takes new settings, which the master may have to know.
    pub(crate) fn set(&mut self, termios: Termios, flush: bool, wakes: &Wakes) {
        let was_usual = self.line.termios.stops_as_usual();
        self.line.set(termios, flush);
        self.until_ns = None;
        if termios.stops_as_usual() != was_usual {
            self.output.note(if was_usual { packet::UNUSUAL_KEYS } else { packet::USUAL_KEYS });
        }
        [MASTER, SLAVE].into_iter().for_each(|side| self.note_edge(side, wakes));
    }

    /// Drops input (0), output (1), or both.
    pub(crate) fn flush(&mut self, queue: u32, wakes: &Wakes) {
        if queue != 1 {
            self.line.flush();
            self.output.note(packet::FLUSH_INPUT);
        }
        if queue != 0 {
            self.output.forget();
        }
        [MASTER, SLAVE].into_iter().for_each(|side| self.note_edge(side, wakes));
    }

    /// Stops output, or lets it go on.
    pub(crate) fn stop(&mut self, stops: bool, wakes: &Wakes) {
        if core::mem::replace(&mut self.line.stopped, stops) != stops {
            self.output.note(if stops { packet::STOP } else { packet::START });
            [MASTER, SLAVE].into_iter().for_each(|side| self.note_edge(side, wakes));
        }
    }

    /// Sends a key to the reader of the other side.
    pub(crate) fn send_flow(&mut self, side: TerminalSide, key: u8, wakes: &Wakes) {
        match side {
            TerminalSide::Slave => self.output.put(key),
            TerminalSide::Master => drop(self.line.press(key, &mut self.output)),
        }
        [MASTER, SLAVE].into_iter().for_each(|side| self.note_edge(side, wakes));
    }

    /// A call to read; of no bytes it takes nothing.
    pub(crate) fn accept_read(&mut self, mut call: Call<ReadSide>) {
        let side = call.entry().at.side;
        if call.lent().is_empty() || side == TerminalSide::Slave && self.is_hung_up() {
            return call.reply(Ok(0));
        }
        if call.entry().nonblocking && !self.reading[side as usize].is_empty() {
            return call.reply(Err(Errno::EAGAIN)); // it does not wait for its turn either
        }
        self.reading[side as usize].push_back(call);
    }

    pub(crate) fn accept_write(&mut self, call: Call<WriteSide>) {
        let WriteSide { at, checked, nonblocking } = call.entry();
        if at.side == TerminalSide::Slave && !checked && self.line.termios.has_local(TOSTOP) && !self.is_hung_up() {
            return call.reply(Err(Errno::EPERM));
        }
        if nonblocking && !self.writing[at.side as usize].is_empty() {
            return call.reply(Err(Errno::EAGAIN));
        }
        self.writing[at.side as usize].push_back(call);
    }

    /// Bytes that this side can read.
    pub(crate) fn bytes(&self, side: TerminalSide) -> usize {
        if side == TerminalSide::Master { self.output.len() } else { self.line.bytes() }
    }

    /// When a reader gives up.
    pub(crate) fn due_ns(&self) -> Option<u64> {
        self.until_ns.filter(|_| !self.reading[SLAVE].is_empty())
    }

    /// Moves what can be moved and answers whom that serves. Bounded: each pass moves a byte or answers a call.
    pub(crate) fn settle(&mut self, now_ns: u64, wakes: &Wakes) {
        while self.show_written(wakes)
            | self.give_output(wakes)
            | self.press_written(wakes)
            | self.give_typed(now_ns, wakes)
        {}
    }

    /// Ends the first writer of `side`, or keeps it while it waits; whether it is over.
    fn end_write(&mut self, side: usize, call: Call<WriteSide>, end: Result<KeyboardSignal, Errno>) -> bool {
        let bytes = core::mem::take(&mut self.written[side]) as u32;
        match end {
            Ok(signal) => call.reply(Ok(SideWritten { bytes, signal })),
            Err(Errno::EAGAIN) if !call.entry().nonblocking => {
                self.written[side] = bytes as usize;
                self.writing[side].push_front(call);
                return false;
            }
            Err(_) if bytes > 0 => call.reply(Ok(SideWritten { bytes, signal: NO_SIGNAL })),
            Err(errno) => call.reply(Err(errno)),
        }
        true
    }

    /// Moves what programs write to the slave to the master's queue.
    fn show_written(&mut self, wakes: &Wakes) -> bool {
        let mut any = false;
        while let Some(mut call) = self.writing[SLAVE].pop_front() {
            let (bytes, mut at, before) = (call.lent(), self.written[SLAVE], self.output.len());
            while at < bytes.len() && !self.line.stopped && !self.is_hung_up() {
                let processed = self.line.termios.processed(bytes[at]);
                if self.output.room() < processed.clone().count() {
                    break;
                }
                processed.for_each(|byte| self.output.put(byte));
                at += 1;
            }
            let is_whole = at == bytes.len();
            self.written[SLAVE] = at;
            if self.output.len() > before {
                any = true;
                self.note_edge(MASTER, wakes);
            }
            let end = match (is_whole, self.is_hung_up()) {
                (_, true) => Err(Errno::EIO),
                (true, _) => Ok(NO_SIGNAL),
                _ => Err(Errno::EAGAIN),
            };
            if !self.end_write(SLAVE, call, end) {
                break;
            }
            any = true;
        }
        any
    }

    fn give_output(&mut self, wakes: &Wakes) -> bool {
        let mut any = false;
        while let Some(mut call) = self.reading[MASTER].pop_front() {
            if !self.output.is_empty() {
                let count = self.output.take(call.lent());
                call.set_taken_used(count);
                call.reply(Ok(count as u32));
                self.note_edge(SLAVE, wakes);
            } else if self.is_left() {
                call.reply(Err(Errno::EIO));
            } else if call.entry().nonblocking {
                call.reply(Err(Errno::EAGAIN));
            } else {
                self.reading[MASTER].push_front(call);
                break;
            }
            any = true;
        }
        any
    }

    /// What is written to the master are keys.
    fn press_written(&mut self, wakes: &Wakes) -> bool {
        let mut any = false;
        while let Some(mut call) = self.writing[MASTER].pop_front() {
            let (bytes, mut at, mut signal) = (call.lent(), self.written[MASTER], None);
            let (was_stopped, before) = (self.line.stopped, at);
            while at < bytes.len() && signal.is_none() && self.line.has_room() {
                signal = self.line.press(bytes[at], &mut self.output);
                at += 1;
            }
            let is_whole = at == bytes.len();
            self.written[MASTER] = at;
            if at > before {
                // The next key is awaited from now on.
                (any, self.until_ns) = (true, None);
                [MASTER, SLAVE].into_iter().for_each(|side| self.note_edge(side, wakes));
            }
            if self.line.stopped != was_stopped {
                self.output.note(if was_stopped { packet::START } else { packet::STOP });
            }
            let end = match signal {
                Some(signal) if self.jobs.group != 0 => Ok(KeyboardSignal { signal, group: self.jobs.group }),
                Some(_) => Ok(NO_SIGNAL),
                None if is_whole => Ok(NO_SIGNAL),
                None => Err(Errno::EAGAIN),
            };
            if !self.end_write(MASTER, call, end) {
                break;
            }
            any = true;
        }
        any
    }

    fn give_typed(&mut self, now_ns: u64, wakes: &Wakes) -> bool {
        let mut any = false;
        while let Some(mut call) = self.reading[SLAVE].pop_front() {
            if self.until_ns.is_none() {
                self.until_ns = self.line.wait_ns().map(|wait_ns| now_ns + wait_ns);
            }
            let over = self.until_ns.is_some_and(|until_ns| until_ns <= now_ns);
            let now = call.entry().nonblocking && self.line.readable();
            if self.line.suffices(call.lent().len()) || over || now {
                let count = self.line.read(call.lent());
                call.set_taken_used(count);
                call.reply(Ok(count as u32));
                self.note_edge(MASTER, wakes);
            } else if self.is_hung_up() {
                call.reply(Err(Errno::EIO));
            } else if call.entry().nonblocking {
                call.reply(Err(Errno::EAGAIN));
            } else {
                self.reading[SLAVE].push_front(call);
                break;
            }
            (any, self.until_ns) = (true, None);
        }
        any
    }

    /// Answers every kept call whose caller was interrupted.
    pub(crate) fn answer_interrupted(&mut self) {
        for side in [MASTER, SLAVE] {
            self.reading[side].retain(|call| {
                let kept = renga_rt::unless_cancelled(call);
                if side == SLAVE && kept.is_none() {
                    self.until_ns = None; // the next reader's time begins anew
                }
                kept
            });
            let (written, mut first) = (&mut self.written[side], true);
            self.writing[side].retain(|call| {
                let first = core::mem::replace(&mut first, false);
                if !call.wait_cancelled() {
                    return Some(call);
                }
                let bytes = if first { core::mem::take(written) as u32 } else { 0 };
                let part = SideWritten { bytes, signal: NO_SIGNAL };
                call.reply(if bytes > 0 { Ok(part) } else { Err(Errno::EINTR) });
                None
            });
        }
    }
}
