//! P2: what background jobs cost the program beside which they run, and when they are done: the lowest class
//! alone, and regulated by either policy.
//!
//! Invariant: a figure is data: which task beside which, where, how many jobs, what was published. Not here: what was
//! measured and what follows from it (`measured`, `verdict`), the figures (`f2a` and those that follow), thresholds
//! (`f1`).

mod f1;
mod f2a;
mod f2b;
mod f3;
mod f4;
mod f5;
mod measured;
mod verdict;

use super::{LedgerRow, RowPlan};
use crate::phases;
use crate::run::{BenchMachine, BenchRun, BenchSystem};
use measured::alone;

pub use verdict::{claims, evaluate};

/// The rows, in the ledger's order.
pub const ROWS: &[LedgerRow] = &[f1::ROW, f2a::ROW, f2b::ROW, f3::ROW, f4::ROW, f5::ROW];

/// What runs, in front or as jobs.
#[derive(Debug, PartialEq)]
pub struct P2Task {
    /// A word: its script's.
    pub name: &'static str,
    /// What tables call it.
    pub title: &'static str,
    /// What is done before on each of its boards, so that all runs find the same in memory; without single quotes.
    pub before: &'static str,
    /// Shell commands; `$1` is 0 in front and counts the jobs from 1, `$2` is its part of the work.
    pub script: &'static str,
    /// In what the script counts.
    pub work: u32,
}

/// Where a pair runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairPlacement {
    /// The boards.
    pub system: BenchSystem,
    /// Which of them the foreground is on.
    pub front: &'static str,
    /// And the jobs, cyclically.
    pub jobs: &'static [&'static str],
}

/// One of the pairs of a figure.
pub struct P2Pair {
    /// In front.
    pub front: &'static P2Task,
    /// The job.
    pub job: &'static P2Task,
    /// How many such jobs, among which its work is divided.
    pub jobs: u32,
    /// Where.
    pub places: PairPlacement,
    /// Whether the paper has it, too.
    pub counts: bool,
}

/// What of a resource is not idle while the foreground, alone, runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupied {
    /// All of it: jobs are on the medium or the link.
    Wholly,
    /// Its board's processor, as long as that is busy.
    Processor,
}

/// A figure of the paper.
pub struct P2Figure {
    /// What plots call it.
    pub title: &'static str,
    /// In the table's order.
    pub pairs: &'static [P2Pair],
    /// The short form, if it is not the first of them.
    pub short: Option<&'static P2Pair>,
    /// What jobs cannot have while the foreground runs.
    pub occupied: Occupied,
    /// Published: the slow-down with the lowest class alone, and at most with each policy, %.
    pub published: (f64, [f64; 2]),
    /// Published of the jobs' own end.
    pub jobs: Option<JobsClaim>,
    /// What else the paper says of it, and no run asks: what, the published words, why not.
    pub untested: Option<[&'static str; 3]>,
}

/// With what the jobs end first, as the paper says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobsClaim {
    /// With EII, before they do with IPD.
    Eii,
    /// With IPD, before they do with EII.
    Ipd,
    /// With either policy, before they do with the lowest class alone, where they are as many.
    Regulated {
        /// Jobs.
        jobs: u32,
    },
}

/// How jobs are regulated, and what is aimed at.
struct RegulationMode {
    title: &'static str,
    policy: &'static str,
    /// The foreground's slow-down, %.
    goal: Option<f64>,
}

const MODES: [RegulationMode; 3] = [
    RegulationMode { title: "lowest class", policy: "off", goal: None },
    RegulationMode { title: "EII", policy: "eii", goal: Some(5.0) },
    RegulationMode { title: "IPD", policy: "ipd", goal: Some(1.0) },
];
/// The board whose script the others' is a part of.
const DISK_BOARD: &str = "a";
/// How long jobs run before the foreground starts, s: longer than EII suspends one that it misclassified at its start.
const LEAD: &str = "1.5";
/// In other phases the foreground starts later by up to so much, ms: some samples.
const LEAD_MORE_MS: u32 = 1_000;
/// Runs first; then later commands are in memory. `held` prints for each board how many jobs exist and how many are
/// suspended, `seen` the samples since the first job.
const HEAD: &str = r#"background --policy POLICY || exit 1
up() { echo "$1 $(tr -d . < /proc/uptime)"; }
held() {
  set --
  { read -r line; while read -r a b c d e jobs held rest; do set -- $* $jobs $held; done; } < /proc/renga/background/state
  echo "jobs $*"
}
seen() {
  label=$1; set --
  { read -r line; while read -r board counts; do set -- $* $counts; done; } < /proc/renga/background/totals
  echo "$label $*"
}
background /usr/lib/renga/measure once sh -c 'sleep 0.1'
up once
seen once
"#;

