//! The rows of the paper ledger: each published result as an experiment on the emulated cluster.
//!
//! - [`claims`]: what papers say and what we aim at, with bounds and verdicts;
//! - [`rows`]: one file for each row: what is run, what is measured, what is claimed;
//! - [`map`]: synchronous against asynchronous calls over sizes, boards, callers and rates, beyond the paper;
//! - [`phases`]: the same load at several offsets, and figures over them;
//! - [`placements`]: which of several jobs should run on which of two boards, predicted and measured; beyond the paper;
//! - [`os_placements`]: on which boards the system's processes should be; beyond the paper;
//! - [`run`]: one run of a cluster or of Linux, as data, and what came of it; [`moved_kinds`]: system
//!   processes on other boards than the file says;
//! - [`scaling`]: compiles and a make on one to eight boards; beyond the paper;
//! - [`workload`], [`text`], [`words`]: the programs that rows run, and what these read;
//! - [`observed`]: what rows read from traces of single calls; [`spent`]: where the time of a part of a run went;
//! - [`findings`]: figures, tables, plots.
//!
//! Invariant: a row is data and arithmetic. Not here: running anything, keeping results (`tools/renga`, `bench`).
#![forbid(unsafe_code)]

pub mod claims;
pub mod findings;
mod ledger_row;
mod linux_form;
pub mod map;
pub mod moved_kinds;
pub mod observed;
pub mod os_placements;
pub mod phase_spread;
pub mod phases;
pub mod placements;
pub mod rows;
pub mod run;
pub mod scaling;
pub mod spent;
#[cfg(test)]
mod support;
pub mod text;
mod thrice;
pub mod words;
pub mod workload;
