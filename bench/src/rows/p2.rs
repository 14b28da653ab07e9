//! P2: what background jobs cost the program beside which they run, and when they are done: the lowest class
//! alone, and regulated by either policy.
//!
//! Invariant: a figure is data: which task beside which, how many jobs, what was published. Not here: the figures (`p2_f2a`).

use super::{Plan, ms};
use crate::findings::{Bound, Claim, Curve, Findings, Plot, Table};
use crate::run::{Machine, Outcome, Run, System};
use anyhow::{Context, Result, ensure};

/// What runs, in front or as jobs.
#[derive(Debug, PartialEq)]
pub struct Task {
    /// A word: its script's.
    pub name: &'static str,
    /// What tables call it.
    pub title: &'static str,
    /// What is done before, so that all runs find the same in memory.
    pub before: &'static str,
    /// Shell commands; `$1` is 0 in front and counts the jobs from 1, `$2` is its part of the work.
    pub script: &'static str,
    /// In what the script counts.
    pub work: u32,
}

/// One of the pairs of a figure.
pub struct Pair {
    /// In front.
    pub front: &'static Task,
    /// The job.
    pub job: &'static Task,
    /// How many such jobs, among which its work is divided.
    pub jobs: u32,
    /// Whether the row's verdict hangs on it.
    pub counts: bool,
}

/// A figure of the paper.
pub struct Figure {
    /// What plots call it.
    pub title: &'static str,
    /// In the table's order; the first alone is the short form.
    pub pairs: &'static [Pair],
    /// What runs it: one board.
    pub system: System,
    /// Published: the slow-down at most, in words for the lowest class, %.
    pub published: (&'static str, [f64; 2]),
}

/// How jobs are regulated, and what is aimed at.
struct Mode {
    title: &'static str,
    policy: &'static str,
    /// The foreground's slow-down, %.
    goal: Option<f64>,
}

const MODES: [Mode; 3] = [
    Mode { title: "lowest class", policy: "off", goal: None },
    Mode { title: "EII", policy: "eii", goal: Some(5.0) },
    Mode { title: "IPD", policy: "ipd", goal: Some(1.0) },
];
/// What jobs should have of what is idle.
const SHARE: Bound = Bound::Reaches(0.9);
/// How long jobs run before the foreground begins, s: longer than EII holds who was taken for another at its start.
const LEAD: &str = "1.5";
/// Before all else; then what is used later is in memory. `held` says of each board how many jobs there are and how many are held.
const HEAD: &str = r#"background --policy POLICY || exit 1
up() { echo "$1 $(tr -d . < /proc/uptime)"; }
held() {
  set --
  { read -r line; while read -r a b c d e jobs held rest; do set -- $* $jobs $held; done; } < /proc/renga/background/state
  echo "jobs $*"
}
background /usr/lib/renga/measure once sh -c 'sleep 0.1'
up once
"#;
/// The regulator's period, and the first and the last interval of EII, s.
const PERIOD_S: f64 = 0.1;
const FIRST_S: f64 = 1.0;
const LAST_S: f64 = 16.0;
const NS_PER_TICK: u64 = 10_000_000;

fn pairs(plan: Plan, figure: &Figure) -> &'static [Pair] {
    if plan.short { &figure.pairs[..1] } else { figure.pairs }
}

/// What runs alone: each foreground, and each job in so many pieces.
fn alone(plan: Plan, figure: &Figure) -> Vec<(&'static Task, u32)> {
    let mut tasks = Vec::new();
    for pair in pairs(plan, figure) {
        for task in [(pair.front, 0), (pair.job, pair.jobs)] {
            if !tasks.contains(&task) {
                tasks.push(task);
            }
        }
    }
    tasks
}

