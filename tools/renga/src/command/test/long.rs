//! `renga test --long`: the parts that take hours, and so are left out of `renga test`.
//!
//! Invariant: as there, the last line is the sum of all parts, and the status is not 0 if anything failed. Before a
//! part begins it is said which it is, of how many, and what it does; after it, how long it took. Not here: what each
//! part tests.

use super::count::TestCount;
use super::layer::Layer;
use super::{of_workspace, prepare, under_miri};
use crate::command::fuzz::{fuzz, has_miri};
use crate::command::sim;
use anyhow::Result;
use clap::ValueEnum;
use renga_cli::{LongPart, Test};
use renga_workspace::environment::Environment;
use std::time::{Duration, Instant};

/// Seeds of whole systems.
const SYSTEM_SEEDS: u32 = 100_000;
/// Seeds of calls between boards.
const LINK_SEEDS: u32 = 1_000_000;
/// Of each fuzz target.
const FUZZ_S: u32 = 1200;
/// Calls of the hostile board.
const HOSTILE_CALLS: &str = "10000000";
/// Cuts of each idiom and kind.
const CRASH_POINTS: &str = "200";
/// Seeds of booted boards: those behind the ones that `renga test` runs.
const CHAOS_SEEDS: &str = "10,260";
/// Tests of clusters that name their systems themselves, or check figures of the pair's.
const OF_THE_PAIR: [&str; 6] = ["many::", "check::", "unix::", "images::", "cards::", "pins::"];
/// Those, and what is so where boards have one core: that one program that computes contends with another.
const OF_ONE_CORE: [&str; 7] =
    ["many::", "check::", "unix::", "images::", "cards::", "pins::", "background_job_beside_computing"];
const SECONDS_PER_MINUTE: u64 = 60;

/// Runs the `chosen` parts, or all of them.
///
/// # Errors
/// If cargo cannot be started, or what clusters need cannot be built.
pub(super) fn test(environment: &Environment, options: &Test, chosen: &[LongPart]) -> Result<u8> {
    let is_chosen = |part: &LongPart| chosen.is_empty() || chosen.contains(part);
    let parts: Vec<LongPart> = LongPart::value_variants().iter().copied().filter(is_chosen).collect();
    let (mut count, begin) = (TestCount::default(), Instant::now());
    for (number, part) in parts.iter().enumerate() {
        let value = part.to_possible_value();
        let (name, help) = value.map_or_else(Default::default, |value| {
            (value.get_name().to_string(), value.get_help().map(ToString::to_string).unwrap_or_default())
        });
        println!("== part {} of {}: {name}: {help}", number + 1, parts.len());
        let part_begin = Instant::now();
        run(*part, &name, environment, options, &mut count)?;
        let (took, all) = (minutes(part_begin.elapsed()), minutes(begin.elapsed()));
        println!("== {name} took {took} minutes; {all} minutes in all, so far {}", count.sum());
    }
    Ok(count.close())
}

fn minutes(time: Duration) -> u64 {
    time.as_secs() / SECONDS_PER_MINUTE
}

