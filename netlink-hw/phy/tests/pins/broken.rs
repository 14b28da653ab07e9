//! The model against itself: drivers that are broken on purpose are caught, each by its rule.

use crate::bench::{ALL, BEGIN_NS, Plan, Seen, WIRING, answers, frame, payload, plain, station};
use renga_hal::gpio::{PinBank, Pull};
use renga_phy::pins::model::{HarnessModel, ModelPins, ModelSetup, Rule, Speed, Tasks, Violation};
use renga_phy::pins::{Handshake, HarnessLine, PinTiming, Width, Wiring};
use std::cell::RefCell;
use std::rc::Rc;

/// What a driver does wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// Each second reading of the acknowledgement lines is the first one again.
    ReadsOnce,
    /// The data wires are never let go.
    KeepsData,
    /// Every acknowledgement is believed at once.
    BelievesAll,
    /// No pulls are switched on.
    NoPulls,
}

struct Broken<'a> {
    pins: ModelPins<'a>,
    fault: Fault,
    last: Option<u32>,
}

impl PinBank for Broken<'_> {
    fn now_ns(&mut self) -> u64 {
        self.pins.now_ns()
    }
    fn store_functions(&mut self, word: usize, value: u32) {
        let lets_go = word > 0 && value == 0 && self.pins.functions(word) != 0;
        if !(self.fault == Fault::KeepsData && lets_go) {
            self.pins.store_functions(word, value);
        }
    }
    fn functions(&mut self, word: usize) -> u32 {
        self.pins.functions(word)
    }
    fn set(&mut self, mask: u32) {
        self.pins.set(mask);
    }
    fn clear(&mut self, mask: u32) {
        self.pins.clear(mask);
    }
    fn set_pulls(&mut self, mask: u32, pull: Pull) {
        if self.fault != Fault::NoPulls {
            self.pins.set_pulls(mask, pull);
        }
    }
    fn levels(&mut self) -> u32 {
        let levels = self.pins.levels();
        match self.fault {
            Fault::ReadsOnce => {
                let first = self.last.take();
                self.last = if first.is_none() { Some(levels) } else { None };
                return first.map_or(levels, |first| first & ANSWERS | levels & !ANSWERS);
            }
            Fault::BelievesAll if self.pins.functions(0) & TALKS != 0 => return believed(levels),
            _ => {}
        }
        levels
    }
    fn wait_until(&mut self, at_ns: u64) {
        self.pins.wait_until(at_ns);
    }
}

/// The strobe is an output.
const TALKS: u32 = renga_phy::pins::wiring::outputs(HarnessLine::Strobe.mask(), 0);

const ANSWERS: u32 = HarnessLine::NotReady.mask() | HarnessLine::NotAccepted.mask();

/// The acknowledgement that is due after this state of the strobe.
fn believed(levels: u32) -> u32 {
    let answer =
        if levels & HarnessLine::Strobe.mask() != 0 { HarnessLine::NotReady } else { HarnessLine::NotAccepted };
    levels & !ANSWERS | answer.mask()
}

/// Frames from a broken board 0 and from board 1, until something is violated.
fn caught(fault: Option<Fault>, timing: PinTiming, handshake: Handshake, setup: &ModelSetup) -> Option<Violation> {
    let wiring = Wiring { handshake, ..WIRING };
    for seed in 0..40 {
        let setup = ModelSetup { handshake, seed, ..setup.clone() };
        let model = HarnessModel::new(&setup);
        let seen: Rc<RefCell<Seen>> = Rc::default();
        let mut tasks = Tasks::new(&model);
        let sent = |by| Plan::Frame(frame(ALL, by, &payload(64)));
        let (plan, seen_by_it) = (vec![(BEGIN_NS, sent(0))], seen.clone());
        tasks.begin(0, move |pins| match fault {
            Some(fault) => {
                let pins = Broken { pins, fault, last: None };
                station(pins, 0, wiring, timing, answers(0), plan, &seen_by_it);
            }
            None => station(pins, 0, wiring, timing, answers(0), plan, &seen_by_it),
        });
        for board in 1..setup.boards.len() as u8 {
            tasks.begin(board, plain(board, wiring, &[(1, 3 * BEGIN_NS / 2, sent(1))], &seen));
        }
        tasks.run_until(2 * BEGIN_NS);
        if let Some(violation) = model.violations().first() {
            println!("seed {seed}: {violation}");
            return Some(*violation);
        }
        // Worse than a violation: an intact frame that no board took.
        let seen = seen.borrow();
        let boards = setup.boards.len() - 1;
        if seen.sent.iter().any(|sent| sent.result.is_ok_and(|poll| poll.takers().count_ones() as usize != boards)) {
            println!("seed {seed}: {:?}", seen.sent);
            return Some(Violation { at_ns: 0, line: renga_phy::pins::PinName(0), rule: Rule::Floating { reader: 0 } });
        }
    }
    None
}

