//! Cells and outcomes of boards that obey a law.

use super::cell::Cell;
use super::cell::tests::cell;
use super::point::{Axes, CALLS, Point};
use crate::rows::RowPlan;
use crate::run::{CostProfile, RunOutcome};

/// The whole map where the caller's software, the server's and the wire's constant take so long, ns.
pub(super) fn lawful([caller, server, wire]: [f64; 3]) -> Vec<Cell> {
    let axes = Axes::of(RowPlan { profile: CostProfile::Pi3, short: false });
    let of = |point: Point, size: u64| {
        let (callers, boards) = (point.callers as f64, point.boards as f64);
        let wire =
            |head: f64| wire + (head + 8.3 * size.min(4096) as f64 + 20.0 * boards) * 1e3 / point.rate_mbit as f64;
        let software = server.max(caller * (callers / (boards - 1.0)).ceil() / callers);
        let sync = ((caller + server + wire(700.0)) / callers).max(wire(700.0)).max(software);
        let both = [sync, wire(640.0).max(software)];
        cell(point, size, both.map(|each_ns| (each_ns * (CALLS * point.callers) as f64) as u64))
    };
    axes.points().flat_map(|point| axes.sizes.iter().map(move |size| of(point, *size))).collect()
}

/// The outcomes of the map's runs; unless `is_lawful`, asynchronous calls of three callers of 1 KiB take twice as long
/// as the law has it.
pub(crate) fn outcomes(plan: RowPlan, is_lawful: bool) -> Vec<RunOutcome> {
    let axes = Axes::of(plan);
    let mut cells = lawful([7_000.0, 6_000.0, 25_000.0]);
    for cell in cells.iter_mut().filter(|cell| !is_lawful && cell.size == 1024 && cell.point.callers == 3) {
        cell.asynchronous.made_ns *= 2;
    }
    let run = |cells: &[Cell], is_async: bool| {
        let line = |cell: &Cell, caller: u64| {
            let ns = if is_async { cell.asynchronous.made_ns } else { cell.sync.made_ns };
            format!("told {} {caller} {} {ns} {ns}\n", cell.size, ns / 8)
        };
        let callers = cells.first().map_or(0, |cell| cell.point.callers);
        let text = (0..callers).flat_map(|caller| cells.iter().map(move |cell| line(cell, caller))).collect();
        RunOutcome { text, trace: None }
    };
    cells.chunks(axes.sizes.len()).flat_map(|cells| [run(cells, false), run(cells, true)]).collect()
}