/// The runs of what is alone, then of each pair those of each mode.
pub fn runs(plan: Plan, figure: &Figure) -> Vec<Run> {
    let run = |policy: &str, front: Option<&Task>, jobs: Option<(&Task, u32)>| {
        let tasks = tasks(front, jobs);
        let files = tasks.iter().map(|task| (format!("/p2/{}", task.name), task.script.as_bytes().to_vec())).collect();
        Run::new(Machine::Cluster(figure.system), plan.profile, "dev", &script(policy, front, jobs)).with(files)
    };
    let single =
        |(task, jobs)| if jobs == 0 { run("off", Some(task), None) } else { run("off", None, Some((task, jobs))) };
    let mut runs: Vec<Run> = alone(plan, figure).into_iter().map(single).collect();
    for pair in pairs(plan, figure) {
        let regulated = |mode: &Mode| run(mode.policy, Some(pair.front), Some((pair.job, pair.jobs)));
        runs.extend(MODES.iter().map(regulated));
    }
    runs
}

/// Of two with one script the first.
fn tasks<'a>(front: Option<&'a Task>, jobs: Option<(&'a Task, u32)>) -> Vec<&'a Task> {
    let mut tasks: Vec<&Task> = front.into_iter().chain(jobs.map(|(task, _)| task)).collect();
    tasks.dedup_by_key(|task| task.name);
    tasks
}

fn script(policy: &str, front: Option<&Task>, jobs: Option<(&Task, u32)>) -> String {
    let mut script = HEAD.replace("POLICY", policy);
    tasks(front, jobs).iter().for_each(|task| script += task.before);
    if let Some((task, jobs)) = jobs {
        let Task { name, work, .. } = task;
        for job in 1..=jobs {
            let command = format!("measure job-{job} sh /p2/{name} {job} {}", work / jobs);
            script += &format!("background /usr/lib/renga/{command} > job-{job} &\n");
        }
        script += &format!("sleep {LEAD}\nheld\n");
    }
    if let Some(task) = front {
        script += &format!("up before\ntimed front sh /p2/{} 0 {}\nup after\n", task.name, task.work);
    }
    script + "wait\n[ ! -f job-1 ] || cat job-*\n"
}

/// From the first job's begin to the last one's end, ns.
fn of_jobs(outcome: &Outcome, jobs: u32) -> Result<u64> {
    let all = (1..=jobs).map(|job| outcome.measured(&format!("job-{job}"))).collect::<Result<Vec<_>>>()?;
    let begin_ns = all.iter().map(|job| job.begin_ns).min().context("there are no jobs")?;
    let end_ns = all.iter().map(|job| job.begin_ns + job.ns).max().unwrap_or(begin_ns);
    Ok(end_ns - begin_ns)
}

/// That nobody was held when the foreground began: else it would meet nobody.
fn all_ran(outcome: &Outcome) -> Result<()> {
    let boards = outcome.numbers("jobs ")?;
    let held: u64 = boards.iter().skip(1).step_by(2).sum();
    ensure!(boards.iter().step_by(2).sum::<u64>() > 0 && held == 0, "jobs, and they that are held: {boards:?}");
    Ok(())
}

/// How long the foreground, alone, keeps its board's processor busy, ns.
fn busy_ns(outcome: &Outcome) -> Result<u64> {
    let [before, after] = ["before ", "after "].map(|when| outcome.numbers(when));
    let (before, after) = (before?, after?);
    let ticks = |which: usize| after.get(which)?.checked_sub(*before.get(which)?);
    let (up, idle) = ticks(0).zip(ticks(1)).context("time since boot and idle time are needed")?;
    Ok(up.saturating_sub(idle) * NS_PER_TICK)
}

/// What was measured of a pair, ns.
struct Measured<'a> {
    pair: &'a Pair,
    front_alone: u64,
    job_alone: u64,
    /// How long the foreground, alone, keeps the processor busy.
    busy: u64,
    /// In each mode the foreground and the jobs.
    modes: Vec<[u64; 2]>,
}

impl Measured<'_> {
    /// How much longer the foreground takes, %.
    fn slower(&self, mode: usize) -> f64 {
        100.0 * (self.modes[mode][0] as f64 / self.front_alone as f64 - 1.0)
    }

    /// What the jobs had of what was idle until they were done, if nothing was idle while the foreground, alone, ran.
    fn share(&self, mode: usize) -> f64 {
        self.job_alone as f64 / self.modes[mode][1].saturating_sub(self.front_alone).max(1) as f64
    }

    fn title(&self) -> String {
        let Pair { front, job, jobs, .. } = self.pair;
        format!("{}, {jobs} x {}", front.title, job.title)
    }
}

