//! When jobs are suspended and resumed: the policies, without calls and without a clock.
//!
//! A *unit* is a resource as the jobs of one board use it. It is contended when they use it, and have less of it than
//! a threshold (of the processor only while that is busy enough); the disk and the link are the cluster's, so shares
//! of them are of all boards' programs. The machine suspends the jobs that use a contended unit:
//!
//! - EII (exponentially increasing intervals) lets them run again after a while, to see. If that is contended at once
//!   the next while is twice as long, up to a limit; else it is the first again.
//! - IPD (idle period detection) lets them run when their board has been idle enough, and no foreground program used
//!   disk or link, for some time.
//!
//! Neither policy waits for foreground programs that are *gone*: the board is as idle as IPD wants it, and no
//! foreground program that still exists has run for that time. Then IPD resumes jobs, and EII probes early, but only
//! once between two of its own times. So a program mistaken for gone pays at most twice as often as EII makes it pay.
//!
//! Invariant: suspended jobs resume, by EII at a known time, by IPD when no foreground program runs. Not here: leases
//! (`procs`).

use crate::settings::{RegulationPolicy, RegulatorSettings, RegulatorThreshold};
use renga_proto::regulation::{PROCESSOR, RESOURCES, Sample};
use renga_rt::BOARDS_MAX;

/// What was seen of each board; `None`: it is down, or there is none.
pub type Samples = [Option<Sample>; BOARDS_MAX];
/// Of each board the resources whose users are suspended, a bit each.
pub type Orders = [u8; BOARDS_MAX];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Unit {
    /// Its users run.
    #[default]
    Free,
    /// They are suspended until then, or, if it `may_end`, until the programs with which they contended are gone.
    Suspended { until_ns: u64, interval_ns: u64, may_end: bool },
    /// They run again, as a probe, after a suspension of this length; `early`: or shorter.
    Probed { interval_ns: u64, early: bool },
    /// They are suspended until no foreground program runs, as is the case since then.
    Waits { quiet_since_ns: Option<u64> },
}

/// The state of all units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegulatorMachine {
    units: [[Unit; RESOURCES]; BOARDS_MAX],
    /// Of each board the resources that were contended at the last step, a bit each, whatever the policy.
    contended: Orders,
}

impl RegulatorMachine {
    /// Takes in the samples from the last step until `now_ns`; returns the orders until the next.
    pub fn step(&mut self, settings: &RegulatorSettings, now_ns: u64, samples: &Samples) -> Orders {
        let used = sums(samples);
        let gone = are_gone(settings, samples);
        let mut orders = [0; BOARDS_MAX];
        self.contended = orders;
        for (board, sample) in samples.iter().enumerate() {
            for (resource, unit) in self.units[board].iter_mut().enumerate() {
                *unit = match sample {
                    Some(sample) => {
                        let quiet = is_quiet(settings, sample, used);
                        let contended = is_contended(settings, sample, resource, used[resource]);
                        self.contended[board] |= u8::from(contended) << resource;
                        unit.next(settings, BoardHistory { now_ns, contended, quiet, gone: quiet && gone })
                    }
                    None => Unit::Free,
                };
                orders[board] |= u8::from(unit.is_suspended()) << resource;
            }
        }
        orders
    }

    /// Of each board the resources for which its jobs contended at the last step.
    pub fn contended(&self) -> Orders {
        self.contended
    }
}

/// What concerns a unit.
#[derive(Clone, Copy)]
struct BoardHistory {
    now_ns: u64,
    contended: bool,
    quiet: bool,
    /// It is quiet, and those who ran are gone.
    gone: bool,
}

impl Unit {
    fn is_suspended(self) -> bool {
        matches!(self, Unit::Suspended { .. } | Unit::Waits { .. })
    }

    fn next(self, settings: &RegulatorSettings, seen: BoardHistory) -> Unit {
        match settings.policy {
            RegulationPolicy::Off => Unit::Free,
            RegulationPolicy::Eii => self.next_by_intervals(settings, seen),
            RegulationPolicy::Ipd => self.next_by_idleness(settings, seen),
        }
    }

