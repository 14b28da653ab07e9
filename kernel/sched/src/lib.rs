//! Whose turn it is: which of the user programs that share a core runs next, and for how long.
//!
//! Who has the highest rank runs; among fair ones, who has used least of its share, for a slice at most. A program that
//! waited counts as not far behind the others however little it used, and goes before one that has used more; a call
//! that did not wait keeps the slice. What is done on a program's behalf counts as used by it.
//!
//! Invariant: virtual times only grow, and so does the floor. Not here: what has turns ([`Task`]: a process of
//! `renga-core`), whose work is charged to which account, how a program is entered.
#![no_std]
#![forbid(unsafe_code)]

mod account;
mod heap;
mod real_time_share;
mod remote_tasks;
mod run_queue;
mod task;

pub use account::{Account, AccountSchedule};
pub use heap::{Heap, NOWHERE, Placed};
pub use remote_tasks::RemoteTasks;
pub use run_queue::{RunQueue, SLEEPER_CREDIT_NS_MAX};
pub use task::{Task, TaskKey};
