//! Boards, wires, and stores that are on their way.
//!
//! Invariant: stores take effect in the order of their times, whichever board made them first; a board
//! that is reset or loses power never changes a pin afterwards.

use super::harness::{BOARD_PF, PINS, RIBBON_PF, ohms, wire_of};
use super::monitor::{Monitor, Rule};
use super::net::{Level, Net, SUPPLY_V, Source};
use super::speed::Speed;
use super::{HarnessFault, Setup};
use crate::pins::Handshake;
use crate::pins::wiring::{Line, OPEN_DRAIN, Width, outputs};
use renga_hal::gpio::Pull;
use renga_random::Random;
use std::collections::BTreeMap;
use std::vec::Vec;

/// Pins that are data wires.
pub const DATA: u32 = Width::Sixteen.pins();
/// Pins of the link that carry no data.
const CONTROL: u32 = OPEN_DRAIN | Line::Strobe.mask() | Line::TokenIn.mask();

/// Longest stall, ns.
const STALL_NS_MAX: u64 = 5_000;
/// A spike begins so long after a line was let go, and lasts so long, ns at most.
const SPIKE_DELAY_NS: u64 = 10;
const SPIKE_NS: u64 = 6;
/// What setting pulls costs, ns: a BCM2837 wants 150 clocks twice.
const PULLS_NS: u64 = 20_000;

#[derive(Clone, Copy, Debug)]
pub enum Store {
    Functions(usize, u32),
    Set(u32),
    Clear(u32),
}

#[derive(Clone, Copy, Debug)]
struct Pin {
    output: bool,
    latch: bool,
    pull: Pull,
    net: usize,
    slot: usize,
    changed_ns: u64,
}

pub struct Board {
    pub speed: Speed,
    /// Which thresholds.
    kind: usize,
    /// This board's time.
    pub local_ns: u64,
    /// When it wants to go on.
    pub wake_ns: u64,
    next_stall_ns: u64,
    functions: [u32; 3],
    pins: [Pin; PINS],
    powered: bool,
    /// Reads and stores so far.
    pub accesses: u64,
}

pub struct State {
    pub boards: Vec<Board>,
    nets: Vec<Net>,
    stores: BTreeMap<(u64, u64), (u8, u64, Store)>,
    sequence: u64,
    applied_ns: u64,
    pub random: Random,
    pub monitor: Monitor,
    stall_every_ns: Option<u64>,
    spikes_per_mille: u16,
    pull_ohms: f64,
    /// Pins with a wire.
    link: u32,
}

impl State {
    pub fn new(setup: &Setup) -> State {
        let kind_of = |speed: &Speed| usize::from(speed.high_v == Speed::PI4_600.high_v);
        let thresholds = [Speed::PI3_1200, Speed::PI4_600].map(|speed| (speed.low_v, speed.high_v));
        let wire_pf = RIBBON_PF + BOARD_PF * setup.boards.len() as f64;
        // A wire for each pin; a token wire to each board; then those of open pins.
        let shared = PINS + setup.boards.len();
        let mut nets: Vec<Net> = (0..shared).map(|_| Net::new(wire_pf, thresholds)).collect();
        let mut random = Random::new(setup.seed);
        let boards = setup.boards.iter().enumerate().map(|(board, speed)| {
            let pins = core::array::from_fn(|pin| {
                let net = wire_of(setup, board, pin, &mut nets, thresholds);
                let slot = nets[net].slot(Some(board as u8));
                Pin { output: false, latch: false, pull: Pull::Off, net, slot, changed_ns: 0 }
            });
            Board {
                speed: *speed,
                kind: kind_of(speed),
                local_ns: 0,
                wake_ns: 0,
                next_stall_ns: setup.stall_every_ns.map_or(u64::MAX, |mean| random.below(2 * mean)),
                functions: [0; 3],
                pins,
                powered: true,
                accesses: 0,
            }
        });
        let boards = boards.collect();
        let mut state = State {
            boards,
            nets,
            stores: BTreeMap::new(),
            sequence: 0,
            applied_ns: 0,
            random,
            monitor: Monitor {
                handshake: setup.handshake,
                settle_ns: setup.settle_ns,
                violations: Vec::new(),
                pending: false,
            },
            stall_every_ns: setup.stall_every_ns,
            spikes_per_mille: setup.spikes_per_mille,
            pull_ohms: setup.pull_ohms,
            link: CONTROL | setup.width.pins(),
        };
        state.wire_up(setup);
        state
    }

