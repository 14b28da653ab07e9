//! The address space of one user program.
//!
//! Invariants: it has one owner, the process that runs the program. Each mapped page has one reference to its frame.
//! A private page is writable for the processor only while that reference is the frame's only one (a write fault
//! makes others so). Each mapped file has one reference at the `references` process. A *borrowed* space (vfork) owns
//! nothing of all that: its lender waits.
//!
//! A space does not give anything back by being dropped, but for its table: [`Pager::destroy_space`] does.
//!
//! Not here: the operations (`fault.rs`, `map.rs`, `fork.rs`, `copy.rs`, `encode.rs`, `exec`).

use crate::area::{Area, Origin, number};
use crate::frame_list::FrameList;
use crate::layout::{PAGE, TRAMPOLINE};
use crate::mapped_files::MappedFile;
use crate::pager::Pager;
use crate::tables::{Lists, Table};
use core::cell::Cell;
use renga_abi::Errno;
use renga_hal::memory::{Access, Frame, USER_END, UserMemory};

/// Pages looked up one by one before the tables are searched for the next one present.
const PAGES_LOOKED_UP: u64 = 32;

/// Bounds that nothing is within.
const NOWHERE: (u64, u64) = (u64::MAX, 0);
const NO_ROOT: Frame = Frame(u32::MAX);

/// An address space; see the module.
pub struct Space {
    pub(crate) root: Frame,
    /// Its areas, and the files that they show.
    pub(crate) table: Table,
    /// The break: the program's heap lies from the first to the second.
    pub(crate) break_start: u64,
    pub(crate) break_end: u64,
    pub(crate) borrowed: bool,
    /// Shared areas lie, or lay, within these addresses.
    shared: (u64, u64),
    /// Most mapped pages before some were unmapped.
    pages_most: Cell<u32>,
}

impl Space {
    /// No space: nothing is to be given back. For [`Pager::load`].
    pub fn none() -> Space {
        Space::of(NO_ROOT, Table::default(), true)
    }

    /// A space without areas behind `root`, with an empty `table` of them.
    pub(crate) fn of(root: Frame, table: Table, borrowed: bool) -> Space {
        Space { root, table, break_start: 0, break_end: 0, borrowed, shared: NOWHERE, pages_most: Cell::new(0) }
    }

    /// The number by which a time slice of its program names it (`Me::run_user`).
    pub fn number(&self) -> u32 {
        self.root.0
    }
    /// The frame with the root of its tables, as the machine names it.
    pub fn root(&self) -> Frame {
        self.root
    }
    /// Most pages that it has mapped at a time.
    pub fn pages_most<M: UserMemory>(&self, machine: &M) -> u32 {
        self.pages_most.get().max(machine.pages(self.root))
    }
    /// Whether it is another process's, which waits until this one ends or execs.
    pub fn is_borrowed(&self) -> bool {
        self.borrowed
    }
    /// Whether the page of `address` may be shared: it must not be passed on.
    #[inline]
    pub fn may_share(&self, address: u64) -> bool {
        self.shared.0 <= address && address < self.shared.1
    }
    /// From now on any of its pages may be shared: its program has several threads.
    pub fn share_all(&mut self) {
        self.shared = (0, USER_END);
    }
    pub(crate) fn note_shared(&mut self, area: &Area) {
        self.shared = (self.shared.0.min(area.start_address()), self.shared.1.max(area.end_address()));
    }
    /// The file or object of which the shared area at `address` shows a part, and which of its bytes that is.
    pub fn shared_at(&self, address: u64) -> Option<(MappedFile, u64)> {
        let area = self.area_at(address).filter(Area::is_shared)?;
        let (file, page, _) = area.file_page(number(address))?;
        Some((self.table.files.get(file)?, u64::from(page) * PAGE + address % PAGE))
    }
    /// Whether anything is to be seen at `address`.
    pub fn has_area_at(&self, address: u64) -> bool {
        self.area_at(address).is_some()
    }
    /// Its areas, in order.
    pub fn areas(&self) -> &[Area] {
        self.table.areas.as_slice()
    }
    /// The inode number of the file that an area of it shows, and the page of that which comes first; 0: none.
    pub fn mapped_file(&self, area: &Area) -> (u32, u32) {
        match area.origin {
            Origin::Zero => (0, 0),
            Origin::File { file, first_page, .. } => {
                (self.table.files.get(file).map_or(0, |file| file.ino), first_page)
            }
        }
    }
    /// The beginning of the program's heap.
    pub fn break_start(&self) -> u64 {
        self.break_start
    }
    /// The end of the program's heap.
    pub fn break_end(&self) -> u64 {
        self.break_end
    }

