//! Profiles: what a machine is like, as data.
//!
//! Invariant: a profile changes times only, never what a program computes.

use crate::cli::ProfileName;
use renga_bench::run::Run;
use renga_boot_card::LinkMode;
use std::collections::BTreeMap;

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// An instruction takes 2^shift ns.
    pub shift: u8,
    /// Bits a second on the link.
    pub link_rate_bps: u64,
    /// The link's times (`renga_router::LinkTiming`).
    pub link_timing: &'static str,
    /// The link is the bus on the boards' pins, wired so.
    pub pins: Option<LinkMode>,
    /// The model of the disk's medium (`renga_fs::medium`).
    pub medium: &'static str,
    /// By how much cores of a board may be apart, as a slice of the emulator's, if it is not its own choice, ns.
    pub core_slice_ns: Option<u64>,
}

impl Profile {
    /// The same over a link of another rate; boards wait for a slower one as long as the slowest known needs that is as slow.
    pub fn with_link_rate(self, link_rate_bps: u64) -> Profile {
        let link_timing = match link_rate_bps {
            _ if link_rate_bps >= self.link_rate_bps => self.link_timing,
            // On the pins of emulated boards a full frame takes two milliseconds.
            4_000_000.. => "pins",
            _ => "paper-1989",
        };
        Profile { link_rate_bps, link_timing, ..self }
    }

    /// The same with the link on the boards' pins: the emulator connects pin to pin, and all else is the boards' work.
    pub fn with_pins(self, wired: LinkMode) -> Profile {
        Profile { pins: Some(wired), link_timing: "pins", ..self }
    }
}

/// The profile called `name`.
pub fn profile(name: ProfileName) -> Profile {
    match name {
        ProfileName::Pi3 => Profile {
            shift: 0,
            link_rate_bps: 18_000_000,
            link_timing: "pi3",
            pins: None,
            medium: "sd",
            core_slice_ns: None,
        },
        ProfileName::Paper1989 => Profile {
            shift: 10,
            link_rate_bps: 4_000_000,
            link_timing: "paper-1989",
            medium: "hdd-1989",
            ..profile(ProfileName::Pi3)
        },
    }
}

/// The calendar time at which every run starts: 2026-01-01, seconds since 1970.
pub const EPOCH_S: u64 = 1_767_225_600;

/// The machine of a run.
pub fn of_run(run: &Run) -> Profile {
    let mut profile = profile(crate::benches::name_of(run.profile));
    if let Some(instruction_ns) = run.instruction_ns {
        profile.shift = instruction_ns.ilog2() as u8;
    }
    profile.medium = run.medium.unwrap_or(profile.medium);
    profile.core_slice_ns = run.core_slice_ns;
    run.link_rate_bps.map_or(profile, |rate_bps| profile.with_link_rate(rate_bps))
}

/// The parameters of runs, as they are printed beside results; of those that differ, each.
pub fn parameters(runs: &[Run]) -> BTreeMap<String, String> {
    let mut parameters = BTreeMap::<String, Vec<String>>::new();
    for run in runs {
        let Profile { shift, link_rate_bps, link_timing, medium, .. } = of_run(run);
        let link = renga_emu::BusConfig::with_rate(link_rate_bps);
        let mut add = |name: &str, value: String| {
            let values = parameters.entry(name.to_string()).or_default();
            if !values.contains(&value) {
                values.push(value);
            }
        };
        add("instruction", format!("{} ns", 1u64 << shift));
        add("link", format!("{} Mbit/s", link_rate_bps as f64 / 1e6));
        add("token pass", format!("{} ns", link.token_pass_ns));
        add("link's times", link_timing.to_string());
        add("medium", medium.to_string());
    }
    parameters.into_iter().map(|(name, values)| (name, values.join(" or "))).collect()
}

#[cfg(test)]
mod tests {
    use super::{of_run, parameters};
    use renga_bench::run::{Machine, OURS, Profile, Run};
    use std::fs;

    fn run(profile: Profile) -> Run {
        Run::new(Machine::Cluster(OURS), profile, "small", "")
    }

    #[test]
    fn a_run_has_the_rate_that_it_names_and_times_that_go_with_it() {
        let of = |profile, rate_bps| of_run(&run(profile).at_rate(rate_bps));
        let timing = |profile, mbit: u64| of(profile, mbit * 1_000_000).link_timing;
        assert_eq!([1, 10, 18, 100].map(|mbit| timing(Profile::Pi3, mbit)), ["paper-1989", "pins", "pi3", "pi3"]);
        assert_eq!([1, 100].map(|mbit| timing(Profile::Paper1989, mbit)), ["paper-1989"; 2]);
        assert_eq!(of(Profile::Pi3, 18_000_000), of_run(&run(Profile::Pi3)));
        let rates = parameters(&[1, 1, 10].map(|mbit| run(Profile::Pi3).at_rate(mbit * 1_000_000)));
        assert_eq!((rates["link"].as_str(), rates["medium"].as_str()), ("1 Mbit/s or 10 Mbit/s", "sd"));
    }

    #[test]
    fn the_parameters_of_both_profiles_are_those_that_are_written() {
        let document = fs::read_to_string("../../docs/reference/profiles.md").unwrap();
        let row =
            |name: &str| document.lines().find(|line| line.starts_with(&format!("| {name}"))).unwrap().to_string();
        for (column, profile) in [(2, Profile::Pi3), (3, Profile::Paper1989)] {
            let parameters = parameters(&[run(profile)]);
            for (name, title) in [("instruction", "an instruction"), ("link", "link"), ("medium", "medium")] {
                let cell = row(title).split('|').nth(column).unwrap().replace('`', "");
                assert!(cell.contains(&parameters[name]), "{cell}: {parameters:?}");
            }
            assert_eq!(parameters["instruction"], format!("{} ns", profile.instruction_ns()));
        }
    }
}
