//! The map of synchronous against asynchronous calls: message size by boards, callers and the link's rate. Beyond the paper,
//! which has one point of it.
//!
//! - [`point`]: a cluster, so many callers, a rate: two runs of a small C program (`tell.c`), which the run compiles;
//! - [`cell`]: what a size takes there in both modes, and who wins; [`fitted`]: software and wire told apart by the rate;
//! - [`explanation`]: where and why, in sentences.
//!
//! The calls are `inode.WriteAt` of boards without leases: each carries data, and returns nothing. Not here: running, drawing.

mod cell;
mod explanation;
mod fitted;
mod point;

use crate::findings::{Findings, HeatMap, Panel, Table};
use crate::rows::{Plan, Row};
use crate::run::{Outcome, Run};
use anyhow::{Result, ensure};
use cell::{Cell, MARGIN_PERCENT};
use point::{Axes, Point};

/// The map, as rows are.
pub const ROW: Row = Row {
    id: "MAP",
    title: "Synchronous and asynchronous calls: message size, boards, callers, link",
    published: "Nothing: the paper has one point, two boards at 4 Mbit/s, where asynchronous calls gain about 1 % of compiles (P1.T4).",
    method: "Programs on the boards without the disk write messages into one file without leases, so that each write of up to 4 KiB is a \
             call to one process of a. All begin at one instant; each makes 64 such calls, whatever the message size; the time counts \
             until the last is made, which a call that is answered shows. `mode` of the system file is the only difference. Callers of \
             one board share 4 proxies when they wait, and 16 copies when they do not.",
    runs,
    judge,
};

fn runs(plan: Plan) -> Vec<Run> {
    Axes::of(plan).points().flat_map(|point| point.runs(plan)).collect()
}

fn judge(plan: Plan, outcomes: &[Outcome]) -> Result<Findings> {
    let axes = Axes::of(plan);
    let points: Vec<Point> = axes.points().collect();
    ensure!(outcomes.len() == 2 * points.len(), "two runs of each point are needed");
    let both = outcomes.chunks_exact(2).map(|both| [&both[0], &both[1]]);
    let of_point = |(point, both): (&Point, [&Outcome; 2])| {
        axes.sizes.iter().map(|size| Cell::read(*point, *size, both)).collect::<Result<Vec<_>>>()
    };
    let cells = points.iter().zip(both).map(of_point).collect::<Result<Vec<_>>>()?.concat();
    Ok(findings(axes, &cells))
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
    let gain = |cell: &Cell| format!("{:.0} %", cell.gain());
    let title = "What asynchronous calls gain until all calls are made; boards / callers / Mbit/s";
    findings.tables.push(table(axes, cells, title, gain));
    let each = |cell: &Cell| cell.each_ns().map(explanation::us).join(" > ");
    findings.tables.push(table(axes, cells, "Time for each call of all callers, us: synchronous > asynchronous", each));
    findings.maps.push(heat_map(axes, cells, "gained until all calls are made", Cell::gain));
    findings.maps.push(heat_map(axes, cells, "gained until the callers go on after a burst", Cell::burst_gain));
    findings.notes = explanation::paragraphs(axes, cells);
    findings
}

/// A message's size, short.
fn bytes(size: u64) -> String {
    match size {
        1024.. => format!("{} KiB", size / 1024),
        _ => format!("{size} B"),
    }
}

/// A row for each point, a column for each size.
fn table(axes: Axes, cells: &[Cell], title: &str, text: impl Fn(&Cell) -> String) -> Table {
    let sizes: Vec<String> = axes.sizes.iter().map(|size| bytes(*size)).collect();
    let columns: Vec<&str> = std::iter::once("").chain(sizes.iter().map(String::as_str)).collect();
    let mut table = Table::new(title, &columns);
    for of_point in cells.chunks(axes.sizes.len()) {
        let Some(Cell { point: Point { boards, callers, rate_mbit }, .. }) = of_point.first() else { continue };
        let head = format!("{boards} / {callers} / {rate_mbit}");
        table.rows.push(std::iter::once(head).chain(of_point.iter().map(&text)).collect());
    }
    table
}

