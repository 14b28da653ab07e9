//! A cache from callers to their places in the table of calls to other boards.
//!
//! Invariant: each hit is checked, so a wrong guess costs a search and nothing else.

use crate::calls::out_call::OutCall;

/// Callers whose places are remembered.
const KNOWN: usize = 64;

/// The places of recently found callers, by the last bits of their indices.
pub(crate) struct CallerIndex([u16; KNOWN]);

impl Default for CallerIndex {
    fn default() -> Self {
        CallerIndex([0; KNOWN])
    }
}

impl CallerIndex {
    /// The place of `caller` in `calls`, which are in the order of their callers.
    pub(crate) fn find(&mut self, calls: &[OutCall], caller: u16) -> Option<usize> {
        let known = &mut self.0[usize::from(caller) % KNOWN];
        if calls.get(usize::from(*known)).is_some_and(|out| out.caller() == caller) {
            return Some(usize::from(*known));
        }
        let place = calls.binary_search_by_key(&caller, OutCall::caller).ok()?;
        *known = place as u16;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::{CallerIndex, KNOWN};
    use crate::calls::out_call::OutCall;
    use std::vec::Vec;

    #[test]
    fn caller_index_random_callers_match_search() {
        // Pairs that share what is remembered of them, and gaps.
        let callers = (0..6 * KNOWN as u16).filter(|caller| caller % 5 != 3);
        let calls: Vec<OutCall> = callers.map(OutCall::new).collect();
        let mut places = CallerIndex::default();
        let mut state = 7u32;
        for _ in 0..10_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let caller = (state >> 8) as u16 % (7 * KNOWN as u16);
            let there = calls.iter().position(|out| out.caller() == caller);
            assert_eq!(places.find(&calls, caller), there, "caller {caller}");
        }
    }
}
