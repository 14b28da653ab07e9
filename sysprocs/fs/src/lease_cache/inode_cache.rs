//! What this board caches of an inode: its status, where a symbolic link leads, and a reference for all opens of the
//! board.
//!
//! Invariants: a cached status is true, since a change revokes it first; one that was granted under a write lease of
//! this board is so with what the page cache has changed under that lease, and not after it. A target is right as long
//! as a name of its link is cached: a link never changes, and a granted name for a link makes the cache forget the
//! target of another link of that number. The directory of inodes counts one reference of this board for each inode
//! that has one here, beside those of open files. Its owner revokes the reference (`revoke`), or a caller gets it to
//! give back: with the last use of an unlinked inode (`release`), or as the surplus when other references need the
//! place (`keep`): several at once, so that not every new reference costs a call. All references end with the session
//! with the disk's board. Bounded by its slots: a status not used lately makes room, a slot with a reference stays. Not
//! here: the count (`inode_table/active_table.rs`).

use renga_proto::inode::{InodeFacts, STAT_BYTES};
use renga_proto::names::ReferenceCached;
use renga_proto::pages::FileId;
use renga_proto::sessions::ReferenceOrigin;
use renga_proto::stat::{ACCESS_AT, put_time};
use renga_proto::steps::TARGET_BYTES_MAX;
use renga_proto::surplus::{self, SURPLUS_MAX};
use renga_rt::Errno;
use renga_rt::linked_list::{self, LinkedList, Links, RowNumber};

/// Chains of the hash from inode to slot.
const CHAINS: usize = 1024;
/// Slots searched for one that has not been used lately.
const SCANS_MAX: usize = 16;
/// One in so many references is evicted, if there is no room for another.
const EVICTED_SHARE: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ReferenceKey {
    /// 0: none.
    pub ino: u32,
    /// Distinguishes it from earlier and later inodes of its number.
    pub generation: u32,
    /// The process that serves it.
    pub slot: u16,
}

#[derive(Clone, Copy)]
struct CachedReference {
    generation: u32,
    slot: u16,
    /// The owner's session in which it was granted.
    session: u32,
    count: u16,
    unlinked: bool,
}

#[derive(Clone, Copy)]
pub(super) struct CachedStatus {
    pub(super) facts: InodeFacts,
    pub(super) status: [u8; STAT_BYTES],
    /// The write lease of this board without which it is not complete, or `NO_LEASE`.
    pub(super) lease: u64,
}

#[derive(Clone, Copy)]
struct CachedTarget {
    bytes: u8,
    target: [u8; TARGET_BYTES_MAX],
}

/// Room for one inode. Boot provides as many as there are to be.
#[derive(Clone, Copy)]
pub struct CachedInode {
    ino: u32,
    status: Option<CachedStatus>,
    target: Option<CachedTarget>,
    reference: Option<CachedReference>,
    /// Its place in the list of unused references.
    idle: Links<u16>,
    next: u16,
    /// Used since the last search for room here.
    recent: bool,
}
impl CachedInode {
    /// Of no inode.
    pub const EMPTY: CachedInode = CachedInode {
        ino: 0,
        status: None,
        target: None,
        reference: None,
        idle: Links::NONE,
        next: u16::NONE,
        recent: false,
    };
}

pub(super) struct InodeCache {
    slots: &'static mut [CachedInode],
    chains: [u16; CHAINS],
    hand: usize,
    /// References without uses, oldest first.
    idle: LinkedList<u16>,
    references: usize,
    references_max: usize,
    session: u32,
}

fn chain(ino: u32) -> usize {
    ino as usize % CHAINS
}

impl InodeCache {
    /// With a reference to at most `references_max` of the inodes.
    ///
    /// # Panics
    /// With more slots than have numbers.
    pub(super) fn new(slots: &'static mut [CachedInode], references_max: usize, session: u32) -> Self {
        assert!(slots.len() < usize::from(u16::NONE), "more inodes than numbers");
        let (chains, idle) = ([u16::NONE; CHAINS], LinkedList::EMPTY);
        InodeCache { slots, chains, hand: 0, idle, references: 0, references_max, session }
    }

    /// All of it ends with the session before this one.
    pub(super) fn begin(&mut self, session: u32) {
        self.slots.fill(CachedInode::EMPTY);
        (self.chains, self.idle, self.references) = ([u16::NONE; CHAINS], LinkedList::EMPTY, 0);
        self.session = session;
    }