fn measured<'a>(plan: Plan, figure: &'a Figure, outcomes: &[Outcome]) -> Result<Vec<Measured<'a>>> {
    let (tasks, pairs) = (alone(plan, figure), pairs(plan, figure));
    ensure!(outcomes.len() == tasks.len() + pairs.len() * MODES.len(), "a run of each task and pair is needed");
    let (single, regulated) = outcomes.split_at(tasks.len());
    let find = |task: &Task, jobs: u32| tasks.iter().position(|(other, pieces)| (*other, *pieces) == (task, jobs));
    let of_pair = |(pair, outcomes): (&'a Pair, &[Outcome])| {
        let front = &single[find(pair.front, 0).context("it ran alone")?];
        let job = &single[find(pair.job, pair.jobs).context("it ran alone")?];
        let front_alone = front.measured("front")?.ns;
        outcomes.iter().try_for_each(all_ran).with_context(|| pair.front.title)?;
        let modes = outcomes.iter().map(|outcome| Ok([outcome.measured("front")?.ns, of_jobs(outcome, pair.jobs)?]));
        Ok(Measured {
            pair,
            front_alone,
            job_alone: of_jobs(job, pair.jobs)?,
            busy: busy_ns(front)?.min(front_alone),
            modes: modes.collect::<Result<_>>()?,
        })
    };
    pairs.iter().zip(regulated.chunks(MODES.len())).map(of_pair).collect()
}

/// Tables, plots, claims about each policy, and why they are as they are.
pub fn judge(plan: Plan, figure: &Figure, outcomes: &[Outcome]) -> Result<Findings> {
    let all = measured(plan, figure, outcomes)?;
    let mut findings = Findings::default();
    for pair in &all {
        let title = pair.title();
        findings.figure(format!("{title}: foreground alone ns"), pair.front_alone);
        findings.figure(format!("{title}: jobs alone ns"), pair.job_alone);
        for (mode, [front, jobs]) in MODES.iter().zip(&pair.modes) {
            findings.figure(format!("{title}: foreground, {} ns", mode.title), *front);
            findings.figure(format!("{title}: jobs, {} ns", mode.title), *jobs);
        }
    }
    findings.tables = vec![fronts(figure, &all), jobs(&all)];
    findings.plots = plots(figure, &all);
    findings.claims = claims(figure, &all);
    findings.notes = notes(&all);
    Ok(findings)
}

