//! Placements as a row: its runs, and what they say.
//!
//! Invariant: predictions are made of the runs of jobs alone; what was measured together is only compared with them.

use super::comparison::{Placed, compare};
use super::demand::{Demand, demands};
use super::job::{NOTHING, alone, alone_label, jobs, together};
use super::placement::{Alone, BOARDS, Placement};
use crate::findings::{Findings, Table};
use crate::rows::{Plan, Row, ms};
use crate::run::{Machine, OURS, Outcome, Profile, Run};
use crate::spent::{Spent, spent};
use crate::thrice::quicker;
use anyhow::{Result, ensure};
use std::ops::Range;

/// Placements, as rows are.
pub const ROW: Row = Row {
    id: "PLACE",
    title: "Four jobs on two boards: a time predicted for each placement, and measured",
    published: "Nothing: the paper spreads two compiles by hand (P1.T5). Aimed at: errors of at most 10 %, and the best placement found.",
    method: "Each job runs alone on a and on b, with a trace, which tells its time at each core, on the wire and at the disk. From that \
             the time of all together is computed for every placement (a closed network of queues, exact mean value analysis; when a \
             job ends, the others go on without it), and the least is taken. Then the placements are measured, each on a freshly started \
             cluster. A shell of a starts all jobs and waits; everything is measured three times, and of the last two the quicker \
             counts. A placement's name has the board of each job, in the order of the first table.",
    runs,
    judge,
};

/// What the short form measures.
const SHORT: [&str; 4] = ["aaaa", "abab", "abbb", "bbbb"];
/// Why the predictions of 1989 are off.
const SHORT_TURNS: &str = "With this profile programs of one core take turns of 1,000 instructions, and a turn costs more than a quarter of that \
                           (P1.T5). A job alone takes no turns, so predictions made of jobs alone have none: where several jobs compute on one \
                           board, all together take longer than predicted.";

fn placements(plan: Plan) -> Vec<Placement> {
    let measured = |placement: &Placement| !plan.short || SHORT.contains(&placement.to_string().as_str());
    Placement::all(jobs(plan).len()).filter(measured).collect()
}

/// All jobs alone on a, on b; the placements.
fn runs(plan: Plan) -> Vec<Run> {
    let jobs = jobs(plan);
    let run = |script: &str| Run::new(Machine::Cluster(OURS), plan.profile, "dev", script);
    let each = (0..BOARDS as u8).map(|board| run(&alone(&jobs, board)).traced());
    each.chain(placements(plan).iter().map(|placement| run(&together(&jobs, placement)))).collect()
}

/// What was measured on one board alone: what the shell takes, then each job.
struct OnBoard {
    shell: Demand,
    jobs: Vec<Demand>,
    spent: Vec<Spent>,
}

impl OnBoard {
    fn read(plan: Plan, outcome: &Outcome, board: usize) -> Result<OnBoard> {
        let names = std::iter::once(NOTHING.to_string()).chain(jobs(plan).map(|job| alone_label(&job)));
        let counting = names.map(|name| quicker(outcome, &name)).collect::<Result<Vec<_>>>()?;
        let times: Vec<Range<u64>> =
            counting.iter().map(|(_, found)| found.begin_ns..found.begin_ns + found.ns).collect();
        let mut found = outcome.with_trace(|header, events| demands(&header, events, board, &times))?;
        let labels: Vec<String> = counting.into_iter().skip(1).map(|(label, _)| label).collect();
        let jobs = found.split_off(1);
        Ok(OnBoard { shell: found[0], jobs, spent: spent(outcome, &labels)? })
    }
}

fn judge(plan: Plan, outcomes: &[Outcome]) -> Result<Findings> {
    ensure!(outcomes.len() == runs(plan).len(), "an outcome of each run is needed");
    let (alone, together) = outcomes.split_at(BOARDS);
    let on_a = OnBoard::read(plan, &alone[0], 0)?;
    let on_b = OnBoard::read(plan, &alone[1], 1)?;
    let without_shell = |(a, b): (&Demand, &Demand)| [a.without(&on_a.shell), b.without(&on_b.shell)];
    let alone =
        Alone { jobs: on_a.jobs.iter().zip(&on_b.jobs).map(without_shell).collect(), shell_ns: on_a.shell.total_ns() };
    let measured = placements(plan).into_iter().zip(together).map(|(placement, outcome)| {
        let ns = quicker(outcome, &placement.to_string())?.1.ns;
        Ok(Placed::new(placement, &alone, ns))
    });
    let measured = measured.collect::<Result<Vec<_>>>()?;
    let mut findings = Findings { tables: vec![of_jobs(plan, &on_a, &on_b)], ..Findings::default() };
    for (job, demands) in jobs(plan).iter().zip(&alone.jobs) {
        for (board, demand) in ["a", "b"].iter().zip(demands) {
            findings.figure(format!("{} alone on {board} ns", job.name), demand.total_ns() as u64);
        }
    }
    compare(&measured, &alone, &mut findings);
    if plan.profile == Profile::Paper1989 {
        findings.notes.push(SHORT_TURNS.to_string());
    }
    Ok(findings)
}

/// What each job takes alone on each board.
fn of_jobs(plan: Plan, on_a: &OnBoard, on_b: &OnBoard) -> Table {
    let title = "The jobs alone, ms: each instant at one place, and none of it where others are not in the way (apart); calls between boards, \
                 and what a caller waits for each, us";
    let columns = ["", "took", "core a", "core b", "wire", "disk", "apart", "calls", "us each"];
    let mut table = Table::new(title, &columns);
    for (place, job) in jobs(plan).iter().enumerate() {
        for (board, on) in [("a", on_a), ("b", on_b)] {
            let demand = on.jobs[place];
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
