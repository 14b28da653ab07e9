//! Calls between processes of one core, and notifications.
//!
//! Calls: types, sched. Called by: `smp`, `api`. Not here: other cores (`smp`), other boards (the router).

pub mod address;
mod call_queue;
pub mod forward;
pub mod notification;
pub mod protocol;
pub mod raw;
pub mod rendezvous;
mod timer;
pub mod typed;

pub use call_queue::CallQueue;
