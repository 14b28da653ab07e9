//! The map as a row: its runs, and what they say.
//!
//! Invariant: every figure of every cell is among the findings. Not here: points and cells, sentences, drawing.

use super::cell::Cell;
use super::drawing::{heat_map, table};
use super::explanation;
use super::law::{LawCell, Prediction};
use super::point::{Axes, Point};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::Findings;
use crate::rows::{LedgerRow, RowPlan};
use crate::run::{BenchRun, RunOutcome};
use anyhow::{Result, ensure};

/// Points within which the law is to predict the gain.
const LAW_POINTS: f64 = 3.0;

/// The map, as rows are.
pub const ROW: LedgerRow = LedgerRow {
    id: "MAP",
    title: "Synchronous and asynchronous calls: message size, boards, callers, link",
    published: "Nothing. The paper has one point: two boards at 4 Mbit/s, where asynchronous calls gain about 1 % of \
         compiles (P1.T4).",
    method: "Programs on the diskless boards write messages into one file without leases, so each write of up to 4 KiB \
         is a call to one process of a. All begin at one instant and make 64 such calls at every message size. The \
         time counts until the last call is made. `mode` of the system file is the only difference. Callers of one \
         board share 4 proxies when synchronous, and 16 slots when asynchronous.",
    runs,
    further: None,
    claims: |_| vec![law_claim()],
    evaluate,
};

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    Axes::of(plan).points().flat_map(|point| point.runs(plan)).collect()
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let axes = Axes::of(plan);
    let points: Vec<Point> = axes.points().collect();
    ensure!(outcomes.len() == 2 * points.len(), "two runs of each point are needed");
    let both = outcomes.chunks_exact(2).map(|both| [&both[0], &both[1]]);
    let of_point = |(point, both): (&Point, [&RunOutcome; 2])| {
        axes.sizes.iter().map(|size| Cell::read(*point, *size, both)).collect::<Result<Vec<_>>>()
    };
    let cells = points.iter().zip(both).map(of_point).collect::<Result<Vec<_>>>()?.concat();
    Ok(findings(axes, &cells))
}

/// The quantity about which the law is judged.
const LAW: &str = "law-off";

/// That the gain follows from a few parameters.
fn law_claim() -> Claim {
    Claim::aim(
        Quantity::new(
            LAW,
            "gain that the law predicts, less the gain of a cell that it was not fitted on, the most",
            "points",
        ),
        ClaimBound::AtMost(LAW_POINTS),
        "closer than the map's margin of 5 points, so that a law names the winner of most cells",
    )
}

/// What the law predicts of the cells that it was not fitted on.
fn check_law(cells: &[Cell], findings: &mut Findings) {
    let known = |cell: &Cell| {
        let Point { boards, callers, rate_mbit } = cell.point;
        LawCell { boards, callers, rate_mbit, size: cell.size, each_ns: cell.each_ns() }
    };
    let known: Vec<LawCell> = cells.iter().map(known).collect();
    let Some(found) = Prediction::of(&known) else {
        return findings.unmeasured(LAW, "too few cells to fit a law on");
    };
    let Some((worst, off)) = found.off.first() else { return };
    findings.quantity(LAW, off.abs());
    let LawCell { boards, callers, rate_mbit, size, .. } = worst;
    findings.notes.push(format!(
        "Law: a synchronous call takes the most of its stages' sum over the number of callers, of the wire and of the \
         software of either board; an asynchronous one the most of the wire and either software. Fitted on {} cells, \
         one drawn for each number of callers and rate. It has {}. It predicts the gain within {LAW_POINTS:.0} points in {} \
         of the {} other cells. It is furthest off with {boards} boards, {callers} callers, {rate_mbit} Mbit/s and {size} \
         bytes: {:.1} % predicted, {:.1} % measured.",
        found.fitted,
        found.law.words(),
        found.within(LAW_POINTS),
        found.off.len(),
        worst.gain() + off,
        worst.gain()
    ));
}

fn findings(axes: Axes, cells: &[Cell]) -> Findings {
    let mut findings = Findings::default();
    for cell in cells {
        let Point { boards, callers, rate_mbit } = cell.point;
        let name = format!("{boards} boards, {callers} callers, {rate_mbit} Mbit/s, {} bytes", cell.size);
        for (mode, times) in [("sync", cell.sync), ("async", cell.asynchronous)] {
            findings.figure(format!("{name}, {mode} ns"), times.made_ns);
            findings.figure(format!("{name}, {mode} burst ns"), times.burst_ns);
        }
    }
    // Without the sign of what is nothing.
    let gain = |cell: &Cell| format!("{:.0} %", cell.gain().round() + 0.0);
    let title = "What asynchronous calls gain until all calls are made; boards / callers / Mbit/s";
    findings.tables.push(table(axes, cells, title, gain));
    let each = |cell: &Cell| cell.each_ns().map(explanation::us_significant).join(" > ");
    findings.tables.push(table(axes, cells, "Time for each call of all callers, us: synchronous > asynchronous", each));
    findings.maps.push(heat_map(axes, cells, "gained until all calls are made", Cell::gain));
    findings.maps.push(heat_map(axes, cells, "gained until the callers go on after a burst", Cell::burst_gain));
    findings.notes = explanation::paragraphs(axes, cells);
    check_law(cells, &mut findings);
    findings
}

#[cfg(test)]
mod tests {
    use super::ROW;
    use crate::claims::ClaimVerdict;
    use crate::map::point::{Axes, Point};
    use crate::rows::RowPlan;
    use crate::run::{CostProfile, RunOutcome};

    const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: true };

    /// Asynchronous calls take as long, but half as long for one caller.
    fn outcomes() -> Vec<RunOutcome> {
        let reported = |point: Point, part: u64| {
            let line = |size: &u64, caller| format!("told {size} {caller} {part} {part} {}\n", size * part);
            let lines = |caller| Axes::of(PLAN).sizes.iter().map(|size| line(size, caller)).collect::<String>();
            RunOutcome { text: (0..point.callers).map(lines).collect(), trace: None }
        };
        let both = |point: Point| [reported(point, 100), reported(point, if point.callers == 1 { 50 } else { 100 })];
        Axes::of(PLAN).points().flat_map(both).collect()
    }

    #[test]
    fn map_row_is_made_from_its_runs() {
        assert_eq!((ROW.runs)(PLAN).len(), outcomes().len());
        let found = ROW.findings(PLAN, &outcomes()).unwrap();
        let [map, _] = &found.maps[..] else { panic!("two maps: {}", found.maps.len()) };
        assert_eq!((map.panels.len(), map.across, map.rows.len(), map.columns.len()), (2, 2, 3, 7));
        assert!(map.panels[0].values.concat().iter().all(|gain| *gain == Some(50.0)), "{map:?}");
        assert!(map.panels[1].values.concat().iter().all(|gain| *gain == Some(0.0)), "{map:?}");
        assert_eq!(found.figures["2 boards, 3 callers, 10 Mbit/s, 64 bytes, async ns"], 6400);
        assert!(found.notes[0].contains("in 21 of 42 cells"), "{}", found.notes[0]);
        assert_eq!((found.tables[0].rows.len(), found.tables[0].rows[0][1].as_str()), (6, "50 %"));
        assert_eq!(found.claims[0].verdict, ClaimVerdict::NotTested, "six points fix no law");
        assert!(ROW.findings(PLAN, &outcomes()[1..]).is_err());
    }
}
