//! Boards of which some lack one remedy.

use crate::bench::{BEGIN_NS, Plan, Seen, chip_of, plain, quick, station};
use crate::lacking::{Fault, without};
use renga_phy::pins::model::{HarnessModel, ModelSetup, Tasks, Violation};
use std::cell::RefCell;
use std::rc::Rc;

/// Runs `plans`; the boards in `faulty` lack a remedy.
pub fn run(
    setup: &ModelSetup,
    rate_hz: u32,
    fault: Option<Fault>,
    faulty: &[u8],
    plans: &[(u8, u64, Plan)],
    until_ns: u64,
) -> (Seen, Vec<Violation>) {
    let model = HarnessModel::new(setup);
    let seen = Rc::new(RefCell::new(Seen::default()));
    let mut tasks = Tasks::new(&model);
    for board in 0..setup.boards.len() as u8 {
        let Some(fault) = fault.filter(|_| faulty.contains(&board)) else {
            tasks.begin(board, plain(&model, board, rate_hz, plans, &seen));
            continue;
        };
        let own: Vec<_> =
            plans.iter().filter(|(by, ..)| *by == board).map(|(_, at, what)| (*at, what.clone())).collect();
        let (seen, chip) = (seen.clone(), chip_of(&model, board));
        tasks.begin(board, move |pins| {
            let (pins, blocks) = without(pins, rate_hz, chip, fault);
            station(pins, blocks, (board, chip), quick(rate_hz), own, &seen);
        });
    }
    tasks.run_until(until_ns);
    drop(tasks);
    (seen.take(), model.violations())
}

/// How long two short frames take at any rate, ns.
pub const SHORT_NS: u64 = BEGIN_NS + 10_000_000;
