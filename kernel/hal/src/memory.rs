//! The memory of user programs: page frames, and the address spaces that show them.
//!
//! Frames are numbered from 0; the memory process decides their owners. An address space is named by the frame that has
//! the root of its translation tables. Each frame is plain (content), a root, or an inner table. The implementation
//! knows which, and gives out the content of plain frames only.
//!
//! Invariants: content is borrowed exclusively or shared, never both ([`UserMemory::page`]); a mapped frame never
//! becomes a table. A violation is a bug of the caller and panics.
//!
//! Not here: allocation of frames, copy-on-write, file mappings: those are the processes'.

pub use crate::frame::{Frame, ListedFrame, NOT_LISTED};
use crate::shared_tables::SharedPageTables;
use core::ops::{Deref, DerefMut};
use renga_sync::{FrameReadGuard, FrameWriteGuard};

/// Size of a page and of a frame, in bytes.
pub const PAGE_BYTES: usize = 4096;

/// User addresses lie below this: 39 bits.
pub const USER_END: u64 = 1 << 39;

/// Most address spaces of a board at a time.
pub const SPACES_MAX: u32 = 1023;

/// Most tables that one `map` can ask for: all levels below the root.
pub const TABLES_PER_MAP_MAX: usize = 2;

/// The content of a frame.
pub type PageBytes = [u8; PAGE_BYTES];

/// What a user program may do with a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Nothing: every access faults as if the page were absent, but the frame stays.
    #[default]
    None,
    /// Read.
    Read,
    /// Read and write.
    ReadWrite,
    /// Read and execute.
    ReadExecute,
    /// All of it, if its program insists: the kernel's own pages are never so.
    ReadWriteExecute,
}

impl Access {
    /// The narrowest access with these rights.
    pub const fn from_flags(read: bool, write: bool, execute: bool) -> Self {
        match (read, write, execute) {
            (_, true, true) => Self::ReadWriteExecute,
            (_, true, false) => Self::ReadWrite,
            (_, false, true) => Self::ReadExecute,
            (true, false, false) => Self::Read,
            (false, false, false) => Self::None,
        }
    }

    /// Whether the program may read.
    pub const fn readable(self) -> bool {
        !matches!(self, Self::None)
    }

    /// Whether the program may write.
    pub const fn writable(self) -> bool {
        matches!(self, Self::ReadWrite | Self::ReadWriteExecute)
    }

    /// The same, but for writing.
    pub const fn without_writing(self) -> Self {
        match self {
            Self::ReadWrite => Self::Read,
            Self::ReadWriteExecute => Self::ReadExecute,
            other => other,
        }
    }

    /// Whether the program may execute.
    pub const fn executable(self) -> bool {
        matches!(self, Self::ReadExecute | Self::ReadWriteExecute)
    }
}

/// The space lacks a table on the way to the address: give one by [`UserMemory::add_table`] and try
/// again, at most [`TABLES_PER_MAP_MAX`] times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeedsTable;

/// How far an operation on a run of pages went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRun {
    /// Pages that it found, in order of addresses; their frames are listed.
    pub pages: usize,
    /// Where to continue: the end of the run, or the first page that is not done.
    pub next: u64,
}

/// FrameWriteGuard use of the content of a frame, until dropped.
pub struct PageGuard<'a>(Guard<'a>);

enum Guard<'a> {
    Frame(FrameWriteGuard<'a, PageBytes>),
    #[cfg(feature = "host")]
    Host(core::cell::RefMut<'a, PageBytes>),
}

impl<'a> PageGuard<'a> {
    /// Wraps a borrow; for implementations of [`UserMemory`].
    #[inline(always)]
    pub fn new(borrow: FrameWriteGuard<'a, PageBytes>) -> Self {
        Self(Guard::Frame(borrow))
    }
    /// Wraps a borrow of host memory.
    #[cfg(feature = "host")]
    pub fn of_host(borrow: core::cell::RefMut<'a, PageBytes>) -> Self {
        Self(Guard::Host(borrow))
    }
}

impl Deref for PageGuard<'_> {
    type Target = PageBytes;
    #[inline(always)]
    fn deref(&self) -> &PageBytes {
        match &self.0 {
            Guard::Frame(bytes) => bytes,
            #[cfg(feature = "host")]
            Guard::Host(bytes) => bytes,
        }
    }
}

