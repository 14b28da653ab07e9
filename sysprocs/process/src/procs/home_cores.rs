//! On which core a new program has its process: of those whose user slots are free.
//!
//! A program runs wherever there is room for it; what is done for it is done on its home. So that is the home with the
//! fewest programs that do not wait for a child, among equals the maker's, for what they share is in that core's
//! caches, and else that with the fewest programs. The maker and its ancestors do not count: most wait for their child,
//! or will as soon as they have made a few. So of shells that a shell makes each gets a home of its own, and what they
//! run is there, too.
//!
//! Not here: the core on which it runs (`kernel/core/src/smp/remote_run_queue.rs`), the board (its maker says that).

use super::slot_set::SlotSet;
use renga_rt::WaitCanceller;

/// Cores of a board.
const CORES_MAX: usize = 4;

/// The slots of each home.
pub(super) struct Homes([SlotSet; CORES_MAX]);

impl Homes {
    /// Those of the slots that `wait_cancellers` are of.
    pub fn new(wait_cancellers: &[WaitCanceller]) -> Homes {
        let mut homes = [SlotSet::NONE; CORES_MAX];
        for (slot, wait_canceller) in (0..).zip(wait_cancellers) {
            homes[usize::from(wait_canceller.home()) % CORES_MAX].insert(slot);
        }
        Homes(homes)
    }

    /// A free slot, of those that are `idle`, on the home of `maker`.
    pub fn beside(&self, idle: &SlotSet, maker: u16) -> Option<u16> {
        self.0.iter().find(|slots| slots.contains(maker))?.both(idle).first()
    }

    /// The free slot, of those that are `idle`, for a program that the one in slot `maker` makes, or another board's;
    /// `ancestors` are those who made that, and who made these, and `waits` says which programs wait for a child.
    pub fn choose(
        &self,
        idle: &SlotSet,
        maker: Option<u16>,
        ancestors: impl Iterator<Item = u16>,
        waits: impl Fn(u16) -> bool,
    ) -> Option<u16> {
        if self.0.iter().filter(|slots| !slots.is_empty()).count() < 2 {
            return idle.first();
        }
        let mut uncounted = *idle;
        for slot in ancestors.chain(maker) {
            uncounted.insert(slot);
        }
        let rank = |slots: &SlotSet| {
            let first = slots.both(idle).first()?;
            let maker_is_elsewhere = !maker.is_some_and(|maker| slots.contains(maker));
            let mut programs = slots.without(&uncounted);
            let (all, mut waiting) = (programs.len(), 0);
            while let Some(slot) = programs.take_first() {
                waiting += u32::from(waits(slot));
            }
            Some((all - waiting, maker_is_elsewhere, all, first))
        };
        self.0.iter().filter_map(rank).min().map(|(.., slot)| slot)
    }
}

#[cfg(test)]
mod tests {
    use super::{Homes, SlotSet};
    use core::iter;

    fn set(slots: impl IntoIterator<Item = u16>) -> SlotSet {
        let mut set = SlotSet::NONE;
        for slot in slots {
            set.insert(slot);
        }
        set
    }

    /// Holds: cores-homes.
    #[test]
    fn home_core_equal_load_prefers_parents_core() {
        let homes = Homes([set(0..4), SlotSet::NONE, set(4..8), set(8..10)]);
        let cases: [(&str, SlotSet, Option<u16>, Option<u16>); 7] = [
            ("all free, made elsewhere", set(0..10), None, Some(0)),
            ("the maker does not count", set(1..10), Some(0), Some(1)),
            ("the maker's home has one more", set(2..10), Some(0), Some(4)),
            ("all have one: the maker's", set([1, 2, 3, 5, 6, 7, 9]), Some(8), Some(9)),
            ("all have one: the first", set([1, 2, 3, 5, 6, 7, 9]), None, Some(1)),
            ("the fewest has none free", set([3, 7]), Some(4), Some(7)),
            ("none is free", SlotSet::NONE, Some(4), None),
        ];
        for (name, idle, maker, wanted) in cases {
            assert_eq!(homes.choose(&idle, maker, iter::empty(), |_| false), wanted, "{name}");
        }
        let waits = |slot| slot == 0 || slot == 8;
        let idle = set([1, 2, 3, 5, 6, 7, 9]);
        let cases: [(&str, Option<u16>, Option<u16>); 3] = [
            ("all are idle: the one without waiters", Some(4), Some(5)),
            ("one works: not there, and with the maker", Some(8), Some(9)),
            ("one works, two wait: the first", None, Some(1)),
        ];
        for (name, maker, wanted) in cases {
            assert_eq!(homes.choose(&idle, maker, iter::empty(), waits), wanted, "{name}");
        }
        let cases: [(&str, &[u16], Option<u16>); 3] = [
            ("who made the maker does not count", &[4], Some(5)),
            ("nor among those who wait", &[8], Some(9)),
            ("both", &[4, 8], Some(5)),
        ];
        for (name, ancestors, wanted) in cases {
            assert_eq!(homes.choose(&idle, None, ancestors.iter().copied(), waits), wanted, "{name}");
        }
        let one = Homes([SlotSet::NONE, set(0..9), SlotSet::NONE, SlotSet::NONE]);
        assert_eq!(one.choose(&idle, None, iter::empty(), waits), Some(1), "there is one home");
    }
}
