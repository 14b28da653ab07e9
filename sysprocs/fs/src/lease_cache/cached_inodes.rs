//! Inodes whose status this board caches.
//!
//! Invariant: an entry is current: a change revokes it first. Bounded by its slots; one that has not been used lately
//! makes room.

use crate::format::stat::put_access;
use renga_proto::inode::{Birth, InodeFacts, STAT_BYTES};
use renga_proto::sessions::ReferenceOrigin;
use renga_rt::linked_list::{self, RowNumber};

/// The end of a chain; no slot.
/// Chains of the hash from inode to slot.
const CHAINS: usize = 256;
/// Slots searched for one that has not been used lately.
const SCANS_MAX: usize = 16;

/// Room for one inode. Boot provides as many as there are to be.
#[derive(Clone, Copy)]
pub struct CachedInode {
    pub(super) facts: InodeFacts,
    pub(super) status: [u8; STAT_BYTES],
    next: u16,
    /// Used since the last search for room here.
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
        next: u16::NONE,
        recent: false,
    };
}

pub(super) struct CachedInodes {
    slots: &'static mut [CachedInode],
    chains: [u16; CHAINS],
    hand: usize,
}

fn chain(ino: u32) -> usize {
    ino as usize % CHAINS
}

impl CachedInodes {
    /// # Panics
    /// With more slots than have numbers.
    pub(super) fn new(slots: &'static mut [CachedInode]) -> Self {
        assert!(slots.len() < usize::from(u16::NONE), "more inodes than numbers");
        CachedInodes { slots, chains: [u16::NONE; CHAINS], hand: 0 }
    }

    fn position(&self, ino: u32) -> Option<u16> {
        linked_list::find(self.slots, self.chains[chain(ino)], |slot| slot.next, |slot| slot.facts.ino == ino)
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
        self.slots[usize::from(number)] = CachedInode { facts, status, ..CachedInode::EMPTY };
        linked_list::chain(self.slots, &mut self.chains[chain(facts.ino)], |slot| &mut slot.next, number);
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
        self.chains = [u16::NONE; CHAINS];
        self.slots.fill(CachedInode::EMPTY);
    }

    fn make_room(&mut self) -> u16 {
        for _ in 0..SCANS_MAX {
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
        let ino = self.slots[usize::from(number)].facts.ino;
        if ino == 0 {
            return;
        }
        linked_list::unchain(self.slots, &mut self.chains[chain(ino)], |slot| &mut slot.next, number);
        self.slots[usize::from(number)] = CachedInode::EMPTY;
    }
}
