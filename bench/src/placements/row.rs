//! Placements as a row: its runs, and what they say.
//!
//! Invariant: predictions use the runs of jobs alone; the measurements of jobs together are only compared with them.

use super::comparison::{ComparedPlacement, claims, compare};
use super::demand::{Demand, JobPhases, courses};
use super::job::{NOTHING, alone, alone_label, jobs, together};
use super::placement::{Alone, BOARDS, Placement};
use crate::findings::{Findings, FindingsTable};
use crate::rows::{LedgerRow, RowPlan, ms};
use crate::run::{BenchMachine, BenchRun, CostProfile, OURS, RunOutcome};
use crate::spent::{Spent, spent};
use crate::thrice::quicker;
use anyhow::{Result, ensure};
use std::ops::Range;

/// Placements, as rows are.
pub const ROW: LedgerRow = LedgerRow {
    id: "PLACE",
    title: "Four jobs on two boards: a time predicted for each placement, and measured",
    published: "Nothing: the paper spreads two compiles by hand (P1.T5). Our goal: predictions nearer than \
         those without contention, and the best placement found.",
    method: "Each job runs alone on a and on b. Its trace gives the time at each core, on the wire and at the disk, in \
         each of 32 equal parts. A closed network of queues predicts every placement, by exact mean value analysis \
         for each combination of parts. Then each placement is measured three times on a fresh cluster; the faster \
         of the last two counts. A placement's name lists the boards in the order of the first table.",
    runs,
    further: None,
    claims: |_| claims(),
    evaluate,
};

/// What the short form measures.
const SHORT: [&str; 4] = ["aaaa", "abab", "abbb", "bbbb"];
/// Why the predictions of 1989 are off.
const SHORT_TURNS: &str = "With this profile a time slice is 1,000 instructions, and a switch costs more than a quarter of that (P1.T5). A \
     job alone has no switches, so predictions lack them: jobs that share a board take longer than predicted.";

fn placements(plan: RowPlan) -> Vec<Placement> {
    let measured = |placement: &Placement| !plan.short || SHORT.contains(&placement.to_string().as_str());
    Placement::all(jobs(plan).len()).filter(measured).collect()
}

/// All jobs alone on a, on b; the placements.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let jobs = jobs(plan);
    let run = |script: &str| BenchRun::new(BenchMachine::Cluster(OURS), plan.profile, "dev", script);
    let each = (0..BOARDS as u8).map(|board| run(&alone(&jobs, board)).traced());
    each.chain(placements(plan).iter().map(|placement| run(&together(&jobs, placement)))).collect()
}

/// What was measured on one board alone: what the shell takes, then each job.
struct OnBoard {
    shell: Demand,
    jobs: Vec<JobPhases>,
    spent: Vec<Spent>,
}