/// Listeners that sample slowly, so that the last to answer matters.
fn slow_listeners() -> ModelSetup {
    let mut setup = ModelSetup::of(5, Speed::PI4_600);
    setup.boards[0] = Speed::PI3_1200;
    setup
}

const TIMING: PinTiming = PinTiming::for_width(Width::Sixteen);
const HANDSHAKES: [Handshake; 2] = [Handshake::ThreeWire, Handshake::TwoEdge];

/// Holds: pins-double-read.
#[test]
fn mutants_sound_driver_passes() {
    for handshake in HANDSHAKES {
        assert_eq!(caught(None, TIMING, handshake, &ModelSetup::of(4, Speed::PI3_1200)), None);
        let setup = ModelSetup { stall_every_ns: Some(20_000), ..slow_listeners() };
        assert_eq!(caught(None, TIMING, handshake, &setup), None);
    }
}

#[test]
fn mutants_short_settling_is_caught() {
    let timing = PinTiming { settle_ns: 20, ..TIMING };
    let violation = caught(None, timing, Handshake::TwoEdge, &ModelSetup::of(4, Speed::PI3_1200)).unwrap();
    assert!(matches!(violation.rule, Rule::Unsettled { talker: 0, before_ns: ..80 }), "{violation}");
    assert_eq!(violation.line.to_string().get(..1), Some("D"));
}

#[test]
fn mutants_short_hold_is_caught() {
    let mut setup = ModelSetup::of(8, Speed::PI4_600);
    setup.boards[0] = Speed { talker_ns: 1, listener_ns: 1, spacing_ns: 1, ..Speed::PI3_1200 };
    assert_eq!(caught(None, TIMING, Handshake::ThreeWire, &setup), None);
    let timing = PinTiming { hold_ns: 0, ..TIMING };
    assert!(caught(None, timing, Handshake::ThreeWire, &setup).is_some());
}

/// Holds: pins-double-read.
#[test]
fn mutants_single_read_is_caught() {
    // Stalled listeners keep pulling while the others let go, which makes the spikes.
    let setup = ModelSetup { stall_every_ns: Some(20_000), spikes_per_mille: 300, ..slow_listeners() };
    for handshake in HANDSHAKES {
        let violation = caught(Some(Fault::ReadsOnce), TIMING, handshake, &setup).unwrap();
        // It goes on early, or is out of step and still at it when the next one talks.
        let early = matches!(violation.rule, Rule::StrobeTooEarly { talker: 0 } | Rule::DataTooEarly { talker: 0 });
        assert!(early || matches!(violation.rule, Rule::Contention { high: 0, .. }), "{violation}");
    }
}

#[test]
fn mutants_talker_keeping_lines_is_caught() {
    for handshake in HANDSHAKES {
        let violation = caught(Some(Fault::KeepsData), TIMING, handshake, &ModelSetup::of(4, Speed::PI3_1200)).unwrap();
        assert!(matches!(violation.rule, Rule::Contention { low: 0, .. }), "{violation}");
    }
}

#[test]
fn mutants_talker_not_waiting_is_caught() {
    for handshake in HANDSHAKES {
        let violation = caught(Some(Fault::BelievesAll), TIMING, handshake, &slow_listeners()).unwrap();
        let early = matches!(violation.rule, Rule::StrobeTooEarly { talker: 0 } | Rule::DataTooEarly { talker: 0 });
        assert!(early, "{violation}");
    }
}

#[test]
fn mutants_floating_wires_are_caught() {
    let violation =
        caught(Some(Fault::NoPulls), TIMING, Handshake::ThreeWire, &ModelSetup::of(1, Speed::PI3_1200)).unwrap();
    assert!(matches!(violation.rule, Rule::Floating { reader: 0 }), "{violation}");
}

#[test]
fn violation_names_line_boards_and_time() {
    let violation =
        Violation { at_ns: 1234, line: renga_phy::pins::PinName(21), rule: Rule::Contention { high: 0, low: 3 } };
    assert_eq!(violation.to_string(), "1234 ns, D5: board 0 drives it high, board 3 low");
}
