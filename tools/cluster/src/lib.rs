//! One run of emulated boards: the session, its disk, terminal, disturbances and trace; Linux on the same board.
//!
//! Not here: the emulator (`tools/emu`), what boards boot (`renga-images`).
#![forbid(unsafe_code)]

mod board_monitor;
mod boot_progress;
pub mod console_lines;
pub mod deferred_error_output;
pub mod disturbance;
pub mod escape;
pub mod event_instants;
pub mod garbage;
mod host_file;
mod input_source;
pub mod kernel_log;
pub mod link_calls;
pub mod linux;
pub mod listener;
mod lock_holder;
pub mod observation;
pub mod rehearsal;
pub mod session;
pub mod session_disk;
pub mod terminal;
mod top_report;
pub mod trace;
