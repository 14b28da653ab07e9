//! Which names, by their hash, are in which block of a directory.
//!
//! Invariant: of a directory that is complete every name is here, with the number of its block. A slot is in the chain of
//! its hash and in its directory's list, or in the list of those to be cleared, or free. A directory that goes leaves
//! its list to be cleared slot by slot as others need room, so that no step takes time that grows with a directory.
//! Bounded by its slots: the directory not used for longest goes when another needs room, and one that is larger than
//! all of them is refused.
//! Not here: the blocks (`name_index.rs`).

use renga_rt::Errno;

const NONE: u32 = u32::MAX;
/// Large directories that are indexed at a time.
const DIRECTORIES: usize = 32;

/// Where one name is. Boot provides as many as there are to be.
#[derive(Clone, Copy)]
pub struct IndexSlot {
    /// The first slot of the chain with this slot's number.
    chain: u32,
    /// Next of the same chain, or of the free ones.
    next: u32,
    /// Neighbours in the directory's list.
    after: u32,
    before: u32,
    hash: u32,
    /// The serial number of its directory's index.
    serial: u32,
    /// The block's number in the directory.
    index: u16,
}
impl IndexSlot {
    /// Of no name.
    pub const EMPTY: IndexSlot =
        IndexSlot { chain: NONE, next: NONE, after: NONE, before: NONE, hash: 0, serial: 0, index: 0 };
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
    /// Its list.
    first: u32,
    last: u32,
    used: u32,
}

pub(crate) struct IndexTable {
    slots: &'static mut [IndexSlot],
    free: u32,
    /// The first of those to be cleared.
    going: u32,
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
        IndexTable { slots, free, going: NONE, directories: [None; DIRECTORIES], uses: 0, serials: 0 }
    }

    fn slot(&mut self, number: u32) -> &mut IndexSlot {
        &mut self.slots[number as usize]
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
    fn set_state(&mut self, at: usize, state: IndexProgress) {
        if let Some(directory) = &mut self.directories[at] {
            directory.state = state;
        }
    }
    fn of_serial(&mut self, serial: u32) -> Option<&mut IndexedDirectory> {
        self.directories.iter_mut().flatten().find(|directory| directory.serial == serial)
    }

    /// The number of a block that may have the name with `hash`, and where to look on (`from`; 0: at the start).
    pub(crate) fn candidate(&mut self, ino: u32, hash: u32, from: u32) -> Result<(u32, u32), Errno> {
        let at = self.find(ino).ok_or(Errno::EAGAIN)?;
        let serial = match self.directories[at] {
            Some(IndexedDirectory { state: IndexProgress::Complete, serial, .. }) => serial,
            Some(IndexedDirectory { state: IndexProgress::Refused, .. }) => return Err(Errno::ENOSPC),
            _ => return Err(Errno::EAGAIN),
        };
        let mut number = match from {
            0 => self.slots[hash as usize % self.slots.len()].chain,
            from => self.slots.get(from as usize - 1).ok_or(Errno::EINVAL)?.next,
        };
        while let Some(slot) = self.slots.get(number as usize) {
            if slot.hash == hash && slot.serial == serial {
                return Ok((slot.index.into(), number + 1));
            }
            number = slot.next;
        }
        Err(Errno::ENOENT)
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
        let begun = IndexedDirectory { ino, serial, state: IndexProgress::Partial(0), first: NONE, last: NONE, used };
        self.directories[free] = Some(begun);
        Ok(())
    }
    /// When they have been.
    pub(crate) fn end_block(&mut self, ino: u32, index: u32, last: bool) -> Result<(), Errno> {
        let at = self.find(ino).ok_or(Errno::EAGAIN)?;
        match self.state(at) {
            Some(IndexProgress::Refused) => Err(Errno::ENOSPC),
            _ => {
                self.set_state(at, if last { IndexProgress::Complete } else { IndexProgress::Partial(index + 1) });
                Ok(())
            }
        }
    }

    /// A name with `hash` is in block `index`, if the directory is indexed.
    pub(crate) fn add(&mut self, ino: u32, hash: u32, index: u32) {
        let Some(at) = self.find(ino).filter(|at| self.state(*at) != Some(IndexProgress::Refused)) else { return };
        let Some(number) = self.make_room(at) else {
            self.let_go(at, Some(IndexProgress::Refused));
            return;
        };
        let chain = hash as usize % self.slots.len();
        let next = core::mem::replace(&mut self.slots[chain].chain, number);
        let Some(directory) = &mut self.directories[at] else { return };
        let (serial, after) = (directory.serial, core::mem::replace(&mut directory.first, number));
        if after == NONE {
            directory.last = number;
        } else {
            self.slot(after).before = number;
        }
        let slot = self.slot(number);
        (slot.next, slot.after, slot.before, slot.hash) = (next, after, NONE, hash);
        (slot.index, slot.serial) = (index as u16, serial);
    }

    /// It is not any more.
    pub(crate) fn remove(&mut self, ino: u32, hash: u32, index: u32) {
        let Some(directory) = self.find(ino).and_then(|at| self.directories[at]) else { return };
        let mut number = self.slots.get(hash as usize % self.slots.len().max(1)).map_or(NONE, |slot| slot.chain);
        while let Some(slot) = self.slots.get(number as usize) {
            if slot.hash == hash && slot.serial == directory.serial && u32::from(slot.index) == index {
                return self.clear(number);
            }
            number = slot.next;
        }
    }

    /// Nothing is known of the directory any more.
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
            state.map(|state| IndexedDirectory { serial, state, first: NONE, last: NONE, ..directory });
        if directory.first != NONE {
            let going = core::mem::replace(&mut self.going, directory.first);
            self.slot(directory.last).after = going;
            if going != NONE {
                self.slot(going).before = directory.last;
            }
        }
    }

    /// A free slot for directory `at`; `None`: that has them all.
    fn make_room(&mut self, at: usize) -> Option<u32> {
        if self.free == NONE && self.going == NONE {
            self.let_one_go(Some(at));
        }
        if self.free == NONE && self.going != NONE {
            self.clear(self.going);
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
        let named = |directory: &IndexedDirectory| kept.is_none() || directory.first != NONE;
        let candidates = self.directories.iter().enumerate().filter(|(at, _)| Some(*at) != kept);
        let oldest =
            candidates.filter_map(|(at, directory)| directory.filter(|d| named(d)).map(|d| (age(&d), at))).max();
        if let Some((_, at)) = oldest {
            self.let_go(at, None);
        }
    }

    fn clear(&mut self, number: u32) {
        let IndexSlot { next, after, before, hash, serial, .. } = *self.slot(number);
        let chain = hash as usize % self.slots.len();
        let mut at = &mut self.slots[chain].chain;
        // It is in this chain.
        while *at != number {
            at = &mut self.slots[*at as usize].next;
        }
        *at = next;
        if after != NONE {
            self.slot(after).before = before;
        } else if let Some(directory) = self.of_serial(serial) {
            directory.last = before;
        }
        if before != NONE {
            self.slot(before).after = after;
        } else if let Some(directory) = self.of_serial(serial) {
            directory.first = after;
        } else {
            self.going = after;
        }
        self.slot(number).next = core::mem::replace(&mut self.free, number);
    }
}

#[cfg(test)]
mod tests;