impl DerefMut for PageGuard<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut PageBytes {
        match &mut self.0 {
            Guard::Frame(bytes) => bytes,
            #[cfg(feature = "host")]
            Guard::Host(bytes) => bytes,
        }
    }
}

/// FrameReadGuard use of the content of a frame, until dropped.
pub struct PageRef<'a>(PageView<'a>);

enum PageView<'a> {
    Frame(FrameReadGuard<'a, PageBytes>),
    #[cfg(feature = "host")]
    Host(core::cell::Ref<'a, PageBytes>),
}

impl<'a> PageRef<'a> {
    /// Wraps a borrow; for implementations of [`UserMemory`].
    #[inline(always)]
    pub fn new(borrow: FrameReadGuard<'a, PageBytes>) -> Self {
        Self(PageView::Frame(borrow))
    }
    /// Wraps a borrow of host memory.
    #[cfg(feature = "host")]
    pub fn of_host(borrow: core::cell::Ref<'a, PageBytes>) -> Self {
        Self(PageView::Host(borrow))
    }
}

impl Deref for PageRef<'_> {
    type Target = PageBytes;
    #[inline(always)]
    fn deref(&self) -> &PageBytes {
        match &self.0 {
            PageView::Frame(bytes) => bytes,
            #[cfg(feature = "host")]
            PageView::Host(bytes) => bytes,
        }
    }
}

/// The user memory of one board.
///
/// Addresses (`va`) are multiples of [`PAGE_BYTES`] below [`USER_END`], except for `lookup` and
/// `next_mapped`, which take any and round down. Methods that take a space panic when the frame is not a root.
pub trait UserMemory: SharedPageTables {
    /// Number of frames; valid frames are `0..frames()`.
    fn frames(&self) -> u32;

    /// Borrows the content of a plain frame for writing. Panics when it is borrowed already, or is a
    /// table.
    fn page(&self, frame: Frame) -> PageGuard<'_>;

    /// Borrows the content of a plain frame for reading, as often as wanted at a time. Panics when it
    /// is borrowed for writing, or is a table. Frames that several spaces share (after a fork) must be
    /// read by this: another process may be reading them too.
    fn shared_page(&self, frame: Frame) -> PageRef<'_>;

    /// As `shared_page`, but `None` instead of a panic: for readers of memory that other cores use meanwhile.
    fn peek(&self, frame: Frame) -> Option<PageRef<'_>>;