    /// The first present page from `at` on and before `end`.
    ///
    /// Looks adjacent pages up one by one, since a search of the tables that finds nothing goes on far behind `end`.
    pub(crate) fn next_page<M: UserMemory>(&self, machine: &M, at: u64, end: u64) -> Option<(u64, Frame, Access)> {
        let near_end = end.min(at + PAGES_LOOKED_UP * PAGE);
        let near = (at..near_end).step_by(PAGE as usize);
        let found =
            near.filter_map(|va| machine.lookup(self.root, va).map(|(frame, access)| (va, frame, access))).next();
        if found.is_some() || near_end >= end {
            return found;
        }
        machine.next_mapped(self.root, near_end).filter(|page| page.0 < end)
    }

    /// The area that a user address is in; of the trampoline, one that is in no list.
    pub(crate) fn area_at(&self, address: u64) -> Option<Area> {
        if address >= USER_END {
            return None;
        }
        let page = number(address);
        if page == number(TRAMPOLINE) {
            let trampoline = Area::new(TRAMPOLINE, TRAMPOLINE + PAGE, Access::ReadExecute, Origin::Zero);
            return Some(Area { touched: false, ..trampoline });
        }
        self.table.areas.find(page).copied()
    }
}

impl<M: UserMemory> Pager<'_, M> {
    /// An empty space. As many tables as there are ([`SpaceTables`](crate::SpaceTables)) bound the spaces of
    /// the board.
    pub async fn create_space(&mut self) -> Result<Space, Errno> {
        let table = self.tables.take()?;
        Ok(Space::of(self.create_root().await?, table, false))
    }

    /// The root of new, empty tables.
    pub(crate) async fn create_root(&mut self) -> Result<Frame, Errno> {
        let root = self.allocate().await?;
        self.machine.new_space(root);
        Ok(root)
    }

    /// Gives all frames, tables and files back; of a borrowed space, nothing.
    pub async fn destroy_space(&mut self, mut space: Space) {
        self.release_space(&mut space).await;
    }

    /// As `destroy`, for a space that stays where it is: it is not to be used any more.
    pub async fn release_space(&mut self, space: &mut Space) {
        if !core::mem::replace(&mut space.borrowed, true) {
            self.take_apart(space, space.root, FrameList::new()).await;
        }
    }

    /// As `give_back`, with what is in the frame cache: the program has ended.
    pub async fn end_space(&mut self, space: &mut Space) {
        if !core::mem::replace(&mut space.borrowed, true) {
            let mut list = FrameList::new();
            self.frame_cache.join(&mut list);
            self.take_apart(space, space.root, list).await;
        }
        self.free_cached().await;
    }

    /// Unmaps the pages of `start..end` and gives their frames back.
    pub(crate) async fn unmap_pages(&mut self, space: &Space, start: u64, end: u64) {
        space.pages_most.set(space.pages_most(self.machine));
        let mut list = FrameList::new();
        self.take_pages(space.root, (start, end), &mut list).await;
        self.free_all(&mut list).await;
    }

    /// Unmaps the pages of `start..end`; the last of their frames, not given back yet, are in `list`.
    pub(crate) async fn take_pages(&mut self, root: Frame, (start, end): (u64, u64), list: &mut FrameList) {
        let mut at = start;
        // Each pass unmaps a list of pages, or ends.
        while at < end {
            let run = self.machine.unmap_run(root, (at, end), list.room());
            list.added(run.pages);
            at = run.next;
            if at < end {
                self.free_all(list).await;
            }
        }
    }

    /// Gives back the use of files that no area shows any more.
    pub(crate) async fn release_unused_files(&mut self, space: &mut Space) {
        let Lists { areas, files } = &mut *space.table;
        // Each pass takes a file out.
        while let Some(file) = files.take_unused(areas) {
            self.release_file(file).await;
        }
    }
}
