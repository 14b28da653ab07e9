//! References of this board to inodes that programs here open again and again: one each, however many have it open.
//!
//! Invariant: of each inode here the directory of inodes counts one reference of this board more than those of others know of.
//! It is given back by whoever is told to: who releases the last use of what has no name any more, who needs the room of one
//! that nobody uses, or a walker that takes the last name and is told that nobody uses it. A use is of one session with the disk's
//! board: with that all references end. Bounded by its places; an inode has a few that it may be in.
//! Not here: the count (`inode/active_table.rs`), references of open files that are not here.

use renga_proto::names::Kept;
use renga_rt::Errno;

/// Places that an inode may be in.
const WAYS: usize = 4;

/// Room for one reference. Boot provides some.
#[derive(Clone, Copy)]
pub struct HeldReference {
    /// 0: of none.
    ino: u32,
    slot: u16,
    uses: u16,
    /// It has no name any more.
    unlinked: bool,
    /// Used since room was looked for here.
    recent: bool,
}
impl HeldReference {
    /// Of no inode.
    pub const EMPTY: HeldReference = HeldReference { ino: 0, slot: 0, uses: 0, unlinked: false, recent: false };
}

pub(super) struct HeldReferences {
    places: &'static mut [HeldReference],
    /// With the disk's board; never 0.
    session: u16,
}

impl HeldReferences {
    pub(super) fn new(places: &'static mut [HeldReference]) -> Self {
        HeldReferences { places, session: 1 }
    }

    /// Where inode `ino` may be.
    fn ways(&mut self, ino: u32) -> &mut [HeldReference] {
        let sets = self.places.len().div_ceil(WAYS).max(1);
        let from = ino as usize % sets * WAYS;
        let to = (from + WAYS).min(self.places.len());
        &mut self.places[from..to]
    }

    fn find(&mut self, ino: u32) -> Option<&mut HeldReference> {
        self.ways(ino).iter_mut().find(|held| ino != 0 && held.ino == ino)
    }

    /// One use more of what is here: with which process the inode is, and the session.
    pub(super) fn use_again(&mut self, ino: u32) -> Option<(u16, u16)> {
        let session = self.session;
        let held = self.find(ino)?;
        held.uses = held.uses.checked_add(1)?;
        held.recent = true;
        Some((held.slot, session))
    }

    /// As `use_again`, if the inode is with process `slot`: the session.
    pub(super) fn use_as(&mut self, ino: u32, slot: u16) -> Option<u16> {
        self.find(ino).filter(|held| held.slot == slot)?;
        self.use_again(ino).map(|(_, session)| session)
    }

    /// Takes over a reference to the inode of process `slot`, with its first use.
    pub(super) fn keep(&mut self, ino: u32, slot: u16) -> Kept {
        if let Some((known, session)) = self.use_again(ino) {
            // Somebody was faster: one reference is enough.
            return Kept { session, surplus_slot: known, surplus: ino };
        }
        let session = self.session;
        let Some(place) = room(self.ways(ino)).filter(|_| ino != 0) else { return Kept::NOT };
        let fresh = HeldReference { ino, slot, uses: 1, unlinked: false, recent: true };
        let former = core::mem::replace(place, fresh);
        Kept { session, surplus_slot: former.slot, surplus: former.ino }
    }

    /// One use less; whether the reference is the caller's from now on, to be given back. `EINVAL`: there is none.
    pub(super) fn release(&mut self, ino: u32, session: u16) -> Result<bool, Errno> {
        if session != self.session {
            return Ok(false); // it ended with the session
        }
        let held = self.find(ino).filter(|held| held.uses > 0).ok_or(Errno::EINVAL)?;
        held.uses -= 1;
        let gone = held.uses == 0 && held.unlinked;
        if gone {
            *held = HeldReference::EMPTY;
        }
        Ok(gone)
    }

    /// The inode has no name any more; whether the reference is the caller's from now on, as nobody uses it.
    pub(super) fn recall(&mut self, ino: u32) -> bool {
        let Some(held) = self.find(ino) else { return false };
        held.unlinked = true;
        let unused = held.uses == 0;
        if unused {
            *held = HeldReference::EMPTY;
        }
        unused
    }

    /// The session is over.
    pub(super) fn forget_all(&mut self) {
        self.places.fill(HeldReference::EMPTY);
        self.session = self.session.wrapping_add(1).max(1);
    }
}

/// A place that nobody uses: one of no inode, or else one that was not used lately, or any.
fn room(ways: &mut [HeldReference]) -> Option<&mut HeldReference> {
    let unused = |held: &HeldReference| held.uses == 0;
    let best = ways.iter().position(|held| held.ino == 0);
    let best = best.or_else(|| ways.iter().position(|held| unused(held) && !held.recent));
    if best.is_none() {
        ways.iter_mut().for_each(|held| held.recent = false);
    }
    let best = best.or_else(|| ways.iter().position(unused))?;
    ways.get_mut(best)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::{HeldReference, HeldReferences};
    use renga_proto::names::Kept;
    use renga_rt::Errno;
    use std::boxed::Box;

    fn places() -> HeldReferences {
        HeldReferences::new(Box::leak(Box::new([HeldReference::EMPTY; 3])))
    }

    #[test]
    fn uses_are_counted_and_one_reference_is_enough() {
        let mut held = places();
        assert_eq!(held.keep(12, 7), Kept { session: 1, surplus_slot: 0, surplus: 0 });
        assert_eq!(held.keep(12, 7), Kept { session: 1, surplus_slot: 7, surplus: 12 });
        assert_eq!(held.use_again(12), Some((7, 1)));
        for _ in 0..3 {
            assert_eq!(held.release(12, 1), Ok(false));
        }
        assert_eq!(held.release(12, 1), Err(Errno::EINVAL));
        assert_eq!(held.use_again(12), Some((7, 1)));
    }

    #[test]
    fn what_has_no_name_goes_with_its_last_use() {
        let mut held = places();
        held.keep(12, 7);
        held.use_again(12);
        assert!(!held.recall(12), "it is in use");
        assert_eq!((held.release(12, 1), held.release(12, 1)), (Ok(false), Ok(true)));
        assert_eq!(held.use_again(12), None);
        held.keep(12, 7);
        held.release(12, 1).unwrap();
        assert!(held.recall(12));
        assert!(!held.recall(12), "it is given back once");
    }

    #[test]
    fn what_is_used_makes_no_room() {
        let mut held = places();
        for ino in 1..=3 {
            held.keep(ino, ino as u16);
        }
        assert_eq!(held.keep(4, 4), Kept::NOT);
        held.release(2, 1).unwrap();
        assert_eq!(held.keep(4, 4), Kept { session: 1, surplus_slot: 2, surplus: 2 });
        assert_eq!(held.use_again(2), None);
    }

    #[test]
    fn a_use_of_an_earlier_session_counts_no_more() {
        let mut held = places();
        held.keep(12, 7);
        held.forget_all();
        held.keep(12, 9);
        assert_eq!(held.release(12, 1), Ok(false));
        assert!(!held.recall(12), "the use of this session is there");
    }
}
