//! Numbers of address spaces, by which the processor distinguishes their translations.
//!
//! Invariant: number 0 belongs to no space (it is active while none is); a number is handed out again
//! only after the processor has forgotten its translations (the caller's care).

use core::sync::atomic::{AtomicU64, Ordering};
use renga_hal::memory::SPACES_MAX;

/// A bit for each space, and for number 0. The processor has 65,536 numbers (`TCR_EL1.AS`).
const WORDS: usize = 16;
const _: () = assert!(SPACES_MAX < WORDS as u32 * u64::BITS, "each space has a number");

/// Which numbers are taken. A board makes a space by a copy of many pages, so a compare-exchange is nothing beside.
pub struct AddressSpaceIds([AtomicU64; WORDS]);

impl AddressSpaceIds {
    /// All free but 0.
    pub fn new() -> Self {
        let ids = Self([const { AtomicU64::new(0) }; WORDS]);
        ids.0[0].store(1, Ordering::Relaxed);
        ids
    }

    /// A free number, if there is one. What was done before it was given back is seen.
    pub fn take(&self) -> Option<u16> {
        for (index, word) in self.0.iter().enumerate() {
            let lowest = |taken: u64| (taken != u64::MAX).then(|| taken | (taken + 1));
            if let Ok(taken) = word.fetch_update(Ordering::AcqRel, Ordering::Relaxed, lowest) {
                return Some((index as u32 * u64::BITS + taken.trailing_ones()) as u16);
            }
        }
        None
    }

    /// Frees a number.
    pub fn give_back(&self, id: u16) {
        let word = &self.0[usize::from(id) / u64::BITS as usize];
        word.fetch_and(!(1 << (u32::from(id) % u64::BITS)), Ordering::AcqRel);
    }
}
