//! Programs' pages are not in the kernel's sight: the space is left as soon as the program is.
//!
//! Invariant: behind each call of `renga_enter_user`, on every way from there, TTBR0_EL1 is written and the context
//! synchronised before anything else is called or returned to, but for a panic. Not here: that what is written is the
//! root of a space without pages (`FrameMemory::deactivate`); how user memory is looked at then (`renga_memory`, page
//! by page, through tables).

use super::decode::MachineInstruction;
use std::collections::BTreeMap;

/// Instructions behind the call within which it must be done, on each way.
const STEPS_MAX: usize = 24;

/// The code at `address`.
pub struct Text<'a> {
    pub address: u64,
    pub words: &'a [MachineInstruction],
    pub functions: &'a BTreeMap<u64, String>,
}

impl Text<'_> {
    /// Calls of the function at `enter` behind which the program's space is not left.
    pub fn kept_spaces(&self, enter: u64) -> Vec<String> {
        let at = |index: usize| self.address + index as u64 * 4;
        let calls = (0..self.words.len())
            .filter(|&index| self.words[index].is_call() && self.words[index].branches_to(at(index)) == Some(enter));
        let kept = calls.filter(|&index| !self.leaves(at(index + 1), STEPS_MAX, false));
        kept.map(|index| format!("{:#x}: a program's pages stay in the kernel's sight behind this call", at(index)))
            .collect()
    }

    /// Whether each way from `at` on leaves the space, within `steps`; `written`: it only has to become effective.
    fn leaves(&self, at: u64, steps: usize, mut written: bool) -> bool {
        let mut at = at;
        for left in (0..steps).rev() {
            let Some(&instruction) = self.words.get((at.wrapping_sub(self.address) / 4) as usize) else { return false };
            if instruction.is_synchronisation() && written {
                return true;
            }
            if instruction.is_call() {
                return self.panics(instruction.branches_to(at));
            }
            written |= instruction.writes_user_root();
            match instruction.branches_to(at) {
                Some(to) if instruction.leaves_the_line() => at = to,
                None if instruction.leaves_the_line() => return false,
                Some(to) if !self.leaves(to, left, written) => return false,
                _ => at += 4,
            }
        }
        false
    }

    /// Whether the function at `target` ends the board.
    pub(super) fn panics(&self, target: Option<u64>) -> bool {
        target.and_then(|target| self.functions.get(&target)).is_some_and(|name| name.contains("panic"))
    }
}
