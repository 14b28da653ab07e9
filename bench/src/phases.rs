//! The same load at several phases of what the system does now and then by itself: samples of the regulator, commits,
//! write-back. Scripts say where a run may start later and by how much at most; a phase draws how much from the seed.
//!
//! Invariant: phase 0 starts at once, and more phases keep those that were there. A figure over phases is one that was
//! measured, not a mean: the middle one, of an even number the lower of the two.
//! Called by: rows, which mark their scripts, and the sweeps that carry runs out. Not here: judging (`claims`).

use crate::findings::{Curve, Findings, FindingsTable, HeatMap, Panel, Plot};
use crate::phase_spread::PhaseSpread;
use crate::run::BenchRun;
use std::collections::BTreeMap;

const MARK: [&str; 2] = ["# phase: up to ", " ms later"];
/// The longest period of the system: the age at which programs' data are written back.
pub const LONGEST_MS: u32 = 5_000;
const US_PER_MS: u64 = 1_000;
const US_PER_S: u64 = 1_000_000;

/// The line of a script from which on all is up to so many ms later, as the phase has it.
pub fn mark(most_ms: u32) -> String {
    let [before, after] = MARK;
    format!("{before}{most_ms}{after}\n")
}

fn marked_ms(line: &str) -> Option<u32> {
    let [before, after] = MARK;
    line.strip_prefix(before)?.strip_suffix(after)?.parse().ok()
}

/// How much later the place number `place` of a script starts in a phase, less than `most_us`.
pub fn offset_us(seed: u64, phase: u16, place: u64, most_us: u64) -> u64 {
    match phase {
        0 => 0,
        _ => mixed(seed.wrapping_add(place << 32), phase.into()) % most_us.max(1),
    }
}

