//! P3: what having page frames given back costs a computation whose steps end together, while another program streams a
//! file that is larger than memory.
//!
//! Each experiment has four runs: the computation alone; beside the stream on a board with so much memory that nothing
//! has to be given back, which is what the stream itself costs; with less memory, and small batches; and with large
//! ones.
//!
//! Invariant: an experiment is data. The computation's result is the same in all of its runs. Not here: what was
//! measured (`measured`), what follows from it (`verdict`), Linux (`linux`).

mod experiments;
mod linux;
mod measured;
mod verdict;

use super::{LedgerRow, RowPlan};
use crate::phases;
use crate::run::{BenchMachine, BenchRun, BenchSystem, STREAMED};

use verdict::{claims, evaluate};

/// The rows: those of the paper, and what is beyond it.
pub const ROWS: &[LedgerRow] =
    &[experiments::F4, experiments::CORES, experiments::F6, experiments::EIGHT, experiments::DIRTY, experiments::FAR];

/// Where a batch is to be given back, and how large it is.
struct ReclaimThresholds {
    /// Pages that come in, a second, at least.
    requests: u32,
    /// Frames that are free, fewer than.
    free_pages: u32,
    /// Pages of a batch.
    batch_pages: u32,
}

/// One of the rows.
struct P3Experiment {
    /// What plots call it.
    title: &'static str,
    /// The boards: with all of their memory, and with that of the streaming one limited.
    systems: [BenchSystem; 2],
    /// Where the computation's processes are beside the first, which is on a: here, or boards.
    places: &'static [&'static str],
    /// What has the computation, and the stream, keep to some of their board's cores.
    pinned: [&'static str; 2],
    /// What the stream does: `read` or `write`.
    stream: &'static str,
    /// The board that streams.
    board: &'static str,
    /// Of the batcher.
    thresholds: ReclaimThresholds,
    /// Until the stream has filled the limited memory, s.
    lead_s: u32,
    /// Of the computation, and what each has, and in the short form.
    steps: [u32; 2],
    sweeps: u32,
    /// Of the file that is streamed, MiB, whole and short.
    streamed_mib: [u32; 2],
    /// Published: how much longer it takes beside the stream, %, and the longest step to the mean one.
    published: Option<(f64, Option<f64>)>,
    /// Whether Linux is measured beside it.
    linux: bool,
}

/// In other phases the computation starts later by up to so much, ms: a part of a batch.
const LEAD_MORE_MS: u32 = 1_000;

/// The runs of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum P3Form {
    Alone,
    Unreclaimed,
    Small,
    Large,
}

const FORMS: [P3Form; 4] = [P3Form::Alone, P3Form::Unreclaimed, P3Form::Small, P3Form::Large];

impl P3Form {
    /// What tables call it; the paper's three are noise off, noise, and noise with batching.
    fn title(self) -> &'static str {
        match self {
            P3Form::Alone => "noise off",
            P3Form::Unreclaimed => "stream, memory for all of it",
            P3Form::Small => "noise",
            P3Form::Large => "noise + batching",
        }
    }
}

/// Compiles both programs. `state` says what was given back.
const HEAD: &str = r#"tcc -o stencil /p3/stencil.c && tcc -o stream /p3/stream.c || exit 1
"#;
const STATE: &str = r#"state() { echo "$1" $(STATE_OF | tr -cd '0-9 \n'); }
"#;
/// After the computation: ends the stream and prints its output.
const END: &str = "kill $stream; wait; cat streamed\n";

impl P3Experiment {
    fn of<T: Copy>(&self, plan: RowPlan, [whole, short]: [T; 2]) -> T {
        if plan.short { short } else { whole }
    }

    /// What computes.
    fn stencil(&self, steps: u32) -> String {
        format!("{}./stencil {steps} {} {}", self.pinned[0], self.sweeps, self.places.join(" "))
    }

    /// How the script, which is a's, has a command done where the stream is.
    fn there(&self) -> String {
        if self.board == "a" { String::new() } else { format!("remote -b {} ", self.board) }
    }

    fn runs(&self, plan: RowPlan) -> Vec<BenchRun> {
        let ours = FORMS.map(|form| self.run(plan, form));
        let linux = if self.linux && !plan.short { linux::runs(self, plan) } else { Vec::new() };
        ours.into_iter().chain(linux).collect()
    }

    fn run(&self, plan: RowPlan, form: P3Form) -> BenchRun {
        let [whole, limited] = self.systems;
        let system = if form == P3Form::Unreclaimed { whole } else { limited };
        BenchRun::new(BenchMachine::Cluster(system), plan.profile, "dev", &self.script(plan, form))
            .with(sources())
            .streaming(self.of(plan, self.streamed_mib))
    }

    fn script(&self, plan: RowPlan, form: P3Form) -> String {
        let there = self.there();
        let mut script =
            HEAD.to_string() + &STATE.replace("STATE_OF", &format!("{there}cat /proc/renga/reclaim/state"));
        let ReclaimThresholds { requests, free_pages, batch_pages } = self.thresholds;
        if form == P3Form::Large {
            script += &format!(
                "{there}reclaimctl --threshold requests {requests} free_pages {free_pages} batch_pages {batch_pages} || exit 1\n\
                 {there}reclaimctl --batching on || exit 1\n"
            );
        }
        // What is used later is in memory, and how long a process is started plays no part.
        script += &format!("{} > warm || exit 1\n", self.stencil(2));
        script += &phases::mark(phases::LONGEST_MS);
        if form != P3Form::Alone {
            let P3Experiment { stream, lead_s, pinned: [_, pinned], .. } = self;
            script += &format!("{there}{pinned}./stream {stream} {STREAMED} > streamed & stream=$!\nsleep {lead_s}\n");
        }
        script += &phases::mark(LEAD_MORE_MS);
        script += &format!("state before\n{} || exit 1\nstate after\n", self.stencil(self.of(plan, self.steps)));
        script + if form == P3Form::Alone { "" } else { END }
    }
}

/// The programs' sources.
fn sources() -> Vec<(String, Vec<u8>)> {
    let source = |name: &str, text: &str| (format!("/p3/{name}"), text.as_bytes().to_vec());
    vec![
        source("program.h", include_str!("p3/program.h")),
        source("stencil.c", include_str!("p3/stencil.c")),
        source("stream.c", include_str!("p3/stream.c")),
    ]
}

#[cfg(test)]
mod tests;
