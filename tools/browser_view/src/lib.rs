//! `renga view`: a traced run as one page for a browser, which needs no network.
//!
//! - [`tabulator`]: one pass over a trace, which fills [`tables`];
//! - [`processes`]: the processes that the trace mentions; [`frame_role`]: the call that a frame carries;
//! - [`call_parts`]: software, token, wire and server of a call to another board;
//! - [`interval_index`], [`critical_path`]: what a program waited for, instant by instant;
//! - [`comparison`]: two runs;
//! - [`columns`], [`packing`], [`page`]: tables as compressed columns in the page, whose code is in the folder `page`;
//! - `page_file`: where the page is written.
//!
//! Invariant: each time in the page is virtual and exact; the page draws, and adds nothing up that a test here does not
//! check. Not here: the meaning of events (`renga-trace`).
#![forbid(unsafe_code)]

pub mod browser_command;
pub mod call_index;
pub mod call_parts;
pub mod columns;
pub mod comparison;
pub mod critical_path;
pub mod frame_role;
pub mod interval_index;
pub mod packing;
pub mod page;
mod page_file;
pub mod processes;
mod program_rows;
mod state_rows;
pub mod tables;
pub mod tabulator;