/// A random number: the number `at` of the sequence of `seed` (splitmix64).
fn mixed(seed: u64, at: u64) -> u64 {
    let mut z = seed.wrapping_add(at.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The line of a script that waits so long; nothing for 0.
pub fn wait(offset_us: u64) -> String {
    match offset_us {
        0 => String::new(),
        _ => format!("sleep {}.{:06}\n", offset_us / US_PER_S, offset_us % US_PER_S),
    }
}

impl BenchRun {
    /// Whether its script says where it may start later.
    pub fn has_phases(&self) -> bool {
        self.script.lines().any(|line| marked_ms(line).is_some())
    }

    /// The same run in a phase.
    #[must_use]
    pub fn at_phase(self, phase: u16) -> BenchRun {
        if phase == 0 {
            return self;
        }
        let (mut place, mut script) = (0, String::new());
        for line in self.script.lines() {
            match marked_ms(line) {
                Some(most_ms) => {
                    script += &wait(offset_us(self.seed, phase, place, u64::from(most_ms) * US_PER_MS));
                    place += 1;
                }
                None => script += &format!("{line}\n"),
            }
        }
        BenchRun { script, ..self }
    }
}

/// What a row found over all phases, without verdicts.
pub(crate) fn over(all: &[Findings]) -> Findings {
    let [first, _, ..] = all else { return all.first().cloned().unwrap_or_default() };
    let mut found = Findings {
        tables: each(all, |found| &found.tables, table),
        plots: each(all, |found| &found.plots, plot),
        maps: each(all, |found| &found.maps, map),
        notes: each(
            all,
            |found| &found.notes,
            |notes| {
                let notes: Vec<&str> = notes.iter().map(|note| note.as_str()).collect();
                text(&notes).unwrap_or_else(|| format!("At the first start: {}", notes[0]))
            },
        ),
        ..Findings::default()
    };
    for name in first.figures.keys() {
        let values = all.iter().filter_map(|found| found.figures.get(name).copied());
        let Some(PhaseSpread { median, least, most }) = PhaseSpread::of(values) else { continue };
        found.figure(name.clone(), median);
        if least != most {
            found.figure(format!("least of {name}"), least);
            found.figure(format!("most of {name}"), most);
        }
    }
    let ids: BTreeMap<_, _> = all.iter().flat_map(|found| &found.measured).collect();
    for (id, other) in ids {
        let figures: Vec<f64> = figures(all, id).collect();
        match PhaseSpread::of(figures.iter().copied()) {
            Some(spread) if 2 * figures.len() > all.len() => found.quantity(id.clone(), spread.median),
            _ => {
                let reasons = all.iter().filter_map(|found| found.measured.get(id)?.as_ref().err());
                let why = reasons.chain(other.as_ref().err()).next().cloned().unwrap_or_default();
                found.unmeasured(id.clone(), format!("{why} (measured at {} of {} starts)", figures.len(), all.len()));
            }
        }
    }
    found
}

/// The figures of a quantity, of those phases in which it was measured.
pub(crate) fn figures<'a>(all: &'a [Findings], id: &'a str) -> impl Iterator<Item = f64> + 'a {
    all.iter().filter_map(move |found| found.measured.get(id)?.as_ref().ok().copied())
}

/// Parts of findings, each made of the same part of all of them; if some have other parts, those of the first.
fn each<T: Clone>(all: &[Findings], of: impl Fn(&Findings) -> &Vec<T>, merge: impl Fn(&[&T]) -> T) -> Vec<T> {
    let parts: Vec<&Vec<T>> = all.iter().map(of).collect();
    match parts.iter().all(|part| part.len() == parts[0].len()) {
        true => (0..parts[0].len()).map(|at| merge(&parts.iter().map(|part| &part[at]).collect::<Vec<_>>())).collect(),
        false => parts[0].clone(),
    }
}

fn table(all: &[&FindingsTable]) -> FindingsTable {
    let first = all[0];
    let same = |one: &FindingsTable| {
        one.columns == first.columns && one.rows.iter().map(Vec::len).eq(first.rows.iter().map(Vec::len))
    };
    if !all.iter().all(|one| same(one)) {
        return FindingsTable { title: format!("{}; the first start", first.title), ..first.clone() };
    }
    let cell = |row: usize, column: usize| {
        let cells: Vec<&str> = all.iter().map(|one| one.rows[row][column].as_str()).collect();
        text(&cells).unwrap_or_else(|| "varies".to_string())
    };
    let row = |(at, row): (usize, &Vec<String>)| (0..row.len()).map(|column| cell(at, column)).collect();
    FindingsTable { rows: first.rows.iter().enumerate().map(row).collect(), ..first.clone() }
}

fn plot(all: &[&Plot]) -> Plot {
    let first = all[0];
    let curve = |(at, curve): (usize, &Curve)| {
        let others: Option<Vec<&Curve>> = all.iter().map(|plot| plot.curves.get(at)).collect();
        let same =
            |other: &&Curve| other.points.iter().map(|point| point.0).eq(curve.points.iter().map(|point| point.0));
        let Some(others) = others.filter(|others| others.iter().all(same)) else { return curve.clone() };
        let spread = |point: usize| PhaseSpread::of(others.iter().map(|other| other.points[point].1));
        let spreads: Vec<_> = (0..curve.points.len()).filter_map(spread).collect();
        let points = curve.points.iter().zip(&spreads).map(|(point, spread)| (point.0, spread.median)).collect();
        let varies = spreads.iter().any(|spread| spread.least < spread.most);
        let ranges =
            if varies { spreads.iter().map(|spread| (spread.least, spread.most)).collect() } else { Vec::new() };
        Curve { points, ranges, ..curve.clone() }
    };
    Plot { curves: first.curves.iter().enumerate().map(curve).collect(), ..first.clone() }
}

fn map(all: &[&HeatMap]) -> HeatMap {
    let first = all[0];
    let value = |panel: usize, row: usize, column: usize| {
        let of = |map: &&HeatMap| *map.panels.get(panel)?.values.get(row)?.get(column)?;
        PhaseSpread::of(all.iter().filter_map(of)).map(|spread| spread.median)
    };
    let panel = |(at, panel): (usize, &Panel)| {
        let row = |(row, values): (usize, &Vec<_>)| (0..values.len()).map(|column| value(at, row, column)).collect();
        Panel { values: panel.values.iter().enumerate().map(row).collect(), ..panel.clone() }
    };
    HeatMap { panels: first.panels.iter().enumerate().map(panel).collect(), ..first.clone() }
}

/// One text of several that differ in numbers alone: `median (least to most)` for each that differs.
fn text(all: &[&str]) -> Option<String> {
    let parts: Vec<Vec<(bool, &str)>> = all.iter().map(|text| numbers(text)).collect();
    let first = &parts[0];
    let alike = |other: &Vec<(bool, &str)>| {
        let same = |(one, other): (&(bool, &str), &(bool, &str))| one.0 == other.0 && (one.0 || one.1 == other.1);
        other.len() == first.len() && first.iter().zip(other).all(same)
    };
    if !parts.iter().all(alike) {
        return None;
    }
    let merged = |at: usize| {
        let mut texts: Vec<&str> = parts.iter().map(|part| part[at].1).collect();
        if texts.iter().all(|text| *text == texts[0]) {
            return texts[0].to_string();
        }
        let value = |text: &&str| text.parse::<f64>().unwrap_or(0.0);
        texts.sort_by(|one, other| value(one).total_cmp(&value(other)));
        let last = texts.len() - 1;
        format!("{} ({} to {})", texts[last / 2], texts[0], texts[last])
    };
    Some((0..first.len()).map(merged).collect())
}

/// A text in pieces, of which each is a number or holds none.
fn numbers(text: &str) -> Vec<(bool, &str)> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    // Each iteration takes at least a character.
    while !rest.is_empty() {
        let is_digit = |character: char| character.is_ascii_digit();
        let Some(begin) = rest.find(is_digit) else {
            pieces.push((false, rest));
            break;
        };
        // A sign belongs to its number, unless it joins two.
        let signed = match rest[..begin].strip_suffix(['-', '+']) {
            Some("") => pieces.is_empty(),
            Some(before) => before.ends_with(char::is_whitespace),
            None => false,
        };
        let begin = begin - usize::from(signed);
        let digits = rest[begin + 1..].find(|character: char| !is_digit(character) && character != '.');
        let end = digits.map_or(rest.len(), |digits| begin + 1 + digits);
        // A full stop ends a sentence.
        let end = begin + rest[begin..end].trim_end_matches('.').len();
        if begin > 0 {
            pieces.push((false, &rest[..begin]));
        }
        pieces.push((true, &rest[begin..end]));
        rest = &rest[end..];
    }
    pieces
}

#[cfg(test)]
mod tests;
