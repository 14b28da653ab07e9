//! The free numbers of a table: its rows, or the processes of a kind.
//!
//! Invariant: a number is given out at most once until it comes back. Taking and returning cost the same however many
//! there are. The number returned last is taken first.

/// End of the chain.
const END: u16 = u16::MAX;
/// In place of the next free number: this one is taken.
const TAKEN: u16 = u16::MAX - 1;

/// Which of the numbers below a bound are free.
pub struct FreeList {
    /// By number: the next free one.
    next: &'static mut [u16],
    first: u16,
    free: usize,
}

impl FreeList {
    /// All numbers below the length of `next`, and below 65,534, free: the smallest is taken first.
    pub fn new(next: &'static mut [u16]) -> FreeList {
        let count = next.len().min(usize::from(TAKEN));
        let next = &mut next[..count];
        for (number, place) in next.iter_mut().enumerate() {
            *place = if number + 1 < count { number as u16 + 1 } else { END };
        }
        FreeList { next, first: if count > 0 { 0 } else { END }, free: count }
    }

    /// Takes a free number.
    pub fn take(&mut self) -> Option<u16> {
        let number = self.first;
        let next = self.next.get_mut(usize::from(number))?;
        self.first = core::mem::replace(next, TAKEN);
        self.free -= 1;
        Some(number)
    }

    /// Gives `number` back; false: it was not taken.
    pub fn give_back(&mut self, number: u16) -> bool {
        let first = self.first;
        let Some(next) = self.next.get_mut(usize::from(number)).filter(|next| **next == TAKEN) else { return false };
        *next = first;
        self.first = number;
        self.free += 1;
        true
    }

    /// How many are free.
    pub fn free(&self) -> usize {
        self.free
    }
}

#[cfg(test)]
mod tests {
    use super::FreeList;
    use std::boxed::Box;
    use std::collections::BTreeSet;
    use std::vec;

    fn list(count: usize) -> FreeList {
        FreeList::new(Box::leak(vec![7; count].into_boxed_slice()))
    }

    #[test]
    fn free_list_random_use_matches_set() {
        let (mut list, mut taken) = (list(100), BTreeSet::new());
        let mut state = 1u32;
        for _ in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = (state >> 16) as u16 % 110;
            if state >> 31 == 0 {
                match list.take() {
                    Some(number) => assert!(number < 100 && taken.insert(number), "{number} twice"),
                    None => assert_eq!(taken.len(), 100),
                }
            } else {
                assert_eq!(list.give_back(number), taken.remove(&number), "{number}");
            }
            assert_eq!(list.free(), 100 - taken.len());
        }
    }

    #[test]
    fn free_list_all_numbers_are_taken_once() {
        assert_eq!(list(0).take(), None);
        let mut list = list(3);
        assert_eq!([list.take(), list.take(), list.take(), list.take()], [Some(0), Some(1), Some(2), None]);
        assert!(list.give_back(1) && !list.give_back(1) && !list.give_back(3));
        assert_eq!([list.take(), list.take()], [Some(1), None]);
    }
}
