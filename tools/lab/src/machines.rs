//! The machines of runs: a profile, with what a run changes of it.

use renga_bench::run::{self, BenchRun};
use renga_cli::ProfileName;
use renga_cluster::profile::{Profile, profile};
use std::collections::BTreeMap;

/// The profile that rows call so.
pub(crate) fn name_of(profile: run::CostProfile) -> ProfileName {
    match profile {
        run::CostProfile::Pi3 => ProfileName::Pi3,
        run::CostProfile::Paper1989 => ProfileName::Paper1989,
    }
}

/// The machine of a run.
pub fn of_run(run: &BenchRun) -> Profile {
    let mut profile = profile(name_of(run.profile));
    if let Some(instruction_ns) = run.instruction_ns {
        profile.shift = instruction_ns.ilog2() as u8;
    }
    profile.medium = run.medium.unwrap_or(profile.medium);
    profile.core_slice_ns = run.core_slice_ns;
    run.link_rate_bps.map_or(profile, |rate_bps| profile.with_link_rate(rate_bps))
}

/// The parameters of runs, as they are printed beside results; of those that differ, each.
pub fn parameters(runs: &[BenchRun]) -> BTreeMap<String, String> {
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
    use renga_bench::run::{BenchMachine, BenchRun, CostProfile, OURS};
    use std::fs;

    fn run(profile: CostProfile) -> BenchRun {
        BenchRun::new(BenchMachine::Cluster(OURS), profile, "small", "")
    }

    #[test]
    fn machine_of_run_has_named_rate_and_timing() {
        let of = |profile, rate_bps| of_run(&run(profile).at_rate(rate_bps));
        let timing = |profile, mbit: u64| of(profile, mbit * 1_000_000).link_timing;
        assert_eq!([1, 10, 18, 100].map(|mbit| timing(CostProfile::Pi3, mbit)), ["paper-1989", "pins", "pi3", "pi3"]);
        assert_eq!([1, 100].map(|mbit| timing(CostProfile::Paper1989, mbit)), ["paper-1989"; 2]);
        assert_eq!(of(CostProfile::Pi3, 18_000_000), of_run(&run(CostProfile::Pi3)));
        let rates = parameters(&[1, 1, 10].map(|mbit| run(CostProfile::Pi3).at_rate(mbit * 1_000_000)));
        assert_eq!((rates["link"].as_str(), rates["medium"].as_str()), ("1 Mbit/s or 10 Mbit/s", "sd"));
    }

    /// Holds: profile-same-output.
    #[test]
    fn profile_parameters_match_the_document() {
        let document = fs::read_to_string("../../docs/reference/profiles.md").unwrap();
        let row =
            |name: &str| document.lines().find(|line| line.starts_with(&format!("| {name}"))).unwrap().to_string();
        for (column, profile) in [(2, CostProfile::Pi3), (3, CostProfile::Paper1989)] {
            let parameters = parameters(&[run(profile)]);
            for (name, title) in [("instruction", "an instruction"), ("link", "link"), ("medium", "medium")] {
                let cell = row(title).split('|').nth(column).unwrap().replace('`', "");
                assert!(cell.contains(&parameters[name]), "{cell}: {parameters:?}");
            }
            assert_eq!(parameters["instruction"], format!("{} ns", profile.instruction_ns()));
        }
    }
}
