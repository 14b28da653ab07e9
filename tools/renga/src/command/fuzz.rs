//! `renga test --fuzz-s SECONDS`: hostile input for each target of `tools/fuzz`, made by libFuzzer.
//!
//! Invariant: what is found stays: inputs that reach new code in `target/fuzz/corpus`, those that break
//! something in `target/fuzz/broken`. Not here: the targets; what was kept in the repository, which every
//! `cargo test` tries.

use anyhow::{Context, Result, bail};
use renga_cli::Test;
use renga_workspace::environment::Environment;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The host's target, named so that programs that cargo builds for itself are not instrumented.
const HOST: &str = "x86_64-unknown-linux-gnu";
/// What libFuzzer needs to see which code an input reaches.
const INSTRUMENTED: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing";
/// Longest input, bytes.
const INPUT_BYTES_MAX: u32 = 2048;
/// An input that takes longer is taken for endless.
const INPUT_SECONDS_MAX: u32 = 10;

/// Whether a nightly toolchain is installed, which AddressSanitizer needs.
pub(crate) fn has_nightly() -> bool {
    let found = Command::new("rustup").args(["run", "nightly", "rustc", "-V"]).output();
    found.is_ok_and(|output| output.status.success())
}

/// Whether it has miri.
pub(crate) fn has_miri() -> bool {
    let found = Command::new("cargo").args(["+nightly", "miri", "--version"]).output();
    found.is_ok_and(|output| output.status.success())
}

/// Tries each target (or those whose names contain the filter) for so many seconds.
///
/// # Errors
/// If the programs cannot be built or started.
pub fn fuzz(environment: &Environment, options: &Test, seconds: u32) -> Result<u8> {
    let (folder, place) = (environment.root.join("tools/fuzz"), environment.root.join("target/fuzz"));
    let programs = build(&folder, &place)?;
    let mut names: Vec<String> = fs::read_dir(folder.join("corpus"))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    names.retain(|name| options.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str())));
    names.sort();
    let mut broken = 0;
    for name in &names {
        let output = try_target(&folder, &place, &programs, name, seconds)?;
        let text = String::from_utf8_lossy(&output.stderr);
        println!("{name}: {}", summary(&text));
        if !output.status.success() {
            broken += 1;
            println!("{text}");
        }
    }
    println!("{} targets, {broken} broken", names.len());
    Ok(u8::from(broken > 0))
}

/// Builds the programs, with AddressSanitizer where there is a nightly toolchain; where they are.
fn build(folder: &Path, place: &Path) -> Result<PathBuf> {
    let nightly = has_nightly();
    let (flags, how) = match nightly {
        true => (format!("{INSTRUMENTED} -Zsanitizer=address"), "with AddressSanitizer"),
        false => (INSTRUMENTED.to_string(), "without AddressSanitizer: no nightly toolchain"),
    };
    println!("== building the targets {how}");
    let target = place.join(if nightly { "sanitized" } else { "plain" });
    let mut cargo = Command::new("cargo");
    cargo
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env("RUSTFLAGS", flags)
        .current_dir(folder.join("libfuzzer"));
    if nightly {
        cargo.arg("+nightly");
    }
    cargo.args(["build", "--release", "--target", HOST, "--target-dir"]).arg(&target);
    if !cargo.status().context("cannot start cargo")?.success() {
        bail!("the fuzz targets cannot be built");
    }
    Ok(target.join(HOST).join("release"))
}

fn try_target(folder: &Path, place: &Path, programs: &Path, name: &str, seconds: u32) -> Result<Output> {
    let (found, broken) = (place.join("corpus").join(name), place.join("broken"));
    fs::create_dir_all(&found)?;
    fs::create_dir_all(&broken)?;
    Command::new(programs.join(name))
        .args([format!("-max_total_time={seconds}"), format!("-max_len={INPUT_BYTES_MAX}")])
        .args([format!("-timeout={INPUT_SECONDS_MAX}"), "-print_final_stats=1".to_string()])
        .arg(format!("-artifact_prefix={}/{name}-", broken.display()))
        .args([&found, &folder.join("corpus").join(name)])
        // Some memory is made once and kept on purpose.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .output()
        .with_context(|| format!("cannot start the fuzz target {name}"))
}

/// Executions and coverage, as libFuzzer says them last.
fn summary(text: &str) -> String {
    let number = |line: &str, label: &str| -> Option<String> {
        Some(line.split(label).nth(1)?.split_whitespace().next()?.to_string())
    };
    let executions = text.lines().find_map(|line| number(line, "stat::number_of_executed_units:"));
    let edges = text.lines().rev().find_map(|line| number(line, " cov: "));
    format!("{} executions, {} edges", executions.unwrap_or("?".into()), edges.unwrap_or("?".into()))
}

#[cfg(test)]
mod tests {
    use super::summary;

    #[test]
    fn fuzz_last_figures_are_reported() {
        let text = "#2\tINITED cov: 17 ft: 18 corp: 1/1b\n#2048\tDONE   cov: 224 ft: 513 corp: 276/5524b\n\
            Done 2048 runs in 9 second(s)\nstat::number_of_executed_units: 2048\n";
        assert_eq!(summary(text), "2048 executions, 224 edges");
        assert_eq!(summary("it did not start"), "? executions, ? edges");
    }
}
