//! `renga test`: all tests, in layers, with the sum at the end.
//!
//! Invariant: the last line is `N passed, N failed, N skipped`, counted from what the test programs said, and
//! the status is not 0 if any failed or any layer could not run. Tests that cannot run on this machine (`renga_skip`)
//! are not among those that passed; they are named, with the reasons.

use crate::artifacts::{self, Flavour};
use crate::cli::Test;
use crate::command::fuzz::{fuzz, has_nightly};
use crate::disk_image::Choice;
use crate::environment::Environment;
use crate::progress::Progress;
use anyhow::{Context, Result};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Crates whose tests need no QEMU.
const HOST_EXCLUDED: [&str; 4] = ["renga-image", "renga-arch-aarch64", "renga-userland", "renga-emu-plugin"];

/// Crates that are tried under AddressSanitizer and miri: the rendezvous core, which has unsafe code, and
/// what runs on it when something comes over the link.
const WATCHED: [&str; 5] = ["renga-core", "renga-rt", "renga-router", "renga-mac", "renga-wire"];

/// What tests said so far.
#[derive(Default)]
struct Count {
    passed: u64,
    failed: u64,
    ignored: u64,
    /// Tests that found that they cannot run here, and why.
    skipped: Vec<String>,
    broken: Vec<String>,
}

/// Runs the layers.
///
/// # Errors
/// If cargo cannot be started, or what clusters need cannot be built.
pub fn test(environment: &Environment, options: &Test) -> Result<u8> {
    if let Some(seconds) = options.fuzz {
        return fuzz(environment, options, seconds);
    }
    let mut count = Count::default();
    if options.miri {
        println!("== core and link under miri");
        let mut arguments = vec!["+nightly", "miri", "test"];
        arguments.extend(WATCHED.iter().flat_map(|name| ["-p", name]));
        layer(environment, &mut count, "miri", &arguments, options, &[("MIRIFLAGS", "-Zmiri-ignore-leaks")])?;
    } else {
        println!("== set-up");
        set_up(environment, &mut count)?;
        println!("== host tests and simulator");
        let mut arguments = vec!["test", "--workspace", "--no-fail-fast"];
        for crate_name in HOST_EXCLUDED.iter().chain(&["renga"]) {
            arguments.extend(["--exclude", crate_name]);
        }
        layer(environment, &mut count, "host tests", &arguments, options, &[])?;
        sanitized(environment, &mut count, options)?;
        if !options.host {
            prepare(environment)?;
            println!("== clusters in QEMU");
            layer(environment, &mut count, "clusters", &["test", "-p", "renga", "--no-fail-fast"], options, &[])?;
        }
    }
    for layer in &count.broken {
        println!("a layer did not end well: {layer}");
    }
    for line in &count.skipped {
        println!("skipped: {line}");
    }
    println!("{}", count.sum());
    Ok(u8::from(count.all_failed() > 0))
}

/// The error paths of the set-up script.
fn set_up(environment: &Environment, count: &mut Count) -> Result<()> {
    let script = environment.root.join("tools/setup/test.sh");
    let output = Command::new("bash").arg(&script).output().context("cannot start bash")?;
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    count.passed += text.lines().filter(|line| line.starts_with("ok: ")).count() as u64;
    count.failed += text.lines().filter(|line| line.starts_with("FAILED: ")).count() as u64;
    if !output.status.success() {
        count.broken.push("set-up".to_string());
    }
    Ok(())
}

