//! The files that the areas of one space show.
//!
//! Invariant: each has one use at the board's `references` process (`KeepFile`) as long as an area names it.
//! Not here: the count of a board's uses (`references.rs`).

use crate::area::Origin;
use crate::areas::Areas;
use renga_abi::Errno;
use renga_proto::pages::FileId;
use tinyvec::SliceVec;

/// Most files that one space maps at a time.
pub const FILES_MAX: usize = 128;

/// An active inode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MappedFile {
    /// Its inode's number.
    pub ino: u32,
    /// Distinguishes it from earlier and later inodes of its number.
    pub generation: u32,
    /// Its active-inode process's number on the disk board.
    pub slot: u16,
}
impl MappedFile {
    /// Memory that programs share without a file.
    pub const fn object(number: u32) -> MappedFile {
        MappedFile { ino: 0, generation: number, slot: 0 }
    }
    /// Whether it is such memory.
    pub const fn is_object(self) -> bool {
        self.ino == 0
    }
    /// As the page cache knows it.
    pub const fn id(self) -> FileId {
        FileId { ino: self.ino, generation: self.generation }
    }
}

/// The files of one space, by a number that stays.
#[derive(Default)]
pub struct MappedFiles(SliceVec<'static, Option<MappedFile>>);

impl MappedFiles {
    /// None yet, with room for as many as there are `places`.
    pub fn new(places: &'static mut [Option<MappedFile>]) -> Self {
        MappedFiles(SliceVec::from_slice_len(places, 0))
    }
    fn push(&mut self, file: Option<MappedFile>) -> Result<(), Errno> {
        if self.0.len() == self.0.capacity() {
            return Err(Errno::ENFILE);
        }
        self.0.push(file);
        Ok(())
    }
    pub fn clear(&mut self) {
        self.0.clear();
    }
    /// Becomes `other`; only what that has is copied.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.0.clear();
        self.0.extend_from_slice(&other.0);
    }
    /// The file with a number.
    pub fn get(&self, index: u8) -> Option<MappedFile> {
        self.0.get(usize::from(index)).copied().flatten()
    }
    /// The number of a file that is here.
    pub fn find(&self, file: &MappedFile) -> Option<u8> {
        self.0.iter().position(|known| known.as_ref() == Some(file)).map(|index| index as u8)
    }
    /// Takes a file in; its number. `ENFILE` when there are too many.
    pub fn add(&mut self, file: MappedFile) -> Result<u8, Errno> {
        let free = self.0.iter().position(Option::is_none);
        match free {
            Some(index) => self.0[index] = Some(file),
            None => self.push(Some(file))?,
        }
        Ok(free.unwrap_or(self.0.len() - 1) as u8)
    }
    /// Sets the file with the number `index`, which is at most one behind the last.
    pub(crate) fn put(&mut self, index: usize, file: Option<MappedFile>) -> Result<(), Errno> {
        match self.0.get_mut(index) {
            Some(place) => *place = file,
            None => self.push(file)?,
        }
        Ok(())
    }
    /// Notes which process has the file with the number `index` now.
    pub(crate) fn set_slot(&mut self, index: u8, slot: u16) {
        if let Some(Some(file)) = self.0.get_mut(usize::from(index)) {
            file.slot = slot;
        }
    }
    /// All, free numbers as `None`.
    pub fn as_slice(&self) -> &[Option<MappedFile>] {
        &self.0
    }
    /// Takes out one file that no area shows.
    pub fn take_unused(&mut self, areas: &Areas) -> Option<MappedFile> {
        const { assert!(FILES_MAX <= u128::BITS as usize) };
        let used = areas.as_slice().iter().fold(0u128, |used, area| match area.origin {
            Origin::File { file, .. } => used | 1 << file,
            Origin::Zero => used,
        });
        let unused = |&index: &usize| self.0[index].is_some() && used >> index & 1 == 0;
        (0..self.0.len()).find(unused).and_then(|index| self.0[index].take())
    }
}
