//! What was measured of a pair: times of the foreground and the jobs, alone and together, and what was seen meanwhile.
//!
//! Invariant: a pair without possible contention, since its jobs were suspended or finished when the foreground
//! started, is an error. Not here: the verdict (`verdict`).

use super::{MODES, Occupied, P2Figure, P2Pair, P2Task, PairPlacement, pairs};
use crate::findings::quotient;
use crate::rows::RowPlan;
use crate::run::RunOutcome;
use anyhow::{Context, Result, ensure};

const NS_PER_TICK: u64 = 10_000_000;
/// Numbers in a line of the totals.
const NUMBERS: usize = 10;
/// Processor, medium, link.
pub(super) const RESOURCES: usize = 3;

/// What runs alone, in how many pieces as jobs (0: in front), where.
pub(super) type AloneRun = (&'static P2Task, u32, PairPlacement);

/// What runs alone: each foreground, and each job in so many pieces.
pub(super) fn alone(plan: RowPlan, figure: &P2Figure) -> Vec<AloneRun> {
    let mut tasks: Vec<AloneRun> = Vec::new();
    for task in pairs(plan, figure).iter().flat_map(both) {
        if !tasks.contains(&task) {
            tasks.push(task);
        }
    }
    tasks
}

/// The foreground of a pair, which does not care where jobs are, and its jobs, which do not care where it is.
fn both(pair: &P2Pair) -> [AloneRun; 2] {
    let P2Pair { front, job, jobs, places, .. } = pair;
    [
        (*front, 0, PairPlacement { jobs: &[], ..*places }),
        (*job, *jobs, PairPlacement { front: super::DISK_BOARD, ..*places }),
    ]
}

/// What the regulator saw on all boards between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RegulatorCounts {
    /// How many samples of each board.
    pub samples: u64,
    /// How often jobs contended for each resource on a board, added up.
    pub contended: [u64; RESOURCES],
    /// Used by the foreground: ms, blocks, frames.
    pub front: [u64; RESOURCES],
    /// And by jobs.
    pub jobs: [u64; RESOURCES],
}

impl RegulatorCounts {
    pub(super) fn of(outcome: &RunOutcome, when: &str) -> Result<RegulatorCounts> {
        let numbers = outcome.numbers(when)?;
        let (lines, []) = numbers.as_chunks::<NUMBERS>() else { anyhow::bail!("`{when}`: {numbers:?}") };
        let mut counts = RegulatorCounts::default();
        for [samples, rest @ ..] in lines {
            counts.samples = counts.samples.max(*samples);
            let sums = [&mut counts.contended, &mut counts.front, &mut counts.jobs];
            sums.into_iter().flatten().zip(rest).for_each(|(sum, number)| *sum += number);
        }
        Ok(counts)
    }

    fn since(self, before: RegulatorCounts) -> RegulatorCounts {
        let less = |a: [u64; 3], b: [u64; 3]| std::array::from_fn(|at| a[at].saturating_sub(b[at]));
        RegulatorCounts {
            samples: self.samples.saturating_sub(before.samples),
            contended: less(self.contended, before.contended),
            front: less(self.front, before.front),
            jobs: less(self.jobs, before.jobs),
        }
    }
}

/// Of a mode.
pub(super) struct InMode {
    /// How long the foreground took, ns.
    pub front: u64,
    /// From the first job's start to the last one's end, ns.
    pub jobs: u64,
    /// What was seen while the foreground ran.
    pub seen: RegulatorCounts,
}

/// What was measured of a pair, ns.
pub(super) struct PairMeasurement<'a> {
    pub pair: &'a P2Pair,
    pub front_alone: u64,
    pub job_alone: u64,
    /// How long the foreground, alone, keeps its board's processor busy.
    pub busy: u64,
    /// How long jobs cannot have what they need.
    pub occupied: u64,
    pub modes: Vec<InMode>,
}

