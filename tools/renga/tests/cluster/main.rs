//! The whole system as its user meets it: the `renga` program is run, boards boot in QEMU, and what they print, leave
//! on their disk and exit with is judged.
//!
//! Invariant: a test waits for nothing without a limit, ends what it started, and on failure shows the console and the
//! kernels' log. Tests that boot boards are skipped, and say so, where `RENGA_QEMU` is not set: `./renga test` and
//! `eval "$(./renga env)"` set it. Not here: what one process does (tests of its crate), rules of the code (`tidy`).

mod applets;
mod background;
mod boards;
mod calls;
mod chaos;
mod check;
mod compare;
mod counter;
mod crash;
mod death;
mod debian;
mod determinism;
mod errors;
mod files;
mod host_disk;
mod hostile;
mod images;
mod interactive;
mod iospeed;
mod ledger;
mod limits;
mod linux;
mod log;
mod many;
mod moved;
mod names;
mod packages;
mod perfetto;
mod pipes;
mod probes;
mod proc;
mod profile;
mod programs;
mod protection;
mod reclaim;
mod remote;
mod rules;
mod sharing;
mod suites;
mod support;
mod text;
mod times;
mod top;
mod tour;
