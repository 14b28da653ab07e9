//! References of this board to inodes that programs here open again and again: one each, however many have it open.
//!
//! Invariant: of each inode here the directory of inodes counts one reference of this board more than the other
//! holders know of. It is released by the process that learns that it is free: by the last use of an unlinked inode,
//! by a call that needs room for another, or by the lookup worker that revokes the last name. A use is of one session
//! with the disk's board: with that all references end. Bounded by its places; an inode has a few that it may be in.
//! Not here: the count (`inode/active_table.rs`), references of open files that are not here.

use renga_proto::names::ReferenceCached;
use renga_proto::pages::FileId;
use renga_proto::sessions::ReferenceOrigin;
use renga_rt::Errno;

const WAYS: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ReferenceKey {
    /// 0: none.
    pub ino: u32,
    /// Distinguishes it from earlier and later inodes of its number.
    pub generation: u32,
    /// With which process it is.
    pub slot: u16,
}

/// Room for one reference. Boot provides some.
#[derive(Clone, Copy)]
pub struct CachedReference {
    of: ReferenceKey,
    uses: u16,
    unlinked: bool,
    /// Used since the last search for room here.
    recent: bool,
}
impl CachedReference {
    /// ReferenceKey no inode.
    pub const EMPTY: CachedReference = CachedReference {
        of: ReferenceKey { ino: 0, generation: 0, slot: 0 },
        uses: 0,
        unlinked: false,
        recent: false,
    };
}

pub(super) struct CachedReferences {
    places: &'static mut [CachedReference],
    session: u32,
}

impl CachedReferences {
    pub(super) fn new(places: &'static mut [CachedReference], session: u32) -> Self {
        CachedReferences { places, session }
    }

    fn ways(&mut self, ino: u32) -> &mut [CachedReference] {
        let sets = self.places.len().div_ceil(WAYS).max(1);
        let from = ino as usize % sets * WAYS;
        let to = (from + WAYS).min(self.places.len());
        &mut self.places[from..to]
    }

    fn find(&mut self, ino: u32) -> Option<&mut CachedReference> {
        self.ways(ino).iter_mut().find(|cached| ino != 0 && cached.of.ino == ino)
    }

    /// Which inode of that number it is to which a reference is here: while it is, no other has that number.
    pub(super) fn file(&mut self, ino: u32) -> Option<FileId> {
        self.find(ino).map(|cached| FileId { ino, generation: cached.of.generation })
    }

    fn origin(&self) -> ReferenceOrigin {
        ReferenceOrigin { session: self.session, kept: true }
    }

    /// One use more of what is here: with which process the inode is, and its origin.
    pub(super) fn use_again(&mut self, ino: u32) -> Option<(u16, ReferenceOrigin)> {
        let origin = self.origin();
        let cached = self.find(ino)?;
        cached.uses = cached.uses.checked_add(1)?;
        cached.recent = true;
        Some((cached.of.slot, origin))
    }

    /// As `use_again`, if it is that very inode, there.
    pub(super) fn use_as(&mut self, of: ReferenceKey) -> Option<ReferenceOrigin> {
        self.find(of.ino).filter(|cached| cached.of == of)?;
        self.use_again(of.ino).map(|(_, origin)| origin)
    }

    /// Takes over a reference, with its first use.
    pub(super) fn keep(&mut self, of: ReferenceKey) -> ReferenceCached {
        let origin = self.origin();
        if self.find(of.ino).is_some() {
            // Another caller was faster: one reference is enough, unless it has the maximum of uses.
            let used = self.use_again(of.ino);
            return used.map_or(ReferenceCached::NOT, |(slot, origin)| ReferenceCached {
                origin,
                surplus_slot: slot,
                surplus: of.ino,
            });
        }
        let Some(place) = room(self.ways(of.ino)).filter(|_| of.ino != 0) else { return ReferenceCached::NOT };
        let fresh = CachedReference { of, uses: 1, unlinked: false, recent: true };
        let ReferenceKey { ino, slot, .. } = core::mem::replace(place, fresh).of;
        ReferenceCached { origin, surplus_slot: slot, surplus: ino }
    }

    /// One use less; whether the reference is the caller's from now on, to be given back. `EINVAL`: there is none.
    pub(super) fn release(&mut self, ino: u32, session: u32) -> Result<bool, Errno> {
        if session != self.session {
            return Ok(false); // it ended with the session
        }
        let cached = self.find(ino).filter(|cached| cached.uses > 0).ok_or(Errno::EINVAL)?;
        cached.uses -= 1;
        let gone = cached.uses == 0 && cached.unlinked;
        if gone {
            *cached = CachedReference::EMPTY;
        }
        Ok(gone)
    }

