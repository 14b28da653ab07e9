//! The experiments: the paper's on one board and on four, on eight, with dirty pages, with a file of another board.

use super::{P3Experiment, ReclaimThresholds, claims, evaluate};
use crate::claims::Claim;
use crate::findings::Findings;
use crate::rows::{LedgerRow, RowPlan};
use crate::run::{ALONE, BenchRun, BenchSystem, CostProfile, Edit, RunOutcome};
use anyhow::Result;

/// A row of an experiment.
macro_rules! row {
    ($experiment:ident, $id:literal, $title:literal, $published:literal, $method:expr) => {
        LedgerRow {
            id: $id,
            title: $title,
            published: $published,
            method: $method,
            runs: |plan: RowPlan| -> Vec<BenchRun> { $experiment.runs(plan) },
            further: None,
            claims: |_: CostProfile| -> Vec<Claim> { claims(&$experiment) },
            evaluate: |plan: RowPlan, outcomes: &[RunOutcome]| -> Result<Findings> {
                evaluate(plan, &$experiment, outcomes)
            },
        }
    };
}

/// One board, whose computation has three processes.
pub(super) const F4: LedgerRow = row!(
    ONE,
    "P3.F4",
    "Steps of a computation on one board beside a stream (figures 4 and 5)",
    "Beside a program that reads a file larger than memory the computation takes about 9 % longer, and its steps \
     scatter. With the service it takes about as long as alone, and its steps are nearly constant.",
    "The computation is heat in a plate (`bench/src/rows/p3/stencil.c`), whose three processes synchronise by pipes \
     in each step; the paper has WRF. Another program reads a file of 256 MiB as fast as the medium delivers; the \
     board has 64 MiB. Both share the board's one core, whereas the paper left one core of twelve to the reader. So \
     a fourth run, beside the same stream with memory for all of it, shows the cost of the stream itself. The \
     reclaimer counts freed pages. Linux runs the same programs on the same board with 120 MiB, of which its kernel \
     takes more."
);

/// One board of four cores.
pub(super) const CORES: LedgerRow = row!(
    FOUR_CORES,
    "P3.CORES",
    "The same on one board of four cores, of which the stream has one",
    "As P3.F4: about 9 % longer, with the service about as long as alone. The paper's computer has twelve cores; the \
     computation has all but one.",
    "As P3.F4, on a board of four cores. The computation's three processes have cores 1 to 3; the stream and the \
     system have core 0. So the stream costs the computation only longer waits for the system's processes at each \
     step's end."
);

/// Four boards.
pub(super) const F6: LedgerRow = row!(
    FOUR,
    "P3.F6",
    "Steps of a computation on four boards beside a stream on one of them (figures 6 and 7)",
    "About 14 % longer, and steps of up to about twice as long; with the service about as long as alone.",
    "As P3.F4, with one process of the computation on each of four boards, which exchange their edge rows. The \
     stream is on the disk board."
);

/// Eight.
pub(super) const EIGHT: LedgerRow = row!(
    OCTET,
    "P3.EIGHT",
    "The same on eight boards (beyond the paper)",
    "Nothing: the paper has four.",
    "As P3.F6, on eight boards."
);

/// Dirty pages.
pub(super) const DIRTY: LedgerRow = row!(
    WRITTEN,
    "P3.DIRTY",
    "Steps beside a program that writes (beyond the paper)",
    "Nothing: left to do in the paper (7).",
    "As P3.F4, but the other program overwrites its file, so the reclaimer has to write pages before it frees them. \
     The medium takes 5 MB/s, so the board has 16 MiB, and the batcher's thresholds are lower."
);

/// A file of another board.
pub(super) const FAR: LedgerRow = row!(
    REMOTE,
    "P3.FAR",
    "Steps on two boards beside a program on b that reads a file of a (beyond the paper)",
    "Nothing: left to do in the paper (7).",
    "One process of the computation on each of two boards. The stream is on b, whose memory is 16 MiB, and comes \
     over the link. Few pages arrive in a second, so the batcher's threshold of requests is lower."
);

macro_rules! limited {
    ($label:literal, $base:literal, $edits:expr) => {
        BenchSystem { label: $label, base: $base, edits: $edits }
    };
}

