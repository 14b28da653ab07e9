//! Boards, wires, and stores that are on their way.
//!
//! Invariant: stores take effect in the order of their times, whichever board's came first; a board that is reset or
//! loses power never changes a pin afterwards.

use super::harness::{BOARD_PF, PINS, RIBBON_PF, ohms, token_in, wire_of};
use super::monitor::{Monitor, Rule};
use super::net::{Level, Net, NetSource, SUPPLY_V};
use super::peripherals::{self, Peripheral, Ports};
use super::speed::Speed;
use super::{HarnessFault, ModelSetup};
use crate::pins::wiring::{HarnessLine, OPEN_DRAIN, Width, outputs};
use renga_hal::gpio::Pull;
use renga_random::Random;
use std::collections::BTreeMap;
use std::vec::Vec;

/// Pins that are data wires.
pub const DATA: u32 = Width::Sixteen.pins();
/// Pins of the link that carry no data.
const CONTROL: u32 = OPEN_DRAIN | HarnessLine::Strobe.mask() | HarnessLine::TokenIn.mask();

/// The function of a pin that is driven to its latch.
const OUTPUT: u32 = 1;
/// Longest stall, ns.
const STALL_NS_MAX: u64 = 5_000;
/// What setting pulls costs, ns: a BCM2837 wants 150 clocks twice.
const PULLS_NS: u64 = 20_000;

#[derive(Clone, Copy, Debug)]
pub enum Store {
    Functions(usize, u32),
    Set(u32),
    Clear(u32),
    /// In a register of a peripheral.
    Register(Peripheral, usize, u32),
    /// None: the next half of a clock of the SPI master.
    Step,
}

#[derive(Clone, Copy, Debug)]
pub struct Pin {
    pub function: u32,
    pub latch: bool,
    /// What it drives its wire to.
    pub driven: Option<bool>,
    pull: Pull,
    pub net: usize,
    slot: usize,
    pub changed_ns: u64,
}

pub struct ModelBoard {
    pub speed: Speed,
    /// Which thresholds.
    pub kind: usize,
    /// This board's time.
    pub local_ns: u64,
    /// When it continues.
    pub wake_ns: u64,
    next_stall_ns: u64,
    pub functions: [u32; 3],
    pub pins: [Pin; PINS],
    /// SPI, if the bus has it.
    pub ports: Option<Ports>,
    powered: bool,
    /// Reads and stores until now.
    pub accesses: u64,
}

pub struct ModelState {
    pub boards: Vec<ModelBoard>,
    pub nets: Vec<Net>,
    stores: BTreeMap<(u64, u64), (u8, u64, Store)>,
    sequence: u64,
    applied_ns: u64,
    pub random: Random,
    pub monitor: Monitor,
    stall_every_ns: Option<u64>,
    pub spikes_per_mille: u16,
    pull_ohms: f64,
    /// Pins with a wire.
    link: u32,
    /// The pin of TOK_IN#.
    token_in: usize,
}

