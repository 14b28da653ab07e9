//! The machines of runs: a profile, with what a run changes of it.

use renga_bench::rows::RowPlan;
use renga_bench::run::{BenchRun, CostProfile};
use renga_cli::BenchProfiles;
use renga_profile::{Profile, ProfileChoice, ProfileSetting, shipped};
use std::collections::BTreeMap;
use std::path::Path;

/// From here on an instruction is so slow that rows have the sizes of the paper's machine, ns.
const SLOW_INSTRUCTION_NS: u64 = 32;

/// A plan of rows and the machine on which their runs are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachinePlan {
    /// The plan, whose profile decides the sizes.
    pub plan: RowPlan,
    /// What people call the machine.
    pub name: String,
    /// What differs from the plan's profile.
    pub settings: Vec<ProfileSetting>,
}

impl MachinePlan {
    /// Rows of the sizes of `sizes` on the machine of `choice`, changed by `set`.
    fn new(sizes: CostProfile, choice: &ProfileChoice, set: &[ProfileSetting], short: bool) -> MachinePlan {
        let settings = choice.profile.with(set).differences(&of_sizes(sizes));
        let stem = Path::new(&choice.name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
        let set = set.iter().map(|setting| format!(",{setting}"));
        let name = std::iter::once(stem).chain(set).collect();
        MachinePlan { plan: RowPlan { profile: sizes, short }, name, settings }
    }
}

fn of_sizes(sizes: CostProfile) -> Profile {
    shipped(sizes.name()).unwrap_or_else(renga_profile::usual)
}

/// With which machines rows of the first paper, and those beyond the papers, are run.
pub fn plans(profiles: &BenchProfiles) -> Vec<MachinePlan> {
    let of =
        |sizes: CostProfile, choice: &ProfileChoice| MachinePlan::new(sizes, choice, &profiles.set, profiles.short);
    let shipped = |sizes: CostProfile| {
        let choice = ProfileChoice { name: sizes.name().to_string(), profile: of_sizes(sizes) };
        of(sizes, &choice)
    };
    match &profiles.profile {
        None => [CostProfile::Pi3, CostProfile::Paper1989].map(shipped).into(),
        Some(choice) if choice.profile.with(&profiles.set).instruction_ns < SLOW_INSTRUCTION_NS => {
            vec![of(CostProfile::Pi3, choice)]
        }
        Some(choice) => vec![of(CostProfile::Paper1989, choice)],
    }
}

/// With which machine rows of papers on machines of today are run: their sizes are always those.
pub fn plans_of_today(profiles: &BenchProfiles) -> Vec<MachinePlan> {
    let choice = profiles.profile.clone().unwrap_or_default();
    vec![MachinePlan::new(CostProfile::Pi3, &choice, &profiles.set, profiles.short)]
}

/// The machine of a run: its profile, the user's settings, and what the row varies.
pub fn of_run(run: &BenchRun) -> Profile {
    let mut profile = of_sizes(run.profile).with(&run.settings);
    if let Some(instruction_ns) = run.instruction_ns {
        profile.instruction_ns = instruction_ns.into();
    }
    profile.medium = run.medium.unwrap_or(profile.medium);
    profile.core_slice_ns = run.core_slice_ns;
    run.link_rate_bps.map_or(profile, |rate_bps| profile.with_link_rate(rate_bps))
}

/// The parameters of runs, as they are printed beside results; of those that differ, each.
pub fn parameters(runs: &[BenchRun]) -> BTreeMap<String, String> {
    let mut parameters = BTreeMap::<String, Vec<String>>::new();
    for run in runs {
        let Profile { instruction_ns, link_rate_bps, link_arm_ns, link_token_pass_ns, link_timing, medium, .. } =
            of_run(run);
        let link = renga_emu::BusConfig::with_overheads(link_rate_bps, link_arm_ns, link_token_pass_ns);
        let mut add = |name: &str, value: String| {
            let values = parameters.entry(name.to_string()).or_default();
            if !values.contains(&value) {
                values.push(value);
            }
        };
        add("instruction", format!("{instruction_ns} ns"));
        add("link", format!("{} Mbit/s", link_rate_bps as f64 / 1e6));
        add("token pass", format!("{} ns", link.token_pass_ns));
        add("link's times", link_timing.to_string());
        add("medium", medium.to_string());
        run.settings.iter().for_each(|setting| add(setting.key(), setting.value().to_string()));
    }
    parameters.into_iter().map(|(name, values)| (name, values.join(" or "))).collect()
}

#[cfg(test)]
mod tests {
    use super::{of_run, parameters, plans, plans_of_today};
    use renga_bench::run::{ALONE, BenchMachine, BenchRun, CostProfile, LINUX, OURS};
    use renga_cli::BenchProfiles;
    use renga_profile::{ProfileSetting, shipped};

    fn run(profile: CostProfile) -> BenchRun {
        BenchRun::new(BenchMachine::Cluster(OURS), profile, "small", "")
    }

    fn settings(texts: &[&str]) -> Vec<ProfileSetting> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
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

    #[test]
    fn machine_of_run_has_settings_unless_row_varies_them() {
        let set = settings(&["link.rate_mbit_s=8", "medium=null", "link.arm_us=20"]);
        let machine = of_run(&run(CostProfile::Pi3).with_settings(&set).at_rate(100_000_000));
        assert_eq!((machine.link_rate_bps, machine.medium, machine.link_arm_ns), (100_000_000, "null", 20_000));
        let linux = BenchRun::new(LINUX, CostProfile::Pi3, "small", "").with_settings(&set);
        assert!(linux.settings.is_empty());
        assert_eq!(parameters(&[run(CostProfile::Pi3).with_settings(&set)])["link.arm_us"], "20");
    }

    #[test]
    fn machine_plans_take_sizes_by_instruction_time() {
        let of = |profile: Option<&str>, set: &[&str]| {
            let profile = profile.map(|name| name.parse().unwrap());
            let plans = plans(&BenchProfiles { profile, set: settings(set), short: true });
            plans.into_iter().map(|plan| (plan.plan.profile, plan.name, plan.settings)).collect::<Vec<_>>()
        };
        let both = |set: &[&str], names: [&str; 2]| {
            let plan = |(sizes, name): (CostProfile, &str)| (sizes, name.to_string(), settings(set));
            [CostProfile::Pi3, CostProfile::Paper1989].into_iter().zip(names).map(plan).collect::<Vec<_>>()
        };
        assert_eq!(of(None, &[]), both(&[], ["pi3", "paper-1989"]));
        let names = ["pi3,link.arm_us=20", "paper-1989,link.arm_us=20"];
        assert_eq!(of(None, &["link.arm_us=20"]), both(&["link.arm_us=20"], names));
        assert_eq!(of(Some("paper-1989"), &[]), both(&[], ["pi3", "paper-1989"])[1..]);
        assert_eq!(of(Some("pi3"), &["instruction.ns=64"])[0].0, CostProfile::Paper1989);
        let today = plans_of_today(&BenchProfiles { profile: "paper-1989".parse().ok(), ..BenchProfiles::default() });
        assert_eq!((today[0].plan.profile, today[0].name.as_str()), (CostProfile::Pi3, "paper-1989"));
        let machine = of_run(
            &BenchRun::new(BenchMachine::Cluster(ALONE), CostProfile::Pi3, "small", "")
                .with_settings(&today[0].settings),
        );
        assert_eq!(Some(machine), shipped("paper-1989"));
    }
}
