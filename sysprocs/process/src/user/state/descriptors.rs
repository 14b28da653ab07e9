//! The file descriptors of one program, as a table without calls.
//!
//! Invariant: a program has exactly one reference to each object that any of its descriptors names,
//! however many do; so `dup` costs no rendezvous, and a fork one per object. Copies of a descriptor are in a ring,
//! so that finding out whether one is the last does not depend on how many others there are. Not here: what objects do
//! (`object.rs`).

use crate::user::state::object::Object;
use crate::user::state::open_flags::{
    O_ACCMODE, O_CLOEXEC, O_DSYNC, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY, S_IFDIR, S_IFMT, STRIPS, kept_flags,
};
use renga_proto::mounts::SYNTHETIC;
use renga_rt::Errno;
use renga_rt::proc_info::{DESCRIPTOR_WORDS, ProcInfo};

/// Most descriptors that a program can be allowed (Linux's `fs.nr_open`).
pub const DESCRIPTORS_MAX: usize = 1024;
const WORDS: usize = DESCRIPTORS_MAX / 64;
const _: () = assert!(WORDS == DESCRIPTOR_WORDS);

/// A descriptor's meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileDescriptor {
    /// What it stands for.
    pub object: Object,
    /// Of a file: its inode's number, from where relative paths start if it is a directory.
    pub ino: u32,
    /// Of a file: type and permission bits.
    pub mode: u16,
    /// Linux's open flags: access mode, O_APPEND, O_NONBLOCK.
    pub flags: u32,
    pub close_on_exec: bool,
}

impl FileDescriptor {
    /// Of an object that is opened with `flags`.
    pub fn opened(object: Object, ino: u32, mode: u16, flags: u32) -> FileDescriptor {
        FileDescriptor { object, ino, mode, flags: kept_flags(flags), close_on_exec: flags & O_CLOEXEC != 0 }
    }
    /// Whether it was opened for reading.
    pub fn reads(&self) -> bool {
        matches!(self.flags & O_ACCMODE, O_RDONLY | O_RDWR)
    }
    /// Whether it was opened for writing.
    pub fn writes(&self) -> bool {
        matches!(self.flags & O_ACCMODE, O_WRONLY | O_RDWR)
    }
    /// `EBADF` unless it was opened for reading.
    pub fn for_reading(&self) -> Result<(), Errno> {
        if self.reads() { Ok(()) } else { Err(Errno::EBADF) }
    }
    /// `EBADF` unless it was opened for writing.
    pub fn for_writing(&self) -> Result<(), Errno> {
        if self.writes() { Ok(()) } else { Err(Errno::EBADF) }
    }
    /// How to transfer at `offset`, or where the file stands.
    pub fn mode_at(&self, offset: Option<u64>) -> TransferMode {
        let is_whole = self.object.file().is_some();
        TransferMode { offset, nonblocking: self.flags & O_NONBLOCK != 0, is_whole, begins: false }
    }
    /// Whether the medium has each write to it before the call returns.
    pub fn is_synchronous(&self) -> bool {
        self.flags & O_DSYNC != 0 && self.object.file().is_some()
    }
    /// Whether a write to it is all that there is to do.
    pub fn is_plainly_written(&self) -> bool {
        self.flags & (O_DSYNC | STRIPS) == 0 || self.object.file().is_none()
    }
    /// Whether a server makes the content when a program reads it.
    pub fn is_synthetic(&self) -> bool {
        self.ino >= SYNTHETIC && self.object.file().is_some()
    }
    pub fn is_directory(&self) -> bool {
        self.mode & S_IFMT == S_IFDIR
    }
}

#[derive(Clone, Copy, Default)]
pub struct TransferMode {
    /// From here on, leaving the file's own offset alone.
    pub offset: Option<u64>,
    /// Fail with `EAGAIN` rather than wait.
    pub nonblocking: bool,
    /// No signal cuts it short that does not end the program: it is a file's.
    pub is_whole: bool,
    /// Its first piece begins a longer one at the offset of a file: nobody else moves that before the end.
    pub begins: bool,
}

/// Room for a descriptor. Boot provides it.
#[derive(Clone, Copy, Debug)]
pub struct DescriptorSlot {
    descriptor: Option<FileDescriptor>,
    /// The next one in the ring of those that share an object because one is a copy of the other.
    ring: u16,
}
impl DescriptorSlot {
    /// Nothing yet.
    pub const EMPTY: DescriptorSlot = DescriptorSlot { descriptor: None, ring: 0 };
}

pub struct DescriptorTable {
    places: &'static mut [DescriptorSlot],
    /// Which are taken, a bit each.
    used: [u64; WORDS],
    /// New ones stay below (RLIMIT_NOFILE).
    most: usize,
    /// Shows which are taken.
    info: Option<&'static ProcInfo>,
}

