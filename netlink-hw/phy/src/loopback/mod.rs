//! A token bus in simulated time that joins the boards of one host program: lines and frames.
//!
//! Invariant: the same calls at the same times give the same events at the same times; faults come from a seed.
//! Open-drain lines are low while any board pulls them; others see a pull a little later, so two boards may start at
//! once. Two frames at a time damage each other. Not here: volts and words (the pin model), the right to talk (`mac`).

mod crossed;
mod frames;
mod lines;
mod station;

pub use crossed::CrossedFrame;
pub use station::{BusCounters, BusTiming, Faults};

use crate::token::{Arming, PhyEvent, TokenPhy};
use crate::{FRAME_BYTES_MAX, loopback::crossed::CrossedFrames, loopback::station::LoopbackStation};
use renga_random::Random;
use renga_wire::bus::{Answers, BusLines, Drive, WatchedLines};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::vec::Vec;

/// A scheduled event of a station. `operation`: valid only if the station has not started something else meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum BusEvent {
    /// Lines may have changed for every station.
    Sample,
    /// Its frame ends.
    End { station: usize, operation: u32 },
    /// Its bid ends.
    Bids { station: usize, operation: u32 },
    /// A frame that was late arrives.
    Arrive,
}

struct WireModel {
    timing: BusTiming,
    faults: Faults,
    random: Random,
    now_ns: u64,
    stations: Vec<LoopbackStation>,
    agenda: BinaryHeap<Reverse<(u64, u64, BusEvent)>>,
    order: u64,
    /// Buffers of frames that are free now.
    pool: Vec<station::Buffer>,
    lose_next_token: bool,
    count: BusCounters,
    crossed: CrossedFrames,
}

/// The bus as its owner, the simulator, sees it.
#[derive(Clone)]
pub struct LoopbackBus(Rc<RefCell<WireModel>>);

/// The bus as one board sees it.
pub struct Loopback {
    bus: LoopbackBus,
    board: u8,
}

impl LoopbackBus {
    /// An idle bus that joins `boards` boards.
    pub fn new(boards: u8, timing: BusTiming, faults: Faults, seed: u64) -> LoopbackBus {
        LoopbackBus(Rc::new(RefCell::new(WireModel {
            timing,
            faults,
            random: Random::new(seed),
            now_ns: 0,
            stations: (0..boards).map(|_| LoopbackStation::new()).collect(),
            agenda: BinaryHeap::new(),
            order: 0,
            pool: Vec::new(),
            lose_next_token: false,
            count: BusCounters::default(),
            crossed: CrossedFrames::default(),
        })))
    }

    /// The end of `board`.
    pub fn end(&self, board: u8) -> Loopback {
        Loopback { bus: self.clone(), board }
    }

    /// When the bus next does something by itself.
    pub fn next_event_ns(&self) -> Option<u64> {
        self.0.borrow().agenda.peek().map(|Reverse((at_ns, ..))| *at_ns)
    }

    /// Lets time pass until `now_ns`.
    pub fn advance(&self, now_ns: u64) {
        self.0.borrow_mut().advance(now_ns);
    }

    /// Whether the device of `board` interrupts.
    pub fn interrupts(&self, board: u8) -> bool {
        let bus = self.0.borrow();
        bus.stations[usize::from(board)].interrupts(bus.now_ns)
    }

    /// Cuts `board` off, or joins it again to all that are not cut off.
    pub fn cut_off(&self, board: u8, cut_off: bool) {
        self.change(|bus| bus.stations[usize::from(board)].group = if cut_off { board + 1 } else { 0 });
    }

    /// Parts the bus: boards hear only those of their own group; `groups` by board. All zero: whole again.
    pub fn part(&self, groups: &[u8]) {
        self.change(|bus| {
            for (station, group) in bus.stations.iter_mut().zip(groups) {
                station.group = *group;
            }
        });
    }

    /// Stops the processor of `board`: it pulls low what it pulled low, and does nothing more.
    pub fn hang(&self, board: u8) {
        self.change(|bus| bus.stations[usize::from(board)].hung = true);
    }

    /// Resumes a processor that hangs; its frame has failed meanwhile.
    pub fn resume(&self, board: u8) {
        self.change(|bus| bus.stations[usize::from(board)].resume());
    }

