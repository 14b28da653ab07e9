//! What a process is written against: its right to act ([`Me`](crate::Me)), and rights over other processes.
//!
//! Calls: all layers below. Called by: system processes. Not here: ports and clients (`ipc/typed.rs`).

mod me;
pub mod rights;
