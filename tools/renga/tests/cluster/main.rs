//! The whole system as its user meets it: the `renga` program is run, boards boot in QEMU, and what they print, leave
//! on their disk and exit with is judged.
//!
//! Invariant: a test waits for nothing without a limit, ends what it started, and on failure shows the console and the
//! kernels' log. Tests that boot boards are skipped, and say so, where `RENGA_QEMU` is not set: `./renga test` and
//! `eval "$(./renga env)"` set it. Not here: what one process does (tests of its crate), rules of the code (`tidy`).

mod applets;
mod boards;
mod calls;
mod chaos;
mod commands;
mod counter;
mod debian;
mod determinism;
mod faults;
mod files;
mod host_faults;
mod images;
mod ledger;
mod limits;
mod many;
mod moved;
mod names;
mod packages;
mod pipes;
mod probes;
mod proc;
mod programs;
mod protection;
mod qemu_versions;
mod remote;
mod services;
mod sharing;
mod suites;
mod support;
mod text;
mod times;
mod tour;