fn run(part: LongPart, name: &str, environment: &Environment, options: &Test, count: &mut TestCount) -> Result<()> {
    match part {
        LongPart::Quad | LongPart::Octet | LongPart::Pair4 => {
            let settings = &[("RENGA_TEST_SYSTEM", name)];
            let without = if part == LongPart::Pair4 { &OF_ONE_CORE[..] } else { &OF_THE_PAIR[..] };
            clusters(environment, options, count, &Layer { settings, without, ..Layer::named(name) })?;
        }
        LongPart::Chaos => {
            let settings = &[("RENGA_CHAOS_SEEDS", CHAOS_SEEDS), ("RENGA_CHAOS_REPEAT", "1")];
            let only = Test { filter: Some("chaos::".into()), ..options.clone() };
            clusters(environment, &only, count, &Layer { settings, ..Layer::named(name) })?;
        }
        LongPart::Crash => {
            let only = Test { filter: Some("crash::".into()), ..options.clone() };
            let (settings, flags) = (&[("RENGA_CRASH_POINTS", CRASH_POINTS)], &["--include-ignored"]);
            clusters(environment, &only, count, &Layer { settings, flags, ..Layer::named(name) })?;
        }
        LongPart::Debian => {
            ignored("debian::", name, environment, options, count)?;
            if options.filter.is_none() {
                ignored("linux::", name, environment, options, count)?;
            }
        }
        LongPart::Suites => ignored("suites::", name, environment, options, count)?,
        LongPart::Packages => ignored("packages::", name, environment, options, count)?,
        LongPart::Cores => ignored("boards::cores::", name, environment, options, count)?,
        LongPart::Wires => ignored("boards::pins::", name, environment, options, count)?,
        LongPart::Qemu => ignored("qemu_versions::", name, environment, options, count)?,
        LongPart::Release => {
            let arguments = &["test", "-p", "renga-release", "--test", "release"];
            Layer { arguments, flags: &["--ignored"], ..Layer::named(name) }.run(environment, options, count)?;
        }
        LongPart::Update => ignored("boards::update::", name, environment, options, count)?,
        LongPart::Systems => count.one(name, seeds(environment, "system", SYSTEM_SEEDS)?),
        LongPart::Calls => count.one(name, seeds(environment, "link", LINK_SEEDS)?),
        LongPart::Wasm => {
            environment.provide_browser()?;
            let arguments = &["test", "-p", "renga-sim-browser", "--test", "browser"];
            Layer { arguments, flags: &["--ignored"], ..Layer::named(name) }.run(environment, options, count)?;
        }
        LongPart::Models => {
            let arguments = &["test", "-p", "renga-model", "--test", "token"];
            Layer { arguments, flags: &["--ignored"], ..Layer::named(name) }.run(environment, options, count)?;
        }
        LongPart::Hostile => {
            let arguments = &["test", "--profile", "sim", "-p", "renga-sim", "--test", "system"];
            let (settings, only) = (&[("RENGA_STEPS", HOSTILE_CALLS)], Some("hostile".into()));
            let layer = Layer { arguments, settings, ..Layer::named(name) };
            layer.run(environment, &Test { filter: only, ..options.clone() }, count)?;
        }
        LongPart::Browser => {
            environment.provide_browser()?;
            let arguments = &["test", "-p", "renga-browser-view", "--test", "run"];
            Layer { arguments, ..Layer::named(name) }.run(environment, options, count)?;
        }
        LongPart::Damage => ignored("host_faults::", name, environment, options, count)?,
        LongPart::Fuzz => count.one(name, fuzz(environment, options, FUZZ_S)? == 0),
        LongPart::Miri if has_miri() => under_miri(environment, count, options)?,
        LongPart::Miri => count.skipped.push(format!("{name}: no nightly toolchain with miri")),
    }
    Ok(())
}

/// Runs tests of clusters that are ignored otherwise.
fn ignored(tests: &str, name: &str, environment: &Environment, options: &Test, count: &mut TestCount) -> Result<()> {
    let only = Test { filter: Some(options.filter.clone().unwrap_or_else(|| tests.into())), ..options.clone() };
    clusters(environment, &only, count, &Layer { flags: &["--ignored"], ..Layer::named(name) })
}

fn clusters(environment: &Environment, options: &Test, count: &mut TestCount, layer: &Layer<'_>) -> Result<()> {
    prepare(environment, options)?;
    Layer { arguments: &of_workspace(&["cluster"]), ..*layer }.run(environment, options, count)
}

/// Runs seeds of the simulator, which shows how far it is; whether none failed.
fn seeds(environment: &Environment, level: &str, seeds: u32) -> Result<bool> {
    sim::run(environment, &["--level", level, "--seeds", &seeds.to_string()])
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use renga_cli::{Cli, LongPart, RengaCommand};

    fn parts(arguments: &[&str]) -> Option<Vec<LongPart>> {
        let Ok(cli) = Cli::try_parse_from([&["renga", "test"], arguments].concat()) else { return None };
        match cli.command {
            RengaCommand::Test(test) => test.long,
            _ => None,
        }
    }

    #[test]
    fn long_parts_are_chosen_by_name() {
        assert_eq!(parts(&["--long"]), Some(vec![]));
        assert_eq!(parts(&["--long", "pipes"]), Some(vec![]), "the filter");
        assert_eq!(parts(&["--long=octet,chaos", "pipes"]), Some(vec![LongPart::Octet, LongPart::Chaos]));
        assert_eq!(parts(&["--long=all"]), None, "no such part");
        assert_eq!(parts(&["--long", "--host"]), None);
    }
}
