//! Where the local callers have their places in the table of calls to other boards.
//!
//! Invariant: what is remembered is checked where it is used, so a wrong guess costs a search and nothing else.

use crate::outgoing::OutCall;

/// Callers whose places are remembered.
const KNOWN: usize = 64;

/// The places of callers that were looked for lately, by the last bits of their indices.
pub(crate) struct Places([u16; KNOWN]);

impl Default for Places {
    fn default() -> Self {
        Places([0; KNOWN])
    }
}

impl Places {
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
    use super::{KNOWN, Places};
    use crate::outgoing::OutCall;
    use std::vec::Vec;

    #[test]
    fn who_has_a_place_is_found_and_nobody_else() {
        // Pairs that share what is remembered of them, and gaps.
        let callers = (0..6 * KNOWN as u16).filter(|caller| caller % 5 != 3);
        let calls: Vec<OutCall> = callers.map(OutCall::new).collect();
        let mut places = Places::default();
        let mut state = 7u32;
        for _ in 0..10_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let caller = (state >> 8) as u16 % (7 * KNOWN as u16);
            let there = calls.iter().position(|out| out.caller() == caller);
            assert_eq!(places.find(&calls, caller), there, "caller {caller}");
        }
    }
}
