//! What a run took, for people (`--stats`) and for programs (`--json`).
//!
//! Invariant: both show the same figures; hashes are 16 hexadecimal digits. Called by: `run.rs`, `linux.rs`. Not here:
//! the measuring (`renga-emu`).

use anyhow::{Context, Result};
use renga_cli::{ProfileArgs, RunArgs};
use renga_cluster::session::SessionOutcome;
use renga_emu::Stats;
use renga_workspace::output;
use serde_json::{Map, Value, json};
use std::io::Write;

/// Prints how long a run took, here and there.
pub(super) fn print_times(stats: &Stats) {
    eprintln!("virtual time   {:.6} s", stats.virtual_ns as f64 / 1e9);
    eprintln!("host time      {:.3} s", stats.host_s);
    let speed = stats.instructions as f64 / 1e6 / stats.host_s.max(1e-3);
    eprintln!("instructions   {}, {speed:.0} million a second of the host", stats.instructions);
    if let Some(slice_ns) = stats.slice_ns {
        eprintln!("cores' slice   {slice_ns} ns");
    }
}

/// Prints and writes the figures of a cluster's run, as `options` say.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn report(outcome: &SessionOutcome, options: &RunArgs) -> Result<()> {
    if options.stats {
        print(&outcome.stats);
    }
    let Some(path) = &options.json else { return Ok(()) };
    writeln!(output::open(Some(path))?, "{:#}", figures(&outcome.stats, outcome.status, &options.machine.profile))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn print(stats: &Stats) {
    print_times(stats);
    eprintln!("frames         {} ({} lost at full boards)", stats.frames, stats.overruns);
    if stats.pin_changes > 0 {
        eprintln!("pins           {} changes, {} quanta of boards", stats.pin_changes, stats.grants);
        eprintln!("pin hash       {:016x}", stats.pin_hash);
    }
    eprintln!("console hash   {:016x}", stats.console_hash);
    eprintln!("frame hash     {:016x}", stats.frame_hash);
    if stats.hits > 0 {
        eprintln!("probes         {} reached", stats.hits);
        eprintln!("trace hash     {:016x}", stats.probe_hash);
    }
}

fn figures(stats: &Stats, status: u8, profile: &ProfileArgs) -> Value {
    let hash = |number: u64| format!("{number:016x}");
    let settings = profile.machine().settings();
    let parameters: Map<String, Value> =
        settings.iter().map(|setting| (setting.key().to_string(), setting.value().into())).collect();
    json!({
        "profile": profile.profile.name,
        "parameters": parameters,
        "status": status,
        "virtual_ns": stats.virtual_ns,
        "host_s": stats.host_s,
        "instructions": stats.instructions,
        "slice_ns": stats.slice_ns,
        "frames": stats.frames,
        "frames_lost": stats.overruns,
        "faults": stats.faults,
        "pin_changes": stats.pin_changes,
        "quanta": stats.grants,
        "probes": stats.hits,
        "console_hash": hash(stats.console_hash),
        "log_hash": hash(stats.log_hash),
        "frame_hash": hash(stats.frame_hash),
        "trace_hash": hash(stats.probe_hash),
        "pin_hash": hash(stats.pin_hash),
    })
}
