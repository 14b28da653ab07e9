//! The page cache of a board: pages of files in page frames, which `read`, `mmap` and `exec` share.
//!
//! A board caches a page because the inode's process has granted it (`FillPage`), until that process revokes it
//! (`RevokePages`), which it does before the page changes. The cache calls only the memory process, so a change that
//! waits for a revocation waits for no further one.
//!
//! On the disk board programs write data in the cache: a page is *dirty* until the data writer has written it to its
//! block. Another board writes in its own cache under a write lease, which the inode's process grants (`LeaseWrite`)
//! and flushes (`FlushLease`) before any other board reads or writes. Meanwhile the cache of the disk board notes
//! that the file is *leased out* (`SetLeasedOut`), and gives its pages to the inode's process only.
//!
//! Filling a page: `BeginFill` returns a cache generation; the caller reads the page from the inode's process into a
//! frame of its own; `KeepPage` offers it. A revocation in between voids the cache generation: the read data may be
//! old.

use renga_abi::Errno;
use renga_core::{in_word, in_words, protocol, word_enum};

pub use crate::write_lease::{FlushedBytes, FlushedPage, NO_PAGE, NOT_WRITTEN, PUSH_REFUSED, PushedPage, PushedPlace};

/// In a list of frames: this page is not cached.
pub const NO_FRAME: u32 = u32::MAX;
/// Most pages of one `FindPages`.
pub const PAGES_PER_FIND_MAX: usize = 1024;
/// The end of a `RevokePages` that has none: to the end of the file, whose size changes too.
pub const TO_END: u32 = u32::MAX;

/// Instead of a generation, which no inode has: any.
pub const ANY_GENERATION: u32 = u32::MAX;

in_word! {
    /// Identifies a file: its inode's number and generation, in one word.
    pub struct FileId {
        /// The inode's number.
        ino: u32 = 0..=31,
        /// Its generation.
        generation: u32 = 32..=63,
    }
}
impl FileId {
    /// Whichever inode has that number.
    pub const fn whichever(ino: u32) -> FileId {
        FileId { ino, generation: ANY_GENERATION }
    }
    /// Whether the inode of that number is it if it has that generation.
    pub const fn is_of(self, generation: u32) -> bool {
        self.generation == ANY_GENERATION || self.generation == generation
    }
    /// No file: whichever it is.
    pub const ANY: FileId = FileId { ino: 0, generation: 0 };
    /// What no file has, nor anything that is cached as one.
    pub const NONE: FileId = FileId::whichever(0);
    /// Memory that programs share without a file: it has no inode, and is in the cache only.
    pub const fn object(number: u32) -> FileId {
        FileId { ino: 0, generation: number }
    }
    /// Whether it is such memory; number 0 is none.
    pub const fn is_object(self) -> bool {
        self.ino == 0 && self.generation != 0
    }
}
/// Whichever inode has that number.
impl From<u32> for FileId {
    fn from(ino: u32) -> Self {
        FileId::whichever(ino)
    }
}

in_word! {
    /// Where data goes: the block of its page, and from which byte of that on. In one word.
    pub struct PagePlace {
        /// The block.
        block: u32 = 0..=31,
        /// The byte of the page.
        offset: u32 = 32..=63,
    }
}

in_words! {
    /// What may be brought in.
    pub struct RunBegun {
        /// The cache generation.
        cache_generation: u64,
        /// How many of the wanted pages, from the first on, are not cached.
        absent: u32,
    }
    /// Pages whose blocks lie side by side.
    pub struct DirtyRun {
        /// The first block.
        block: u32,
        /// How many.
        count: u32,
    }
}
/// Pages that one write to a leased file may skip behind its end: as many as a linker leaves between the parts of a
/// program, whose segments are 64 KiB apart. Writes further away go to the inode.
pub const HOLE_PAGES_MAX: u32 = 16;
/// Where a write goes that appends.
pub const AT_END: u64 = u64::MAX;
/// Where what is changed of mode, owner and times is written.
pub const IN_RECORD: u64 = u64::MAX - 1;
/// The number of no write lease.
pub const NO_LEASE: u64 = 0;

