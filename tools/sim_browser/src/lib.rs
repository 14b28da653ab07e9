//! The simulator in a page: what `page/` calls, as plain exports of a WebAssembly module.
//!
//! Invariant: the same setup and the same actions at the same times give the same run as natively. Calls: `renga_sim`.
//! Not here: drawing, and the address of a run (`page/`).
#![deny(unsafe_op_in_unsafe_fn)]

mod action;
#[cfg(unix)]
pub mod builder;
mod exports;
pub mod programs;
mod scene;
mod seeds;
mod session;
mod state;

pub use action::Action;
pub use scene::{Scene, SceneBoard, SceneEdge, SceneGroup};
pub use seeds::{SeedRun, run_seed};
pub use session::{PageSession, SessionSetup, system_text};
pub use state::{PageBoard, PageState};
