//! The exact instant inside a block of instructions.
//!
//! QEMU takes a whole block off the core's count when the block begins, and its clock may not be asked before the
//! block's last instruction (`Bad icount read`). Adding what was executed to the clock (`icount_update`) would put the
//! clock ahead for the rest of the block, where QEMU's main thread could see it. So this module reads the numbers that
//! the count is made of. It finds their places in the first blocks that the machine executes: the word that shrinks by
//! what was executed is the budget, the next one what is left beyond the present slice, and one half-word is what is
//! left of that.
//!
//! Invariant: nothing is concluded from a place that has not behaved as the number it is taken for; nothing is written.

use crate::current;
use crate::ffi::{self, Opaque};
use std::ptr::null_mut;

/// Bytes from the start of a `CPUState` in which its count is searched for; the state continues after them.
const SEARCH_BYTES: usize = 32 << 10;
const WORDS: usize = SEARCH_BYTES / 8;
/// Searches that must agree.
const SEARCHES_MIN: u32 = 4;

/// Where the numbers are.
#[derive(Clone, Copy)]
struct CounterPlaces {
    /// Word of `icount_budget`; `icount_extra` is the next one.
    budget: usize,
    /// Half-word of four bytes with `icount_decr.u16.low`.
    low: usize,
}

/// The count of a core.
#[derive(Default)]
pub struct Counter {
    /// The core of the last search; its counts are where every core's are.
    core: usize,
    searches: u32,
    /// Words that may be the budget.
    budgets: Option<Vec<usize>>,
    /// Half-words that may be what is left of the slice.
    lows: Option<Vec<usize>>,
    places: Option<CounterPlaces>,
}

impl Counter {
    /// Whether the time is known.
    pub fn is_found(&self) -> bool {
        self.places.is_some()
    }

    /// What `read` reads of the machine's clock as of the last time that QEMU added to it.
    fn settled(&self, read: unsafe extern "C" fn() -> i64) -> i64 {
        let current = current::place();
        // SAFETY: `current_cpu` of this thread. Without one, the clock is read as by any other thread: unchanged.
        unsafe {
            let core = current.replace(null_mut());
            let settled = read();
            *current = core;
            settled
        }
    }

    fn word(&self, index: usize) -> i64 {
        // SAFETY: within the core's state, which is larger than `SEARCH_BYTES`.
        unsafe { (self.core as *const i64).add(index).read_volatile() }
    }

    fn half(&self, index: usize) -> u32 {
        // SAFETY: as above.
        unsafe { (self.core as *const u32).add(index).read_volatile() }
    }

    /// Searches for the numbers, before the last instruction of a block, where QEMU itself could add the executed count
    /// to the clock.
    pub fn search(&mut self) {
        self.core = current::core() as usize;
        let before: Vec<i64> = (0..WORDS).map(|index| self.word(index)).collect();
        let settled = self.settled(ffi::icount_get_raw);
        // SAFETY: this is the core's thread, and the block counts as executed: as in `waiting`.
        unsafe { ffi::icount_update(self.core as *mut Opaque) };
        let executed = self.settled(ffi::icount_get_raw) - settled;
        if executed <= 0 {
            return;
        }
        let (budgets, lows) = (self.budgets.take(), self.lows.take());
        let is_budget = |index: &usize| before[*index].wrapping_sub(self.word(*index)) == executed;
        let budgets = narrowed(budgets, WORDS - 1, is_budget);
        if budgets.is_empty() || lows.as_ref().is_some_and(Vec::is_empty) {
            // A search with another result: start again.
            self.searches = 0;
            return;
        }
        if let &[budget] = budgets.as_slice() {
            let left = self.word(budget) - self.word(budget + 1);
            let is_low = |index: &usize| *index / 2 != budget && i64::from(self.half(*index)) == left;
            let lows = narrowed(lows, WORDS * 2, is_low);
            self.searches += 1;
            if let &[low] = lows.as_slice()
                && self.searches >= SEARCHES_MIN
            {
                self.places = Some(CounterPlaces { budget, low });
            }
            self.lows = Some(lows);
        }
        self.budgets = Some(budgets);
    }

    /// The time before an instruction of the block that is being executed: `left` of its instructions, from this one
    /// on, are counted already.
    pub fn time_ns(&mut self, left: i64) -> Option<u64> {
        let CounterPlaces { budget, low } = self.places?;
        self.core = current::core() as usize;
        let executed = self.word(budget) - self.word(budget + 1) - i64::from(self.half(low) & 0xffff);
        // SAFETY: it only shifts.
        let since_ns = unsafe { ffi::icount_to_ns(executed - left) };
        Some((self.settled(ffi::icount_get) + since_ns) as u64)
    }
}

/// Those that may still be it: of all at first, later of those that were left.
fn narrowed(left: Option<Vec<usize>>, all: usize, may_be: impl Fn(&usize) -> bool) -> Vec<usize> {
    match left {
        None => (0..all).filter(may_be).collect(),
        Some(left) => left.into_iter().filter(may_be).collect(),
    }
}