word_enum! {
    /// How much of a leased file the inode's process flushes.
    pub enum FlushExtent {
        /// To know size, times and attributes; the board goes on writing, and reports them again.
        Facts,
        /// What is dirty; the board may not write any more.
        Dirty,
        /// Nothing: what is dirty is forgotten, as the file is.
        Nothing,
        /// Likewise, as the file is no more, and no lease of it is under way. From a program that has removed its name.
        Gone,
    }
}
in_word! {
    /// Which pages may be written under a lease; in one word.
    pub struct LeasedPages {
        /// The inode's process.
        slot: u16 = 32..=47,
        /// Those below this one.
        below: u32 = 0..=31,
    }
}
in_words! {
    /// How a write to a leased file ended.
    pub struct LeasedWrite {
        /// Where it ended.
        end: u64,
        /// How many bytes were written: all, unless memory is short.
        bytes: u32,
        /// So much is dirty that the writer is to wait.
        crowded: bool,
        /// Nothing was written, as this page is to be brought in first; otherwise `NO_PAGE`.
        missing: u32,
    }
    /// A file whose lease is orphaned.
    pub struct OrphanedFile {
        /// The file.
        file: FileId,
        /// Its inode's process.
        slot: u16,
        /// The lease under which it was written.
        lease: u64,
        /// Its record in the cache.
        record: u32,
    }
    /// A file with dirty pages.
    pub struct DirtyFile {
        /// The file.
        file: FileId,
        /// Its inode's process.
        slot: u16,
    }
    /// What a program begins with.
    pub struct SharedTableFound {
        /// The shared page table, or `NO_FRAME`.
        frame: u32,
        /// Stands for the file's content as it is.
        cache_generation: u64,
    }
    /// What was given back.
    pub struct Shrunk {
        /// Frames.
        freed: u32,
        /// A repetition may free more: this call scanned as many pages as it may.
        more: bool,
        /// Pages of files that have come into the cache since boot, read or written; modulo 2^32.
        arrived: u32,
    }
    /// How much is dirty.
    pub struct Dirty {
        /// Pages.
        pages: u32,
        /// So many may stay so when room is made.
        spare: u32,
        /// Pages that the medium has refused for good, or that were lost with a lease.
        lost: u32,
    }
}
word_enum! {
    /// What a program may do with a mapped page.
    pub enum MapFor {
        /// Read.
        Read,
        /// Read and execute.
        Execute,
        /// Read and write.
        Write,
        /// All of it.
        All,
    }
}

impl BeginFill {
    /// Before a write lease is requested.
    pub const FOR_LEASE: BeginFill = BeginFill { file: FileId::NONE, mapped: NO_PAGE };
}

impl Shrink {
    /// For a caller that needs a frame: waits for no process, scans all pages.
    pub const fn at_once(frames: u32) -> Shrink {
        Shrink { frames, scans: u32::MAX, wanted: 0 }
    }
}

