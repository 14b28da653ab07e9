//! A law of the map: what a call takes in either mode, from the stages that it passes.
//!
//! A call passes the caller's software, the wire and the server's software. A synchronous caller waits for all three
//! in sequence; with several callers, or with asynchronous calls, the stages work at once, and the slowest sets the
//! pace:
//!
//! - synchronous: the most of (caller + wire + server) / callers, wire, server, and the busiest board's callers;
//! - asynchronous: the most of wire, server, and the busiest board's callers;
//! - wire: a constant, and bits over the rate: those of the heads, by mode, of the data, and of the token's round.
//!
//! Invariant: a law is fitted on few cells, one drawn for each number of callers and each rate before any is looked
//! at, and judged on all others. Not
//! here: what else bounds a call (copies, proxies), which is why it fails where it does.

use renga_random::Random;
use std::collections::BTreeMap;

/// Fewer cells than this fix no law.
const FITTED_MIN: usize = 10;
const SEED: u64 = 1;
/// Rounds of fitting the parameters and choosing the stages that set the pace.
const ROUNDS_MAX: usize = 50;
/// Shares of the constant part that belong to the wire when the fit begins, and of the rest to the caller, %.
const STARTS_PERCENT: [f64; 5] = [100.0, 75.0, 50.0, 25.0, 0.0];
const CALLERS_PERCENT: [f64; 3] = [50.0, 25.0, 75.0];
/// What binds the parameters that the cells leave open, of the sum of a column's squares.
const RIDGE: f64 = 1e-9;
/// A time that is less off weighs no more: of the time.
const OFF_MIN: f64 = 0.002;
const PAGE_BYTES: u64 = 4096;
const PARAMETERS: usize = 7;

/// Parameters, or what a time has of each: software of caller and server, ns; the wire's constant, ns; bits of the
/// heads of a synchronous and of an asynchronous call, bits of a byte, bits of the token's round for each board.
type Terms = [f64; PARAMETERS];

/// What a law knows of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LawCell {
    pub(super) boards: usize,
    pub(super) callers: u64,
    pub(super) rate_mbit: u64,
    /// Of a message, bytes.
    pub(super) size: u64,
    /// Time for each call of all callers, ns: synchronous, asynchronous.
    pub(super) each_ns: [f64; 2],
}

impl LawCell {
    /// What asynchronous calls gain, %.
    pub(super) fn gain(&self) -> f64 {
        gain(self.each_ns)
    }
}

fn gain([sync, asynchronous]: [f64; 2]) -> f64 {
    100.0 * (sync - asynchronous) / sync.max(f64::MIN_POSITIVE)
}

/// A fitted law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Law {
    terms: Terms,
}

/// What a law predicts of the cells that it was not fitted on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Prediction {
    pub(super) law: Law,
    /// Cells that it was fitted on.
    pub(super) fitted: usize,
    /// By all others: the cell, the predicted gain less the measured one, points; the furthest first.
    pub(super) off: Vec<(LawCell, f64)>,
}

impl Prediction {
    /// Of these cells; none if they are too few.
    pub(super) fn of(cells: &[LawCell]) -> Option<Prediction> {
        let mut random = Random::new(SEED);
        let mut strata = BTreeMap::<_, Vec<LawCell>>::new();
        for cell in cells {
            strata.entry((cell.callers, cell.rate_mbit)).or_default().push(*cell);
        }
        if strata.len() < FITTED_MIN {
            return None;
        }
        let mut draw = |stratum: &mut Vec<LawCell>| stratum.swap_remove(random.below(stratum.len() as u64) as usize);
        let drawn: Vec<LawCell> = strata.values_mut().map(&mut draw).collect();
        let others: Vec<LawCell> = strata.into_values().flatten().collect();
        let (fitted, law) = (drawn.len(), Law::through(&drawn)?);
        let mut off: Vec<(LawCell, f64)> =
            others.into_iter().map(|cell| (cell, law.gain(&cell) - cell.gain())).collect();
        off.sort_by(|(_, one), (_, other)| other.abs().total_cmp(&one.abs()));
        Some(Prediction { law, fitted, off })
    }

