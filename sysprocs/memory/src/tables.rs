//! Tables of a board's address spaces: which areas each has, and which files these show.
//!
//! Boot provides them; they are too large to be kept where spaces are moved about.
//! Invariant: a table is free, or one space has it, or it lies *deposited* on its way from one slot to another, known
//! by its number alone. Dropping a [`Table`] frees it; one that is deposited is adopted or discarded by who has the
//! number. Not here: what is in the lists (`areas.rs`, `mapped_files.rs`).

use crate::area::Area;
use crate::areas::{AREAS_MAX, Areas};
use crate::mapped_files::{FILES_MAX, MappedFiles};
use core::ops::{Deref, DerefMut};
use renga_abi::Errno;
use renga_rt::Arena;
use renga_sync::SpinLock;

/// Tables for each slot of a board: one of its program, and one that it makes by fork or exec.
pub const TABLES_PER_SLOT: usize = 2;

/// The lists of one space.
#[derive(Default)]
pub struct Lists {
    pub areas: Areas,
    /// The files that areas show.
    pub files: MappedFiles,
}

/// One of the tables, as the others see it.
#[derive(Default)]
enum TableSlot {
    /// A space has it.
    #[default]
    Taken,
    /// Free, with the next free one.
    Free(Lists, usize),
    Deposited(Lists),
}

/// The tables of a board, which slots of several cores take one by one.
pub struct SpaceTables(SpinLock<Places>);

struct Places {
    places: &'static mut [TableSlot],
    first_free: usize,
    free: usize,
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
                TableSlot::Free(Lists { areas: Areas::new(areas), files: MappedFiles::new(files) }, next)
            }
            _ => unreachable!("there are as many of each"),
        };
        let places = arena.put_slice(count, |number| free(number + 1));
        arena.put(|| SpaceTables(SpinLock::new(Places { places, first_free: 0, free: count })))
    }

    /// An empty table. `ENOMEM`: all are taken.
    pub(crate) fn take(&'static self) -> Result<Table, Errno> {
        let taken = self.0.with(|all| {
            let number = all.first_free;
            match all.places.get_mut(number).map(core::mem::take) {
                Some(TableSlot::Free(lists, next)) => {
                    all.first_free = next;
                    all.free -= 1;
                    Some((lists, number))
                }
                _ => None,
            }
        });
        let (lists, number) = taken.ok_or(Errno::ENOMEM)?;
        Ok(Table { lists, number, tables: Some(self) })
    }

    /// How many are free.
    pub fn free(&self) -> usize {
        self.0.with(|all| all.free)
    }

    /// A copy of `table`, deposited: its number.
    pub(crate) fn deposit_copy(&'static self, table: &Table) -> Result<usize, Errno> {
        let mut copy = self.take()?;
        copy.areas.copy_from(&table.areas);
        copy.files.copy_from(&table.files);
        copy.tables = None;
        let (number, lists) = (copy.number, core::mem::take(&mut copy.lists));
        self.0.with(|all| all.places[number] = TableSlot::Deposited(lists));
        Ok(number)
    }

    /// The table that was deposited by this number. `EINVAL`: none was.
    pub(crate) fn take_over(&'static self, number: usize) -> Result<Table, Errno> {
        let taken_over = self.0.with(|all| {
            let place = all.places.get_mut(number).filter(|place| matches!(place, TableSlot::Deposited(_)))?;
            if let TableSlot::Deposited(lists) = core::mem::take(place) { Some(lists) } else { None }
        });
        let lists = taken_over.ok_or(Errno::EINVAL)?;
        Ok(Table { lists, number, tables: Some(self) })
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
            let number = self.number;
            tables.0.with(|all| {
                let next = core::mem::replace(&mut all.first_free, number);
                all.free += 1;
                all.places[number] = TableSlot::Free(lists, next);
            });
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
