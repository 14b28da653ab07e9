//! The figures of a run, and their table.

use super::rows::{BOARDS, FigureUnit, Goal, UnixRow};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What was measured, by the name of the row and in its unit.
pub struct UnixFigures {
    /// On board a and on board b.
    boards: BTreeMap<&'static str, [f64; 2]>,
    /// On Linux, in the whole form.
    linux: Option<LinuxFigures>,
}

/// What Linux took.
pub(super) struct LinuxFigures {
    /// Its release.
    pub(super) release: String,
    /// By the name of the row, in its unit.
    pub(super) rows: BTreeMap<&'static str, f64>,
}

/// Those of `rows` in what was said on one board.
///
/// # Errors
/// If one is missing.
pub(super) fn figures(text: &str, rows: &[&UnixRow]) -> Result<BTreeMap<&'static str, f64>> {
    let of = |row: &&UnixRow| {
        let missing = || format!("the run measured no `{}`; it said:\n{text}", row.name);
        let (count, ns) = taken(text, row.name).with_context(missing)?;
        Ok((row.name, figure(row.unit, count, ns)))
    };
    rows.iter().map(of).collect()
}

impl UnixFigures {
    /// Those of `rows` in what a run said.
    ///
    /// # Errors
    /// If one is missing.
    pub fn read(text: &str, rows: &[&UnixRow]) -> Result<UnixFigures> {
        let [a, b] = BOARDS.map(|board| figures(part(text, board), rows));
        let (a, b) = (a?, b?);
        let boards = rows.iter().map(|row| (row.name, [a[row.name], b[row.name]])).collect();
        Ok(UnixFigures { boards, linux: None })
    }

    pub(super) fn add_linux(&mut self, linux: LinuxFigures) {
        self.linux = Some(linux);
    }

    fn of(&self, row: &UnixRow) -> [f64; 2] {
        self.boards[row.name]
    }

    fn on_linux(&self, row: &UnixRow) -> Option<f64> {
        self.linux.as_ref()?.rows.get(row.name).copied()
    }

    /// How many times the time of board a board b takes.
    fn times_a(&self, row: &UnixRow) -> f64 {
        let [a, b] = self.of(row);
        if row.unit == FigureUnit::MegabytesASecond { a / b } else { b / a }
    }
}

/// What was said from the line `board NAME` to the next such line.
fn part<'a>(text: &'a str, board: &str) -> &'a str {
    let rest = text.split_once(&format!("board {board}\r\n")).or_else(|| text.split_once(&format!("board {board}\n")));
    let rest = rest.map_or("", |(_, rest)| rest);
    rest.split_once("\nboard ").map_or(rest, |(part, _)| part)
}

/// Operations or bytes, and ns; of the last time.
fn taken(part: &str, name: &str) -> Option<(f64, f64)> {
    part.lines().rev().find_map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["unix", found, count, ns] if found == name => Some((count.parse().ok()?, ns.parse().ok()?)),
        ["measured", found, "status", "0", "ns", ns, ..] if found == name => Some((1.0, ns.parse().ok()?)),
        _ => None,
    })
}

fn figure(unit: FigureUnit, count: f64, ns: f64) -> f64 {
    match unit {
        FigureUnit::Us => ns / count / 1e3,
        FigureUnit::Ms => ns / count / 1e6,
        FigureUnit::MegabytesASecond => count * 1e3 / ns,
    }
}

impl FigureUnit {
    /// Whether `figure` is at least as good as `limit`.
    fn holds(self, figure: f64, limit: f64) -> bool {
        match self {
            FigureUnit::Us | FigureUnit::Ms => figure <= limit,
            FigureUnit::MegabytesASecond => figure >= limit,
        }
    }
    fn name(self) -> &'static str {
        match self {
            FigureUnit::Us => "us",
            FigureUnit::Ms => "ms",
            FigureUnit::MegabytesASecond => "MB/s",
        }
    }
}

/// What is aimed at, as a figure.
fn limit(row: &UnixRow, board: usize, figures: &UnixFigures) -> Option<f64> {
    match row.goals[board] {
        Goal::None => None,
        Goal::Figure(figure) => Some(figure),
        Goal::TimesA(times) => Some(times * figures.of(row)[0]),
    }
}

fn format_figure(figure: f64) -> String {
    match figure {
        0.0..10.0 => format!("{figure:.2}"),
        10.0..1000.0 => format!("{figure:.1}"),
        _ => format!("{figure:.0}"),
    }
}

