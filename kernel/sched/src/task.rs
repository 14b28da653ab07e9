//! What has turns, as far as it matters for whose turn it is.
//!
//! Not here: what it does in its turn.

use crate::account::Account;
use crate::heap::Placed;
use renga_abi::policy::Rank;

/// Which of those who wait for a turn goes first: the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Order {
    pub(crate) rank: Rank,
    /// Virtual time used, ns; 0 where it does not count.
    pub(crate) virtual_ns: u64,
    /// Since when, counted.
    pub(crate) arrival: u64,
}

impl Order {
    /// Of who does not wait.
    pub const NONE: Order = Order { rank: 0, virtual_ns: 0, arrival: 0 };
}

/// Who has turns.
pub trait Runner: Placed<Order = Order> {
    /// What its turns are charged to.
    fn account(&self) -> &'static Account;
    /// Notes where it stands; what [`Placed::order`] says from then on.
    fn set_order(&self, order: Order);
    /// Whether it waits for a turn, or would go on with the one that it has.
    fn wants_turn(&self) -> bool;
    /// Whether it is to run as soon as it can, to learn that it was interrupted.
    fn is_interrupted(&self) -> bool;
    /// Whether its turns are counted: it has a program.
    fn is_program(&self) -> bool;
}
