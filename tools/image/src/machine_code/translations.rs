//! Translations that were changed are forgotten by every core: a program goes from core to core, and the TLB of one
//! that it has left keeps stale entries. QEMU empties a core's TLB whenever that changes to another space, so nothing
//! stale is ever seen there.
//!
//! Invariant: where a page or a space is forgotten, that is broadcast, after the stores to the tables (DSB) and waited
//! for on all cores (DSB): Arm ARM D8.17. Not here: that it is done wherever an entry changes that was in use
//! (`frame_memory.rs`); forgetting all, as a core does for itself when it starts.

use super::decode::MachineInstruction;

/// The one before, itself, the one behind.
pub const WINDOW: usize = 3;

/// What is wrong with the one in the middle.
pub fn find(around: [MachineInstruction; WINDOW]) -> Option<&'static str> {
    let [before, instruction, behind] = around;
    if !instruction.forgets_translation() {
        return None;
    }
    if !instruction.is_broadcast() {
        return Some("a translation is forgotten on this core alone, and programs go from core to core");
    }
    if !before.is_data_barrier() {
        return Some("a translation is forgotten that may be read again from the old table: DSB before");
    }
    (!behind.is_barrier_of_all()).then_some("a translation may still be used by other cores behind this: DSB ISH")
}
