//! The table of parameters: name, meaning, range, place in a [`Profile`].

use crate::decimal;
use crate::profile::Profile;
use renga_fs::Medium;
use renga_router::LinkTiming;

/// A parameter of a machine.
#[derive(Debug)]
pub struct ProfileParameter {
    /// Its name in files and in `--set`: the table, a dot, the key with its unit.
    pub key: &'static str,
    /// What it is, and why its range is what it is.
    pub what: &'static str,
    /// Its values.
    pub domain: Domain,
}

/// The values of a parameter, and where a profile has it.
#[derive(Debug)]
pub enum Domain {
    /// A decimal number.
    Number {
        /// So many of what a profile counts make one: a power of ten.
        unit: u64,
        /// The least, as a profile counts.
        least: u64,
        /// The most, likewise.
        most: u64,
        /// Only powers of two.
        power_of_two: bool,
        /// Its place.
        field: fn(&mut Profile) -> &mut u64,
    },
    /// One of some names.
    Name {
        /// All of them.
        names: fn() -> Vec<&'static str>,
        /// Its place.
        field: fn(&mut Profile) -> &mut &'static str,
    },
}

const US: u64 = 1_000;
const MS: u64 = 1_000_000;
const MBIT: u64 = 1_000_000;

static PARAMETERS: [ProfileParameter; 11] = [
    ProfileParameter {
        key: "instruction.ns",
        what: "an instruction; the emulator's clock shifts a count of instructions",
        domain: Domain::Number {
            unit: 1,
            least: 1,
            most: 1024,
            power_of_two: true,
            field: |profile| &mut profile.instruction_ns,
        },
    },
    ProfileParameter {
        key: "link.rate_mbit_s",
        what: "the link's rate",
        domain: number(MBIT, MBIT / 2, 1000 * MBIT, |profile| &mut profile.link_rate_bps),
    },
    ProfileParameter {
        key: "link.arm_us",
        what: "all boards get ready before a frame",
        domain: number(US, US, 10_000 * US, |profile| &mut profile.link_arm_ns),
    },
    ProfileParameter {
        key: "link.token_pass_ns",
        what: "the token from one board to the next; 0: a word of 16 bits",
        domain: number(1, 0, 10_000_000, |profile| &mut profile.link_token_pass_ns),
    },
    ProfileParameter {
        key: "link.timing",
        what: "the router's waits",
        domain: Domain::Name {
            names: || LinkTiming::NAMED.iter().map(|(name, _)| *name).collect(),
            field: |profile| &mut profile.link_timing,
        },
    },
    ProfileParameter {
        key: "medium",
        what: "the disk's medium",
        domain: Domain::Name { names: || Medium::names().collect(), field: |profile| &mut profile.medium },
    },
    ProfileParameter {
        key: "os.slice_ms",
        what: "the time slice of a fair program",
        domain: number(MS, MS / 20, 10_000 * MS, |profile| &mut profile.os.slice_ns),
    },
    ProfileParameter {
        key: "os.wakeup_granularity_us",
        what: "a woken program preempts one that is ahead of it by this",
        domain: number(US, 0, 1_000_000 * US, |profile| &mut profile.os.wakeup_granularity_ns),
    },
    ProfileParameter {
        key: "os.writeback_age_ms",
        what: "from a change of a file to its commit",
        domain: number(MS, 10 * MS, 600_000 * MS, |profile| &mut profile.os.writeback_age_ns),
    },
    ProfileParameter {
        key: "os.commit_interval_ms",
        what: "between commits while much is written back",
        domain: number(MS, 10 * MS, 600_000 * MS, |profile| &mut profile.os.commit_interval_ns),
    },
    ProfileParameter {
        key: "os.tick_ms",
        what: "sleeps and timers end at multiples of this; 0: when they are over",
        domain: number(MS, 0, 1_000 * MS, |profile| &mut profile.os.tick_ns),
    },
];

const fn number(unit: u64, least: u64, most: u64, field: fn(&mut Profile) -> &mut u64) -> Domain {
    Domain::Number { unit, least, most, power_of_two: false, field }
}

/// All parameters.
pub fn parameters() -> &'static [ProfileParameter] {
    &PARAMETERS
}

impl ProfileParameter {
    /// The parameter `key`.
    pub fn named(key: &str) -> Option<&'static ProfileParameter> {
        PARAMETERS.iter().find(|parameter| parameter.key == key)
    }

    /// Its values, for a person.
    pub fn range(&self) -> String {
        match &self.domain {
            Domain::Number { unit, least, most, power_of_two, .. } => {
                let kind = if *power_of_two { "a power of two from" } else { "from" };
                format!("{kind} {} to {}", decimal::show(*least, *unit), decimal::show(*most, *unit))
            }
            Domain::Name { names, .. } => format!("one of {}", names().join(", ")),
        }
    }

    /// Its value in `profile`, as files and `--set` have it.
    pub fn show(&self, profile: &Profile) -> String {
        let mut profile = *profile;
        match &self.domain {
            Domain::Number { unit, field, .. } => decimal::show(*field(&mut profile), *unit),
            Domain::Name { field, .. } => (*field(&mut profile)).to_string(),
        }
    }

    /// Sets it in `profile` to what `text` says; whether that is in its range.
    pub(crate) fn set(&self, profile: &mut Profile, text: &str) -> bool {
        match &self.domain {
            Domain::Number { unit, least, most, power_of_two, field } => {
                let fits = |value: &u64| (*least..=*most).contains(value) && (!power_of_two || value.is_power_of_two());
                let value = decimal::parse(text, *unit).filter(fits);
                value.map(|value| *field(profile) = value).is_some()
            }
            Domain::Name { names, field } => {
                let name = names().into_iter().find(|name| *name == text);
                name.map(|name| *field(profile) = name).is_some()
            }
        }
    }
}
