//! Several cores: delivery of what other cores have posted, and programs that run on other cores than their own.
//!
//! Calls: types, sched, ipc, user. Called by: `api`, the image. Not here: posting (`sched/outbox.rs`).

pub mod remote_call;
pub mod remote_run_queue;
