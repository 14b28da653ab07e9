//! Scheduling of the user programs that share a core: which one runs next, and for how long.
//!
//! The highest rank runs first. Among fair tasks the least vruntime runs, for at most one time slice. A task that slept
//! starts at most the sleeper credit behind the others and preempts a task that has used more; a call without a wait
//! keeps the slice. Work on a program's behalf counts as its own.
//!
//! Invariant: vruntimes only grow, and so does min_vruntime. Called by: `kernel/core`. Not here: the task itself
//! ([`Task`]: a process of `renga-core`), which account a piece of work is charged to, how a program is entered.
#![no_std]
#![forbid(unsafe_code)]

mod account;
mod heap;
mod real_time_share;
mod remote_tasks;
mod run_queue;
mod task;

pub use account::{Account, AccountSchedule};
pub use heap::{Heap, HeapItem, NOWHERE};
pub use remote_tasks::RemoteTasks;
pub use run_queue::{RunQueue, SLEEPER_CREDIT_NS_MAX};
pub use task::{Task, TaskKey};
