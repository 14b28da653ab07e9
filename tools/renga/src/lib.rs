//! The one command of Renga: run, test, bench, sweep, check, image.
//!
//! Not here: set-up (the `renga` script), the emulator (`tools/emu`), placement rules
//! (`tools/placement`).
#![forbid(unsafe_code)]

pub mod artifacts;
pub mod benches;
pub mod card;
pub mod cli;
pub mod command;
pub mod disk_image;
pub mod disturbance;
pub mod doctor;
pub mod environment;
pub mod escape;
pub mod flash;
pub mod freshness;
pub mod garbage;
pub mod kernel_log;
pub mod linux;
pub mod machine_code;
pub mod partition_table;
pub mod profile;
pub mod progress;
pub mod scratch;
pub mod serial;
pub mod session;
pub mod session_disk;
pub mod sweep;
pub mod system;
pub mod terminal;
pub mod trace;
mod typist;
mod watch;
