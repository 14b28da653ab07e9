//! Which names, by their hash, are in which block of a directory.
//!
//! Invariant: of a directory that is complete every name is here, with the number of its block. A slot is in the chain
//! of its hash and in its directory's list, or in the list of those to be cleared, or free. A directory that goes
//! leaves its list to be cleared slot by slot as others need room, so that no step takes time that grows with a
//! directory.
//! Bounded by its slots: the directory not used for longest goes when another needs room, and one that is larger than
//! all of them is refused.
//! Not here: the blocks (`inode/directory.rs`).

use renga_rt::Errno;
use renga_rt::linked_list::{self, LinkedList, Links, RowNumber};

const NONE: u32 = u32::NONE;
const DIRECTORIES: usize = 32;

/// Where one name is. Boot provides as many as there are to be.
#[derive(Clone, Copy)]
pub struct IndexSlot {
    /// The first slot of the chain with this slot's number.
    chain: u32,
    /// Next of the same chain, or of the free ones.
    next: u32,
    in_list: Links<u32>,
    hash: u32,
    /// The serial number of its directory's index.
    serial: u32,
    index: u16,
}
impl IndexSlot {
    /// Of no name.
    pub const EMPTY: IndexSlot =
        IndexSlot { chain: NONE, next: NONE, in_list: Links::NONE, hash: 0, serial: 0, index: 0 };
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum IndexProgress {
    /// Blocks up to this one have been taken in.
    Partial(u32),
    Complete,
    /// Larger than the table.
    Refused,
}

#[derive(Clone, Copy)]
struct IndexedDirectory {
    ino: u32,
    /// Of this index; no other has it.
    serial: u32,
    state: IndexProgress,
    list: LinkedList<u32>,
    used: u32,
}

pub(crate) struct IndexTable {
    slots: &'static mut [IndexSlot],
    free: u32,
    going: LinkedList<u32>,
    directories: [Option<IndexedDirectory>; DIRECTORIES],
    uses: u32,
    serials: u32,
}

impl IndexTable {
    pub(crate) fn new(slots: &'static mut [IndexSlot]) -> IndexTable {
        let count = slots.len() as u32;
        for (slot, number) in slots.iter_mut().zip(1..) {
            slot.next = if number < count { number } else { NONE };
        }
        let free = if count == 0 { NONE } else { 0 };
        IndexTable { slots, free, going: LinkedList::EMPTY, directories: [None; DIRECTORIES], uses: 0, serials: 0 }
    }

    /// The first slot of the chain of `hash`.
    fn first(&self, hash: u32) -> u32 {
        self.slots.get(hash as usize % self.slots.len().max(1)).map_or(NONE, |slot| slot.chain)
    }

    fn set_first(&mut self, hash: u32, first: u32) {
        let chain = hash as usize % self.slots.len();
        self.slots[chain].chain = first;
    }

    fn find(&mut self, ino: u32) -> Option<usize> {
        let at = self.directories.iter().position(|directory| directory.is_some_and(|d| d.ino == ino))?;
        self.uses = self.uses.wrapping_add(1);
        if let Some(directory) = &mut self.directories[at] {
            directory.used = self.uses;
        }
        Some(at)
    }

    fn state(&self, at: usize) -> Option<IndexProgress> {
        self.directories[at].map(|directory| directory.state)
    }

    /// The number of a block that may have the name with `hash`, and the `from` of the next call (0: the first).
    pub(crate) fn candidate(&mut self, ino: u32, hash: u32, from: u32) -> Result<(u32, u32), Errno> {
        let at = self.find(ino).ok_or(Errno::EAGAIN)?;
        let serial = match self.directories[at] {
            Some(IndexedDirectory { state: IndexProgress::Complete, serial, .. }) => serial,
            Some(IndexedDirectory { state: IndexProgress::Refused, .. }) => return Err(Errno::ENOSPC),
            _ => return Err(Errno::EAGAIN),
        };
        let number = match from {
            0 => self.first(hash),
            from => self.slots.get(from as usize - 1).ok_or(Errno::EINVAL)?.next,
        };
        let found =
            linked_list::find(self.slots, number, |slot| slot.next, |slot| slot.hash == hash && slot.serial == serial);
        found.map(|number| (self.slots[number as usize].index.into(), number + 1)).ok_or(Errno::ENOENT)
    }

