//! What has turns, as far as it matters for whose turn it is.
//!
//! Not here: what it does in its turn.

use crate::account::Account;
use crate::heap::Placed;
use renga_abi::policy::Rank;

/// Which of those who wait for a turn goes first: the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TaskKey {
    pub(crate) rank: Rank,
    /// Virtual time used, ns; 0 where it does not count.
    pub(crate) vruntime_ns: u64,
    /// Since when, counted.
    pub(crate) arrival: u64,
}

impl TaskKey {
    /// Of who does not wait.
    pub const NONE: TaskKey = TaskKey { rank: 0, vruntime_ns: 0, arrival: 0 };
}

/// Who has turns.
pub trait Task: Placed<Order = TaskKey> {
    /// What its turns are charged to.
    fn account(&self) -> &'static Account;
    /// Notes where it stands; what [`Placed::order`] says from then on.
    fn set_order(&self, order: TaskKey);
    /// Whether it waits for a turn, or would go on with the one that it has.
    fn is_runnable(&self) -> bool;
    /// Whether it is to run as soon as it can, to learn that it was interrupted.
    fn is_wait_cancelled(&self) -> bool;
    /// Whether its turns are counted: it has a program.
    fn is_program(&self) -> bool;
}
