//! The figures of a run, for people (`--stats`) and for programs (`--json`).
//!
//! Invariant: both are made of one [`RunReport`]; hashes are 16 hexadecimal digits. Called by: `run.rs`, `linux.rs`.
//! Not here: the measuring (`renga-emu`).

use anyhow::Result;
use renga_cli::{ProfileArgs, RunArgs};
use renga_cluster::link_calls::CallCounts;
use renga_cluster::session::SessionOutcome;
use renga_emu::Stats;
use renga_workspace::output;
use serde::Serialize;
use std::collections::BTreeMap;

/// How long a run took, here and there.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct RunTimes {
    /// Virtual time at the end, ns.
    virtual_ns: u64,
    /// Time of this machine, s.
    host_s: f64,
    /// Instructions that all boards executed.
    instructions: u64,
    /// The slice by which the cores of a board may be apart, ns; null if each board has one core.
    slice_ns: Option<u64>,
}

/// The figures of a run of `renga run`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct RunReport {
    /// The form of this object: `renga-run-1`.
    schema: &'static str,
    /// The name of the machine's profile.
    profile: String,
    /// The machine's parameters, as `--set` takes them.
    parameters: BTreeMap<&'static str, String>,
    /// The status with which the run ended.
    status: u8,
    #[serde(flatten)]
    times: RunTimes,
    /// Frames that took the wire.
    frames: u64,
    /// Of these, how many were lost at boards whose queues were full.
    frames_lost: u64,
    /// Calls to other boards.
    calls: u64,
    /// Of these, how many went to entries that may release their callers early.
    releasable: u64,
    /// Of these, how many did.
    released: u64,
    /// Frames that `--faults` or `--chaos` hit.
    faults: u64,
    /// Changes of pins.
    pin_changes: u64,
    /// Quanta of single boards.
    quanta: u64,
    /// Probes that boards reached; 0 without `--trace`, but of a session.
    probes: u64,
    /// Over every byte of every console, with board and time.
    console_hash: String,
    /// Over every byte of every kernel's log, with board and time.
    log_hash: String,
    /// Over every frame, with all its times.
    frame_hash: String,
    /// Over every probe, with board and time.
    trace_hash: String,
    /// Over every change of pins, with board and time.
    pin_hash: String,
}

/// Prints and writes the figures of a cluster's run, as `options` say.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn report(outcome: &SessionOutcome, calls: CallCounts, options: &RunArgs) -> Result<()> {
    let report = RunReport::of(&outcome.stats, calls, outcome.status, &options.machine.profile);
    if options.stats {
        report.print();
    }
    output::write_json(options.json.as_deref(), &report)
}

impl RunTimes {
    pub(super) fn of(stats: &Stats) -> RunTimes {
        let Stats { virtual_ns, host_s, instructions, slice_ns, .. } = *stats;
        RunTimes { virtual_ns, host_s, instructions, slice_ns }
    }

    pub(super) fn print(&self) {
        eprintln!("virtual time   {:.6} s", self.virtual_ns as f64 / 1e9);
        eprintln!("host time      {:.3} s", self.host_s);
        let speed = self.instructions as f64 / 1e6 / self.host_s.max(1e-3);
        eprintln!("instructions   {}, {speed:.0} million a second of the host", self.instructions);
        if let Some(slice_ns) = self.slice_ns {
            eprintln!("cores' slice   {slice_ns} ns");
        }
    }
}

impl RunReport {
    fn of(stats: &Stats, calls: CallCounts, status: u8, profile: &ProfileArgs) -> RunReport {
        let hash = |number: u64| format!("{number:016x}");
        let settings = profile.machine().settings();
        RunReport {
            schema: "renga-run-1",
            profile: profile.profile.name.clone(),
            parameters: settings.iter().map(|setting| (setting.key(), setting.value().to_string())).collect(),
            status,
            times: RunTimes::of(stats),
            frames: stats.frames,
            frames_lost: stats.overruns,
            calls: calls.calls,
            releasable: calls.releasable,
            released: calls.released,
            faults: stats.faults,
            pin_changes: stats.pin_changes,
            quanta: stats.grants,
            probes: stats.hits,
            console_hash: hash(stats.console_hash),
            log_hash: hash(stats.log_hash),
            frame_hash: hash(stats.frame_hash),
            trace_hash: hash(stats.probe_hash),
            pin_hash: hash(stats.pin_hash),
        }
    }

    fn print(&self) {
        self.times.print();
        eprintln!("frames         {} ({} lost at full boards)", self.frames, self.frames_lost);
        let RunReport { calls, releasable, released, .. } = self;
        eprintln!("calls across   {calls} ({releasable} could release their callers early, {released} did)");
        if self.pin_changes > 0 {
            eprintln!("pins           {} changes, {} quanta of boards", self.pin_changes, self.quanta);
            eprintln!("pin hash       {}", self.pin_hash);
        }
        eprintln!("console hash   {}", self.console_hash);
        eprintln!("frame hash     {}", self.frame_hash);
        if self.probes > 0 {
            eprintln!("probes         {} reached", self.probes);
            eprintln!("trace hash     {}", self.trace_hash);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn run_schema_file_is_that_of_its_type() {
        renga_schema::expect_file::<super::RunReport>("run");
    }
}