    /// The inode has no name any more; returns whether the caller takes over the reference, as it has no uses.
    pub(super) fn revoke(&mut self, ino: u32) -> bool {
        let Some(cached) = self.find(ino) else { return false };
        cached.unlinked = true;
        let unused = cached.uses == 0;
        if unused {
            *cached = CachedReference::EMPTY;
        }
        unused
    }

    pub(super) fn begin(&mut self, session: u32) {
        self.places.fill(CachedReference::EMPTY);
        self.session = session;
    }
}

/// A place without uses: one of no inode, or else one that was not used lately, or any.
fn room(ways: &mut [CachedReference]) -> Option<&mut CachedReference> {
    let unused = |cached: &CachedReference| cached.uses == 0;
    let best = ways.iter().position(|cached| cached.of.ino == 0);
    let best = best.or_else(|| ways.iter().position(|cached| unused(cached) && !cached.recent));
    if best.is_none() {
        ways.iter_mut().for_each(|cached| cached.recent = false);
    }
    let best = best.or_else(|| ways.iter().position(unused))?;
    ways.get_mut(best)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::{CachedReference, CachedReferences, ReferenceKey};
    use renga_proto::names::ReferenceCached;
    use renga_proto::sessions::ReferenceOrigin;
    use renga_rt::Errno;
    use std::boxed::Box;

    const NOW: ReferenceOrigin = ReferenceOrigin { session: 1, kept: true };

    fn places() -> CachedReferences {
        CachedReferences::new(Box::leak(Box::new([CachedReference::EMPTY; 3])), NOW.session)
    }

    fn of(ino: u32, slot: u16) -> ReferenceKey {
        ReferenceKey { ino, generation: 5, slot }
    }

    fn kept(surplus: u32, surplus_slot: u16) -> ReferenceCached {
        ReferenceCached { origin: NOW, surplus_slot, surplus }
    }

    #[test]
    fn cached_references_second_reference_is_surplus() {
        let mut cached = places();
        assert_eq!(cached.keep(of(12, 7)), kept(0, 0));
        assert_eq!(cached.keep(of(12, 7)), kept(12, 7));
        assert_eq!(cached.use_again(12), Some((7, NOW)));
        for _ in 0..3 {
            assert_eq!(cached.release(12, 1), Ok(false));
        }
        assert_eq!(cached.release(12, 1), Err(Errno::EINVAL));
        assert_eq!(cached.use_again(12), Some((7, NOW)));
    }

    #[test]
    fn cached_references_count_overflow_is_refused() {
        let mut cached = places();
        cached.keep(of(12, 7));
        for _ in 1..u16::MAX {
            assert!(cached.use_again(12).is_some());
        }
        assert_eq!((cached.use_again(12), cached.keep(of(12, 7))), (None, ReferenceCached::NOT));
        for _ in 0..u16::MAX {
            assert_eq!(cached.release(12, 1), Ok(false));
        }
        assert_eq!(cached.release(12, 1), Err(Errno::EINVAL));
        assert!(cached.revoke(12) && !cached.revoke(12));
    }

    #[test]
    fn cached_references_other_generation_is_not_found() {
        let mut cached = places();
        cached.keep(of(12, 7));
        assert_eq!(cached.use_as(of(12, 7)), Some(NOW));
        assert_eq!(cached.use_as(of(12, 8)), None);
        assert_eq!(cached.use_as(ReferenceKey { generation: 6, ..of(12, 7) }), None);
    }

    #[test]
    fn cached_references_unlinked_inode_goes_with_last_use() {
        let mut cached = places();
        cached.keep(of(12, 7));
        cached.use_again(12);
        assert!(!cached.revoke(12), "it is in use");
        assert_eq!((cached.release(12, 1), cached.release(12, 1)), (Ok(false), Ok(true)));
        assert_eq!(cached.use_again(12), None);
        cached.keep(of(12, 7));
        cached.release(12, 1).unwrap();
        assert!(cached.revoke(12));
        assert!(!cached.revoke(12), "it is given back once");
    }

    #[test]
    fn cached_references_used_entry_is_not_evicted() {
        let mut cached = places();
        for ino in 1..=3 {
            cached.keep(of(ino, ino as u16));
        }
        assert_eq!(cached.keep(of(4, 4)), ReferenceCached::NOT);
        cached.release(2, 1).unwrap();
        assert_eq!(cached.keep(of(4, 4)), kept(2, 2));
        assert_eq!(cached.use_again(2), None);
    }

    #[test]
    fn cached_references_earlier_session_is_ignored() {
        let mut cached = places();
        cached.keep(of(12, 7));
        cached.begin(2);
        cached.keep(of(12, 9));
        assert_eq!(cached.release(12, 1), Ok(false));
        assert!(!cached.revoke(12), "the use of this session is there");
    }
}
