//! What can be set: the policy, thresholds and times, and the programs that are ignored.
//!
//! Invariant: every threshold is within its bounds; a text that is not understood as a whole changes nothing.
//! Not here: what they mean (`machine.rs`), as text (`text.rs`).

use renga_proto::inode::NAME_BYTES_MAX;
use renga_proto::regulation::{IGNORED_MAX, IGNORED_NAME_BYTES, RESOURCES};

/// How jobs are held and let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Never held: the lowest class is all.
    Off,
    /// Exponentially increasing intervals.
    Eii,
    /// Idle period detection.
    Ipd,
}

impl Policy {
    /// All, with their names.
    pub const NAMED: [(&'static str, Policy); 3] = [("off", Policy::Off), ("eii", Policy::Eii), ("ipd", Policy::Ipd)];
}

/// A number that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// Of the processor: contended when jobs have a smaller share of what is used, %.
    Cpu,
    /// And only while less than this of the processor is idle, %.
    CpuIdle,
    /// As `Cpu`, of the disk.
    Disk,
    /// As `Cpu`, of the link.
    Link,
    /// IPD: jobs go on when more than this of their processor is idle, %.
    IpdIdle,
    /// And nobody of the foreground uses disk or link, for so long, ms.
    IpdQuietMs,
    /// EII: the first interval, ms.
    EiiFirstMs,
    /// EII: the longest interval, ms.
    EiiMostMs,
    /// How often boards are looked at, ms.
    PeriodMs,
}

/// What is fixed of a threshold.
pub(crate) struct Bounds {
    pub(crate) threshold: Threshold,
    pub(crate) name: &'static str,
    pub(crate) least: u32,
    pub(crate) most: u32,
    default: u32,
}

const fn bounds(threshold: Threshold, name: &'static str, default: u32, [least, most]: [u32; 2]) -> Bounds {
    Bounds { threshold, name, least, most, default }
}

const COUNT: usize = 9;

impl Threshold {
    /// Of the shares of each resource.
    pub(crate) const SHARES: [Threshold; RESOURCES] = [Threshold::Cpu, Threshold::Disk, Threshold::Link];

    /// All, in the order of their values. Shares and idleness as the paper has them (4.3, 4.4.2, 5).
    pub(crate) const ALL: [Bounds; COUNT] = [
        bounds(Threshold::Cpu, "cpu", 85, [0, 100]),
        bounds(Threshold::CpuIdle, "cpu_idle", 25, [0, 100]),
        bounds(Threshold::Disk, "disk", 100, [0, 100]),
        bounds(Threshold::Link, "link", 100, [0, 100]),
        bounds(Threshold::IpdIdle, "ipd_idle", 62, [0, 100]),
        bounds(Threshold::IpdQuietMs, "ipd_quiet_ms", 300, [0, 60_000]),
        bounds(Threshold::EiiFirstMs, "eii_first_ms", 1_000, [10, 60_000]),
        bounds(Threshold::EiiMostMs, "eii_most_ms", 16_000, [10, 600_000]),
        bounds(Threshold::PeriodMs, "period_ms", 100, [10, 10_000]),
    ];
}

/// All settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How.
    pub policy: Policy,
    values: [u32; COUNT],
    ignored: [[u8; IGNORED_NAME_BYTES]; IGNORED_MAX],
    ignored_count: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings::of(Policy::Eii)
    }
}

impl Settings {
    /// As at first, with `policy`.
    pub fn of(policy: Policy) -> Settings {
        let values = core::array::from_fn(|at| Threshold::ALL[at].default);
        Settings { policy, values, ignored: [[0; IGNORED_NAME_BYTES]; IGNORED_MAX], ignored_count: 0 }
    }

    /// The value of `threshold`.
    pub fn get(&self, threshold: Threshold) -> u32 {
        self.values[threshold as usize]
    }

    /// Sets it; whether `value` is allowed.
    pub fn set(&mut self, threshold: Threshold, value: u32) -> bool {
        let Bounds { least, most, .. } = Threshold::ALL[threshold as usize];
        let allowed = (least..=most).contains(&value);
        if allowed {
            self.values[threshold as usize] = value;
        }
        allowed
    }

    /// Names of programs whose use does not count as the foreground's, zero-padded.
    pub fn ignored(&self) -> &[[u8; IGNORED_NAME_BYTES]] {
        &self.ignored[..self.ignored_count]
    }

    /// Ignores nobody.
    pub fn clear_ignored(&mut self) {
        self.ignored_count = 0;
    }

    /// Ignores `name` too; whether there is room for it, and a program's file may be called that. It counts up to the bytes that
    /// are kept of a program's name, as on Linux.
    pub fn ignore(&mut self, name: &[u8]) -> bool {
        if name.len() > NAME_BYTES_MAX {
            return false;
        }
        let Some(place) = self.ignored.get_mut(self.ignored_count) else { return false };
        let name = &name[..name.len().min(IGNORED_NAME_BYTES - 1)];
        *place = [0; IGNORED_NAME_BYTES];
        place[..name.len()].copy_from_slice(name);
        self.ignored_count += 1;
        true
    }
}
