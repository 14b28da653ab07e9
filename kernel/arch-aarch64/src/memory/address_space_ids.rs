//! Numbers for address spaces, by which the processor tells their translations apart.
//!
//! Invariant: number 0 belongs to no space (it is active while none is); a number is handed out again
//! only after the processor has forgotten its translations (the caller's care).

use core::cell::Cell;
use renga_hal::memory::SPACES_MAX;

/// A bit for each space, and for number 0. The processor tells 65,536 apart (`TCR_EL1.AS`).
const WORDS: usize = 16;
const _: () = assert!(SPACES_MAX < WORDS as u32 * u64::BITS, "each space has a number");

/// Which numbers are taken.
pub struct AddressSpaceIds([Cell<u64>; WORDS]);

impl AddressSpaceIds {
    /// All free but 0.
    pub fn new() -> Self {
        let ids = Self([const { Cell::new(0) }; WORDS]);
        ids.0[0].set(1);
        ids
    }

    /// A free number, if there is one.
    pub fn take(&self) -> Option<u16> {
        let (index, word) = self.0.iter().enumerate().find(|(_, word)| word.get() != u64::MAX)?;
        let bit = word.get().trailing_ones();
        word.set(word.get() | 1 << bit);
        Some((index as u32 * u64::BITS + bit) as u16)
    }

    /// Frees a number.
    pub fn give_back(&self, id: u16) {
        let word = &self.0[usize::from(id) / u64::BITS as usize];
        word.set(word.get() & !(1 << (u32::from(id) % u64::BITS)));
    }
}