    /// Whether `board` hangs.
    pub fn hangs(&self, board: u8) -> bool {
        self.0.borrow().stations[usize::from(board)].hung
    }

    /// Resets the device of `board`: it pulls no line low and loses its state. A frame of its on the wire is cut short.
    pub fn reset(&self, board: u8) {
        self.change(|bus| {
            let station = &mut bus.stations[usize::from(board)];
            let (group, operation) = (station.group, station.operation + 1);
            *station = LoopbackStation { group, operation, ..LoopbackStation::new() };
        });
    }

    /// Changes what goes wrong from now on.
    pub fn set_faults(&self, faults: Faults) {
        self.0.borrow_mut().faults = faults;
    }

    /// The next hand-over by wire gets lost: the sender thinks that it was answered, and it was not.
    pub fn lose_next_token(&self) {
        self.0.borrow_mut().lose_next_token = true;
    }

    /// Board `board` sees TOK_IN# low for a moment, without a hand-over.
    pub fn offer_token(&self, board: u8) {
        self.change(|bus| bus.offer_token(usize::from(board)));
    }

    /// The counters until now.
    pub fn count(&self) -> BusCounters {
        self.0.borrow().count
    }

    /// Keeps so many of the frames from now on until they are taken.
    pub fn watch_frames(&self, max: usize) {
        self.0.borrow_mut().crossed.max = max;
    }

    /// Takes the frames that were kept.
    pub fn take_frames(&self) -> Vec<CrossedFrame> {
        std::mem::take(&mut self.0.borrow_mut().crossed.kept)
    }

    /// Changes the wiring, and samples all stations.
    fn change(&self, change: impl FnOnce(&mut WireModel)) {
        let bus = &mut *self.0.borrow_mut();
        change(bus);
        bus.sample_after(bus.timing.line_ns);
    }
}

impl WireModel {
    fn advance(&mut self, now_ns: u64) {
        // Bounded by what is on the agenda: nothing of it puts anything there for the same time.
        while let Some(Reverse((at_ns, ..))) = self.agenda.peek() {
            if *at_ns > now_ns {
                break;
            }
            let Some(Reverse((at_ns, _, due))) = self.agenda.pop() else { break };
            self.now_ns = at_ns;
            match due {
                BusEvent::Sample => self.sample(),
                BusEvent::End { station, operation } if self.stations[station].operation == operation => {
                    self.end_frame(station)
                }
                BusEvent::Bids { station, operation } if self.stations[station].operation == operation => {
                    self.end_bid(station)
                }
                BusEvent::End { .. } | BusEvent::Bids { .. } | BusEvent::Arrive => {}
            }
        }
        self.now_ns = self.now_ns.max(now_ns);
    }

    fn put(&mut self, at_ns: u64, due: BusEvent) {
        self.order += 1;
        self.agenda.push(Reverse((at_ns, self.order, due)));
    }
}

impl TokenPhy for Loopback {
    fn board(&self) -> u8 {
        self.board
    }

    fn lines(&mut self, _: u64) -> BusLines {
        let bus = &mut *self.bus.0.borrow_mut();
        let lines = bus.lines(usize::from(self.board));
        let station = &mut bus.stations[usize::from(self.board)];
        (station.reported, station.lines_changed, station.received) = (lines, false, false);
        lines
    }

    fn set(&mut self, _: u64, drive: Drive, watch: WatchedLines, answers: Answers) {
        self.bus.0.borrow_mut().set(usize::from(self.board), drive, watch, answers);
    }

    fn transmit(&mut self, _: u64, frame: &[u8], _: Arming) {
        self.bus.0.borrow_mut().transmit(usize::from(self.board), frame);
    }

    fn bid(&mut self, _: u64) {
        self.bus.0.borrow_mut().bid(usize::from(self.board));
    }

    fn abort(&mut self, _: u64) {
        self.bus.0.borrow_mut().stations[usize::from(self.board)].abort();
    }

    fn poll(&mut self, _: u64) -> Option<PhyEvent> {
        self.bus.0.borrow_mut().stations[usize::from(self.board)].poll()
    }

    fn receive(&mut self, out: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize> {
        self.bus.0.borrow_mut().receive(usize::from(self.board), out)
    }

    fn take_overrun(&mut self) -> bool {
        core::mem::take(&mut self.bus.0.borrow_mut().stations[usize::from(self.board)].overrun)
    }
}
