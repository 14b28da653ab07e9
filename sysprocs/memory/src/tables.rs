//! Tables of a board's address spaces: which areas each has, and which files these show.
//!
//! Boot provides them; they are too large to be kept where spaces are moved about.
//! Invariant: a table is free, or one space has it, or it lies *deposited* on its way from one slot to another, known
//! by its number alone. Dropping a [`Table`] frees it; one that is deposited is adopted or discarded by who has the number.
//! Not here: what is in the lists (`areas.rs`, `mapped_files.rs`).

use crate::area::Area;
use crate::areas::{AREAS_MAX, Areas};
use crate::mapped_files::{FILES_MAX, MappedFile, MappedFiles};
use core::cell::Cell;
use core::ops::{Deref, DerefMut};
use renga_abi::Errno;
use renga_rt::Arena;

/// Tables for each slot of a board: one of its program, and one that it makes by fork or exec.
pub const TABLES_PER_SLOT: usize = 2;

/// The lists of one space.
#[derive(Default)]
pub struct Lists {
    /// What lies where.
    pub areas: Areas,
    /// The files that areas show.
    pub files: MappedFiles,
}
impl Lists {
    /// Takes out one file that no area shows.
    pub(crate) fn take_unused_file(&mut self) -> Option<MappedFile> {
        self.files.take_unused(&self.areas)
    }
}

/// One of the tables, as the others see it.
#[derive(Default)]
enum Place {
    /// A space has it.
    #[default]
    Taken,
    /// Nobody has it; and which is the next one that nobody has.
    Free(Lists, usize),
    /// On its way.
    Deposited(Lists),
}

/// The tables of a board.
pub struct SpaceTables {
    places: &'static [Cell<Place>],
    first_free: Cell<usize>,
    /// How many are free.
    free: Cell<usize>,
}

impl SpaceTables {
    /// Tables for so many `slots`, all free.
    ///
    /// # Panics
    /// If there is no room for them.
    pub fn new(arena: &'static Arena, slots: usize) -> &'static SpaceTables {
        let count = slots * TABLES_PER_SLOT;
        let mut areas = arena.put_slice(count * AREAS_MAX, |_| Area::default()).chunks_exact_mut(AREAS_MAX);
        let mut files = arena.put_slice(count * FILES_MAX, |_| None).chunks_exact_mut(FILES_MAX);
        let mut free = |next| match (areas.next(), files.next()) {
            (Some(areas), Some(files)) => {
                Place::Free(Lists { areas: Areas::new(areas), files: MappedFiles::new(files) }, next)
            }
            _ => unreachable!("there are as many of each"),
        };
        let places = arena.put_slice(count, |number| Cell::new(free(number + 1)));
        arena.put(|| SpaceTables { places, first_free: Cell::new(0), free: Cell::new(count) })
    }

    /// An empty table. `ENOMEM`: all are taken.
    pub(crate) fn take(&'static self) -> Result<Table, Errno> {
        let number = self.first_free.get();
        match self.places.get(number).map(Cell::take) {
            Some(Place::Free(lists, next)) => {
                self.first_free.set(next);
                self.free.set(self.free.get() - 1);
                Ok(Table { lists, number, tables: Some(self) })
            }
            _ => Err(Errno::ENOMEM),
        }
    }

    /// How many nobody has.
    pub fn free(&self) -> usize {
        self.free.get()
    }

    /// A copy of `table`, deposited: its number.
    pub(crate) fn deposit_copy(&'static self, table: &Table) -> Result<usize, Errno> {
        let mut copy = self.take()?;
        copy.areas.copy_from(&table.areas);
        copy.files.copy_from(&table.files);
        copy.tables = None;
        self.places[copy.number].set(Place::Deposited(core::mem::take(&mut copy.lists)));
        Ok(copy.number)
    }

    /// The table that was deposited by this number. `EINVAL`: none was.
    pub(crate) fn adopt(&'static self, number: usize) -> Result<Table, Errno> {
        let place = self.places.get(number).ok_or(Errno::EINVAL)?;
        match place.take() {
            Place::Deposited(lists) => Ok(Table { lists, number, tables: Some(self) }),
            other => {
                place.set(other);
                Err(Errno::EINVAL)
            }
        }
    }
}

/// A table of one's own; or none, which has no room for anything.
#[derive(Default)]
pub(crate) struct Table {
    lists: Lists,
    number: usize,
    tables: Option<&'static SpaceTables>,
}

impl Drop for Table {
    fn drop(&mut self) {
        if let Some(tables) = self.tables {
            let mut lists = core::mem::take(&mut self.lists);
            lists.areas.clear();
            lists.files.clear();
            let next = tables.first_free.replace(self.number);
            tables.free.set(tables.free.get() + 1);
            tables.places[self.number].set(Place::Free(lists, next));
        }
    }
}

impl Deref for Table {
    type Target = Lists;
    #[inline]
    fn deref(&self) -> &Lists {
        &self.lists
    }
}
impl DerefMut for Table {
    #[inline]
    fn deref_mut(&mut self) -> &mut Lists {
        &mut self.lists
    }
}
