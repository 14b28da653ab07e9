//! `renga test`: all tests, in layers, with the sum at the end.
//!
//! Invariant: the last line is `N passed, N failed, N skipped`, counted from what the test programs said, and
//! the status is not 0 if any failed or any layer could not run. Tests that cannot run on this machine (`renga_skip`)
//! are not among those that passed; they are named, with the reasons (`count.rs`). Not here: what takes hours
//! (`long.rs`).

mod count;
mod durations;
mod layer;
mod long;
mod room;

use crate::command::fuzz::{fuzz, has_nightly};
use anyhow::{Context, Result};
use count::TestCount;
use layer::{Layer, SILENCE_MAX};
use renga_cli::Test;
use renga_images::artifacts::{self, KernelFlavour};
use renga_images::disk_image::DiskChoice;
use renga_workspace::delegate::BUILT;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use room::When;
use std::panic::resume_unwind;
use std::process::Command;
use std::thread;

/// Crates that do not build for the host.
const HOST_EXCLUDED: [&str; 5] =
    ["renga-image", "renga-arch-aarch64", "renga-userland", "renga-emu-plugin", "renga-emu-garbage"];

/// Tests that boot clusters, and so run by name only.
const WITH_CLUSTERS: [&str; 3] = ["sweep", "serial_console", "cluster"];

/// Crates that are tried under AddressSanitizer and miri: the rendezvous core, which has unsafe code, and
/// what runs on it when something comes over the link.
const WATCHED: [&str; 5] = ["renga-core", "renga-rt", "renga-router", "renga-mac", "renga-wire"];

/// Runs the layers.
///
/// # Errors
/// If cargo cannot be started, or what clusters need cannot be built.
pub fn test(environment: &Environment, options: &Test) -> Result<u8> {
    if let Some(seconds) = options.fuzz_s {
        return fuzz(environment, options, seconds);
    }
    if let Some(chosen) = &options.long {
        return long::test(environment, options, chosen);
    }
    environment.provide_for_tests()?;
    room::warn(environment, When::Before);
    let mut count = TestCount::default();
    if options.miri {
        println!("== core and link under miri");
        under_miri(environment, &mut count, options)?;
    } else {
        thread::scope(|scope| {
            // A kernel is linked by one core, and many host tests leave one idle.
            let preparation = (!options.host).then(|| scope.spawn(|| prepare(environment, options)));
            let host = on_host(environment, &mut count, options);
            let prepared = preparation.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            host.and(prepared.unwrap_or(Ok(())))
        })?;
        if !options.host {
            println!("== clusters in QEMU");
            let (arguments, settings) = (of_workspace(&WITH_CLUSTERS), &[(BUILT, "1")]);
            let layer = Layer { arguments: &arguments, settings, silence_max: SILENCE_MAX, ..Layer::named("clusters") };
            layer.run(environment, options, &mut count)?;
        }
    }
    if count.failed > 0 {
        room::warn(environment, When::Failed);
    }
    Ok(count.close())
}

/// Cargo's arguments that run these test programs, or without any all that need no name. Whatever of the workspace is
/// asked for is then built with the same features, so once.
fn of_workspace(programs: &[&'static str]) -> Vec<&'static str> {
    let excluded = HOST_EXCLUDED.iter().flat_map(|name| ["--exclude", name]);
    let programs = programs.iter().flat_map(|name| ["--test", name]);
    ["test", "--workspace", "--no-fail-fast"].into_iter().chain(excluded).chain(programs).collect()
}

/// The layers that boot nothing.
fn on_host(environment: &Environment, count: &mut TestCount, options: &Test) -> Result<()> {
    println!("== set-up");
    set_up(environment, count)?;
    println!("== host tests and simulator");
    let arguments = of_workspace(&[]);
    let layer = Layer { arguments: &arguments, silence_max: SILENCE_MAX, ..Layer::named("host tests") };
    layer.run(environment, options, count)?;
    sanitized(environment, count, options)?;
    threaded(environment, count, options)
}

/// The error paths of the set-up script.
fn set_up(environment: &Environment, count: &mut TestCount) -> Result<()> {
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

/// Core and link under miri.
fn under_miri(environment: &Environment, count: &mut TestCount, options: &Test) -> Result<()> {
    let mut arguments = vec!["+nightly", "miri", "test"];
    arguments.extend(WATCHED.iter().flat_map(|name| ["-p", name]));
    let settings = &[("MIRIFLAGS", "-Zmiri-ignore-leaks")];
    Layer { arguments: &arguments, settings, ..Layer::named("miri") }.run(environment, options, count)
}

/// Core and link under AddressSanitizer, where a nightly toolchain is installed.
fn sanitized(environment: &Environment, count: &mut TestCount, options: &Test) -> Result<()> {
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
    let settings = &[("RUSTFLAGS", "-Zsanitizer=address"), ("ASAN_OPTIONS", "detect_leaks=0")];
    Layer { arguments: &arguments, settings, ..Layer::named("AddressSanitizer") }.run(environment, options, count)
}

/// The queue between cores under ThreadSanitizer, where a nightly toolchain is installed that has it. The standard
/// library is not instrumented, which changes nothing for code that orders what it shares by its own atomics
/// (`tools/races`).
fn threaded(environment: &Environment, count: &mut TestCount, options: &Test) -> Result<()> {
    const FLAGS: &str = "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer --cfg renga_thread_sanitizer";
    let taken = Command::new("rustup").args(["run", "nightly", "rustc", "--print=cfg"]).args(FLAGS.split(' ')).output();
    if !taken.is_ok_and(|output| output.status.success()) {
        println!("== no nightly toolchain with ThreadSanitizer: it is left out");
        return Ok(());
    }
    println!("== the queue between cores under ThreadSanitizer");
    let target = environment.root.join("target/threads");
    let target = target.to_string_lossy();
    let arguments = ["+nightly", "test", "-p", "renga-races", "--test", "threads"];
    let place = ["--target", "x86_64-unknown-linux-gnu", "--target-dir", target.as_ref()];
    let arguments: Vec<&str> = arguments.into_iter().chain(place).collect();
    let settings = &[("RUSTFLAGS", FLAGS)];
    Layer { arguments: &arguments, settings, ..Layer::named("ThreadSanitizer") }.run(environment, options, count)
}

/// Builds what the cluster tests share, so that they do not build it at the same time; if all are run, the kernels of
/// single tests, too.
fn prepare(environment: &Environment, options: &Test) -> Result<()> {
    let progress = ProgressLine::start();
    artifacts::kernel(environment, KernelFlavour::Plain, &progress)?;
    if options.filter.is_none() {
        artifacts::kernel(environment, KernelFlavour::Hostile, &progress)?;
        artifacts::kernel(environment, KernelFlavour::Bench, &progress)?;
    }
    artifacts::plugin(environment, &progress)?;
    artifacts::disk(environment, &DiskChoice::default(), None, &progress)?;
    progress.finish();
    Ok(())
}
