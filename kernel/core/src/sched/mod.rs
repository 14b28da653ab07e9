//! Scheduling on one core: the ready queue of processes, run queues of programs, accounts, messages to other cores.
//!
//! Calls: types. Called by: all layers above. Not here: what a rendezvous is (`ipc`).

pub mod account;
pub mod log;
mod outbox;
mod process;
mod queue;
pub mod ready;
mod task_placement;

pub(crate) use outbox::{CANCEL_WAIT, NOTIFY, SCHEDULE};
