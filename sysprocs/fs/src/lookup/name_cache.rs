//! What names in directories are known to stand for; or that they stand for nothing.
//!
//! Invariant: entries are current. A name under change has no entry: the change removes it first, under the exclusive
//! lock of names, and adds it at the end. Names in a directory without links have no entries. Bounded by its slots; a
//! name that has not been used lately makes room. No step takes time that grows with the cache or with a directory,
//! but for [`NameCache::forget_directory`], which passes the directory's entries, and [`NameCache::entry_of`], which
//! may pass all slots once. Not here: paths (`path_walk.rs`),
//! boards that cache names (`name_holders.rs`).

use crate::format::inode_record::KIND_DIRECTORY;
use renga_proto::names::NAME_CACHED_BYTES_MAX;
use renga_rt::linked_list::{self, LinkedList, Links, RowNumber};

const NO_DIRECTORY: u32 = 0;
/// What a name stands for that stands for nothing.
const NOTHING: u32 = 0;
const CHAINS: usize = 1024;
/// Lists of the names of a directory; directories share them.
const GROUPS: usize = 64;
/// Hints at the names of directories; directories share them.
const ENTRY_HINTS: usize = 64;
/// Slots that are passed in search of one without a recent use.
const SCANS_MAX: usize = 16;

renga_rt::with_defaults! {
    /// What is known of one name. Boot provides as many as there are to be.
    #[derive(Clone, Copy)]
    pub struct NameSlot {
        directory: u32 = NO_DIRECTORY,
        ino: u32 = NOTHING,
        hash: u32 = 0,
        next: u16 = u16::NONE,
        in_group: Links<u16> = Links::NONE,
        kind: u8 = 0,
        bytes: u8 = 0,
        /// Used since the last search for room here.
        recent: bool = false,
        /// Forgotten; it stays for the boards that cache it.
        pub(super) hidden: bool = false,
        pub(super) holders: u8 = 0,
        name: [u8; NAME_CACHED_BYTES_MAX] = [0; NAME_CACHED_BYTES_MAX],
    }
    /// Of no name.
    pub const EMPTY;
}
impl NameSlot {
    fn is(&self, directory: u32, hash: u32, name: &[u8]) -> bool {
        self.hash == hash && self.directory == directory && self.name() == name
    }
    fn name(&self) -> &[u8] {
        &self.name[..usize::from(self.bytes)]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dentry {
    /// No entry has this name.
    Negative,
    /// This inode, of this type (ext2's directory-entry type).
    Positive { ino: u32, kind: u8 },
}

pub(crate) struct NameCache {
    pub(super) slots: &'static mut [NameSlot],
    chains: [u16; CHAINS],
    groups: [LinkedList<u16>; GROUPS],
    /// The first slot of no name; `next` leads to the others.
    free: u16,
    hand: usize,
    /// Slots in which the names of directories were last, by the directories' inodes.
    entry_hints: [u16; ENTRY_HINTS],
    /// Boards that cache names which are not here any more.
    pub(super) spilled: u8,
}

/// FNV-1a, of 32 bits, begun differently for each directory.
pub(crate) fn hash(directory: u32, name: &[u8]) -> u32 {
    let begin = directory.wrapping_mul(0x9e37_79b1) ^ 0x811c_9dc5;
    let hash = name.iter().fold(begin, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    hash ^ hash >> 15
}
fn chain(hash: u32) -> usize {
    hash as usize % CHAINS
}
fn group(directory: u32) -> usize {
    directory as usize % GROUPS
}

impl NameCache {
    /// # Panics
    /// With more slots than have numbers.
    pub(crate) fn new(slots: &'static mut [NameSlot]) -> NameCache {
        assert!(slots.len() < usize::from(u16::NONE), "more names than numbers");
        let (chains, groups) = ([u16::NONE; CHAINS], [LinkedList::EMPTY; GROUPS]);
        let entry_hints = [u16::NONE; ENTRY_HINTS];
        let mut cache = NameCache { slots, chains, groups, free: u16::NONE, hand: 0, entry_hints, spilled: 0 };
        cache.free_all();
        cache
    }

    /// All slots are of no name.
    fn free_all(&mut self) {
        for number in (0..self.slots.len() as u16).rev() {
            linked_list::chain(self.slots, &mut self.free, |slot| &mut slot.next, number);
        }
    }

    /// What `name` in `directory` stands for, if that is known.
    pub(crate) fn find(&mut self, directory: u32, name: &[u8]) -> Option<Dentry> {
        let number = self.position(directory, hash(directory, name), name)?;
        let slot = &mut self.slots[usize::from(number)];
        slot.recent = true;
        if slot.hidden {
            return None;
        }
        Some(if slot.ino == NOTHING { Dentry::Negative } else { Dentry::Positive { ino: slot.ino, kind: slot.kind } })
    }

    /// The name of directory `ino`, and the directory in which that is, if that is known.
    pub(crate) fn entry_of(&mut self, ino: u32) -> Option<(u32, &[u8])> {
        let is_entry = |slot: &NameSlot| {
            let dots = matches!(slot.name(), b"." | b"..");
            slot.ino == ino && slot.kind == KIND_DIRECTORY && !slot.hidden && !dots
        };
        let hint = &mut self.entry_hints[ino as usize % ENTRY_HINTS];
        if !self.slots.get(usize::from(*hint)).is_some_and(is_entry) {
            *hint = self.slots.iter().position(is_entry)? as u16;
        }
        let slot = &mut self.slots[usize::from(*hint)];
        slot.recent = true;
        Some((slot.directory, slot.name()))
    }

    /// Whether it is known to stand for something.
    pub(crate) fn stands_for_something(&mut self, directory: u32, name: &[u8]) -> bool {
        matches!(self.find(directory, name), Some(Dentry::Positive { .. }))
    }

    /// From now on it is known. A name too long to be kept, and an entry of unknown type, are not. The directory of the
    /// name that made room for it, if one did, otherwise 0.
    pub(crate) fn learn(&mut self, directory: u32, name: &[u8], known: Dentry) -> u32 {
        let (ino, kind) = match known {
            Dentry::Negative => (NOTHING, 0),
            Dentry::Positive { ino, kind } => (ino, kind),
        };
        let kept = name.len() <= NAME_CACHED_BYTES_MAX && (ino == NOTHING || kind != 0);
        if !kept || directory == NO_DIRECTORY || self.slots.is_empty() {
            self.forget(directory, name);
            return NO_DIRECTORY;
        }
        let hash = hash(directory, name);
        if let Some(number) = self.position(directory, hash, name) {
            let slot = &mut self.slots[usize::from(number)];
            (slot.ino, slot.kind, slot.hidden) = (ino, kind, false);
            return NO_DIRECTORY;
        }
        let (number, former) = self.make_room();
        let slot = &mut self.slots[usize::from(number)];
        (slot.directory, slot.ino, slot.kind, slot.hash) = (directory, ino, kind, hash);
        (slot.bytes, slot.recent) = (name.len() as u8, false);
        slot.name[..name.len()].copy_from_slice(name);
        linked_list::chain(self.slots, &mut self.chains[chain(hash)], |slot| &mut slot.next, number);
        self.groups[group(directory)].push(self.slots, |slot| &mut slot.in_group, number);
        former
    }

    pub(crate) fn forget(&mut self, directory: u32, name: &[u8]) {
        if let Some(number) = self.position(directory, hash(directory, name), name) {
            let slot = &mut self.slots[usize::from(number)];
            slot.hidden = true;
            if slot.holders == 0 {
                self.clear(number);
            }
        }
    }

    /// Forgets all names in `directory`, whose number may become another's. Returns the boards that cache one of
    /// them.
    pub(crate) fn forget_directory(&mut self, directory: u32) -> u8 {
        let mut holders = 0;
        let mut at = self.groups[group(directory)].first;
        while let Some(slot) = self.slots.get(usize::from(at)) {
            let (next, gone) = (slot.in_group.next, slot.directory == directory);
            if gone {
                holders |= slot.holders;
                self.clear(at);
            }
            at = next;
        }
        holders
    }

    pub(crate) fn forget_all(&mut self) {
        (self.chains, self.groups, self.free) = ([u16::NONE; CHAINS], [LinkedList::EMPTY; GROUPS], u16::NONE);
        self.slots.fill(NameSlot::EMPTY);
        self.free_all();
    }

    pub(super) fn position(&self, directory: u32, hash: u32, name: &[u8]) -> Option<u16> {
        let is = |slot: &NameSlot| slot.is(directory, hash, name);
        linked_list::find(self.slots, self.chains[chain(hash)], |slot| slot.next, is)
    }

    /// A slot of no name, and the directory of the one that it had.
    fn make_room(&mut self) -> (u16, u32) {
        let former = if self.free == u16::NONE { self.evict() } else { NO_DIRECTORY };
        let number = self.free;
        self.free = core::mem::replace(&mut self.slots[usize::from(number)].next, u16::NONE);
        (number, former)
    }

    /// Makes a slot free; returns the directory of its name.
    fn evict(&mut self) -> u32 {
        for _ in 0..SCANS_MAX {
            if !core::mem::take(&mut self.slots[self.hand].recent) {
                break;
            }
            self.hand = (self.hand + 1) % self.slots.len();
        }
        let number = self.hand;
        self.hand = (self.hand + 1) % self.slots.len();
        let NameSlot { directory, holders, .. } = self.slots[number];
        self.spilled |= holders;
        self.clear(number as u16);
        directory
    }

    pub(super) fn clear(&mut self, number: u16) {
        let NameSlot { directory, hash, .. } = self.slots[usize::from(number)];
        if directory == NO_DIRECTORY {
            return;
        }
        linked_list::unchain(self.slots, &mut self.chains[chain(hash)], |slot| &mut slot.next, number);
        self.groups[group(directory)].remove(self.slots, |slot| &mut slot.in_group, number);
        self.slots[usize::from(number)] = NameSlot::EMPTY;
        linked_list::chain(self.slots, &mut self.free, |slot| &mut slot.next, number);
    }
}

#[cfg(test)]
mod tests;
