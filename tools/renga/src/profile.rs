//! Profiles: what a machine is like, as data.
//!
//! Invariant: a profile changes times only, never what a program computes.

use crate::cli::ProfileName;
use renga_node::LinkMode;
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
}

impl Profile {
    /// The same with the link on the boards' pins: the emulator connects pin to pin, and all else is the boards' work.
    pub fn with_pins(self, wired: LinkMode) -> Profile {
        Profile { pins: Some(wired), link_timing: "pins", ..self }
    }
}

/// The profile called `name`.
pub fn profile(name: ProfileName) -> Profile {
    match name {
        ProfileName::Pi3 => {
            Profile { shift: 0, link_rate_bps: 18_000_000, link_timing: "pi3", pins: None, medium: "sd" }
        }
        ProfileName::Paper1989 => {
            Profile { shift: 10, link_rate_bps: 4_000_000, link_timing: "paper-1989", pins: None, medium: "hdd-1989" }
        }
    }
}

/// The calendar time at which every run starts: 2026-01-01, seconds since 1970.
pub const EPOCH_S: u64 = 1_767_225_600;

/// The parameters of a profile, as they are printed beside results.
pub fn parameters(profile: renga_bench::run::Profile) -> BTreeMap<String, String> {
    let name = crate::benches::name_of(profile);
    let Profile { shift, link_rate_bps, link_timing, medium, .. } = self::profile(name);
    let link = renga_emu::BusConfig::with_rate(link_rate_bps);
    let mut parameters = BTreeMap::new();
    let mut add = |name: &str, value: String| parameters.insert(name.to_string(), value);
    add("instruction", format!("{} ns", 1u64 << shift));
    add("link", format!("{} Mbit/s", link_rate_bps as f64 / 1e6));
    add("token pass", format!("{} ns", link.token_pass_ns));
    add("link's times", link_timing.to_string());
    add("medium", medium.to_string());
    parameters
}

#[cfg(test)]
mod tests {
    use super::parameters;
    use renga_bench::run::Profile;
    use std::fs;

    #[test]
    fn the_parameters_of_both_profiles_are_those_that_are_written() {
        let document = fs::read_to_string("../../docs/reference/profiles.md").unwrap();
        let row =
            |name: &str| document.lines().find(|line| line.starts_with(&format!("| {name}"))).unwrap().to_string();
        for (column, profile) in [(2, Profile::Pi3), (3, Profile::Paper1989)] {
            let parameters = parameters(profile);
            for (name, title) in [("instruction", "an instruction"), ("link", "link"), ("medium", "medium")] {
                let cell = row(title).split('|').nth(column).unwrap().replace('`', "");
                assert!(cell.contains(&parameters[name]), "{cell}: {parameters:?}");
            }
            assert_eq!(parameters["instruction"], format!("{} ns", profile.instruction_ns()));
        }
    }
}
