//! The rows: an experiment each.

pub mod p1_f2;
pub mod p1_f3;
pub mod p1_f4;
pub mod p1_t1;
pub mod p1_t1b;
pub mod p1_t2;
pub mod p1_t3;
pub mod p1_t4;
pub mod p1_t5;
mod p2;
mod p3;
mod p4;
pub mod p4_f2;
pub mod p4_f4;
pub mod p4_f6;
pub mod p4_f7;
pub mod p4_f8;
pub mod p4_f9;
mod p4_several;
mod p5;
pub mod p5_f5a;
pub mod p5_f5b;
mod p5_scale;

#[cfg(test)]
mod support;

pub use crate::ledger_row::{FurtherRuns, LedgerRow, RowPlan};
use crate::phases;
use crate::run::{BenchMachine, BenchRun, BenchSystem};
use crate::workload::WorkloadProgram;

/// The rows of P1, in the ledger's order.
pub const ROWS: &[LedgerRow] =
    &[p1_t1::ROW, p1_t1b::ROW, p1_t2::ROW, p1_t3::ROW, p1_t4::ROW, p1_t5::ROW, p1_f2::ROW, p1_f3::ROW, p1_f4::ROW];

/// The rows of P2, background jobs; only with [`Profile::Pi3`].
pub const OF_BACKGROUND: &[LedgerRow] = p2::ROWS;

/// The rows of P3, noise by page reclamation; only with [`Profile::Pi3`].
pub const OF_RECLAIM: &[LedgerRow] = p3::ROWS;

/// The rows of P4, control of a program's speed through its I/O; only with [`Profile::Pi3`].
pub const OF_IO_SPEED: &[LedgerRow] =
    &[p4_f2::ROW, p4_f4::DISK, p4_f4::CONSOLE, p4_f6::ROW, p4_f7::ROW, p4_f8::ROW, p4_f9::ROW, p4_several::ROW];

/// The rows of P5, on boards with several cores; only with [`Profile::Pi3`].
pub const OF_CORES: &[LedgerRow] = &[p5_f5a::ROW, p5_f5b::ROW, p5_scale::ROW];

/// What is measured beyond the ledger, by commands of its own.
pub const BEYOND: &[LedgerRow] =
    &[crate::map::ROW, crate::placements::ROW, crate::os_placements::ROW, crate::scaling::ROW];

/// Cheap rows whose short forms' figures are the same to the digit until someone changes them on purpose
/// (`bench/counts.json`).
pub const EXACT: [&str; 3] = ["P2.F2a", "P4.SEVERAL", "P5.F5a"];

/// The rows of all papers, in the ledger's order, and what is beyond it.
pub fn all() -> impl Iterator<Item = &'static LedgerRow> {
    ROWS.iter().chain(OF_BACKGROUND).chain(OF_RECLAIM).chain(OF_IO_SPEED).chain(OF_CORES).chain(BEYOND)
}

/// The row with this name, in any case and with or without the paper's: of `paper` if it has one, else of any.
pub fn find(name: &str, paper: &'static [LedgerRow]) -> Option<&'static LedgerRow> {
    let rows = || paper.iter().chain(all());
    let short = |row: &&LedgerRow| row.id.split_once('.').is_some_and(|(_, short)| short.eq_ignore_ascii_case(name));
    // `SCALE` is a row of its own, not P5's.
    rows().find(|row| row.id.eq_ignore_ascii_case(name)).or_else(|| rows().find(short))
}

/// A run of `programs` on b, each twice, as `NAME-1` and `NAME-2`.
fn twice_on_b<'a>(
    plan: RowPlan,
    system: BenchSystem,
    programs: impl IntoIterator<Item = &'a WorkloadProgram>,
) -> BenchRun {
    let twice = |program: &WorkloadProgram| {
        ["1", "2"].map(|time| format!("on b {}\n", program.timed(&format!("{}-{time}", program.name)))).concat()
    };
    let script: String = programs.into_iter().map(twice).collect();
    let script = phases::mark(phases::LONGEST_MS) + &script;
    BenchRun::new(BenchMachine::Cluster(system), plan.profile, "dev", &script)
}

/// ns as ms, for a table.
pub(crate) fn ms(ns: u64) -> String {
    let ms = ns as f64 / 1e6;
    match ms {
        1000.0.. => format!("{ms:.0}"),
        _ => format!("{ms:.2}"),
    }
}

/// The mean; 0 of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// ns as us, for a table.
fn us(ns: u64) -> String {
    let us = ns as f64 / 1e3;
    match us {
        10_000.0.. => format!("{us:.0}"),
        _ => format!("{us:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{BEYOND, OF_BACKGROUND, OF_CORES, OF_IO_SPEED, OF_RECLAIM, ROWS, RowPlan, all, find};
    use crate::run::CostProfile;

    #[test]
    fn row_is_found_by_name() {
        assert_eq!(find("p1.t1", OF_IO_SPEED).unwrap().id, "P1.T1");
        assert_eq!(find("T1", ROWS).unwrap().id, "P1.T1");
        assert!(find("T9", ROWS).is_none());
        let of = |paper| find("f5", paper).unwrap().id;
        assert_eq!([of(OF_BACKGROUND), of(OF_IO_SPEED)], ["P2.F5", "P4.F5"], "each paper has its own");
    }

    /// Holds: bench-verdicts.
    #[test]
    fn row_exact_id_finds_itself_from_any_paper() {
        for paper in [ROWS, OF_BACKGROUND, OF_RECLAIM, OF_IO_SPEED, OF_CORES, BEYOND] {
            for row in all() {
                assert_eq!(find(&row.id.to_lowercase(), paper).map(|found| found.id), Some(row.id));
            }
        }
    }

    #[test]
    fn row_short_form_runs_less() {
        for row in ROWS.iter().chain(BEYOND) {
            for profile in [CostProfile::Pi3, CostProfile::Paper1989] {
                let [whole, short] = [false, true].map(|short| (row.runs)(RowPlan { profile, short }));
                assert!(!short.is_empty() && short.len() <= whole.len(), "{}", row.id);
                assert!(whole.iter().chain(&short).all(|run| run.profile == profile), "{}", row.id);
            }
        }
    }
}