    /// Terminators, hard pulls and stuck wires.
    fn wire_up(&mut self, setup: &Setup) {
        let mut fixed = |net: usize, source: Source| {
            let slot = self.nets[net].slot(None);
            self.nets[net].drive(0, slot, Some(source));
        };
        for pin in 4..=8 {
            if let Some(ohms) = setup.terminator_ohms {
                fixed(pin, Source::new(ohms, SUPPLY_V));
            }
        }
        for fault in &setup.faults {
            match *fault {
                HarnessFault::StuckLow(pin) => fixed(usize::from(pin), Source::new(ohms::SHORT, 0.0)),
                HarnessFault::StuckHigh(pin) => fixed(usize::from(pin), Source::new(ohms::SHORT, SUPPLY_V)),
                _ => {}
            }
        }
        for board in 0..self.boards.len() {
            for pin in 0..PINS {
                self.drive(board, pin, 0);
            }
        }
    }

    /// Puts on its wire what a pin does now.
    fn drive(&mut self, board: usize, pin: usize, at_ns: u64) {
        let owner = &self.boards[board];
        let state = owner.pins[pin];
        let series = match pin {
            _ if DATA >> pin & 1 != 0 => ohms::DATA,
            9 => ohms::TOKEN_IN,
            _ => ohms::CONTROL,
        };
        let rail = |high: bool| if high { SUPPLY_V } else { 0.0 };
        let source = match state.pull {
            _ if !owner.powered => Some(Source::new(series + ohms::CLAMP, ohms::CLAMP_V)),
            _ if state.output => Some(Source::new(series + ohms::PAD, rail(state.latch))),
            _ if matches!(pin, 2 | 3) => Some(Source::new(ohms::HARD_PULL, SUPPLY_V)),
            Pull::Off => None,
            Pull::Up => Some(Source::new(self.pull_ohms + series, SUPPLY_V)),
            Pull::Down => Some(Source::new(self.pull_ohms + series, 0.0)),
        };
        self.nets[state.net].drive(at_ns, state.slot, source);
    }

    /// Advances `board`'s own time by what an access costs, stalls included; its time then.
    pub fn spend(&mut self, board: usize, ns: u64) -> u64 {
        let owner = &mut self.boards[board];
        owner.accesses += 1;
        owner.local_ns += ns;
        if owner.local_ns >= owner.next_stall_ns {
            owner.local_ns += self.random.below(STALL_NS_MAX + 1);
            let mean = self.stall_every_ns.expect("only with stalls there is a next one");
            owner.next_stall_ns = owner.local_ns + self.random.below(2 * mean);
        }
        owner.local_ns
    }

    /// Advances `board`'s own time by its work before an access; its time then.
    pub fn step(&mut self, board: usize) -> u64 {
        self.spend(board, self.step_ns(board))
    }

    /// Whether a board talks or listens is what it pulls.
    fn step_ns(&self, board: usize) -> u64 {
        const LISTENS: u32 = outputs(Line::NotReady.mask() | Line::NotAccepted.mask(), 0);
        let Board { functions, speed, .. } = &self.boards[board];
        if functions[0] & LISTENS != 0 { speed.listener_ns } else { speed.talker_ns }
    }

    /// A store by `board`, which goes on at once.
    pub fn store(&mut self, board: usize, store: Store) {
        let speed = self.boards[board].speed;
        let issued_ns = self.spend(board, self.step_ns(board).max(speed.spacing_ns));
        if let Store::Functions(word, value) = store {
            self.boards[board].functions[word] = value;
        }
        self.sequence += 1;
        self.stores.insert((issued_ns + speed.write_ns, self.sequence), (board as u8, issued_ns, store));
    }

    /// What `board` last stored in function word `word`.
    pub fn functions(&self, board: usize, word: usize) -> u32 {
        self.boards[board].functions[word]
    }