    /// As `page`, of the page around `va` if `space` maps it and its program may write it, for the space's owner. A
    /// core that restricts the page meanwhile finds it borrowed.
    fn page_to_write(&self, space: Frame, va: u64) -> Option<PageGuard<'_>> {
        let (frame, access) = self.lookup(space, va)?;
        access.writable().then(|| self.page(frame))
    }

    /// As `shared_page` is of `page`, if its program may read it.
    fn page_to_read(&self, space: Frame, va: u64) -> Option<PageRef<'_>> {
        let (frame, access) = self.lookup(space, va)?;
        access.readable().then(|| self.shared_page(frame))
    }

    /// The content of the page that `space`, if it is one, maps at `va`: for a core that does not own the space, and so
    /// may lock it only as long as the owner can wait. `None`: not mapped, or borrowed for writing.
    fn peek_mapped(&self, space: Frame, va: u64) -> Option<PageRef<'_>> {
        let (frame, _) = self.is_space(space).then(|| self.lookup(space, va)).flatten()?;
        self.peek(frame)
    }

    /// Fills the content of a plain frame with zeros. Panics as `page`.
    fn clear_page(&self, frame: Frame) {
        self.page(frame).fill(0);
    }

    /// Whether `frame` exists and is not a table: what the others of these functions take.
    fn is_plain(&self, frame: Frame) -> bool;

    /// Whether `frame` is the root of an address space that is not being taken apart.
    fn is_space(&self, frame: Frame) -> bool;

    /// Reduces the access to the page at `va` of `space`: read-only, or (`access` is `None`) none. Returns `false` if
    /// `space` is no space, or does not map `frame` there. For a core that does not own the space: the owner's program
    /// faults on the difference.
    fn restrict(&self, space: Frame, va: u64, frame: Frame, access: Access) -> bool {
        let Some((mapped, now)) = self.is_space(space).then(|| self.lookup(space, va)).flatten() else { return false };
        if mapped != frame {
            return false;
        }
        let less = if access == Access::None { Access::None } else { now.without_writing() };
        less == now || self.protect(space, va, less)
    }

    /// How many pages of all spaces show `frame`.
    fn mappings(&self, frame: Frame) -> u32;

    /// How many pages `space` maps.
    fn pages(&self, space: Frame) -> u32;

    /// Makes a plain, unmapped, unborrowed frame the root of a new, empty address space. Panics when
    /// [`SPACES_MAX`] spaces exist.
    fn new_space(&self, root: Frame);

    /// Maps `frame` at `va`, where nothing is mapped yet. The content of an executable page must be complete: `map`
    /// makes the caches agree.
    fn map(&self, space: Frame, va: u64, frame: Frame, access: Access) -> Result<(), NeedsTable>;

    /// Makes a plain, unmapped, unborrowed frame the next missing table on the way to `va`. Panics when
    /// none is missing.
    fn add_table(&self, space: Frame, va: u64, table: Frame);

    /// Removes the page at `va`, which is no shared page table's, and gives back its frame.
    fn unmap(&self, space: Frame, va: u64) -> Option<Frame>;

    /// Changes the access of the page at `va`; `false` when there is none.
    fn protect(&self, space: Frame, va: u64, access: Access) -> bool;

    /// The page that contains `va`.
    fn lookup(&self, space: Frame, va: u64) -> Option<(Frame, Access)>;

    /// The first page at or after the page of `from_va`, in order of addresses.
    fn next_mapped(&self, space: Frame, from_va: u64) -> Option<(u64, Frame, Access)>;

    /// Removes the pages of addresses `start..end` and lists their frames, but for those of shared page tables, as far
    /// as there is room in `frames`.
    fn unmap_run(&self, space: Frame, range: (u64, u64), frames: &mut [ListedFrame]) -> PageRun;

    /// Maps the pages of addresses `range` of `from` at the same addresses of `to`, where nothing is mapped yet, and
    /// lists their frames, except those of shared page tables, which both spaces share. Writable pages become read-only
    /// in both spaces. Ends early when `frames` is full, and when `to` lacks a table for the next page.
    fn share_run(&self, from: Frame, to: Frame, range: (u64, u64), frames: &mut [ListedFrame]) -> PageRun;

    /// Maps the frames of a list at the addresses from `va` on, one page each, and skips the holes of the list. Nothing
    /// is mapped there yet; otherwise as `map`. Ends early when the space lacks a table for the next page.
    fn map_run(&self, space: Frame, va: u64, frames: &[ListedFrame], access: Access) -> PageRun {
        let (mut pages, mut next) = (0, va);
        for &listed in frames {
            if listed != NOT_LISTED {
                if self.map(space, next, Frame(u32::from_le_bytes(listed)), access).is_err() {
                    break;
                }
                pages += 1;
            }
            next += PAGE_BYTES as u64;
        }
        PageRun { pages, next }
    }

    /// Takes a space apart when all its pages are unmapped: gives back its tables one by one, the root
    /// last, as plain frames; then `None`. Panics when a page is still mapped.
    fn take_table(&self, space: Frame) -> Option<Frame>;
}