    fn position(&self, ino: u32) -> Option<u16> {
        linked_list::find(self.slots, self.chains[chain(ino)], |slot| slot.next, |slot| slot.ino == ino)
    }

    fn find(&mut self, ino: u32) -> Option<(u16, &mut CachedInode)> {
        let number = self.position(ino)?;
        Some((number, &mut self.slots[usize::from(number)]))
    }

    pub(super) fn status(&mut self, ino: u32) -> Option<&CachedStatus> {
        let (_, slot) = self.find(ino)?;
        slot.recent = true;
        slot.status.as_ref()
    }

    pub(super) fn put(&mut self, cached: CachedStatus) {
        if let Some(number) = self.place(cached.facts.ino) {
            let slot = &mut self.slots[usize::from(number)];
            (slot.status, slot.recent) = (Some(cached), false);
        }
    }

    /// Sets the inode's time of the last access.
    pub(super) fn set_access(&mut self, ino: u32, access_ns: u64) {
        if let Some((_, CachedInode { status: Some(cached), .. })) = self.find(ino) {
            put_time(&mut cached.status, ACCESS_AT, access_ns);
        }
    }

    /// Forgets its status.
    pub(super) fn forget(&mut self, ino: u32) {
        if let Some((number, slot)) = self.find(ino) {
            slot.status = None;
            self.clear_unused(number);
        }
    }

    /// The target of a symbolic link, if cached.
    pub(super) fn target(&mut self, ino: u32) -> Option<&[u8]> {
        let (_, slot) = self.find(ino)?;
        slot.recent = true;
        slot.target.as_ref().map(|cached| &cached.target[..usize::from(cached.bytes)])
    }

    pub(super) fn put_target(&mut self, ino: u32, target: &[u8]) {
        if target.len() <= TARGET_BYTES_MAX
            && let Some(number) = self.place(ino)
        {
            let mut cached = CachedTarget { bytes: target.len() as u8, target: [0; TARGET_BYTES_MAX] };
            cached.target[..target.len()].copy_from_slice(target);
            self.slots[usize::from(number)].target = Some(cached);
        }
    }

    /// Forgets the target of that number, which may become another link's.
    pub(super) fn forget_target(&mut self, ino: u32) {
        if let Some((number, slot)) = self.find(ino) {
            slot.target = None;
            self.clear_unused(number);
        }
    }

    /// The inode of that number to which this board has a reference; no other inode gets the number meanwhile.
    pub(super) fn file(&mut self, ino: u32) -> Option<FileId> {
        let (_, slot) = self.find(ino)?;
        slot.reference.map(|reference| FileId { ino, generation: reference.generation })
    }

    fn origin(&self) -> ReferenceOrigin {
        ReferenceOrigin { session: self.session, kept: true }
    }

    /// Adds a use of a cached reference; returns the inode's process and the reference's origin.
    pub(super) fn use_again(&mut self, ino: u32) -> Option<(u16, ReferenceOrigin)> {
        let (number, slot) = self.find(ino)?;
        let reference = slot.reference.as_mut()?;
        reference.count = reference.count.checked_add(1)?;
        let CachedReference { slot, count, .. } = *reference;
        if count == 1 {
            self.idle.remove(self.slots, |slot| &mut slot.idle, number);
        }
        Some((slot, self.origin()))
    }

    /// As `use_again`, if it is that very inode, there.
    pub(super) fn use_as(&mut self, of: ReferenceKey) -> Option<ReferenceOrigin> {
        let CachedReference { generation, slot, .. } = self.find(of.ino)?.1.reference?;
        let same = (generation, slot) == (of.generation, of.slot);
        if same { self.use_again(of.ino).map(|(_, origin)| origin) } else { None }
    }

    /// Takes over a reference, with its first use. What the caller is to give back goes to `surplus`, which has room
    /// for one.
    pub(super) fn keep(&mut self, of: ReferenceKey, session: u32, surplus: &mut [u8]) -> ReferenceCached {
        let ReferenceKey { ino, generation, slot } = of;
        let origin = self.origin();
        if self.file(ino).is_some() {
            // Another caller was faster: one reference is enough, unless it has the maximum of uses.
            let used = self.use_again(ino);
            let put = used.and_then(|(slot, origin)| Some((origin, surplus::put(surplus, 0, ino, slot)?)));
            return put.map_or(ReferenceCached::NOT, |(origin, bytes)| ReferenceCached {
                origin,
                surplus_bytes: bytes as u32,
            });
        }
        let is_full = self.references >= self.references_max;
        if is_full && self.idle.oldest().is_none() {
            return ReferenceCached::NOT;
        }
        let Some(number) = self.place(ino) else { return ReferenceCached::NOT };
        let surplus_bytes = if is_full { self.evict(surplus) as u32 } else { 0 };
        let fresh = CachedReference { generation, slot, session, count: 1, unlinked: false };
        self.slots[usize::from(number)].reference = Some(fresh);
        self.references += 1;
        ReferenceCached { origin, surplus_bytes }
    }

