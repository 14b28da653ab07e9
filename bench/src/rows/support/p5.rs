//! Outcomes of P5's rows, and of those beyond the papers.

use super::Asked;
use crate::run::RunOutcome;
use crate::support::outcome;
use crate::{map, os_placements, placements};

const MS: u64 = 1_000_000;

pub(super) fn outcomes(asked: &Asked<'_>) -> Vec<RunOutcome> {
    if asked.row.id == "P5.SCALE" {
        return loads(asked);
    }
    let of_run = |(run, script): (usize, &str)| {
        let words = || script.split_whitespace();
        let labels = words().zip(words().skip(1)).filter(|(word, _)| word.ends_with("p5") || *word == "reads");
        let text = labels.filter(|(word, _)| *word == "reads").map(|(_, label)| {
            let (without, with) = match run {
                4 => (asked.pick(&["without-load-to-linux"], 20, 15), asked.pick(&["increase-to-linux"], 140, 60)),
                _ => (15, 150),
            };
            let ms = if label.ends_with("-0") { without } else { with };
            format!("reads {label} {}\n", ms * MS)
        });
        outcome(text.collect())
    };
    asked.runs.iter().map(|run| run.script.as_str()).enumerate().map(of_run).collect()
}

/// Renga and Linux on one to four cores, then four homes.
fn loads(asked: &Asked<'_>) -> Vec<RunOutcome> {
    asked.traces.timed(asked.runs, |run, label| {
        let load = label.rsplit_once('-').unwrap().0;
        let ids = ["speed-up", "to-linux"].map(|what| format!("{load}-{what}"));
        match run {
            0 | 1 => 400 * MS,
            8 => asked.pick(&[&ids[0], &ids[1]], 200, 100) * MS,
            _ => 100 * MS,
        }
    })
}

/// More boards, placements.
pub(super) fn beyond(asked: &Asked<'_>) -> Vec<RunOutcome> {
    if asked.row.id == "MAP" {
        return map::support::outcomes(asked.plan, asked.fails.is_empty());
    }
    if asked.row.id == "PLACE" {
        let fails = asked.fails;
        return placements::support::outcomes(
            asked.traces,
            asked.plan,
            fails == "error-beyond-plain-sum",
            fails == "found-to-best",
        );
    }
    if asked.row.id == "PLACE-OS" {
        let is_bad = !asked.fails.is_empty();
        let ns = |predicted| if is_bad { 20_000 - predicted } else { 2 * predicted };
        return os_placements::row::tests::outcomes(asked.traces, asked.plan, ns);
    }
    asked.traces.timed(asked.runs, |run, label| {
        let load = label.rsplit_once('-').unwrap().0;
        let ids = ["two", "eight"].map(|boards| format!("{boards}-{load}"));
        let ms = [800, asked.pick(&[&ids[0]], 700, 410), 210, asked.pick(&[&ids[1]], 200, 105)];
        ms[run % 4] * MS
    })
}
