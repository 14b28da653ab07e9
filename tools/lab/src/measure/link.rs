//! What a rendezvous between boards costs, split into wire, token and software; and the bulk rate.
//!
//! Invariant: wire and token times are the emulator's own record of each frame, software is what is
//! left of the time between frames and of the caller's round trip. Not here: the caller
//! (`userland/src/bin/linkcall.rs`).

use super::link_call::CallParts;
use super::link_parts::BulkParts;
use super::measured::{Fixture, MeasuredRun};
use anyhow::{Context, Result, ensure};
use renga_cli::ClusterArgs;
use renga_images::artifacts::KernelFlavour;
use renga_images::system::SystemFile;
use renga_profile::Profile;
use renga_workspace::environment::Environment;

/// Null calls, one after the other.
const NULL_SCRIPT: &str = "remote -b b /usr/lib/renga/linkcall\n";
/// Four readers, each of a file of its own that board a has in its buffers: what a board has read it keeps, and does
/// not ask for again. The files cannot be packed, and no page ends with zeros, which are not sent. The programs are
/// there before: their pages would cross with the files', as many as a quarter of those.
const BULK_SCRIPT: &str = "for i in 1 2 3 4; do
head -c 393216 /dev/urandom | tr '\\000' x > /tmp/bulk$i
cat /tmp/bulk$i > /dev/null
done
remote -b b /usr/lib/renga/measure warm sh -c 'for i in 1 2 3 4; do (cat /dev/null > /dev/null) & done; wait'
remote -b b /usr/lib/renga/measure bulk sh -c 'for i in 1 2 3 4; do (cat /tmp/bulk$i > /dev/null) & done; wait'
";
/// Of the software of a call, from trap to answer.
const GOAL_INSTRUCTIONS: u64 = 2_400;
/// Bytes that the four readers read.
const BULK_BYTES: u64 = 4 * 96 * 4096;

/// Prints the table.
///
/// # Errors
/// If a run fails.
pub fn measure(environment: &Environment, machine: &ClusterArgs) -> Result<u8> {
    let system = SystemFile::find(environment, &machine.system)?;
    let fixture = Fixture::make(environment, machine)?;
    let kernel = fixture.kernel(KernelFlavour::Plain)?;
    let null = fixture.run(&system, &kernel, NULL_SCRIPT, true)?;
    let bulk = fixture.run(&system, &kernel, BULK_SCRIPT, true)?;
    fixture.progress.finish();
    let Profile { link_rate_bps: rate_bps, instruction_ns, .. } = machine.profile.machine();
    print_null(&null, rate_bps, instruction_ns)?;
    print_bulk(&bulk, rate_bps)?;
    Ok(0)
}

/// A call of the program: when it began and ended, ns.
fn calls(run: &MeasuredRun) -> Vec<(u64, u64)> {
    let number = |text: &str| text.parse().ok();
    let call = |line: &str| {
        let (begin, end) = line.trim_end().strip_prefix("linkcall ")?.split_once(' ')?;
        Some((number(begin)?, number(end)?))
    };
    run.text.lines().filter_map(call).collect()
}

fn print_null(run: &MeasuredRun, rate_bps: u64, instruction_ns: u64) -> Result<()> {
    // The first calls find cold caches of their own: page faults of the program.
    let calls = calls(run).into_iter().skip(1);
    let parts: Vec<CallParts> = calls.filter_map(|call| CallParts::of(&run.frames, &run.events, call)).collect();
    let first = parts.first();
    first.with_context(|| format!("no call could be matched with its frames; the run said:\n{}", run.text))?;
    let parts = CallParts::mean(&parts);
    let total = parts.total_ns();
    println!("Null rendezvous from board b to board a, mean of {} calls, virtual time:\n", parts.calls);
    let row = |what: &str, ns: u64| {
        println!("  {what:<52} {:>9.3} us {:>6.1} %", ns as f64 / 1e3, 100.0 * ns as f64 / total as f64);
    };
    for (what, rows) in parts.tables(rate_bps) {
        row(what, rows.iter().map(|(_, ns)| ns).sum());
        rows.iter().filter(|_| rows.len() > 1).for_each(|(what, ns)| row(&format!("  {what}"), *ns));
    }
    row("round trip, from and to the user program", total);
    let software = parts.software_ns();
    println!(
        "\n  software {:.1} % of the round trip (goal: under 50 %), {} instructions on both boards (goal: {GOAL_INSTRUCTIONS})",
        100.0 * software as f64 / total as f64,
        software / instruction_ns.max(1)
    );
    Ok(())
}

fn print_bulk(run: &MeasuredRun, rate_bps: u64) -> Result<()> {
    let line = run.text.lines().find_map(|line| line.strip_prefix("measured bulk status 0 ns "));
    let line = line.with_context(|| format!("no bulk measurement; the run said:\n{}", run.text))?;
    let ns: u64 = line.split(' ').next().unwrap_or("").parse()?;
    // Only while all readers run is the link asked for all it can do: the middle half of the time.
    let last = run.frames.iter().map(|frame| frame.delivered_ns).max().unwrap_or(0);
    let (from, to) = (last - ns * 3 / 4, last - ns / 4);
    let middle = || run.frames.iter().filter(|frame| frame.start_ns() >= from && frame.delivered_ns <= to);
    let busy_ns: u64 = middle().map(|frame| frame.wire_ns).sum();
    let bytes: u64 = middle().map(|frame| frame.bytes.len() as u64).sum();
    let span = (to - from) as f64;
    // Zeros at the end of a page are not sent: files of those would measure nothing.
    let crossed: u64 = run.frames.iter().map(|frame| frame.bytes.len() as u64).sum();
    ensure!(crossed >= BULK_BYTES, "only {crossed} bytes crossed the link for {BULK_BYTES} that were read");
    println!(
        "\nBulk: four readers on board b, {BULK_BYTES} bytes from board a's buffers in {:.3} ms:\n",
        ns as f64 / 1e6
    );
    let payload_bps = BULK_BYTES as f64 * 8e9 / ns as f64;
    println!(
        "  file bytes, start to end      {:>8.3} Mbit/s = {:>5.1} % of the wire's {:.1} Mbit/s",
        payload_bps / 1e6,
        100.0 * payload_bps / rate_bps as f64,
        rate_bps as f64 / 1e6
    );
    let frame_bps = bytes as f64 * 8e9 / span;
    println!(
        "  frame bytes, all readers busy {:>8.3} Mbit/s = {:>5.1} % of the wire",
        frame_bps / 1e6,
        100.0 * frame_bps / rate_bps as f64
    );
    println!(
        "  wire busy, all readers busy   {:>8.1} % of the time (goal: at least 80 %)",
        100.0 * busy_ns as f64 / span
    );
    println!("\nWhere the time of the transfer went:\n");
    for (what, part_ns) in BulkParts::of(&run.frames, BULK_BYTES / 4096, rate_bps).rows(ns, rate_bps) {
        println!("  {what:<44} {:>9.3} ms {:>6.2} %", part_ns as f64 / 1e6, 100.0 * part_ns as f64 / ns as f64);
    }
    Ok(())
}