protocol! {
    /// The page cache.
    pub Pages = 14, PagesCall {
        /// Bytes of the file from `offset` on into the slice; how many (0: end of file). `ENOENT`: not all of what
        /// is there is cached.
        0 ReadCached { file: FileId, offset: u64 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// The frame with page `page`, with a reference for the caller; `ENOENT` if it is not cached.
        1 FindPage { file: FileId, page: u32 } (()) -> Result<u32, Errno>;
        /// As `FindPage` for the pages from `page` on, one for each `u32` of the slice, `NO_FRAME`
        /// where a page is not cached, and for those of the first 64 that have a bit in `but`; how many were found.
        2 FindPages { file: FileId, page: u32, but: u64 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Returns a cache generation for filling pages of the file. The caller is about to map page `mapped`, unless
        /// that is `NO_PAGE`: a revocation of it waits until the caller's program has run. A cache generation without a
        /// mapped page may be void at once: the caller then reads past the cache. Of no file (`FOR_LEASE`): for
        /// `AcceptLease`.
        3 BeginFill { file: FileId, mapped: u32 } (()) -> Result<u64, Errno>;
        /// Offers `frame`, filled with page `page` of a file of `size` bytes, zeros behind its end; the cache takes a
        /// reference of its own. `ESTALE`: the cache generation is void.
        4 KeepPage { file: FileId, page: u32, frame: u32, cache_generation: u64, size: u64 } (()) -> Result<(), Errno>;
        /// The pages from `from` to before `to` are no longer the file's (`TO_END`: nor is its size known). From the
        /// inode's process, before it changes them; and from a file process, before it has them changed. How many
        /// pages of the file are left here. `EBUSY`: this board has the write lease, which is to be flushed first.
        5 RevokePages { file: FileId, from: u32, to: u32 } (()) -> Result<u32, Errno>;
        /// Frees up to `frames` frames of clean pages, because memory is short, and scans at most `scans` pages for
        /// them. Writes back dirty pages for the rest of the `wanted` ones, and frees these then.
        6 Shrink { frames: u32, scans: u32, wanted: u32 } (()) -> Result<Shrunk, Errno>;
        /// A board is dead. With that of the inodes end the leases of all pages; write leases with dirty data are
        /// orphaned from then on.
        7 BoardDied { board: u8 } (()) -> Result<(), Errno>;
        /// Writes the slice to page `page` of the file, which has `size` bytes from now on; the page is dirty then.
        /// `fresh`: its block is new, so around the slice are zeros. Whether so much is dirty that the writer is to
        /// wait. `ENOENT`: the page is to be brought in first; `ENOMEM`: there is no room for it. From the inode's
        /// process only, as `Cut`. A slice of nothing: a program is about to write the page by a mapping, and no other
        /// board has a lease.
        8 WritePage { file: FileId, page: u32, place: PagePlace, size: u64, fresh: bool } (&'a [u8]) -> Result<bool, Errno>;
        /// As `KeepPage` for the pages in the slice, which is copied.
        9 PutPages { file: FileId, page: u32, cache_generation: u64, size: u64 } (&'a [u8]) -> Result<(), Errno>;
        /// As `BeginFill`, for `count` pages from `page` on.
        10 BeginRun { file: FileId, page: u32, count: u32 } (()) -> Result<RunBegun, Errno>;
        /// The file has `size` bytes from now on; the pages from `from` on are no longer its.
        11 Cut { file: FileId, from: u32, size: u64 } (()) -> Result<(), Errno>;
        /// The page that is dirty for longest, and its neighbours on the medium, copied into the slice; `ENOENT`: none
        /// is dirty. From `data_writeback` only, as the next two.
        12 TakeRun {} (&'a mut [u8]) -> Result<DirtyRun, Errno>;
        /// The writing of that run has ended. What was not written stays dirty; if room is needed (`evicting`) not for
        /// ever.
        13 RunWritten { done: bool, evicting: bool } (()) -> Result<(), Errno>;
        /// How much is dirty.
        14 CountDirty {} (()) -> Result<Dirty, Errno>;
        /// Whether a commit refers to what is dirty: then it is to be written though its file is cut.
        15 SetOrdered { ordered: bool } (()) -> Result<(), Errno>;
        /// Completes the `struct stat` in the slice, which the owner granted under that lease, by what was changed here
        /// under it. `ENOLCK`: this board has that lease no longer, or not yet.
        16 CompleteStatus { file: FileId, lease: u64 } (&'a mut [u8]) -> Result<(), Errno>;
        /// Maps page `page` of the file at page `at` of the address space whose root is frame `space`, and those behind
        /// it, up to `count`, that are cached where nothing is mapped; each with a reference. The cache restricts the
        /// mapping when the page is written, changed by others or cut: the caller's program faults then.
        /// `ENOENT`: it is not cached. `EFBIG`: it is behind the file's end. `EAGAIN`: a page to be written has to be
        /// dirty, or its file leased (`DirtyPage`). `EBUSY`: so much is dirty here that the file is to be flushed
        /// first. `EEXIST`: something else is mapped there. `ENXIO`: the space lacks a table.
        17 MapPages { file: FileId, page: u32, count: u32, space: u32, at: u32, map_for: MapFor } (()) -> Result<(), Errno>;
        /// Programs that map the page fault before they write it again, as another board is about to cache it. From the
        /// inode's process.
        18 ProtectPage { file: FileId, page: u32 } (()) -> Result<(), Errno>;
        /// Finds the shared page table with the file's pages as a program maps them from address `at` on, with a
        /// reference for the caller; `NO_FRAME`: none, and its creator offers one with this cache generation. `ENOENT`:
        /// nothing of the file is cached.
        19 FindSharedTable { file: FileId, at: u64 } (()) -> Result<SharedTableFound, Errno>;
        /// Makes `frame`, which becomes the cache's, a shared page table. `ESTALE`: the cache generation is void;
        /// `EEXIST`:
        /// there is one; `ENOMEM`: there is no room for it.
        20 KeepSharedTable { file: FileId, at: u64, frame: u32, cache_generation: u64 } (()) -> Result<(), Errno>;
        /// Copies the first dirty page behind page `pushed` (`NO_PAGE`: none yet) into the slice, for the inode's
        /// process (`PushPage`); without a slice the push ends. It begins with lease `NO_LEASE`, and goes on with the
        /// one that came. The inode's process has what came before, which is clean now unless it was written
        /// meanwhile, or (`PUSH_REFUSED`) has not. `ENOLCK`: this board has no such lease; `EBUSY`: another caller
        /// pushes the file.
        21 NextPush { file: FileId, lease: u64, pushed: u32 } (&'a mut [u8]) -> Result<PushedPage, Errno>;
        /// An inode's process has granted this board the write lease of the file at `now_ns` of its calendar, when the
        /// size was `size`. Returns a cache generation for the page that came with the lease, if one
        /// did. `ESTALE`: that lease has been flushed, or may have been since that generation.
        22 AcceptLease { file: FileId, pages: LeasedPages, cache_generation: u64, size: u64, lease: u64, now_ns: u64 } (()) -> Result<u64, Errno>;
        /// Writes the slice at `offset` (`AT_END`: at the end of the file), in one step; `IN_RECORD`: changes mode,
        /// owner and times as the slice says ([`crate::attributes`]).
        /// `ENOLCK`: this board has no lease; `ENOMEM`: there is no room.
        23 WriteLeased { file: FileId, offset: u64 } (&'a [u8]) -> Result<LeasedWrite, Errno>;
        /// Flushes the first dirty page behind page `taken` (`NO_PAGE`: none yet), which stays dirty until the next
        /// flush names it as taken. The inode's process has answered so many `grants` under this lease (`AcceptLease`);
        /// data written under another lease are lost. From `revocations` only, but for `Gone`.
        24 FlushLease { file: FileId, taken: u32, back: FlushExtent, lease: u64, grants: u32 } (&'a mut [u8]) -> Result<FlushedPage, Errno>;
        /// Another board has the write lease from now on, or (`leased` not) has it no longer but may cache pages; the
        /// file has `size` bytes.
        /// From the inode's process only, as the next one. `ENOMEM`: there is no room to know of it.
        25 SetLeasedOut { file: FileId, leased: bool, size: u64 } (()) -> Result<(), Errno>;
        /// As `ReadCached` of a whole page, of a file that is leased out, too.
        26 ReadLeasedOut { file: FileId, page: u32 } (&'a mut [u8]) -> Result<(), Errno>;
        /// The file that has been dirty for longest, of those leased to this board; `ENOENT`: nothing is dirty.
        27 OldestLeased {} (()) -> Result<DirtyFile, Errno>;
        /// The file if its lease is orphaned, or (number 0) one such file, of those in the records from `from` on: the
        /// session with the inodes' board ended under the lease, which has not been flushed since. `ENOENT`: none is.
        28 FindOrphaned { file: FileId, from: u32 } (()) -> Result<OrphanedFile, Errno>;
        /// The inode's process does not know of that lease any more: if the file is still orphaned, what was written
        /// under it is lost.
        29 DiscardOrphaned { file: FileId, lease: u64 } (()) -> Result<(), Errno>;
        /// As the inode's `ReserveAppend`, of a file leased to this board. `ENOLCK`: it is not.
        30 ReserveLeased { file: FileId, from: u64, bytes: u64 } (()) -> Result<u64, Errno>;
    }
}

impl FlushLease {
    /// Of a file that is no more.
    pub const GONE: FlushLease =
        FlushLease { file: FileId::ANY, taken: NO_PAGE, back: FlushExtent::Gone, lease: NO_LEASE, grants: 0 };
}

protocol! {
    /// Revokes on behalf of inodes and lookup workers: so that a board has one caller of its caches for all of them.
    pub Revocations = 19, RevocationsCall {
        /// As `RevokePages` of the page cache of `board`.
        0 RevokePagesFrom { board: u8, file: FileId, from: u32, to: u32 } (()) -> Result<u32, Errno>;
        /// As `FlushLease` of the page cache of `board`. This process keeps the page and serves no other call until
        /// the caller says where it is to go. The file's changes come into the slice.
        1 FlushFrom { board: u8, file: FileId, taken: u32, back: FlushExtent, lease: u64, grants: u32 } (&'a mut [u8]) -> Result<FlushedPage, Errno>;
        /// That page goes to the cache of this board, as `WritePage` does it; zeros behind the file's end. After an
        /// error it is still kept.
        2 PlacePage { file: FileId, page: u32, block: u32, size: u64 } (()) -> Result<bool, Errno>;
        /// That page is not to go anywhere.
        3 DiscardPage {} (()) -> Result<(), Errno>;
        /// As `RevokeName` of the name cache of `board`.
        4 RevokeNameFrom { board: u8, directory: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// As `RevokeInode` of the name cache of `board`.
        5 RevokeInodeFrom { board: u8, ino: u32 } (()) -> Result<(), Errno>;
        /// As `RevokeReference` of the name cache of `board`.
        6 RevokeReferenceFrom { board: u8, ino: u32 } (()) -> Result<bool, Errno>;
        /// As `NotifyAccess` of the name cache of `board`.
        7 NotifyAccessTo { board: u8, ino: u32, access_ns: u64 } (()) -> Result<(), Errno>;
    }
}

in_words! {
    /// What `FillPage` brought.
    pub struct Filled {
        /// The file's size, bytes.
        size: u64,
        /// Whether the board may keep page and size, and with which cache generation: [`NOT_KEPT`], [`KEPT`], or a
        /// cache generation from when the page was read, since that of the caller may be void by now.
        keep: u64,
        /// How many bytes of the page there are: behind them it is to be filled with zeros.
        bytes: u32,
    }
}
/// What was brought is for the caller only.
pub const NOT_KEPT: u64 = 0;
/// The board may keep it with the cache generation from before its call. No valid cache generation has this number, or
/// 0.
pub const KEPT: u64 = u64::MAX;

impl Filled {
    /// Whether the board may keep it.
    pub fn is_kept(&self) -> bool {
        self.keep != NOT_KEPT
    }

    /// Fills with zeros what is behind the bytes that there are.
    pub fn clear_behind(&self, page: &mut [u8]) {
        let bytes = (self.bytes as usize).min(page.len());
        page[bytes..].fill(0);
    }
}