/// A panel for each number of boards and callers.
fn heat_map(axes: Axes, cells: &[Cell], what: &str, value: fn(&Cell) -> f64) -> HeatMap {
    let panel = |boards: usize, callers: u64| {
        let at = |rate_mbit: u64, size: u64| {
            let point = Point { boards, callers, rate_mbit };
            cells.iter().find(|cell| cell.point == point && cell.size == size).map(value)
        };
        let row = |rate_mbit: &u64| axes.sizes.iter().map(|size| at(*rate_mbit, *size)).collect();
        let callers = if callers == 1 { "1 caller".to_string() } else { format!("{callers} callers") };
        Panel { title: format!("{boards} boards, {callers}"), values: axes.rates_mbit.iter().map(row).collect() }
    };
    let of_boards = |boards: &usize| axes.callers.iter().map(|callers| panel(*boards, *callers)).collect::<Vec<_>>();
    HeatMap {
        title: format!("Asynchronous calls: time {what}, %"),
        axes: ["message".to_string(), "Mbit/s".to_string()],
        columns: axes.sizes.iter().map(|size| bytes(*size)).collect(),
        rows: axes.rates_mbit.iter().map(u64::to_string).collect(),
        panels: axes.boards.iter().flat_map(of_boards).collect(),
        across: axes.callers.len(),
        framed_from: MARGIN_PERCENT,
    }
}

#[cfg(test)]
mod tests {
    use super::point::{Axes, Point};
    use super::{ROW, bytes};
    use crate::rows::Plan;
    use crate::run::{Outcome, Profile};

    const PLAN: Plan = Plan { profile: Profile::Pi3, short: true };

    /// Asynchronous calls take as long, but half as long for one caller.
    fn outcomes() -> Vec<Outcome> {
        let told = |point: Point, part: u64| {
            let line = |size: &u64, caller| format!("told {size} {caller} {part} {part} {}\n", size * part);
            let lines = |caller| Axes::of(PLAN).sizes.iter().map(|size| line(size, caller)).collect::<String>();
            Outcome { text: (0..point.callers).map(lines).collect(), trace: None }
        };
        let both = |point: Point| [told(point, 100), told(point, if point.callers == 1 { 50 } else { 100 })];
        Axes::of(PLAN).points().flat_map(both).collect()
    }

    #[test]
    fn the_map_is_drawn_and_told_from_what_its_runs_said() {
        assert_eq!((ROW.runs)(PLAN).len(), outcomes().len());
        let found = (ROW.judge)(PLAN, &outcomes()).unwrap();
        let [map, _] = &found.maps[..] else { panic!("two maps: {}", found.maps.len()) };
        assert_eq!((map.panels.len(), map.across, map.rows.len(), map.columns.len()), (2, 2, 3, 7));
        assert!(map.panels[0].values.concat().iter().all(|gain| *gain == Some(50.0)), "{map:?}");
        assert!(map.panels[1].values.concat().iter().all(|gain| *gain == Some(0.0)), "{map:?}");
        assert_eq!(found.figures["2 boards, 3 callers, 10 Mbit/s, 64 bytes, async ns"], 6400);
        assert!(found.notes[0].contains("in 21 of 42 cells"), "{}", found.notes[0]);
        assert_eq!((found.tables[0].rows.len(), found.tables[0].rows[0][1].as_str()), (6, "50 %"));
        assert!(found.verdict().is_none(), "nothing was published that could be judged");
        assert!((ROW.judge)(PLAN, &outcomes()[1..]).is_err());
    }

    #[test]
    fn sizes_are_told_in_their_units() {
        assert_eq!([16, 1024, 65_536].map(bytes), ["16 B", "1 KiB", "64 KiB"]);
    }
}
