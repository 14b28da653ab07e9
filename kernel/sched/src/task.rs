//! A task of a run queue, as far as scheduling needs it.
//!
//! Not here: what it runs.

use crate::account::Account;
use crate::heap::HeapItem;
use renga_abi::policy::Rank;

/// The order of queued tasks: the least goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TaskKey {
    pub(crate) rank: Rank,
    /// Virtual time used, ns; 0 where it does not count.
    pub(crate) vruntime_ns: u64,
    /// Since when, counted.
    pub(crate) arrival: u64,
}

impl TaskKey {
    /// Of a task that is not queued.
    pub const NONE: TaskKey = TaskKey { rank: 0, vruntime_ns: 0, arrival: 0 };
}

/// A schedulable task.
pub trait Task: HeapItem<Order = TaskKey> {
    /// The account of its time.
    fn account(&self) -> &'static Account;
    /// Sets [`HeapItem::order`].
    fn set_order(&self, order: TaskKey);
    /// Whether it is runnable or running.
    fn is_runnable(&self) -> bool;
    /// Whether its wait was cancelled, so that it runs as soon as it can.
    fn is_wait_cancelled(&self) -> bool;
    /// Whether its context switches are counted: it has a program.
    fn is_program(&self) -> bool;
}
