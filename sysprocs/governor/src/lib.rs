//! The governor (paper P4): controls a program's speed through its I/O.
//!
//! One machine for each program, used by the process of its slot around each of its I/O calls; nothing is shared, so
//! several programs are controlled at once, each as if it were alone (docs/decisions/0069-paced-io.md).
//!
//! Invariant: neither calls nor a clock; delays are bounded and never negative. Not here: which calls are I/O and how a
//! program waits (`user/dispatch/governed.rs` of `renga_process`), where its pace is kept (its policy), files and
//! commands.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod machine;
mod text;

pub use machine::{DELAY_NS_MAX, Governor, IoTimes, TrapTimes};
pub use text::{PaceChange, format_pace};
