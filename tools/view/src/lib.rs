//! `renga top`: what a trace says about boards, programs, system processes and edges, instant by instant: of a run that
//! goes on, or of one that is over and is played again.
//!
//! - [`player`]: where in the trace one is, and what has added up until there;
//! - [`views`]: figures as [`table`]s, which are printed ([`plain`]) or displayed ([`screen`]);
//! - [`choice`]: what a person has chosen to see, and the keys that choose;
//! - [`terminal`]: the person's terminal.
//!
//! Invariant: all figures come from the trace's virtual times; no display depends on the time of its rendering. Not
//! here: meaning and sums of figures (`renga-trace`).
#![forbid(unsafe_code)]

pub mod action;
pub mod choice;
pub mod plain;
pub mod player;
pub mod screen;
pub mod table;
pub mod terminal;
pub mod top_command;
pub mod trace_command;
mod trace_report;
pub mod views;

pub use action::KeyAction;
pub use choice::ViewChoice;
pub use player::{PlayerState, TracePlayer};
pub use views::ViewKind;