const ONE_64: [Edit; 1] =
    [("boards = [{ name = \"a\", disk = true }]", "boards = [{ name = \"a\", disk = true, memory_mib = 64 }]")];
const ONE_16: [Edit; 1] =
    [("boards = [{ name = \"a\", disk = true }]", "boards = [{ name = \"a\", disk = true, memory_mib = 16 }]")];
const FOUR_CORES_WHOLE: [Edit; 1] = [(
    "boards = [{ name = \"a\", disk = true }]",
    "boards = [{ name = \"a\", disk = true, cores = 4, programs = [0, 1, 2, 3] }]",
)];
const FOUR_CORES_64: [Edit; 1] = [(
    "boards = [{ name = \"a\", disk = true }]",
    "boards = [{ name = \"a\", disk = true, cores = 4, programs = [0, 1, 2, 3], memory_mib = 64 }]",
)];
const QUAD_64: [Edit; 1] = [(
    "{ name = \"a\", disk = true, message_kib = 2048 },",
    "{ name = \"a\", disk = true, message_kib = 2048, memory_mib = 64 },",
)];
const OCTET_64: [Edit; 1] = [(
    "{ name = \"a\", disk = true, message_kib = 4096 },",
    "{ name = \"a\", disk = true, message_kib = 4096, memory_mib = 64 },",
)];
const PAIR_16: [Edit; 1] =
    [("{ name = \"b\", message_kib = 1536 },", "{ name = \"b\", message_kib = 1536, memory_mib = 16 },")];

/// Of what comes in within a second, and more than it.
const THRESHOLDS: ReclaimThresholds = ReclaimThresholds { requests: 1_500, free_pages: 8_000, batch_pages: 8_000 };

const ONE: P3Experiment = P3Experiment {
    title: "One board",
    systems: [ALONE, limited!("64 MiB", "solo", &ONE_64)],
    places: &["here", "here"],
    pinned: ["", ""],
    stream: "read",
    board: "a",
    thresholds: THRESHOLDS,
    lead_s: 4,
    steps: [40, 8],
    sweeps: 200,
    streamed_mib: [256, 128],
    published: Some((9.0, None)),
    linux: true,
};

const FOUR_CORES: P3Experiment = P3Experiment {
    title: "One board of four cores",
    systems: [
        limited!("four cores", "solo", &FOUR_CORES_WHOLE),
        limited!("four cores, 64 MiB", "solo", &FOUR_CORES_64),
    ],
    pinned: ["taskset e ", "taskset 1 "],
    steps: [120, 30],
    linux: false,
    ..ONE
};

const FOUR: P3Experiment = P3Experiment {
    title: "Four boards",
    systems: [limited!("as it is", "quad", &[]), limited!("64 MiB", "quad", &QUAD_64)],
    places: &["b", "c", "d"],
    steps: [30, 10],
    streamed_mib: [128, 128],
    published: Some((14.0, Some(2.0))),
    linux: false,
    ..ONE
};

const OCTET: P3Experiment = P3Experiment {
    title: "Eight boards",
    systems: [limited!("as it is", "octet", &[]), limited!("64 MiB", "octet", &OCTET_64)],
    places: &["b", "c", "d", "e", "f", "g", "h"],
    steps: [30, 10],
    streamed_mib: [128, 128],
    published: None,
    linux: false,
    ..ONE
};

const WRITTEN: P3Experiment = P3Experiment {
    title: "Beside a program that writes",
    systems: [ALONE, limited!("16 MiB", "solo", &ONE_16)],
    stream: "write",
    thresholds: ReclaimThresholds { requests: 500, free_pages: 1_500, batch_pages: 1_500 },
    published: None,
    linux: false,
    ..ONE
};

const REMOTE: P3Experiment = P3Experiment {
    title: "Beside a program that reads a file of another board",
    systems: [limited!("as it is", "pair", &[]), limited!("b has 16 MiB", "pair", &PAIR_16)],
    places: &["b"],
    steps: [60, 20],
    board: "b",
    thresholds: ReclaimThresholds { requests: 200, free_pages: 1_200, batch_pages: 1_200 },
    lead_s: 8,
    published: None,
    linux: false,
    ..ONE
};