    pub fn set_pulls(&mut self, board: usize, mask: u32, pull: Pull) {
        let at_ns = self.spend(board, PULLS_NS);
        for pin in (0..PINS).filter(|pin| mask >> pin & 1 != 0) {
            self.boards[board].pins[pin].pull = pull;
            self.drive(board, pin, at_ns.min(self.applied_ns));
        }
    }

    /// Lets all stores up to `at_ns` reach the pins.
    pub fn apply_until(&mut self, at_ns: u64) {
        while let Some(first) = self.stores.first_entry().filter(|entry| entry.key().0 <= at_ns) {
            let (effect_ns, _) = *first.key();
            let (board, _, store) = first.remove();
            self.apply(usize::from(board), store, effect_ns);
        }
        self.applied_ns = self.applied_ns.max(at_ns);
    }

    fn apply(&mut self, board: usize, store: Store, at_ns: u64) {
        let (from, to) = match store {
            Store::Functions(word, _) => (word * 10, (word * 10 + 10).min(PINS)),
            Store::Set(_) | Store::Clear(_) => (0, PINS),
        };
        for pin in from..to {
            let old = self.boards[board].pins[pin];
            let mut new = old;
            match store {
                Store::Functions(_, value) => new.output = value >> ((pin - from) * 3) & 7 == 1,
                Store::Set(mask) => new.latch |= mask >> pin & 1 != 0,
                Store::Clear(mask) => new.latch &= mask >> pin & 1 == 0,
            }
            let drives = |state: Pin| state.output.then_some(state.latch);
            if drives(new) != drives(old) {
                new.changed_ns = at_ns;
                self.watch_before(board, pin, drives(old), drives(new), at_ns);
                self.boards[board].pins[pin] = new;
                self.drive(board, pin, at_ns);
                self.watch_after(board, pin, old.output && !new.output, at_ns);
            } else {
                self.boards[board].pins[pin] = new;
            }
        }
    }

    /// Rules of strobe and data, before `pin` changes.
    fn watch_before(&mut self, board: usize, pin: usize, old: Option<bool>, new: Option<bool>, at_ns: u64) {
        let strobe = usize::from(Line::Strobe.pin());
        let talker = board as u8;
        let calls = self.boards[board].pins[usize::from(Line::Attention.pin())].output;
        let high = |line: Line| !self.is_pulled(board, line);
        let answered = match (self.boards[board].pins[strobe].latch, self.monitor.handshake) {
            (false, _) => high(Line::NotAccepted),
            (true, Handshake::TwoEdge) => high(Line::NotReady),
            (true, Handshake::ThreeWire) => true,
        };
        if pin == strobe && old.is_some() && new.is_some() {
            let early = match new {
                Some(false) => !high(Line::NotReady),
                _ => !high(Line::NotAccepted) && !calls,
            };
            if early {
                self.monitor.report(at_ns, pin as u8, Rule::StrobeTooEarly { talker });
            }
            if new == Some(false) || self.monitor.handshake == Handshake::TwoEdge {
                self.watch_settled(board, at_ns);
            }
        } else if DATA >> pin & 1 != 0 && self.boards[board].pins[strobe].output && !answered && !calls {
            self.monitor.report(at_ns, pin as u8, Rule::DataTooEarly { talker });
        }
    }

    fn watch_settled(&mut self, board: usize, at_ns: u64) {
        self.monitor.pending = true;
        for pin in (0..PINS).filter(|pin| DATA >> pin & 1 != 0) {
            let state = self.boards[board].pins[pin];
            let before_ns = at_ns - state.changed_ns;
            if state.output && before_ns < self.monitor.settle_ns {
                self.monitor.report(at_ns, pin as u8, Rule::Unsettled { talker: board as u8, before_ns });
            }
        }
    }

    /// Rules of the wire, after `pin` has changed.
    fn watch_after(&mut self, board: usize, pin: usize, released: bool, at_ns: u64) {
        let net = &mut self.nets[self.boards[board].pins[pin].net];
        if let Some((high, low)) = net.contenders() {
            self.monitor.report(at_ns, pin as u8, Rule::Contention { high, low });
        }
        // The current of who lets go passes to those who still pull: a short rise on the way.
        let spike = released && net.pulled_low_by_another(board as u8);
        if spike && self.random.per_mille(self.spikes_per_mille) {
            let from_ns = at_ns + self.random.below(SPIKE_DELAY_NS);
            net.spike(from_ns, from_ns + 1 + self.random.below(SPIKE_NS));
        }
    }

