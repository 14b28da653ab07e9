//! Where asynchronous calls win, and why: sentences with the figures that were measured.
//!
//! Invariant: every figure, and every word that depends on one, is computed from the cells.

use super::cell::{Cell, MARGIN_PERCENT, Winner};
use super::fitted::Fitted;
use super::point::{Axes, BURST_CALLS};
use std::collections::BTreeMap;

/// Microseconds with as many digits as say something.
pub(super) fn us_significant(ns: f64) -> String {
    let us = ns / 1e3;
    match us {
        100.0.. => format!("{us:.0}"),
        _ => format!("{us:.1}"),
    }
}

/// All that is said of the map.
pub(super) fn paragraphs(axes: Axes, cells: &[Cell]) -> Vec<String> {
    let said = [Some(where_it_wins(cells)), why(axes, cells), queueing(axes, cells), Some(bursts(cells))];
    said.into_iter().flatten().collect()
}

fn count(cells: &[Cell], winner: Winner) -> usize {
    cells.iter().filter(|cell| cell.winner() == winner).count()
}

/// `1: 5 of 9, 3: 2 of 9`: how many of the cells that have a value of an axis.
fn shares(cells: &[Cell], axis: fn(&Cell) -> u64) -> String {
    let mut by = BTreeMap::<u64, (usize, usize)>::new();
    for cell in cells {
        let (won, all) = by.entry(axis(cell)).or_default();
        *won += usize::from(cell.winner() == Winner::Asynchronous);
        *all += 1;
    }
    by.iter().map(|(value, (won, all))| format!("{value}: {won} of {all}")).collect::<Vec<_>>().join(", ")
}

fn where_it_wins(cells: &[Cell]) -> String {
    format!(
        "Where: asynchronous calls take over {MARGIN_PERCENT:.0} % less time in {} of {} cells, synchronous ones in \
         {}. Asynchronous calls win, by callers, {}. By Mbit/s: {}. By bytes: {}. By boards: {}.",
        count(cells, Winner::Asynchronous),
        cells.len(),
        count(cells, Winner::Synchronous),
        shares(cells, |cell| cell.point.callers),
        shares(cells, |cell| cell.point.rate_mbit),
        shares(cells, |cell| cell.size),
        shares(cells, |cell| cell.point.boards as u64)
    )
}

/// Cells of the smallest cluster with so many callers and this size, by rate.
fn line(axes: Axes, cells: &[Cell], callers: u64, size: u64) -> Vec<Cell> {
    let boards = axes.boards.first().copied().unwrap_or(0);
    let on_it = |cell: &&Cell| cell.point.boards == boards && cell.point.callers == callers && cell.size == size;
    let mut line: Vec<Cell> = cells.iter().filter(on_it).copied().collect();
    line.sort_by_key(|cell| cell.point.rate_mbit);
    line
}

/// Software against wire: of one caller's calls, the smallest and those of a page.
fn why(axes: Axes, cells: &[Cell]) -> Option<String> {
    let least = *axes.sizes.first()?;
    let page = axes.sizes.iter().copied().filter(|size| *size <= 4096).max()?;
    let said: Vec<String> = [least, page].into_iter().filter_map(|size| software_and_wire(axes, cells, size)).collect();
    (!said.is_empty()).then(|| {
        format!(
            "Why: a synchronous caller's software, the wire and the server's software work in sequence. Asynchronous \
             calls let all three work at once, and take what the slowest takes. {}",
            said.join(" ")
        )
    })
}

fn software_and_wire(axes: Axes, cells: &[Cell], size: u64) -> Option<String> {
    let line = line(axes, cells, *axes.callers.first()?, size);
    let times: Vec<(u64, f64)> = line.iter().map(|cell| (cell.point.rate_mbit, cell.each_ns()[0])).collect();
    let fitted = Fitted::through(&times)?;
    let at = |cell: &Cell| {
        let ([sync_ns, async_ns], rate_mbit) = (cell.each_ns(), cell.point.rate_mbit);
        format!(
            "At {rate_mbit} Mbit/s, where the wire is {:.0} % of it, asynchronous calls take {} us instead of {} \
             ({:.0} % less)",
            fitted.wire_percent(rate_mbit),
            us_significant(async_ns),
            us_significant(sync_ns),
            cell.gain()
        )
    };
    let best = line.iter().max_by(|one, other| one.gain().total_cmp(&other.gain()))?;
    let (slowest, fastest) = (line.first()?, line.last()?);
    // The wire carries no more in the time that a call takes.
    let bits = |cell: &Cell| cell.each_ns()[1] * cell.point.rate_mbit as f64 / 1e3;
    let async_bits = line.iter().map(bits).fold(f64::INFINITY, f64::min);
    Some(format!(
        "A synchronous call of {size} bytes takes {} us at any rate (software, and the pause before a frame) and \
         {:.0} bits of the wire (a line through {} rates, off by {:.0} % at most). An asynchronous one takes \
         {async_bits:.0} bits at most. {}. {}. The gain is greatest at {} Mbit/s: {:.0} %, and the wire {:.0} %.",
        us_significant(fitted.fixed_ns),
        fitted.bits,
        times.len(),
        fitted.off_percent,
        at(fastest),
        at(slowest),
        best.point.rate_mbit,
        best.gain(),
        fitted.wire_percent(best.point.rate_mbit)
    ))
}

