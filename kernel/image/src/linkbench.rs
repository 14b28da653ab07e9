//! The measurement of the link in place of a system (`program=linkbench`): board 0 measures and prints, for ever, or
//! for `rounds=` rounds; the others follow its commands.
//!
//! **It has never run on a board.** The light of board 0 is on while all boards answer and every frame comes. Not here:
//! the measurement (`renga_phy::linkbench`), the link (`link_device`).

use crate::hardware::{self, Hardware};
use crate::link_device::LinkDevice;
use crate::tester_console::TesterConsole;
use crate::{boot_stage, fault};
use core::cell::RefCell;
use core::fmt::Write;
use renga_core::Arena;
use renga_phy::linkbench::BenchStation;

/// How long each flow lasts unless it is said, ms.
const SPAN_MS: u32 = 1_000;
/// The boards are switched on within so long of each other, ns.
const PATIENCE_NS: u64 = 10_000_000_000;
/// Exit status if something did not come.
const MISSING_STATUS: u32 = 1;

/// Measures the link between `boards` boards.
#[inline(never)]
pub fn run(
    arena: &'static Arena,
    hardware: &Hardware,
    boards: u8,
    tester_console: &'static RefCell<TesterConsole>,
) -> ! {
    let link = arena.put(|| LinkDevice::choose(hardware::emulator_link(), hardware.link.as_str(), hardware.board));
    let station = arena.put(|| BenchStation::new(link, boards));
    arena.seal();
    let span_us = hardware.span_ms.unwrap_or(SPAN_MS) * 1000;
    let mut tester_console = tester_console.borrow_mut();
    let _ = writeln!(
        tester_console,
        "linkbench: board {} of {boards}. It had never run on a board when this was written: send in what you see.",
        hardware.board
    );
    tester_console.finish();
    boot_stage::set_light(true);
    if hardware.board != 0 {
        loop {
            station.step();
        }
    }
    for rounds in 1.. {
        station.gather(PATIENCE_NS);
        let round = station.round(span_us);
        boot_stage::set_light(round.is_whole());
        let _ = write!(tester_console, "\n{round}");
        tester_console.finish();
        if hardware.rounds == Some(rounds) {
            fault::end(if round.is_whole() { 0 } else { MISSING_STATUS });
        }
    }
    unreachable!("it measures for ever")
}