/// Prints the table.
pub fn print(rows: &[&UnixRow], figures: &UnixFigures) {
    println!("UNIX on the booted image of `pair`, virtual time: one instruction is 1 ns, no cache or pipeline model.");
    if let Some(linux) = &figures.linux {
        println!("Linux: {} on the same emulated board and disk, its card as slow as ours.", linux.release);
    }
    println!("A goal that is met has a +, one that is not a -.\n");
    println!(
        "{:<40} {:>5} {:>8} {:>9} {:>9} {:>6} {:>10} {:>10}",
        "", "", "Linux", "a", "b", "b/a", "goal a", "goal b"
    );
    for row in rows {
        let what: String = row.what.chars().take(40).collect();
        let times_a = format!("{:.2}", figures.times_a(row));
        let [a, b] = figures.of(row).map(format_figure);
        let linux = figures.on_linux(row).map(format_figure).unwrap_or_default();
        let goal = |board: usize| {
            let limit = limit(row, board, figures)?;
            let mark = if row.unit.holds(figures.of(row)[board], limit) { '+' } else { '-' };
            Some(format!("{} {mark}", format_figure(limit)))
        };
        let goals = [goal(0).unwrap_or_default(), goal(1).unwrap_or_default()];
        let unit = row.unit.name();
        println!("{what:<40} {unit:>5} {linux:>8} {a:>9} {b:>9} {times_a:>6} {:>10} {:>10}", goals[0], goals[1]);
    }
}

/// The table for programs.
pub fn json(rows: &[&UnixRow], figures: &UnixFigures) -> Value {
    let line = |row: &&UnixRow| {
        let [a, b] = figures.of(row);
        let goals = [limit(row, 0, figures), limit(row, 1, figures)];
        json!({ "name": row.name, "what": row.what, "unit": row.unit.name(), "linux": figures.on_linux(row),
            "a": a, "b": b, "goal_a": goals[0], "goal_b": goals[1], "bound_a": row.bounds[0], "bound_b": row.bounds[1],
            "times_a": figures.times_a(row), "bound_times_a": row.times_a })
    };
    Value::Array(rows.iter().map(line).collect())
}

/// Names what is worse than its bound; how many.
pub fn print_worse(rows: &[&UnixRow], figures: &UnixFigures) -> usize {
    let mut worse = 0;
    for row in rows {
        for (board, name) in BOARDS.iter().enumerate() {
            let figure = figures.of(row)[board];
            if let Some(bound) = row.bounds[board].filter(|&bound| !row.unit.holds(figure, bound)) {
                println!("worse than its bound on board {name}: {} {figure:.3}, bound {bound}", row.name);
                worse += 1;
            }
        }
        let times = figures.times_a(row);
        if let Some(bound) = row.times_a.filter(|&bound| times > bound) {
            println!("worse than its bound on board b: {} {times:.3} times the time of a, bound {bound}", row.name);
            worse += 1;
        }
    }
    worse
}

#[cfg(test)]
mod tests {
    use super::super::rows::ROWS;
    use super::{UnixFigures, limit, print_worse};

    fn row(name: &str) -> &'static super::UnixRow {
        ROWS.iter().find(|row| row.name == name).unwrap()
    }

    /// As a run prints it: twice the bound on board b, and a rate of half the bound on a.
    #[test]
    fn unix_report_figures_above_bound_are_counted() {
        let rows = [row("getppid"), row("pipe-64k")];
        let [bound_ns, rate] = rows.map(|row| row.bounds[0].unwrap() * 1000.0);
        let said = |ns: f64, rate: f64| format!("unix getppid 10 {}\r\nunix pipe-64k {} 1000000\r\n", ns * 10.0, rate);
        let run = |a: String, b: String| format!("x\r\nboard a\r\n{a}board b\r\n{b}");
        let good = run(said(bound_ns, rate), said(bound_ns, rate));
        assert_eq!(print_worse(&rows, &UnixFigures::read(&good, &rows).unwrap()), 0);
        let bad = run(said(bound_ns, rate / 2.0), said(bound_ns * 2.0, rate));
        assert_eq!(print_worse(&rows, &UnixFigures::read(&bad, &rows).unwrap()), 2);
    }

    #[test]
    fn unix_report_bound_may_be_multiple_of_other_board() {
        let row = row("untar");
        let said = |ns: f64| format!("measured untar status 0 ns {ns} counters 0\n");
        let a_ns = (row.bounds[0].unwrap() * 1e6).round();
        for (times, worse) in [(0.99, 0), (1.01, 1)] {
            let b_ns = (a_ns * row.times_a.unwrap() * times).round();
            let text = format!("board a\n{}board b\n{}", said(a_ns), said(b_ns));
            assert_eq!(print_worse(&[row], &UnixFigures::read(&text, &[row]).unwrap()), worse);
        }
    }

    #[test]
    fn unix_report_missing_measurement_is_error() {
        let text = "board a\nunix getppid 10 100\nmeasured wc status 0 ns 5 counters 0\nboard b\nunix getppid 10 100\n";
        assert!(UnixFigures::read(text, &[row("getppid")]).is_ok());
        assert!(UnixFigures::read(text, &[row("getppid"), row("wc")]).is_err());
    }

    #[test]
    fn unix_report_goal_may_be_multiple_of_other_board() {
        let text =
            "board a\nmeasured wc status 0 ns 2000000 counters 0\nboard b\nmeasured wc status 0 ns 5 counters 0\n";
        let figures = UnixFigures::read(text, &[row("wc")]).unwrap();
        assert_eq!(limit(row("wc"), 0, &figures), None);
        assert_eq!(limit(row("wc"), 1, &figures), Some(1.05 * 2.0));
    }
}