impl PairMeasurement<'_> {
    /// How much longer the foreground takes, %.
    pub fn slower(&self, mode: usize) -> f64 {
        100.0 * (self.modes[mode].front as f64 / self.front_alone as f64 - 1.0)
    }

    /// What the jobs had of what was idle until they were done; no number if nothing was.
    pub fn share(&self, mode: usize) -> f64 {
        quotient(self.job_alone, self.modes[mode].jobs.saturating_sub(self.occupied))
    }

    pub fn title(&self) -> String {
        let P2Pair { front, job, jobs, places, .. } = self.pair;
        let on = |boards: &[&str]| match places.system.base {
            "solo" => String::new(),
            _ => format!(" on {}", boards.join(", ")),
        };
        format!("{}{}, {jobs} x {}{}", front.title, on(&[places.front]), job.title, on(places.jobs))
    }
}

/// From the first job's start to the last one's end, ns.
fn of_jobs(outcome: &RunOutcome, jobs: u32) -> Result<u64> {
    let all = (1..=jobs).map(|job| outcome.measured(&format!("job-{job}"))).collect::<Result<Vec<_>>>()?;
    let begin_ns = all.iter().map(|job| job.begin_ns).min().context("there are no jobs")?;
    let end_ns = all.iter().map(|job| job.begin_ns + job.ns).max().unwrap_or(begin_ns);
    Ok(end_ns - begin_ns)
}

/// That no job was suspended when the foreground started: otherwise it would have no competitor.
fn all_ran(outcome: &RunOutcome) -> Result<()> {
    let boards = outcome.numbers("jobs ")?;
    let suspended: u64 = boards.iter().skip(1).step_by(2).sum();
    ensure!(boards.iter().step_by(2).sum::<u64>() > 0 && suspended == 0, "jobs, and suspended ones: {boards:?}");
    Ok(())
}

/// How long the foreground, alone, keeps the disk board's processor busy, ns.
fn busy_ns(outcome: &RunOutcome) -> Result<u64> {
    let [before, after] = ["before ", "after "].map(|when| outcome.numbers(when));
    let (before, after) = (before?, after?);
    let ticks = |which: usize| after.get(which)?.checked_sub(*before.get(which)?);
    let (up, idle) = ticks(0).zip(ticks(1)).context("time since boot and idle time are needed")?;
    Ok(up.saturating_sub(idle) * NS_PER_TICK)
}

fn in_mode(outcome: &RunOutcome, jobs: u32) -> Result<InMode> {
    all_ran(outcome)?;
    let seen = RegulatorCounts::of(outcome, "with ")?.since(RegulatorCounts::of(outcome, "without ")?);
    Ok(InMode { front: outcome.measured("front")?.ns, jobs: of_jobs(outcome, jobs)?, seen })
}

pub(super) fn measured<'a>(
    plan: RowPlan,
    figure: &'a P2Figure,
    outcomes: &[RunOutcome],
) -> Result<Vec<PairMeasurement<'a>>> {
    let (tasks, pairs) = (alone(plan, figure), pairs(plan, figure));
    ensure!(outcomes.len() == tasks.len() + pairs.len() * MODES.len(), "a run of each task and pair is needed");
    let (single, regulated) = outcomes.split_at(tasks.len());
    let of_pair = |(pair, outcomes): (&'a P2Pair, &[RunOutcome])| {
        let find = |task: AloneRun| tasks.iter().position(|other| *other == task).context("it ran alone");
        let [front, job] = both(pair).map(find);
        let (front, job) = (&single[front?], &single[job?]);
        let front_alone = front.measured("front")?.ns;
        let busy = busy_ns(front)?.min(front_alone);
        let modes = outcomes.iter().map(|outcome| in_mode(outcome, pair.jobs)).collect::<Result<_>>();
        Ok(PairMeasurement {
            pair,
            front_alone,
            job_alone: of_jobs(job, pair.jobs)?,
            busy,
            occupied: if figure.occupied == Occupied::Wholly { front_alone } else { busy },
            modes: modes.with_context(|| format!("{} beside {}", pair.front.title, pair.job.title))?,
        })
    };
    pairs.iter().zip(regulated.chunks(MODES.len())).map(of_pair).collect()
}
