//! Inodes whose status this board caches.
//!
//! Invariant: one that is here is as it says: whoever changes it revokes it first. Bounded by its slots; one that has not
//! been asked for lately makes room.

use crate::format::stat::put_access;
use renga_proto::inode::{Birth, InodeFacts, STAT_BYTES};
use renga_proto::sessions::ReferenceOrigin;

/// The end of a chain; no slot.
const NONE: u16 = u16::MAX;
/// Chains of the hash from inode to slot.
const CHAINS: usize = 256;
/// BufferSlots that are looked at for one that has not been asked for lately.
const LOOKS_MAX: usize = 16;

/// Room for one inode. Boot provides as many as there are to be.
#[derive(Clone, Copy)]
pub struct CachedInode {
    pub(super) facts: InodeFacts,
    pub(super) status: [u8; STAT_BYTES],
    /// Next of the same chain.
    next: u16,
    /// Asked for since room was looked for here.
    recent: bool,
}
impl CachedInode {
    /// Of no inode.
    pub const EMPTY: CachedInode = CachedInode {
        facts: InodeFacts {
            slot: 0,
            ino: 0,
            mode: 0,
            birth: Birth { generation: 0, device: 0 },
            origin: ReferenceOrigin::NONE,
        },
        status: [0; STAT_BYTES],
        next: NONE,
        recent: false,
    };
}

pub(super) struct CachedInodes {
    slots: &'static mut [CachedInode],
    chains: [u16; CHAINS],
    /// Where room is looked for next.
    hand: usize,
}

fn chain(ino: u32) -> usize {
    ino as usize % CHAINS
}

impl CachedInodes {
    /// # Panics
    /// With more slots than have numbers.
    pub(super) fn new(slots: &'static mut [CachedInode]) -> Self {
        assert!(slots.len() < usize::from(NONE), "more inodes than numbers");
        CachedInodes { slots, chains: [NONE; CHAINS], hand: 0 }
    }

    fn position(&self, ino: u32) -> Option<u16> {
        let mut at = self.chains[chain(ino)];
        // Bounded by the length of one chain.
        while let Some(slot) = self.slots.get(usize::from(at)) {
            if slot.facts.ino == ino {
                return Some(at);
            }
            at = slot.next;
        }
        None
    }

    pub(super) fn find(&mut self, ino: u32) -> Option<&CachedInode> {
        let number = self.position(ino)?;
        let slot = &mut self.slots[usize::from(number)];
        slot.recent = true;
        Some(slot)
    }

    pub(super) fn put(&mut self, facts: InodeFacts, status: [u8; STAT_BYTES]) {
        self.forget(facts.ino);
        if facts.ino == 0 || self.slots.is_empty() {
            return;
        }
        let number = self.make_room();
        let next = core::mem::replace(&mut self.chains[chain(facts.ino)], number);
        self.slots[usize::from(number)] = CachedInode { facts, status, next, recent: false };
    }

    /// It was read last at that time.
    pub(super) fn set_access(&mut self, ino: u32, access_ns: u64) {
        if let Some(number) = self.position(ino) {
            put_access(&mut self.slots[usize::from(number)].status, access_ns);
        }
    }

    pub(super) fn forget(&mut self, ino: u32) {
        if let Some(number) = self.position(ino) {
            self.clear(number);
        }
    }

    pub(super) fn forget_all(&mut self) {
        self.chains = [NONE; CHAINS];
        self.slots.fill(CachedInode::EMPTY);
    }

    /// A slot of no inode.
    fn make_room(&mut self) -> u16 {
        for _ in 0..LOOKS_MAX {
            let slot = &mut self.slots[self.hand];
            if slot.facts.ino == 0 || !core::mem::take(&mut slot.recent) {
                break;
            }
            self.hand = (self.hand + 1) % self.slots.len();
        }
        let number = self.hand as u16;
        self.hand = (self.hand + 1) % self.slots.len();
        self.clear(number);
        number
    }

    fn clear(&mut self, number: u16) {
        let CachedInode { facts, next, .. } = self.slots[usize::from(number)];
        if facts.ino == 0 {
            return;
        }
        let mut at = &mut self.chains[chain(facts.ino)];
        // It is in this chain.
        while *at != number {
            at = &mut self.slots[usize::from(*at)].next;
        }
        *at = next;
        self.slots[usize::from(number)] = CachedInode::EMPTY;
    }
}