    /// How many are predicted within so many points.
    pub(super) fn within(&self, points: f64) -> usize {
        self.off.iter().filter(|(_, off)| off.abs() <= points).count()
    }
}

/// What the stages take of each parameter, for a call of `cell`: the candidates for what sets the pace.
fn stages(cell: &LawCell, is_async: bool) -> Vec<Terms> {
    let (callers, boards) = (cell.callers as f64, cell.boards as f64);
    // ns a bit.
    let bit_ns = 1e3 / cell.rate_mbit as f64;
    let head = if is_async { [0.0, bit_ns] } else { [bit_ns, 0.0] };
    let bytes = cell.size.min(PAGE_BYTES) as f64;
    let wire = [0.0, 0.0, 1.0, head[0], head[1], bytes * bit_ns, boards * bit_ns];
    let busiest = (callers / (boards - 1.0)).ceil() / callers;
    let mut stages = vec![wire, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [busiest, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]];
    if !is_async {
        let mut all = wire;
        (all[0], all[1]) = (1.0, 1.0);
        stages.push(all.map(|term| term / callers));
    }
    stages
}

fn dot(one: &Terms, other: &Terms) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

impl Law {
    /// The law that is least off from the times of these cells, relative to each: by the sum of the absolute values, so
    /// that a cell that follows another law does not bend this one.
    fn through(cells: &[LawCell]) -> Option<Law> {
        let times: Vec<(Vec<Terms>, f64)> = cells
            .iter()
            .flat_map(|cell| {
                let [sync_ns, async_ns] = cell.each_ns;
                [(stages(cell, false), sync_ns), (stages(cell, true), async_ns)]
            })
            .filter(|(_, ns)| *ns > 0.0)
            .collect();
        let starts = STARTS_PERCENT.iter().flat_map(|wire| CALLERS_PERCENT.map(|caller| [*wire, caller]));
        let laws = starts.filter_map(|start| Law::from_start(&times, start));
        laws.min_by(|one, other| one.loss(&times).total_cmp(&other.loss(&times)))
    }

    /// Fits and chooses the pacing stages in turn until that changes nothing.
    fn from_start(times: &[(Vec<Terms>, f64)], [wire, caller]: [f64; 2]) -> Option<Law> {
        let first = |(stages, ns): &(Vec<Terms>, f64)| (*stages.last().unwrap_or(&stages[0]), *ns, 1.0);
        let whole = solve(times.iter().map(first))?;
        let constant = whole[0] + whole[1] + whole[2];
        let wire = constant * wire / 100.0;
        let caller = (constant - wire) * caller / 100.0;
        let mut law = Law { terms: whole.map(|term| term.max(0.0)) };
        law.terms[..3].copy_from_slice(&[caller, constant - wire - caller, wire]);
        for _ in 0..ROUNDS_MAX {
            let weighted = |(stages, ns): &(Vec<Terms>, f64)| {
                let pace = *law.pace(stages);
                (pace, *ns, 1.0 / (dot(&pace, &law.terms) / ns - 1.0).abs().max(OFF_MIN))
            };
            let paced = solve(times.iter().map(weighted))?;
            let next = Law { terms: paced.map(|term| term.max(0.0)) };
            if next.loss(times) >= law.loss(times) {
                break;
            }
            law = next;
        }
        Some(law)
    }

    /// The stage that sets the pace.
    fn pace<'s>(&self, stages: &'s [Terms]) -> &'s Terms {
        let slowest = stages.iter().max_by(|one, other| dot(one, &self.terms).total_cmp(&dot(other, &self.terms)));
        slowest.unwrap_or(&stages[0])
    }

    fn loss(&self, times: &[(Vec<Terms>, f64)]) -> f64 {
        times.iter().map(|(stages, ns)| (dot(self.pace(stages), &self.terms) / ns - 1.0).abs()).sum()
    }

    /// What asynchronous calls gain, %.
    pub(super) fn gain(&self, cell: &LawCell) -> f64 {
        gain([false, true].map(|is_async| dot(self.pace(&stages(cell, is_async)), &self.terms)))
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        let [caller, server, wire, sync_bits, async_bits, byte_bits, token_bits] = self.terms;
        let us = |ns: f64| format!("{:.1} us", ns / 1e3);
        format!(
            "{} of software on the caller's board and {} on the server's; on the wire {} and {sync_bits:.0} bits \
             (asynchronous: {async_bits:.0}), {byte_bits:.2} bits for each byte, {token_bits:.0} bits of token for each board",
            us(caller),
            us(server),
            us(wire)
        )
    }
}