impl OnBoard {
    fn read(plan: RowPlan, outcome: &RunOutcome, board: usize) -> Result<OnBoard> {
        let names = std::iter::once(NOTHING.to_string()).chain(jobs(plan).map(|job| alone_label(&job)));
        let counting = names.map(|name| quicker(outcome, &name)).collect::<Result<Vec<_>>>()?;
        let times: Vec<Range<u64>> =
            counting.iter().map(|(_, found)| found.begin_ns..found.begin_ns + found.ns).collect();
        let mut found = outcome.with_trace(|header, events| courses(&header, events, board, &times))?;
        let labels: Vec<String> = counting.into_iter().skip(1).map(|(label, _)| label).collect();
        let jobs = found.split_off(1);
        Ok(OnBoard { shell: found[0].sum(), jobs, spent: spent(outcome, &labels)? })
    }
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    ensure!(outcomes.len() == runs(plan).len(), "an outcome of each run is needed");
    let (alone, together) = outcomes.split_at(BOARDS);
    let on_a = OnBoard::read(plan, &alone[0], 0)?;
    let on_b = OnBoard::read(plan, &alone[1], 1)?;
    let without_shell =
        |(a, b): (&JobPhases, &JobPhases)| [a.clone().without(on_a.shell), b.clone().without(on_b.shell)];
    let alone =
        Alone { jobs: on_a.jobs.iter().zip(&on_b.jobs).map(without_shell).collect(), shell_ns: on_a.shell.total_ns() };
    let measured = placements(plan).into_iter().zip(together).map(|(placement, outcome)| {
        let ns = quicker(outcome, &placement.to_string())?.1.ns;
        Ok(ComparedPlacement::new(placement, &alone, ns))
    });
    let measured = measured.collect::<Result<Vec<_>>>()?;
    let mut findings = Findings { tables: vec![of_jobs(plan, &on_a, &on_b)], ..Findings::default() };
    for (job, courses) in jobs(plan).iter().zip(&alone.jobs) {
        for (board, course) in ["a", "b"].iter().zip(courses) {
            findings.figure(format!("{} alone on {board} ns", job.name), course.sum().total_ns() as u64);
        }
    }
    compare(&measured, &alone, &mut findings);
    if plan.profile == CostProfile::Paper1989 {
        findings.notes.push(SHORT_TURNS.to_string());
    }
    Ok(findings)
}

/// What each job takes alone on each board.
fn of_jobs(plan: RowPlan, on_a: &OnBoard, on_b: &OnBoard) -> FindingsTable {
    let title = "The jobs alone, ms: each instant at one place; apart: where no other job interferes; calls between boards, \
         and what a caller waits for each, us";
    let columns = ["", "took", "core a", "core b", "wire", "disk", "apart", "calls", "us each"];
    let mut table = FindingsTable::new(title, &columns);
    for (place, job) in jobs(plan).iter().enumerate() {
        for (board, on) in [("a", on_a), ("b", on_b)] {
            let demand = on.jobs[place].sum();
            let mut row = vec![format!("{} on {board}", job.title), ms(demand.total_ns() as u64)];
            row.extend(demand.queued_ns.iter().chain([&demand.apart_ns]).map(|ns| ms(*ns as u64)));
            let Spent { calls, calls_ns, .. } = on.spent[place];
            row.push(calls.to_string());
            row.push(if calls > 0 { format!("{:.0}", calls_ns as f64 / calls as f64 / 1e3) } else { "-".to_string() });
            table.rows.push(row);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{ROW, runs};
    use crate::claims::ClaimVerdict;
    use crate::placements::support::{JOBS_NS, SHELL_NS, outcomes};
    use crate::rows::RowPlan;
    use crate::run::CostProfile;
    use crate::support::Traces;

    const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: false };

    #[test]
    fn placement_row_core_bound_jobs_are_predicted_exactly() {
        let traces = Traces::new();
        let outcomes = outcomes(&traces, PLAN, false, false);
        assert_eq!((runs(PLAN).len(), runs(PLAN).iter().filter(|run| run.traced).count()), (outcomes.len(), 2));
        let found = ROW.findings(PLAN, &outcomes).unwrap();
        assert!(ROW.findings(PLAN, &outcomes[1..]).is_err());
        let verdicts: Vec<ClaimVerdict> = found.claims.iter().map(|judged| judged.verdict).collect();
        assert_eq!(verdicts, [ClaimVerdict::Met, ClaimVerdict::Exceeded]);
        assert!(found.notes[0].ends_with("0.0 %."), "{:?}", found.notes);
        assert_eq!(found.figures["abbb ns"], SHELL_NS + JOBS_NS[0]);
        assert_eq!(found.figures["gcc-1011 alone on b ns"], JOBS_NS[0]);
        assert_eq!((found.tables[0].rows.len(), found.tables[1].rows.len()), (8, 16));
        assert!(found.notes.iter().any(|note| note.contains("takes abbb")), "{:?}", found.notes);
    }
}
