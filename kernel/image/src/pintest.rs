//! The test of the link's wires in place of a system (`program=pintest`), for ever, or for `rounds=` rounds of this
//! board.
//!
//! **It has never run on a board.** Findings are printed on the console when they change, and every some seconds; the
//! board's light is on while the wires are sound, and blinks otherwise. Invariant: while others may lead, this board
//! listens: its text leaves the board while it waits (`tester_console`). Not here: the test (`renga_phy::pintest`).

use crate::hardware::{self, Hardware, LinkPins};
use crate::link_device::{chip, width};
use crate::tester_console::TesterConsole;
use crate::{boot_stage, fault};
use core::cell::RefCell;
use core::fmt::Write;
use renga_core::Arena;
use renga_hal::gpio::{PinBank, Pull};
use renga_phy::pintest::{Harness, Tester, Verdict};

/// An unchanged finding is printed again after this time, ns.
const AGAIN_NS: u64 = 10_000_000_000;
/// The light of wires that are not sound changes so often, ns.
const BLINK_NS: u64 = 500_000_000;
/// Exit status if the wires are not sound.
const UNSOUND_STATUS: u32 = 1;

/// The pins of a board that keeps printing while it waits.
struct SpeakingPins {
    pins: LinkPins,
    tester_console: &'static RefCell<TesterConsole>,
}

impl PinBank for SpeakingPins {
    fn now_ns(&mut self) -> u64 {
        self.pins.now_ns()
    }
    fn store_functions(&mut self, word: usize, value: u32) {
        self.pins.store_functions(word, value);
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
        self.pins.set_pulls(mask, pull);
    }
    fn levels(&mut self) -> u32 {
        self.pins.levels()
    }
    fn fence(&mut self) {
        self.pins.fence();
    }
    fn wait_until(&mut self, at_ns: u64) {
        // Two peripherals: a BCM2837 answers out of order when accesses go from one to another.
        self.pins.fence();
        while self.pins.now_ns() < at_ns {
            self.tester_console.borrow_mut().go_on();
        }
        self.pins.fence();
    }
}

/// The last printed verdict, and its time.
struct Printed {
    verdict: Option<Verdict>,
    at_ns: u64,
    light: bool,
}

impl Printed {
    /// The light that goes with `verdict` at `now_ns`; switched only when it changes, as that may take the firmware's
    /// time.
    fn shine(&mut self, verdict: &Verdict, now_ns: u64) {
        let light = verdict.is_sound() || now_ns / BLINK_NS % 2 == 0;
        if light != self.light {
            self.light = light;
            boot_stage::set_light(light);
        }
    }

    /// Whether to print `verdict` at `now_ns`.
    fn is_due(&self, verdict: &Verdict, now_ns: u64) -> bool {
        self.verdict.as_ref() != Some(verdict) || now_ns - self.at_ns >= AGAIN_NS
    }
}

/// Tests the wires between `boards` boards.
#[inline(never)]
pub fn run(
    arena: &'static Arena,
    hardware: &Hardware,
    boards: u8,
    tester_console: &'static RefCell<TesterConsole>,
) -> ! {
    let tester = tester(arena, hardware, boards, tester_console);
    arena.seal();
    let mut printed = Printed { verdict: None, at_ns: 0, light: true };
    boot_stage::set_light(true);
    let mut rounds = 0;
    loop {
        let report = tester.round();
        let (verdict, now_ns) = (report.verdict(), hardware::now_ns());
        printed.shine(&verdict, now_ns);
        let mut tester_console = tester_console.borrow_mut();
        if tester_console.is_over() && printed.is_due(&verdict, now_ns) {
            let _ = write!(tester_console, "\n{report}");
            (printed.verdict, printed.at_ns) = (Some(verdict), now_ns);
        }
        rounds += 1;
        if hardware.rounds == Some(rounds) {
            tester_console.finish();
            fault::end(if verdict.is_sound() { 0 } else { UNSOUND_STATUS });
        }
    }
}

/// The test, in boot memory: it is too large for the stack.
#[inline(never)]
fn tester(
    arena: &'static Arena,
    hardware: &Hardware,
    boards: u8,
    tester_console: &'static RefCell<TesterConsole>,
) -> &'static mut Tester<SpeakingPins> {
    let link = hardware.link.as_str();
    let harness = match (link, width(link)) {
        (_, Some(width)) => Harness::on_pins(width),
        ("spi", _) => Harness::over_spi(chip()),
        _ => fault::refuse(format_args!("there is no link `{link}` whose wires could be tested")),
    };
    let _ = writeln!(
        tester_console.borrow_mut(),
        "pintest: board {} of {boards}, {} wires. It has never run on a board when this was written: send in what you see.",
        hardware.board,
        harness.wires().len()
    );
    let pins = SpeakingPins { pins: hardware::bus_pins(), tester_console };
    arena.put(|| Tester::begin(pins, harness, hardware.board, boards))
}