fn fronts(figure: &Figure, all: &[Measured<'_>]) -> Table {
    let mut table = Table::new("The foreground, ms, and how much longer it takes", &["", "alone"]);
    table.columns.extend(MODES.iter().flat_map(|mode| [mode.title.to_string(), "longer".to_string()]));
    for pair in all {
        let mut row = vec![pair.title(), ms(pair.front_alone)];
        for (mode, [front, _]) in pair.modes.iter().enumerate() {
            row.extend([ms(*front), format!("{:.2} %", pair.slower(mode))]);
        }
        table.rows.push(row);
    }
    let (lowest, [eii, ipd]) = figure.published;
    let at_most = |percent: f64| format!("<= {percent} %");
    let published = ["published, at most", "", "", lowest, "", &at_most(eii), "", &at_most(ipd)];
    table.rows.push(published.map(str::to_string).to_vec());
    table
}

fn jobs(all: &[Measured<'_>]) -> Table {
    let mut table = Table::new("The jobs until the last is done, ms, and their share of what was idle", &["", "alone"]);
    table.columns.extend(MODES.iter().flat_map(|mode| [mode.title.to_string(), "share".to_string()]));
    for pair in all {
        let mut row = vec![pair.title(), ms(pair.job_alone)];
        for (mode, [_, jobs]) in pair.modes.iter().enumerate() {
            row.extend([ms(*jobs), format!("{:.0} %", 100.0 * pair.share(mode))]);
        }
        table.rows.push(row);
    }
    table
}

fn plots(figure: &Figure, all: &[Measured<'_>]) -> Vec<Plot> {
    let plot = |what: &str, axis: &str, value: &dyn Fn(&Measured<'_>, usize) -> f64| {
        let points = |mode| all.iter().enumerate().map(|(at, pair)| (at as f64 + 1.0, value(pair, mode))).collect();
        let curves = MODES
            .iter()
            .enumerate()
            .map(|(mode, Mode { title, .. })| Curve { label: (*title).to_string(), points: points(mode) });
        Plot {
            title: format!("{}: {what}", figure.title),
            axes: ["line of the table".to_string(), axis.to_string()],
            curves: curves.collect(),
        }
    };
    vec![
        plot("the foreground", "time / time alone", &|pair, mode| 1.0 + pair.slower(mode) / 100.0),
        plot("the jobs", "time / time alone", &|pair, mode| pair.modes[mode][1] as f64 / pair.job_alone as f64),
    ]
}

/// Of each policy the worst pair. Half of what was published beats it, if that is not under what is aimed at.
fn claims(figure: &Figure, all: &[Measured<'_>]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (place, (mode, published)) in MODES[1..].iter().zip(figure.published.1).enumerate() {
        let Mode { title, goal, .. } = mode;
        let bound = Bound::AtMost(published, goal.map_or(published, |goal| goal.min(published / 2.0)));
        let of = |counts: bool| all.iter().filter(move |pair| pair.pair.counts == counts);
        for (which, counts) in [("", true), (", short work", false)] {
            let worst = of(counts).map(|pair| pair.slower(place + 1)).fold(f64::MIN, f64::max);
            let claim = Claim::new(
                format!("{title}: the foreground takes longer by, %{which}"),
                published.to_string(),
                worst,
                bound,
            );
            match (counts, of(counts).next()) {
                (_, None) => {}
                (true, Some(_)) => claims.push(claim),
                (false, Some(_)) => claims.push(claim.beside()),
            }
        }
        let least = of(true).map(|pair| pair.share(place + 1)).fold(f64::MAX, f64::min);
        claims.push(Claim::new(format!("{title}: the jobs' share of what was idle"), "-", least, SHARE).beside());
    }
    claims
}

/// When EII lets jobs run while all is contended, s after it first saw it, for so long.
fn tries(seconds: f64) -> u32 {
    let (mut at, mut interval, mut tries) = (PERIOD_S, FIRST_S, 0);
    while at + interval < seconds && tries < u32::from(u8::MAX) {
        at += interval + PERIOD_S;
        interval = (2.0 * interval).min(LAST_S);
        tries += 1;
    }
    tries
}

fn notes(all: &[Measured<'_>]) -> Vec<String> {
    let periods =
        |pair: &Measured<'_>, mode: usize| (pair.modes[mode][0] as f64 - pair.front_alone as f64) / (PERIOD_S * 1e9);
    let why = |pair: &Measured<'_>| {
        let seconds = pair.front_alone as f64 / 1e9;
        format!(
            "{}: the foreground of {seconds:.1} s, alone, keeps the processor busy for {:.0} %: the medium is what is contended. It loses {:.1} periods of 100 ms with EII and {:.1} with IPD. In one both run until it is \
             seen; then EII tries again {} times. EII lets the jobs go {:.1} s, IPD {:.1} s later than the medium could.",
            pair.title(),
            100.0 * pair.busy as f64 / pair.front_alone as f64,
            periods(pair, 1),
            periods(pair, 2),
            tries(seconds),
            late_s(pair, 1),
            late_s(pair, 2),
        )
    };
    all.iter().map(why).collect()
}

/// What was idle and the jobs did not have, s.
fn late_s(pair: &Measured<'_>, mode: usize) -> f64 {
    (pair.modes[mode][1] as f64 - pair.front_alone as f64 - pair.job_alone as f64) / 1e9
}

#[cfg(test)]
mod tests;