    /// Ends references without uses, the oldest first; the bytes that name them.
    fn evict(&mut self, surplus: &mut [u8]) -> usize {
        let (most, mut bytes) = ((self.references_max / EVICTED_SHARE).clamp(1, SURPLUS_MAX), 0);
        for index in 0..most.min(surplus.len() / surplus::EACH_BYTES) {
            let Some(oldest) = self.idle.oldest() else { break };
            let (ino, slot) = self.end_reference(oldest);
            bytes = surplus::put(surplus, index, ino, slot).unwrap_or(bytes);
        }
        bytes
    }

    /// Drops one use; returns whether the caller has to give the reference back. `EINVAL`: no reference is cached.
    pub(super) fn release(&mut self, ino: u32, session: u32) -> Result<bool, Errno> {
        if session != self.session {
            return Ok(false); // it ended with the session
        }
        let (number, slot) = self.find(ino).ok_or(Errno::EINVAL)?;
        let reference = slot.reference.as_mut().filter(|reference| reference.count > 0).ok_or(Errno::EINVAL)?;
        reference.count -= 1;
        let CachedReference { count, unlinked, .. } = *reference;
        if count == 0 {
            self.idle.push(self.slots, |slot| &mut slot.idle, number);
            if unlinked {
                self.end_reference(number);
            }
        }
        Ok(count == 0 && unlinked)
    }

    /// The inode has no name any more; returns process and session of the reference if the caller takes that over, as
    /// it has no uses.
    pub(super) fn revoke(&mut self, ino: u32) -> Option<(u16, u32)> {
        let (number, slot) = self.find(ino)?;
        let reference = slot.reference.as_mut()?;
        reference.unlinked = true;
        let CachedReference { slot, session, count, .. } = *reference;
        if count > 0 {
            return None;
        }
        self.end_reference(number);
        Some((slot, session))
    }

    /// Takes the reference, which has no uses, out of its slot; returns inode and process.
    fn end_reference(&mut self, number: u16) -> (u32, u16) {
        self.idle.remove(self.slots, |slot| &mut slot.idle, number);
        self.references -= 1;
        let slot = &mut self.slots[usize::from(number)];
        let ended = (slot.ino, slot.reference.take().map_or(0, |reference| reference.slot));
        self.clear_unused(number);
        ended
    }

    /// The slot of an inode, which it gets if it has none.
    fn place(&mut self, ino: u32) -> Option<u16> {
        if ino == 0 || self.position(ino).is_some() {
            return self.position(ino);
        }
        let number = self.make_room()?;
        self.slots[usize::from(number)].ino = ino;
        linked_list::chain(self.slots, &mut self.chains[chain(ino)], |slot| &mut slot.next, number);
        Some(number)
    }

    /// A slot of no inode. `None`: all slots searched have references.
    fn make_room(&mut self) -> Option<u16> {
        let mut room = None;
        for _ in 0..SCANS_MAX.min(self.slots.len()) {
            let number = self.hand as u16;
            self.hand = (self.hand + 1) % self.slots.len();
            let slot = &mut self.slots[usize::from(number)];
            if slot.reference.is_none() {
                room = Some(number);
                if slot.ino == 0 || !core::mem::take(&mut slot.recent) {
                    break;
                }
            }
        }
        let number = room?;
        let slot = &mut self.slots[usize::from(number)];
        (slot.status, slot.target) = (None, None);
        self.clear_unused(number);
        Some(number)
    }

    fn clear_unused(&mut self, number: u16) {
        let slot = &self.slots[usize::from(number)];
        let (ino, unused) = (slot.ino, slot.status.is_none() && slot.target.is_none() && slot.reference.is_none());
        if ino != 0 && unused {
            linked_list::unchain(self.slots, &mut self.chains[chain(ino)], |slot| &mut slot.next, number);
            self.slots[usize::from(number)] = CachedInode::EMPTY;
        }
    }
}

#[cfg(test)]
mod tests;