/// What several callers change, where one gains most.
fn queueing(axes: Axes, cells: &[Cell]) -> Option<String> {
    let (one, many) = (*axes.callers.first()?, *axes.callers.last()?);
    let size = *axes.sizes.first()?;
    let alone = line(axes, cells, one, size).into_iter().max_by(|one, other| one.gain().total_cmp(&other.gain()))?;
    let rate_mbit = alone.point.rate_mbit;
    let together = line(axes, cells, many, size).into_iter().find(|cell| cell.point.rate_mbit == rate_mbit)?;
    let ([sync_one, async_one], [sync_many, async_many]) = (alone.each_ns(), together.each_ns());
    let kept = if together.gain() < alone.gain() {
        "so asynchronous calls gain less"
    } else {
        "yet asynchronous calls gain no less"
    };
    Some(format!(
        "Fan-in: while one caller waits, the calls of others are made. At {many} callers instead of {one}, at \
         {rate_mbit} Mbit/s and {size} bytes, synchronous calls go from {} to {} us each. Asynchronous ones go from \
         {} to {}: {kept}, {:.0} % after {:.0} %.",
        us_significant(sync_one),
        us_significant(sync_many),
        us_significant(async_one),
        us_significant(async_many),
        together.gain(),
        alone.gain()
    ))
}

fn bursts(cells: &[Cell]) -> String {
    let gains = || cells.iter().map(Cell::burst_gain);
    let won = gains().filter(|gain| *gain > MARGIN_PERCENT).count();
    format!(
        "A caller with other work continues earlier: of {BURST_CALLS} calls in a row, asynchronous ones take {:.0} % \
         to {:.0} % less. They take over {MARGIN_PERCENT:.0} % less in {won} of {} cells.",
        gains().fold(f64::INFINITY, f64::min),
        gains().fold(f64::NEG_INFINITY, f64::max),
        cells.len()
    )
}

#[cfg(test)]
mod tests {
    use super::paragraphs;
    use crate::map::cell::Cell;
    use crate::map::cell::tests::cell;
    use crate::map::point::{Axes, CALLS, Point};

    const AXES: Axes = Axes { boards: &[2], callers: &[1, 3], rates_mbit: &[1, 100], sizes: &[16] };

    /// Software of 50 us, of which the slower board has 30; 400 bits of the wire. Other callers fill what one leaves.
    fn cells() -> Vec<Cell> {
        let of = |point: Point| {
            let wire_ns = 400_000 / point.rate_mbit;
            let slowest = wire_ns.max(30_000);
            let alone = if point.callers == 1 { 50_000 + wire_ns } else { slowest };
            cell(point, 16, [alone, slowest].map(|each_ns| each_ns * CALLS * point.callers))
        };
        AXES.points().map(of).collect()
    }

    /// Holds: bench-report.
    #[test]
    fn map_explanation_is_computed_from_cells() {
        let text = paragraphs(AXES, &cells()).join("\n");
        for wanted in [
            "less time in 2 of 4 cells, synchronous ones in 0",
            "by callers, 1: 2 of 2, 3: 0 of 2",
            "takes 50.0 us at any rate (software, and the pause before a frame) and 400 bits of the wire",
            "(a line through 2 rates, off by 0 % at most). An asynchronous one takes 400 bits at most",
            "At 100 Mbit/s, where the wire is 7 % of it, asynchronous calls take 30.0 us instead of 54.0 (44 % less)",
            "At 1 Mbit/s, where the wire is 89 % of it, asynchronous calls take 400 us instead of 450 (11 % less)",
            "greatest at 100 Mbit/s: 44 %",
            "calls go from 54.0 to 30.0 us each. Asynchronous ones go from 30.0 to 30.0: so asynchronous calls gain less, 0 % after 44 %",
        ] {
            assert!(text.contains(wanted), "no `{wanted}` in {text}");
        }
    }

    #[test]
    fn map_explanation_omits_unmeasured_cells() {
        let one = &cells()[..1];
        let axes = Axes { callers: &[1], rates_mbit: &[1], ..AXES };
        let text = paragraphs(axes, one).join("\n");
        assert!(text.contains("of 1 cells") && !text.contains("Why"), "{text}");
    }
}
