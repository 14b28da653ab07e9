//! Outcomes of the map's runs on boards that obey a law.

use super::law::LawCell;
use super::law::tests::lawful;
use super::point::{Axes, CALLS};
use crate::rows::RowPlan;
use crate::run::RunOutcome;

/// The outcomes of the map's runs; unless `is_lawful`, asynchronous calls of three callers of 1 KiB take twice as long
/// as the law has it.
pub(crate) fn outcomes(plan: RowPlan, is_lawful: bool) -> Vec<RunOutcome> {
    let mut cells = lawful([7_000.0, 6_000.0, 25_000.0]);
    for cell in cells.iter_mut().filter(|cell| !is_lawful && cell.size == 1024 && cell.callers == 3) {
        cell.each_ns[1] *= 2.0;
    }
    let run = |cells: &[LawCell], mode: usize| {
        let line = |cell: &LawCell, caller: u64| {
            let ns = (cell.each_ns[mode] * (CALLS * cell.callers) as f64) as u64;
            format!("told {} {caller} {} {ns} {ns}\n", cell.size, ns / 8)
        };
        let callers = cells.first().map_or(0, |cell| cell.callers);
        let text = (0..callers).flat_map(|caller| cells.iter().map(move |cell| line(cell, caller))).collect();
        RunOutcome { text, trace: None }
    };
    cells.chunks(Axes::of(plan).sizes.len()).flat_map(|cells| [run(cells, 0), run(cells, 1)]).collect()
}