/// Core and link under AddressSanitizer, where a nightly toolchain is installed.
fn sanitized(environment: &Environment, count: &mut Count, options: &Test) -> Result<()> {
    if !has_nightly() {
        println!("== no nightly toolchain: AddressSanitizer is left out");
        return Ok(());
    }
    println!("== core and link under AddressSanitizer");
    let target = environment.root.join("target/sanitized");
    let target = target.to_string_lossy();
    let mut arguments = vec!["+nightly", "test", "--tests", "--target", "x86_64-unknown-linux-gnu"];
    arguments.extend(["--target-dir", target.as_ref()]);
    arguments.extend(WATCHED.iter().flat_map(|name| ["-p", name]));
    // Boot memory is leaked on purpose: a board never gives it back.
    let settings = [("RUSTFLAGS", "-Zsanitizer=address"), ("ASAN_OPTIONS", "detect_leaks=0")];
    layer(environment, count, "AddressSanitizer", &arguments, options, &settings)
}

/// Builds what the cluster tests share, so that they do not build it at the same time.
fn prepare(environment: &Environment) -> Result<()> {
    let progress = Progress::start();
    artifacts::kernel(environment, Flavour::Plain, &progress)?;
    artifacts::plugin(environment, &progress)?;
    artifacts::disk(environment, &Choice::default(), None, &progress)?;
    progress.finish();
    Ok(())
}

fn layer(
    environment: &Environment,
    count: &mut Count,
    name: &str,
    arguments: &[&str],
    options: &Test,
    settings: &[(&str, &str)],
) -> Result<()> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(&environment.root).args(arguments).envs(settings.iter().copied());
    // Set by an outer cargo; an inner one with another toolchain must not inherit them.
    cargo.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
    if let Some(filter) = &options.filter {
        cargo.arg(filter);
    }
    let skipped = environment.work().join(format!("skipped.{}", std::process::id()));
    cargo.env(renga_skip::SKIPPED, &skipped);
    let mut child = cargo.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let output = child.stdout.take().context("cargo has no output")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        println!("{line}");
        count.read(&line);
    }
    if !child.wait()?.success() {
        count.broken.push(name.to_string());
    }
    // It is there only if a test was skipped.
    count.skip(&fs::read_to_string(&skipped).unwrap_or_default());
    let _ = fs::remove_file(&skipped);
    Ok(())
}

impl Count {
    /// Takes the tests that `lines` name from those that passed, which is what the harness took them for.
    fn skip(&mut self, lines: &str) {
        let mut lines: Vec<String> = lines.lines().map(str::to_string).collect();
        lines.sort_unstable();
        lines.dedup_by_key(|line| line.split(": ").next().unwrap_or_default().to_string());
        self.passed = self.passed.saturating_sub(lines.len() as u64);
        self.skipped.append(&mut lines);
    }

    /// Tests that failed; if none did, layers that did not end well.
    fn all_failed(&self) -> u64 {
        if self.failed == 0 { self.broken.len() as u64 } else { self.failed }
    }

    fn sum(&self) -> String {
        let skipped = self.ignored + self.skipped.len() as u64;
        format!("{} passed, {} failed, {skipped} skipped", self.passed, self.all_failed())
    }

    /// Reads a test program's closing line.
    fn read(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("test result: ") else { return };
        let number = |what: &str| {
            let words: Vec<&str> = rest.split([' ', ';', '.']).filter(|word| !word.is_empty()).collect();
            words.windows(2).find(|pair| pair[1] == what).and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
        };
        self.passed += number("passed");
        self.failed += number("failed");
        self.ignored += number("ignored");
    }
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[test]
    fn closing_lines_are_summed() {
        let mut count = Count::default();
        count.read("test result: ok. 13 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.07s");
        count.read("test result: FAILED. 1 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s");
        count.read("test something ... ok");
        assert_eq!((count.passed, count.failed, count.ignored), (14, 3, 2));
    }

    #[test]
    fn skipped_tests_are_not_among_those_that_passed() {
        let mut count = Count::default();
        count.read("test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.07s");
        count.skip("flash::b: no loop device: none\nflash::b: no loop device: none\ncheck::a: no dot: not here\n");
        assert_eq!(count.skipped, ["check::a: no dot: not here", "flash::b: no loop device: none"]);
        assert_eq!(count.sum(), "3 passed, 0 failed, 3 skipped");
    }
}
