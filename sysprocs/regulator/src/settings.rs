//! What can be set: the policy, thresholds and times, and the programs that are ignored.
//!
//! Invariant: every threshold is within its bounds; a text that is not understood as a whole changes nothing.
//! Not here: what they mean (`machine.rs`), as text (`text.rs`).

use renga_proto::inode::NAME_BYTES_MAX;
use renga_proto::regulation::{IGNORED_MAX, IGNORED_NAME_BYTES, RESOURCES};
use renga_proto::settings::{NumberSetting, NumberSettings};

/// How jobs are suspended and resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegulationPolicy {
    /// Never suspended: the lowest class is all.
    Off,
    /// Exponentially increasing intervals.
    Eii,
    /// Idle period detection.
    Ipd,
}

impl RegulationPolicy {
    /// All, with their names.
    pub const NAMED: [(&'static str, RegulationPolicy); 3] =
        [("off", RegulationPolicy::Off), ("eii", RegulationPolicy::Eii), ("ipd", RegulationPolicy::Ipd)];
}

/// A number that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegulatorThreshold {
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
    /// And no foreground program uses disk or link, for so long, ms.
    IpdQuietMs,
    /// EII: the first interval, ms.
    EiiFirstMs,
    /// EII: the longest interval, ms.
    EiiMostMs,
    /// How often boards are sampled, ms.
    PeriodMs,
}

const COUNT: usize = 9;
const NS_PER_MS: u64 = 1_000_000;

impl RegulatorThreshold {
    /// The threshold of the share of each resource.
    pub(crate) const SHARES: [RegulatorThreshold; RESOURCES] =
        [RegulatorThreshold::Cpu, RegulatorThreshold::Disk, RegulatorThreshold::Link];
}

/// The thresholds by their values. Shares and idleness as the paper has them (4.3, 4.4.2, 5).
const THRESHOLDS: [NumberSetting; COUNT] = [
    NumberSetting::new("cpu", 85, [0, 100]),
    NumberSetting::new("cpu_idle", 25, [0, 100]),
    NumberSetting::new("disk", 100, [0, 100]),
    NumberSetting::new("link", 100, [0, 100]),
    NumberSetting::new("ipd_idle", 62, [0, 100]),
    NumberSetting::new("ipd_quiet_ms", 300, [0, 60_000]),
    NumberSetting::new("eii_first_ms", 1_000, [10, 60_000]),
    NumberSetting::new("eii_most_ms", 16_000, [10, 600_000]),
    NumberSetting::new("period_ms", 100, [10, 10_000]),
];

/// All settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegulatorSettings {
    /// How.
    pub policy: RegulationPolicy,
    pub(crate) thresholds: NumberSettings<COUNT>,
    ignored: [[u8; IGNORED_NAME_BYTES]; IGNORED_MAX],
    ignored_count: usize,
}

impl Default for RegulatorSettings {
    fn default() -> Self {
        RegulatorSettings::of(RegulationPolicy::Eii)
    }
}

impl RegulatorSettings {
    /// As at first, with `policy`.
    pub fn of(policy: RegulationPolicy) -> RegulatorSettings {
        let thresholds = NumberSettings::new(THRESHOLDS);
        RegulatorSettings { policy, thresholds, ignored: [[0; IGNORED_NAME_BYTES]; IGNORED_MAX], ignored_count: 0 }
    }

    /// The value of `threshold`.
    pub fn get(&self, threshold: RegulatorThreshold) -> u32 {
        self.thresholds.get(threshold as usize)
    }

    /// The value of `threshold`, which is a time, ns.
    pub(crate) fn ns(&self, threshold: RegulatorThreshold) -> u64 {
        u64::from(self.get(threshold)) * NS_PER_MS
    }

    /// Names of programs whose use does not count as the foreground's, zero-padded.
    pub fn ignored(&self) -> &[[u8; IGNORED_NAME_BYTES]] {
        &self.ignored[..self.ignored_count]
    }

    /// Empties the ignore list.
    pub fn clear_ignored(&mut self) {
        self.ignored_count = 0;
    }

    /// Ignores `name` too; whether there is room for it, and a program's file may be called that. It counts up to the
    /// bytes that are kept of a program's name, as on Linux.
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