impl DescriptorTable {
    /// None, with room for as many as there are `places`.
    pub fn new(places: &'static mut [DescriptorSlot]) -> Self {
        let most = places.len().min(DESCRIPTORS_MAX);
        DescriptorTable { places, used: [0; WORDS], most, info: None }
    }

    /// From now on shows on `info` which numbers are taken.
    pub fn publish_in(&mut self, info: &'static ProcInfo) {
        self.info = Some(info);
    }

    /// Sets or clears the bit of `number`.
    fn mark(&mut self, number: usize, taken: bool) {
        let (word, bit) = (number / 64, 1 << (number % 64));
        self.used[word] = if taken { self.used[word] | bit } else { self.used[word] & !bit };
        if let Some(info) = self.info {
            info.descriptors[word].set(self.used[word]);
        }
    }

    pub fn clear(&mut self) {
        // Only those taken: each fork begins and each exit ends with this.
        while let Some(number) = self.next_used(0) {
            self.places[number] = DescriptorSlot::EMPTY;
            self.mark(number, false);
        }
        self.allow(DESCRIPTORS_MAX);
    }

    /// New numbers are below `most` from now on.
    pub fn allow(&mut self, most: usize) {
        self.most = most.min(self.places.len()).min(DESCRIPTORS_MAX);
    }

    /// What `number` means.
    pub fn get(&self, number: u64) -> Result<&FileDescriptor, Errno> {
        self.places.get(number as u32 as usize).and_then(|place| place.descriptor.as_ref()).ok_or(Errno::EBADF)
    }

    /// As `get`, to change it.
    pub fn get_mut(&mut self, number: u64) -> Result<&mut FileDescriptor, Errno> {
        self.places.get_mut(number as u32 as usize).and_then(|place| place.descriptor.as_mut()).ok_or(Errno::EBADF)
    }

    /// Puts `descriptor`, of an object that no other names, at the first free number.
    pub fn add(&mut self, descriptor: FileDescriptor) -> Result<u64, Errno> {
        let number = self.first_free(0)?;
        self.put(number, descriptor, number);
        Ok(number as u64)
    }

    /// Puts a copy of `of`, with other properties, at the first free number from `least` on.
    pub fn add_copy(&mut self, of: u64, descriptor: FileDescriptor, least: u64) -> Result<u64, Errno> {
        self.get(of)?;
        if least >= self.most as u64 {
            return Err(Errno::EINVAL);
        }
        let number = self.first_free(least as usize)?;
        self.put(number, descriptor, of as u32 as usize);
        Ok(number as u64)
    }

    /// Puts a copy of `of`, another one, at `number`; an object that is named no more is the caller's to let go.
    pub fn replace(&mut self, of: u64, number: u64, descriptor: FileDescriptor) -> Result<Option<Object>, Errno> {
        self.get(of)?;
        let index = Some(number as u32 as usize).filter(|&index| index < self.most).ok_or(Errno::EBADF)?;
        let old = if self.places[index].descriptor.is_some() { self.remove(number)? } else { None };
        self.put(index, descriptor, of as u32 as usize);
        Ok(old)
    }

    /// Puts `descriptor` at `number`, which is free, as a copy of `of` unless that is `number`: as it was elsewhere.
    pub fn restore(&mut self, number: u16, of: u16, descriptor: FileDescriptor) -> Result<(), Errno> {
        let (number, of) = (usize::from(number), usize::from(of));
        let free = self.places.get(number).is_some_and(|place| place.descriptor.is_none());
        if !free || number >= DESCRIPTORS_MAX || (of != number && self.get(of as u64)?.object != descriptor.object) {
            return Err(Errno::EINVAL);
        }
        self.put(number, descriptor, of);
        Ok(())
    }

    fn put(&mut self, number: usize, descriptor: FileDescriptor, of: usize) {
        self.mark(number, true);
        let ring =
            if of == number { number as u16 } else { core::mem::replace(&mut self.places[of].ring, number as u16) };
        self.places[number] = DescriptorSlot { descriptor: Some(descriptor), ring };
    }

    /// The number that the next descriptor gets.
    pub fn next_number(&self) -> Result<u64, Errno> {
        self.first_free(0).map(|number| number as u64)
    }

    fn first_free(&self, least: usize) -> Result<usize, Errno> {
        self.first_from(least, |used| !used).filter(|&number| number < self.most).ok_or(Errno::EMFILE)
    }

    /// The first number from `from` on whose bit is set in what `wanted` makes of its word of taken numbers.
    #[inline(always)]
    fn first_from(&self, from: usize, wanted: impl Fn(u64) -> u64) -> Option<usize> {
        let mut mask = u64::MAX << (from % 64);
        for word in from / 64..WORDS {
            let found = wanted(self.used[word]) & mask;
            if found != 0 {
                return Some(word * 64 + found.trailing_zeros() as usize);
            }
            mask = u64::MAX;
        }
        None
    }

