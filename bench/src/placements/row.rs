//! Placements as a row: its runs, and what they say.
//!
//! Invariant: predictions use the runs of jobs alone; the measurements of jobs together are only compared with them.

use super::comparison::{ComparedPlacement, compare};
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
    published: "Nothing: the paper spreads two compiles by hand (P1.T5). Our goal: errors of at most 10 %, and the best \
         placement found.",
    method: "Each job runs alone on a and on b. Its trace gives the time at each core, on the wire and at the disk, in \
         each of 32 equal parts. A closed network of queues predicts every placement, by exact mean value analysis \
         for each combination of parts. Then each placement is measured three times on a fresh cluster; the faster \
         of the last two counts. A placement's name lists the boards in the order of the first table.",
    runs,
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
    use crate::findings::FindingVerdict;
    use crate::placements::demand::tests::header;
    use crate::placements::job::{NOTHING, alone_label, jobs};
    use crate::placements::placement::Placement;
    use crate::rows::RowPlan;
    use crate::run::{CostProfile, RunOutcome};
    use renga_abi::ProcId;
    use renga_trace::TraceWriter;
    use renga_trace::event::{Timed, TraceEvent};
    use std::fs::File;

    const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: false };
    /// What a shell takes that starts nothing, and what jobs take more, ns.
    const SHELL_NS: u64 = 100;
    const JOBS_NS: [u64; 4] = [600, 200, 300, 50];

    /// Each starts 10,000 ns after the one before; only the core of its board is busy, until it ends.
    fn alone(board: u8) -> RunOutcome {
        let path = std::env::temp_dir().join(format!("renga-placements-{}-{board}", std::process::id()));
        let mut trace = TraceWriter::new(File::create(&path).unwrap(), &header()).unwrap();
        let (mut text, mut begin_ns) = (String::new(), 1000);
        let names = std::iter::once(NOTHING.to_string()).chain(jobs(PLAN).map(|job| alone_label(&job)));
        for (name, more_ns) in names.zip([0].into_iter().chain(JOBS_NS)) {
            for time in 1..=3 {
                let ns = SHELL_NS + more_ns;
                text += &format!("measuring {name}-{time} at {begin_ns}\n");
                text += &format!("measured {name}-{time} status 0 ns {ns} counters 0\n");
                let enters = TraceEvent::Enter { process: ProcId::new(board, 0) };
                for (time_ns, event) in [(begin_ns, enters), (begin_ns + ns, TraceEvent::Idle {})] {
                    trace.write(&Timed { time_ns, board, core: 0, event }).unwrap();
                }
                begin_ns += 10_000;
            }
        }
        trace.finish().unwrap();
        RunOutcome { text, trace: Some(path) }
    }

    /// The longer of both boards' sums.
    fn together(placement: &Placement) -> RunOutcome {
        let of = |board: u8| {
            let jobs = placement.boards().iter().zip(JOBS_NS).filter(|(on, _)| **on == board);
            jobs.map(|(_, ns)| ns).sum::<u64>()
        };
        let ns = SHELL_NS + of(0).max(of(1));
        let line = |time| {
            format!("measuring {placement}-{time} at 5\nmeasured {placement}-{time} status 0 ns {ns} counters 0\n")
        };
        RunOutcome { text: (1..=3).map(line).collect(), trace: None }
    }

    #[test]
    fn placement_row_core_bound_jobs_are_predicted_exactly() {
        let all = Placement::all(4).map(|placement| together(&placement));
        let outcomes: Vec<RunOutcome> = [alone(0), alone(1)].into_iter().chain(all).collect();
        assert_eq!((runs(PLAN).len(), runs(PLAN).iter().filter(|run| run.traced).count()), (outcomes.len(), 2));
        let found = (ROW.evaluate)(PLAN, &outcomes).unwrap();
        assert!((ROW.evaluate)(PLAN, &outcomes[1..]).is_err());
        outcomes
            .iter()
            .filter_map(|outcome| outcome.trace.as_ref())
            .for_each(|path| std::fs::remove_file(path).unwrap());
        assert_eq!((found.claims[0].ours, found.verdict()), (0.0, Some(FindingVerdict::Beaten)));
        assert_eq!(found.figures["abbb ns"], SHELL_NS + 600);
        assert_eq!(found.figures["gcc-1011 alone on b ns"], 600);
        assert_eq!((found.tables[0].rows.len(), found.tables[1].rows.len()), (8, 16));
        assert!(found.notes.iter().any(|note| note.contains("takes abbb")), "{:?}", found.notes);
    }
}