/// The parameters by which the times, each with a weight, are least off relative to each: least squares.
fn solve(times: impl Iterator<Item = (Terms, f64, f64)>) -> Option<Terms> {
    let mut rows = [[0.0; PARAMETERS + 1]; PARAMETERS];
    for (terms, ns, weight) in times {
        let relative = terms.map(|term| term / ns);
        for (row, term) in rows.iter_mut().zip(relative) {
            row.iter_mut().zip(relative).for_each(|(sum, other)| *sum += weight * term * other);
            row[PARAMETERS] += weight * term;
        }
    }
    for (at, row) in rows.iter_mut().enumerate() {
        row[at] += RIDGE * row[at].max(f64::MIN_POSITIVE);
    }
    // Gauss and Jordan; the matrix is symmetric, and the ridge makes it definite.
    for at in 0..PARAMETERS {
        let pivot = rows[at][at];
        if pivot <= f64::MIN_POSITIVE {
            continue; // no time has this term: it stays 0
        }
        let row = rows[at].map(|value| value / pivot);
        rows[at] = row;
        for (_, other) in rows.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let factor = other[at];
            other.iter_mut().zip(row).for_each(|(value, above)| *value -= factor * above);
        }
    }
    let terms = std::array::from_fn(|at| rows[at][PARAMETERS]);
    terms.iter().all(|term: &f64| term.is_finite()).then_some(terms)
}

#[cfg(test)]
pub(super) mod tests {
    use super::{LawCell, Prediction};

    /// The whole map where the caller's software, the server's and the wire's constant take so long, ns.
    pub(crate) fn lawful([caller, server, wire]: [f64; 3]) -> Vec<LawCell> {
        let of = |boards: usize, callers: u64, rate_mbit: u64, size: u64| {
            let wire =
                |head: f64| wire + (head + 8.3 * size.min(4096) as f64 + 20.0 * boards as f64) * 1e3 / rate_mbit as f64;
            let (each, busiest) = (callers as f64, callers.div_ceil(boards as u64 - 1) as f64 / callers as f64);
            let software = server.max(caller * busiest);
            let sync = ((caller + server + wire(700.0)) / each).max(wire(700.0)).max(software);
            LawCell { boards, callers, rate_mbit, size, each_ns: [sync, wire(640.0).max(software)] }
        };
        let sizes = move |boards, callers, rate| (0..7).map(move |power| of(boards, callers, rate, 16 << (2 * power)));
        let rates =
            move |boards, callers| [1, 3, 10, 30, 100].into_iter().flat_map(move |rate| sizes(boards, callers, rate));
        let callers = move |boards| [1, 3, 7].into_iter().flat_map(move |callers| rates(boards, callers));
        [2, 4, 8].into_iter().flat_map(callers).collect()
    }

    #[test]
    fn map_law_predicts_cells_that_obey_it() {
        for stages in [[7_000.0, 6_000.0, 25_000.0], [40_000.0, 90_000.0, 5_000.0]] {
            let cells = lawful(stages);
            let found = Prediction::of(&cells).unwrap();
            assert_eq!((found.fitted, found.off.len()), (15, cells.len() - 15));
            assert!(found.within(3.0) > found.off.len() * 98 / 100, "{stages:?}: {:?}", &found.off[..9]);
        }
    }

    #[test]
    fn map_law_is_off_where_cells_do_not_obey() {
        let mut cells = lawful([7_000.0, 6_000.0, 25_000.0]);
        for (number, cell) in cells.iter_mut().enumerate() {
            cell.each_ns[1] *= (60 + number * 37 % 80) as f64 / 100.0;
        }
        let found = Prediction::of(&cells).unwrap();
        assert!(found.within(3.0) < found.off.len() / 3, "{}", found.within(3.0));
        assert!(found.off.is_sorted_by(|one, other| one.1.abs() >= other.1.abs()));
        assert!(Prediction::of(&cells[..42]).is_none(), "too few");
    }
}