    /// How many more descriptors have room.
    pub fn free(&self) -> usize {
        let mut taken = 0;
        for (word, bits) in self.used.iter().enumerate() {
            let below = self.most.saturating_sub(word * 64).min(64);
            let allowed = if below == 64 { u64::MAX } else { (1 << below) - 1 };
            taken += (bits & allowed).count_ones() as usize;
        }
        self.most - taken
    }

    /// Takes `number` out; an object that is named no more is the caller's to let go.
    pub fn remove(&mut self, number: u64) -> Result<Option<Object>, Errno> {
        self.take(number).map(|(_, object)| object)
    }

    /// As `remove`; also what `number` meant.
    #[inline(always)]
    pub fn take(&mut self, number: u64) -> Result<(FileDescriptor, Option<Object>), Errno> {
        let descriptor = *self.get(number)?;
        let index = number as u32 as usize;
        let next = self.places[index].ring;
        self.places[index] = DescriptorSlot::EMPTY;
        self.mark(index, false);
        if usize::from(next) == index {
            return Ok((descriptor, Some(descriptor.object)));
        }
        // The one before it, around the ring of copies.
        let mut before = usize::from(next);
        while usize::from(self.places[before].ring) != index {
            before = usize::from(self.places[before].ring);
        }
        self.places[before].ring = next;
        Ok((descriptor, None))
    }

    /// The smallest number of the ring of copies that `number`, which is taken, is in.
    pub fn first_of(&self, number: usize) -> usize {
        let (mut first, mut at) = (number, usize::from(self.places[number].ring));
        while at != number {
            first = first.min(at);
            at = usize::from(self.places[at].ring);
        }
        first
    }

    /// The first number that is taken from `from` on.
    fn next_used(&self, from: usize) -> Option<usize> {
        self.first_from(from, |used| used)
    }

    /// All descriptors from number `from` on, with their numbers.
    pub fn iter_from(&self, from: usize) -> impl Iterator<Item = (usize, &FileDescriptor)> {
        let mut next = from;
        core::iter::from_fn(move || {
            let number = self.next_used(next)?;
            next = number + 1;
            Some((number, self.places[number].descriptor.as_ref()?))
        })
    }

    /// All descriptors with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &FileDescriptor)> {
        self.iter_from(0)
    }

    /// The first object from descriptor `from` on that no smaller descriptor names: each object once.
    pub fn next_object(&self, from: usize) -> Option<(usize, Object)> {
        let mut rest = self.iter_from(from);
        rest.find(|&(number, _)| self.first_of(number) == number).map(|(number, d)| (number, d.object))
    }

    /// Sets the flags of `number` and its copies. Each keeps its access mode: one that was opened by way of another has
    /// its own.
    pub fn set_flags(&mut self, number: u64, flags: u32) {
        self.change_copies(number, |descriptor| descriptor.flags = descriptor.flags & O_ACCMODE | flags & !O_ACCMODE);
    }

    /// The first descriptor from `from` on that exec closes.
    pub fn next_close_on_exec(&self, from: u64) -> Option<u64> {
        let mut rest = self.iter_from(from as usize);
        rest.find(|(_, descriptor)| descriptor.close_on_exec).map(|(number, _)| number as u64)
    }

    /// `number` and its copies stand for `object` from now on, which needs no reference.
    pub fn change(&mut self, number: u64, object: Object) {
        self.change_copies(number, |descriptor| descriptor.object = object);
    }

    /// Changes `number` and its copies.
    fn change_copies(&mut self, number: u64, mut change: impl FnMut(&mut FileDescriptor)) {
        let first = number as u32 as usize;
        let mut at = first;
        // Around the ring of copies.
        while let Some(DescriptorSlot { descriptor: Some(descriptor), ring }) = self.places.get_mut(at) {
            change(descriptor);
            at = usize::from(*ring);
            if at == first {
                break;
            }
        }
    }

    /// The server of `object` has failed: descriptors of it fail from now on.
    pub fn lose(&mut self, object: Object) {
        self.lose_if(|other| other == object);
    }

    /// Board `board` has failed, and all objects on it are lost.
    pub fn lose_board(&mut self, board: u8) {
        self.lose_if(|object| object.server().is_some_and(|at| at.board == board));
    }

    fn lose_if(&mut self, is_lost: impl Fn(Object) -> bool) {
        let descriptors = self.places.iter_mut().filter_map(|place| place.descriptor.as_mut());
        descriptors.filter(|d| is_lost(d.object)).for_each(|d| d.object = d.object.lost());
    }

    pub fn any(&self) -> Option<u64> {
        self.next_used(0).map(|number| number as u64)
    }
}
