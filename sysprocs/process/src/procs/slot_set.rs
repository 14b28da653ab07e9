//! A set of slots of user programs.

use renga_rt::BitSet;

/// Slots of user programs on one board.
pub const SLOTS_MAX: usize = 256;
/// A set of slots below [`SLOTS_MAX`].
pub type SlotSet = BitSet<{ SLOTS_MAX / 64 }>;