    /// Whether a line is high on its wire, for `board`.
    pub fn is_high(&self, board: usize, line: Line, at_ns: u64) -> bool {
        let owner = &self.boards[board];
        let net = &self.nets[owner.pins[usize::from(line.pin())].net];
        net.true_level(at_ns, owner.kind) == Level::High
    }

    /// Whether any board pulls a line low, as `board` is wired.
    fn is_pulled(&self, board: usize, line: Line) -> bool {
        let net = self.boards[board].pins[usize::from(line.pin())].net;
        self.nets[net].pulled_low_by_another(u8::MAX)
    }

    /// The voltage of a pin's wire, V.
    pub fn voltage(&self, board: usize, pin: u8, at_ns: u64) -> f64 {
        self.nets[self.boards[board].pins[usize::from(pin)].net].voltage(at_ns)
    }

    /// A read by `board` that samples its pins at `at_ns`, the time of all of them.
    pub fn sample(&mut self, board: usize, at_ns: u64) -> u32 {
        self.apply_until(at_ns);
        let (skew_ns, kind) = (self.boards[board].speed.skew_ns, self.boards[board].kind);
        let link = self.link;
        let mut levels = 0;
        for pin in (0..PINS).filter(|pin| link >> pin & 1 != 0) {
            let state = self.boards[board].pins[pin];
            if state.output {
                levels |= u32::from(state.latch) << pin;
                continue;
            }
            let net = &self.nets[state.net];
            let level = if net.is_quiet(at_ns.saturating_sub(2 * skew_ns)) {
                net.level(at_ns, kind)
            } else {
                net.level(at_ns.saturating_sub(self.random.below(3) * skew_ns), kind)
            };
            if net.is_floating() {
                self.monitor.report(at_ns, pin as u8, Rule::Floating { reader: board as u8 });
            }
            let high = match level {
                Level::Low => false,
                Level::High => true,
                Level::Between => {
                    self.watch_undefined(board, pin, at_ns);
                    self.random.below(2) != 0
                }
            };
            levels |= u32::from(high) << pin;
        }
        levels
    }

    /// A data wire between the thresholds, while a strobe is out that not all have answered.
    fn watch_undefined(&mut self, reader: usize, pin: usize, at_ns: u64) {
        let strobe = usize::from(Line::Strobe.pin());
        if DATA >> pin & 1 == 0 || !self.monitor.pending {
            return;
        }
        let talker = (0..self.boards.len()).find(|board| self.boards[*board].pins[strobe].output);
        let Some(talker) = talker.filter(|talker| *talker != reader) else { return };
        let low = !self.boards[talker].pins[strobe].latch;
        let answer = if low { Line::NotAccepted } else { Line::NotReady };
        if !self.is_pulled(talker, answer) || !low && self.monitor.handshake == Handshake::ThreeWire {
            self.monitor.pending = false;
        } else if self.boards[talker].pins[pin].output {
            self.monitor.report(at_ns, pin as u8, Rule::Undefined { reader: reader as u8 });
        }
    }

    /// All pins of `board` become inputs at `at_ns`; pulls stay, as over a soft reset.
    pub fn reset(&mut self, board: usize, at_ns: u64, powered: bool) {
        self.stores.retain(|_, (by, issued_ns, _)| usize::from(*by) != board || *issued_ns <= at_ns);
        self.apply_until(at_ns);
        self.stores.retain(|_, (by, ..)| usize::from(*by) != board);
        self.boards[board].powered = powered;
        self.boards[board].functions = [0; 3];
        for pin in 0..PINS {
            let state = &mut self.boards[board].pins[pin];
            (state.output, state.latch) = (false, false);
            self.drive(board, pin, self.applied_ns);
        }
        let owner = &mut self.boards[board];
        owner.local_ns = owner.local_ns.max(at_ns);
        owner.wake_ns = owner.local_ns;
    }
}
