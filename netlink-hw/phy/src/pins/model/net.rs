//! One wire of the harness: its drivers with their strengths, and its voltage over time.
//!
//! A wire is a capacitor that all drivers, pulls and terminators charge through their resistors. Not
//! here: reflections (the harness is short), inductance, cross-talk.

use super::powers::{decay, ln};
use std::vec::Vec;

/// The supply, V.
pub const SUPPLY_V: f64 = 3.3;
/// A wire that less than this holds is floating, S: weaker than the weakest internal pull.
const FLOATING_S: f64 = 1.0 / 500_000.0;
/// A push-pull driver holds at least with this, S.
const STRONG_S: f64 = 1.0 / 1000.0;

/// A resistor to a voltage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetSource {
    /// Conductance, S.
    pub conductance: f64,
    /// Of the other end, V.
    pub voltage: f64,
}

impl NetSource {
    /// Of `ohms` to `voltage`.
    pub fn new(ohms: f64, voltage: f64) -> NetSource {
        NetSource { conductance: 1.0 / ohms, voltage }
    }

    fn is_strong(&self) -> bool {
        self.conductance > STRONG_S
    }
}

/// What a reader finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Below the lower threshold.
    Low,
    /// Above the upper threshold.
    High,
    /// Between: either is read.
    Between,
}

/// Voltage from `begin_ns` on: from `from_v` to `to_v`.
#[derive(Clone, Copy, Debug)]
struct Course {
    begin_ns: u64,
    from_v: f64,
    to_v: f64,
    tau_ns: f64,
}

impl Course {
    fn voltage(&self, at_ns: u64) -> f64 {
        let passed = at_ns.saturating_sub(self.begin_ns) as f64;
        self.to_v + (self.from_v - self.to_v) * decay(passed / self.tau_ns)
    }

    /// When the voltage passes `v`, ns after the beginning; `None`: never.
    fn passes(&self, v: f64) -> Option<u64> {
        let (left, whole) = (v - self.to_v, self.from_v - self.to_v);
        (left * whole > 0.0 && left.abs() < whole.abs()).then(|| (self.tau_ns * ln(whole / left)) as u64 + 1)
    }
}

/// The levels of a course for one kind of reader: `first`, then between, then `last`.
#[derive(Clone, Copy, Debug)]
struct Levels {
    leaves_ns: u64,
    arrives_ns: u64,
    first: Level,
    last: Level,
}

/// Thresholds of a kind of reader, V.
pub type Thresholds = (f64, f64);

/// A wire.
#[derive(Clone, Debug)]
pub struct Net {
    /// pF / 1000: over a conductance in S it is a time in ns.
    capacity: f64,
    /// Its drivers, with the board of each, or none for the harness.
    sources: Vec<(Option<u8>, NetSource)>,
    course: Course,
    before: Course,
    levels: [Levels; 2],
    levels_before: [Levels; 2],
    thresholds: [Thresholds; 2],
    floating: bool,
    /// A spike to high that passes by, from a to b.
    spike_ns: (u64, u64),
    /// When a driver last changed.
    pub changed_ns: u64,
}

impl Net {
    /// A wire of `picofarads`, without drivers, low, as readers with these thresholds see it.
    pub fn new(picofarads: f64, thresholds: [Thresholds; 2]) -> Net {
        let course = Course { begin_ns: 0, from_v: 0.0, to_v: 0.0, tau_ns: 1.0 };
        let level = Levels { leaves_ns: 0, arrives_ns: 0, first: Level::Low, last: Level::Low };
        Net {
            capacity: picofarads / 1000.0,
            sources: Vec::new(),
            course,
            before: course,
            levels: [level; 2],
            levels_before: [level; 2],
            thresholds,
            floating: true,
            spike_ns: (0, 0),
            changed_ns: 0,
        }
    }

    /// Replaces the driver in `slot` by `source`, or by nothing.
    pub fn drive(&mut self, at_ns: u64, slot: usize, source: Option<NetSource>) {
        self.sources[slot].1 = source.unwrap_or(NetSource { conductance: 0.0, voltage: 0.0 });
        self.evaluate(at_ns);
    }

    /// A new slot for a driver of `who`.
    pub fn slot(&mut self, who: Option<u8>) -> usize {
        self.sources.push((who, NetSource { conductance: 0.0, voltage: 0.0 }));
        self.sources.len() - 1
    }