    fn next_by_intervals(
        self,
        settings: &RegulatorSettings,
        BoardHistory { now_ns, contended, gone, .. }: BoardHistory,
    ) -> Unit {
        let first_ns = settings.ns(RegulatorThreshold::EiiFirstMs);
        let most_ns = settings.ns(RegulatorThreshold::EiiMostMs).max(first_ns);
        let suspended = |interval_ns: u64, may_end: bool| {
            let interval_ns = interval_ns.clamp(first_ns, most_ns);
            Unit::Suspended { until_ns: now_ns + interval_ns, interval_ns, may_end }
        };
        match self {
            Unit::Suspended { until_ns, interval_ns, .. } if now_ns >= until_ns => {
                Unit::Probed { interval_ns, early: false }
            }
            Unit::Suspended { interval_ns, may_end: true, .. } if gone => Unit::Probed { interval_ns, early: true },
            // Settings may have become shorter since.
            Unit::Suspended { until_ns, interval_ns, may_end } => {
                Unit::Suspended { until_ns: until_ns.min(now_ns + most_ns), interval_ns, may_end }
            }
            Unit::Probed { interval_ns, early } if contended => suspended(interval_ns.saturating_mul(2), !early),
            Unit::Free if contended => suspended(first_ns, true),
            Unit::Free | Unit::Probed { .. } => Unit::Free,
            // Another policy suspended it.
            Unit::Waits { .. } => suspended(first_ns, true),
        }
    }

    fn next_by_idleness(
        self,
        settings: &RegulatorSettings,
        BoardHistory { now_ns, contended, quiet, gone }: BoardHistory,
    ) -> Unit {
        let needed_ns = settings.ns(RegulatorThreshold::IpdQuietMs);
        let quiet_since_ns = match self {
            Unit::Free | Unit::Probed { .. } if !contended => return Unit::Free,
            Unit::Waits { .. } | Unit::Suspended { .. } if gone => return Unit::Free,
            Unit::Waits { quiet_since_ns: Some(since_ns) } if quiet => Some(since_ns),
            Unit::Waits { .. } | Unit::Suspended { .. } if quiet => Some(now_ns),
            _ => None,
        };
        match quiet_since_ns {
            Some(since_ns) if now_ns.saturating_sub(since_ns) >= needed_ns => Unit::Free,
            quiet_since_ns => Unit::Waits { quiet_since_ns },
        }
    }
}

/// Whether no program of the foreground that is still there has run on any board for as long as it has to be quiet.
fn are_gone(settings: &RegulatorSettings, samples: &Samples) -> bool {
    let needed_ns = settings.ns(RegulatorThreshold::IpdQuietMs);
    samples.iter().flatten().all(|sample| sample.front_used_ago_ns >= needed_ns)
}

/// What foreground and background used of each resource on all boards.
type Sums = [[u64; 2]; RESOURCES];

fn sums(samples: &Samples) -> Sums {
    core::array::from_fn(|resource| {
        samples.iter().flatten().fold([0_u64; 2], |[foreground, background], sample| {
            let more = [sample.foreground[resource], sample.background[resource]];
            [foreground.saturating_add(more[0]), background.saturating_add(more[1])]
        })
    })
}

fn percent_of(part: u64, whole: u64, percent: u32) -> core::cmp::Ordering {
    (u128::from(part) * 100).cmp(&(u128::from(whole) * u128::from(percent)))
}

/// Whether the jobs of a board contend for `resource`, of which all boards' programs used so much.
fn is_contended(settings: &RegulatorSettings, sample: &Sample, resource: usize, all: [u64; 2]) -> bool {
    let own = sample.background[resource];
    let [foreground, background] = match resource {
        PROCESSOR => [sample.foreground[resource], own],
        _ => all,
    };
    let threshold = settings.get(RegulatorThreshold::SHARES[resource]);
    let small_share = percent_of(background, foreground.saturating_add(background), threshold).is_lt();
    let busy = percent_of(sample.idle_ns, sample.elapsed_ns, settings.get(RegulatorThreshold::CpuIdle)).is_lt();
    own > 0 && small_share && (resource != PROCESSOR || busy)
}

/// Whether no foreground program runs that the jobs of a board would disturb.
fn is_quiet(settings: &RegulatorSettings, sample: &Sample, all: Sums) -> bool {
    let idle = percent_of(sample.idle_ns, sample.elapsed_ns, settings.get(RegulatorThreshold::IpdIdle)).is_gt();
    idle && all.iter().enumerate().all(|(resource, used)| resource == PROCESSOR || used[0] == 0)
}

#[cfg(test)]
mod tests;