impl ModelState {
    pub fn new(setup: &ModelSetup) -> ModelState {
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
                let (function, driven) = (0, None);
                Pin { function, latch: false, driven, pull: Pull::Off, net, slot, changed_ns: 0 }
            });
            ModelBoard {
                speed: *speed,
                kind: kind_of(speed),
                local_ns: 0,
                wake_ns: 0,
                next_stall_ns: setup.stall_every_ns.map_or(u64::MAX, |mean| random.below(2 * mean)),
                functions: [0; 3],
                pins,
                ports: setup.serial.map(|serial| Ports::new(&serial, speed)),
                powered: true,
                accesses: 0,
            }
        });
        let boards = boards.collect();
        let mut state = ModelState {
            boards,
            nets,
            stores: BTreeMap::new(),
            sequence: 0,
            applied_ns: 0,
            random,
            monitor: Monitor {
                handshake: setup.serial.is_none().then_some(setup.handshake),
                settle_ns: setup.settle_ns,
                violations: Vec::new(),
                pending: false,
            },
            stall_every_ns: setup.stall_every_ns,
            spikes_per_mille: setup.spikes_per_mille,
            pull_ohms: setup.pull_ohms,
            link: if setup.serial.is_some() { peripherals::LINK } else { CONTROL | setup.width.pins() },
            token_in: usize::from(token_in(setup)),
        };
        state.wire_up(setup);
        state
    }

    /// Terminators, hard pulls and stuck wires.
    fn wire_up(&mut self, setup: &ModelSetup) {
        let mut fixed = |net: usize, source: NetSource| {
            let slot = self.nets[net].slot(None);
            self.nets[net].drive(0, slot, Some(source));
        };
        for pin in 4..=8 {
            if let Some(ohms) = setup.terminator_ohms {
                fixed(pin, NetSource::new(ohms, SUPPLY_V));
            }
        }
        for fault in &setup.faults {
            match *fault {
                HarnessFault::StuckLow(pin) => fixed(usize::from(pin), NetSource::new(ohms::SHORT, 0.0)),
                HarnessFault::StuckHigh(pin) => fixed(usize::from(pin), NetSource::new(ohms::SHORT, SUPPLY_V)),
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
            _ if pin == self.token_in => ohms::TOKEN_IN,
            _ if owner.ports.as_ref().is_some_and(|ports| ports.pins.has(pin)) => ohms::DATA,
            _ if owner.ports.is_none() && DATA >> pin & 1 != 0 => ohms::DATA,
            _ => ohms::CONTROL,
        };
        let rail = |high: bool| if high { SUPPLY_V } else { 0.0 };
        let source = match state.pull {
            _ if !owner.powered => Some(NetSource::new(series + ohms::CLAMP, ohms::CLAMP_V)),
            _ if let Some(high) = state.driven => Some(NetSource::new(series + ohms::PAD, rail(high))),
            _ if matches!(pin, 2 | 3) => Some(NetSource::new(ohms::HARD_PULL, SUPPLY_V)),
            Pull::Off => None,
            Pull::Up => Some(NetSource::new(self.pull_ohms + series, SUPPLY_V)),
            Pull::Down => Some(NetSource::new(self.pull_ohms + series, 0.0)),
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
        const LISTENS: u32 = outputs(HarnessLine::NotReady.mask() | HarnessLine::NotAccepted.mask(), 0);
        let ModelBoard { functions, speed, .. } = &self.boards[board];
        if functions[0] & LISTENS != 0 { speed.listener_ns } else { speed.talker_ns }
    }

    /// A store by `board`, which continues at once.
    pub fn store(&mut self, board: usize, store: Store) {
        self.touch(board, if let Store::Register(peripheral, ..) = store { peripheral } else { Peripheral::Pins });
        let speed = self.boards[board].speed;
        let issued_ns = self.spend(board, self.step_ns(board).max(speed.spacing_ns));
        if let Store::Functions(word, value) = store {
            self.boards[board].functions[word] = value;
        }
        self.schedule(board, issued_ns, issued_ns + speed.write_ns, store);
    }

    /// Lets `store` take effect at `effect_ns`.
    pub fn schedule(&mut self, board: usize, issued_ns: u64, effect_ns: u64, store: Store) {
        self.sequence += 1;
        self.stores.insert((effect_ns, self.sequence), (board as u8, issued_ns, store));
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
            Store::Register(peripheral, offset, value) => {
                return self.write_register(board, peripheral, offset, value, at_ns);
            }
            Store::Step => return self.step_master(board, at_ns),
        };
        for pin in from..to {
            let mut new = self.boards[board].pins[pin];
            match store {
                Store::Functions(_, value) => new.function = value >> ((pin - from) * 3) & 7,
                Store::Set(mask) => new.latch |= mask >> pin & 1 != 0,
                Store::Clear(mask) => new.latch &= mask >> pin & 1 == 0,
                Store::Register(..) | Store::Step => {}
            }
            self.put(board, pin, new, at_ns);
        }
    }

    /// Puts `pin` into state `new`, and on its wire what it drives now.
    pub fn put(&mut self, board: usize, pin: usize, mut new: Pin, at_ns: u64) {
        let old = self.boards[board].pins[pin];
        new.driven = match new.function {
            OUTPUT => Some(new.latch),
            _ => self.boards[board].ports.as_ref().and_then(|ports| ports.drives(pin, new.function)),
        };
        if new.driven == old.driven {
            self.boards[board].pins[pin] = new;
        } else {
            new.changed_ns = at_ns;
            self.watch_before(board, pin, old.driven, new.driven, at_ns);
            self.boards[board].pins[pin] = new;
            self.drive(board, pin, at_ns);
            self.watch_after(board, pin, old.driven.is_some() && new.driven.is_none(), at_ns);
        }
        if new.driven != old.driven || new.function != old.function {
            self.signal_slaves(at_ns);
        }
    }

    /// Whether a line is high on its wire, for `board`.
    pub fn is_high(&self, board: usize, line: HarnessLine, at_ns: u64) -> bool {
        let owner = &self.boards[board];
        let net = &self.nets[owner.pins[usize::from(line.pin())].net];
        net.true_level(at_ns, owner.kind) == Level::High
    }

    /// Whether any board pulls a line low, as `board` is wired.
    pub(super) fn is_pulled(&self, board: usize, line: HarnessLine) -> bool {
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
        let link = self.link | self.boards[board].ports.as_ref().map_or(0, |ports| ports.pins.joined());
        let mut levels = 0;
        for pin in (0..PINS).filter(|pin| link >> pin & 1 != 0) {
            let state = self.boards[board].pins[pin];
            if let Some(high) = state.driven {
                levels |= u32::from(high) << pin;
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

    /// All pins of `board` become inputs at `at_ns`; pulls stay, as over a soft reset.
    pub fn reset(&mut self, board: usize, at_ns: u64, powered: bool) {
        self.stores.retain(|_, (by, issued_ns, _)| usize::from(*by) != board || *issued_ns <= at_ns);
        self.apply_until(at_ns);
        self.stores.retain(|_, (by, ..)| usize::from(*by) != board);
        self.boards[board].powered = powered;
        self.boards[board].functions = [0; 3];
        if let Some(ports) = &mut self.boards[board].ports {
            ports.reset();
        }
        for pin in 0..PINS {
            let state = &mut self.boards[board].pins[pin];
            (state.function, state.driven, state.latch) = (0, None, false);
            self.drive(board, pin, self.applied_ns);
        }
        self.signal_slaves(self.applied_ns);
        let owner = &mut self.boards[board];
        owner.local_ns = owner.local_ns.max(at_ns);
        owner.wake_ns = owner.local_ns;
    }
}