    fn evaluate(&mut self, at_ns: u64) {
        let conductance: f64 = self.sources.iter().map(|(_, source)| source.conductance).sum();
        let current: f64 = self.sources.iter().map(|(_, source)| source.conductance * source.voltage).sum();
        let now_v = self.course.voltage(at_ns);
        self.floating = conductance < FLOATING_S;
        let (to_v, tau_ns) =
            if self.floating { (now_v, 1e12) } else { (current / conductance, self.capacity / conductance) };
        self.before = self.course;
        self.levels_before = self.levels;
        self.course = Course { begin_ns: at_ns, from_v: now_v, to_v, tau_ns: tau_ns.max(0.1) };
        self.levels = self.thresholds.map(|thresholds| levels(&self.course, thresholds));
        self.changed_ns = at_ns;
    }

    /// The level at `at_ns`, at most two changes back, for readers of kind `kind`.
    pub fn level(&self, at_ns: u64, kind: usize) -> Level {
        if (self.spike_ns.0..self.spike_ns.1).contains(&at_ns) { Level::High } else { self.true_level(at_ns, kind) }
    }

    /// The same without spikes.
    pub fn true_level(&self, at_ns: u64, kind: usize) -> Level {
        let levels = if at_ns < self.course.begin_ns { &self.levels_before[kind] } else { &self.levels[kind] };
        if at_ns < levels.leaves_ns {
            levels.first
        } else if at_ns < levels.arrives_ns {
            Level::Between
        } else {
            levels.last
        }
    }

    /// The level that it comes to, for readers of kind `kind`.
    pub fn final_level(&self, kind: usize) -> Level {
        self.levels[kind].last
    }

    /// Whether nothing has changed its level for any reader since `since_ns`.
    pub fn is_quiet(&self, since_ns: u64) -> bool {
        self.levels.iter().all(|levels| levels.arrives_ns <= since_ns) && self.spike_ns.1 <= since_ns
    }

    /// Whether nothing holds it.
    pub fn is_floating(&self) -> bool {
        self.floating
    }

    /// Lets a spike pass.
    pub fn spike(&mut self, from_ns: u64, to_ns: u64) {
        self.spike_ns = (from_ns, to_ns);
    }

    /// Two boards that drive it strongly to opposite levels: the one to high, the one to low.
    pub fn contenders(&self) -> Option<(u8, u8)> {
        let strong = |high: bool| {
            let wanted = move |(_, source): &&(Option<u8>, NetSource)| {
                source.is_strong() && (source.voltage > SUPPLY_V / 2.0) == high
            };
            self.sources.iter().filter(wanted).filter_map(|(who, _)| *who)
        };
        strong(true).find_map(|high| strong(false).find(|low| *low != high).map(|low| (high, low)))
    }

    /// Whether a board other than `but` pulls it low strongly.
    pub fn pulled_low_by_another(&self, but: u8) -> bool {
        let pulls = |(who, source): &(Option<u8>, NetSource)| {
            who.is_some_and(|who| who != but) && source.is_strong() && source.voltage < SUPPLY_V / 2.0
        };
        self.sources.iter().any(pulls)
    }

    /// The voltage at `at_ns`.
    pub fn voltage(&self, at_ns: u64) -> f64 {
        if at_ns < self.course.begin_ns { self.before.voltage(at_ns) } else { self.course.voltage(at_ns) }
    }
}

fn levels(course: &Course, (low_v, high_v): Thresholds) -> Levels {
    let at = |v: f64| {
        if v <= low_v {
            Level::Low
        } else if v >= high_v {
            Level::High
        } else {
            Level::Between
        }
    };
    let (first, last) = (at(course.from_v), at(course.to_v));
    let rising = course.to_v > course.from_v;
    let (leaving, arriving) = if rising { (low_v, high_v) } else { (high_v, low_v) };
    let begin = course.begin_ns;
    let end = || course.passes(arriving).map_or(u64::MAX, |ns| begin + ns);
    match (first, last) {
        _ if first == last => Levels { leaves_ns: begin, arrives_ns: begin, first, last },
        (Level::Between, _) => Levels { leaves_ns: begin, arrives_ns: end(), first, last },
        (_, Level::Between) => {
            let leaves_ns = begin + course.passes(leaving).unwrap_or(0);
            Levels { leaves_ns, arrives_ns: leaves_ns, first, last }
        }
        _ => Levels { leaves_ns: begin + course.passes(leaving).unwrap_or(0), arrives_ns: end(), first, last },
    }
}