    /// Before the names of block `index` are taken in.
    pub(crate) fn begin_block(&mut self, ino: u32, index: u32) -> Result<(), Errno> {
        if index > 0 {
            let at = self.find(ino).ok_or(Errno::EAGAIN)?;
            return if self.state(at) == Some(IndexProgress::Partial(index)) { Ok(()) } else { Err(Errno::EAGAIN) };
        }
        self.forget(ino);
        if self.directories.iter().all(Option::is_some) {
            self.let_one_go(None);
        }
        let free = self.directories.iter().position(Option::is_none).ok_or(Errno::ENOSPC)?;
        self.serials = self.serials.wrapping_add(1);
        let (serial, used) = (self.serials, self.uses);
        let begun = IndexedDirectory { ino, serial, state: IndexProgress::Partial(0), list: LinkedList::EMPTY, used };
        self.directories[free] = Some(begun);
        Ok(())
    }
    pub(crate) fn end_block(&mut self, ino: u32, index: u32, last: bool) -> Result<(), Errno> {
        let at = self.find(ino).ok_or(Errno::EAGAIN)?;
        let directory = self.directories[at].as_mut().ok_or(Errno::EAGAIN)?;
        if directory.state == IndexProgress::Refused {
            return Err(Errno::ENOSPC);
        }
        directory.state = if last { IndexProgress::Complete } else { IndexProgress::Partial(index + 1) };
        Ok(())
    }

    /// A name with `hash` is in block `index`, if the directory is indexed.
    pub(crate) fn add(&mut self, ino: u32, hash: u32, index: u32) {
        let Some(at) = self.find(ino).filter(|at| self.state(*at) != Some(IndexProgress::Refused)) else { return };
        let Some(number) = self.make_room(at) else {
            self.let_go(at, Some(IndexProgress::Refused));
            return;
        };
        let Some(directory) = &mut self.directories[at] else { return };
        let slot = &mut self.slots[number as usize];
        (slot.hash, slot.index, slot.serial) = (hash, index as u16, directory.serial);
        directory.list.push(self.slots, |slot| &mut slot.in_list, number);
        let mut first = self.first(hash);
        linked_list::chain(self.slots, &mut first, |slot| &mut slot.next, number);
        self.set_first(hash, first);
    }

    pub(crate) fn remove(&mut self, ino: u32, hash: u32, index: u32) {
        let Some(directory) = self.find(ino).and_then(|at| self.directories[at]) else { return };
        let is =
            |slot: &IndexSlot| slot.hash == hash && slot.serial == directory.serial && u32::from(slot.index) == index;
        if let Some(number) = linked_list::find(self.slots, self.first(hash), |slot| slot.next, is) {
            self.clear(number);
        }
    }

    pub(crate) fn forget(&mut self, ino: u32) {
        if let Some(at) = self.find(ino) {
            self.let_go(at, None);
        }
    }

    /// Its names are to be cleared. With a `state` it keeps its place, without a name.
    fn let_go(&mut self, at: usize, state: Option<IndexProgress>) {
        let Some(directory) = self.directories[at] else { return };
        self.serials = self.serials.wrapping_add(1);
        let serial = self.serials;
        self.directories[at] =
            state.map(|state| IndexedDirectory { serial, state, list: LinkedList::EMPTY, ..directory });
        self.going.append(self.slots, |slot| &mut slot.in_list, directory.list);
    }

    /// A free slot for directory `at`; `None`: that has them all.
    fn make_room(&mut self, at: usize) -> Option<u32> {
        if self.free == NONE && self.going.oldest().is_none() {
            self.let_one_go(Some(at));
        }
        if self.free == NONE
            && let Some(going) = self.going.oldest()
        {
            self.clear(going);
        }
        let number = self.free;
        let slot = self.slots.get(number as usize)?;
        self.free = slot.next;
        Some(number)
    }

    /// Lets the directory that was not used for longest go, but for `kept`; one with names, unless any will do.
    fn let_one_go(&mut self, kept: Option<usize>) {
        let uses = self.uses;
        let age = |directory: &IndexedDirectory| uses.wrapping_sub(directory.used);
        let named = |directory: &IndexedDirectory| kept.is_none() || directory.list.oldest().is_some();
        let candidates = self.directories.iter().enumerate().filter(|(at, _)| Some(*at) != kept);
        let oldest =
            candidates.filter_map(|(at, directory)| directory.filter(|d| named(d)).map(|d| (age(&d), at))).max();
        if let Some((_, at)) = oldest {
            self.let_go(at, None);
        }
    }

    fn clear(&mut self, number: u32) {
        let IndexSlot { hash, serial, .. } = self.slots[number as usize];
        let mut first = self.first(hash);
        linked_list::unchain(self.slots, &mut first, |slot| &mut slot.next, number);
        self.set_first(hash, first);
        let owner = self.directories.iter_mut().flatten().find(|directory| directory.serial == serial);
        let list = owner.map_or(&mut self.going, |owner| &mut owner.list);
        list.remove(self.slots, |slot| &mut slot.in_list, number);
        linked_list::chain(self.slots, &mut self.free, |slot| &mut slot.next, number);
    }
}

#[cfg(test)]
mod tests;