fn pairs(plan: RowPlan, figure: &P2Figure) -> &'static [P2Pair] {
    match figure.short {
        _ if !plan.short => figure.pairs,
        Some(short) => std::slice::from_ref(short),
        None => &figure.pairs[..1],
    }
}

/// The runs of what is alone, then of each pair those of each mode.
pub fn runs(plan: RowPlan, figure: &P2Figure) -> Vec<BenchRun> {
    let run = |policy: &str, places: PairPlacement, front: Option<&P2Task>, jobs: Option<(&P2Task, u32)>| {
        let tasks = tasks(front, jobs);
        let files = tasks.iter().map(|task| (format!("/p2/{}", task.name), task.script.as_bytes().to_vec())).collect();
        let script = script(policy, places, front, jobs);
        BenchRun::new(BenchMachine::Cluster(places.system), plan.profile, "dev", &script).with(files)
    };
    let single = |(task, jobs, places)| match jobs {
        0 => run("off", places, Some(task), None),
        jobs => run("off", places, None, Some((task, jobs))),
    };
    let mut runs: Vec<BenchRun> = alone(plan, figure).into_iter().map(single).collect();
    for pair in pairs(plan, figure) {
        let regulated =
            |mode: &RegulationMode| run(mode.policy, pair.places, Some(pair.front), Some((pair.job, pair.jobs)));
        runs.extend(MODES.iter().map(regulated));
    }
    runs
}

/// Of two with one script the first.
fn tasks<'a>(front: Option<&'a P2Task>, jobs: Option<(&'a P2Task, u32)>) -> Vec<&'a P2Task> {
    let mut tasks: Vec<&P2Task> = front.into_iter().chain(jobs.map(|(task, _)| task)).collect();
    tasks.dedup_by_key(|task| task.name);
    tasks
}

/// How the script of the disk's board has a command done on `board`.
fn on(board: &str) -> String {
    if board == DISK_BOARD { String::new() } else { format!("remote -b {board} ") }
}

fn script(policy: &str, places: PairPlacement, front: Option<&P2Task>, jobs: Option<(&P2Task, u32)>) -> String {
    let mut script = HEAD.replace("POLICY", policy);
    let mut boards = vec![places.front];
    boards.extend(places.jobs);
    boards.sort_unstable();
    boards.dedup();
    for task in tasks(front, jobs) {
        boards.iter().for_each(|board| script += &format!("{}sh -c '{}'\n", on(board), task.before));
    }
    script += &phases::mark(phases::LONGEST_MS);
    if let Some((task, jobs)) = jobs {
        let P2Task { name, work, .. } = task;
        for (job, board) in (1..=jobs).zip(places.jobs.iter().cycle()) {
            let command = format!("measure job-{job} {}sh /p2/{name} {job} {}", on(board), work / jobs);
            script += &format!("background /usr/lib/renga/{command} > job-{job} &\n");
        }
        script += &format!("sleep {LEAD}\n{}held\n", phases::mark(LEAD_MORE_MS));
    }
    if let Some(task) = front {
        let seen = |when| if jobs.is_some() { format!("seen {when}\n") } else { String::new() };
        let command = format!("{}sh /p2/{} 0 {}", on(places.front), task.name, task.work);
        script += &format!("{}up before\ntimed front {command}\nup after\n{}", seen("without"), seen("with"));
    }
    script + "wait\n[ ! -f job-1 ] || cat job-*\n"
}

#[cfg(test)]
mod tests;
