//! What an address space needs of others to work: page frames, file pages, the machine.
//!
//! Invariant: a frame returned carries one reference, which is the caller's. Nothing is kept between
//! operations, so a pager is made for each from the clients of a process. Not here: areas; what a pager does to a space
//! (`fault.rs`, `map.rs`, `fork.rs`, `copy.rs`, `page_list.rs`, `exec`).

use crate::frame_cache::FrameCache;
use crate::frame_counts::FrameCounts;
use crate::frame_list::FrameList;
use crate::mapped_files::MappedFile;
use crate::tables::SpaceTables;
use renga_abi::Errno;
use renga_hal::memory::{Access, Frame, TABLES_PER_MAP_MAX, UserMemory};
use renga_pages::{Fill, fill};
use renga_proto::data::{Prefetcher, ReadMissed};
use renga_proto::inode::{DirtyPage, FillPage, Filled, Inode, LeaseWrite, Sync, Truncate};
use renga_proto::memory::{FreeFrames, Memory};
use renga_proto::pages::{BeginFill, FindPage, KeepPage, NO_PAGE, Pages};
use renga_proto::references::{KeepFile, MakeObject, References, ReleaseFile, ReopenFile};
use renga_rt::{Client, Family, Local};

/// What is called of an active inode: pages, and that what programs wrote by mapping them is safe.
pub const PAGING: u32 = FillPage::BIT | DirtyPage::BIT | LeaseWrite::BIT | Sync::BIT;
/// Active inodes, called for pages, and by `truncate(2)` and `sync(2)`.
pub type Inodes = Family<Inode, { PAGING | Truncate::BIT }>;

/// The size of an object, as the page cache knows it: it has no end.
pub(crate) const OBJECT_BYTES: u64 = u64::MAX;

/// A mapping does not count the losses of its file: each `msync` reports one for so long, which no flush outlasts.
const LOSS_NS_MAX: u64 = 5_000_000_000;

/// A page that was read, in a frame of the reader's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageRead {
    pub frame: Frame,
    /// The size of the file, bytes.
    pub size: u64,
    /// This board may keep it.
    pub kept: bool,
}

/// The clients of the process that owns an address space, and its board's user memory.
pub struct Pager<'a, M: UserMemory + 'static> {
    /// The board's user memory.
    pub machine: &'static M,
    /// The board's tables of areas.
    pub tables: &'static SpaceTables,
    /// Page frames.
    pub memory: &'a mut Client<Memory>,
    /// How many references they have.
    pub counts: &'static FrameCounts,
    /// Some that the program has.
    pub frame_cache: &'a mut FrameCache,
    /// Cached file pages.
    pub pages: &'a mut Client<Pages>,
    /// They bring file pages into the cache before they are read.
    pub prefetchers: &'a mut Local<Prefetcher>,
    /// The references to mapped files.
    pub references: &'a mut Client<References>,
    /// Active inodes, on whichever board has the disk.
    pub inodes: &'a mut Inodes,
}

impl<M: UserMemory> Pager<'_, M> {
    /// A frame with any content; if there is none, one that the cache gives up.
    async fn take(&mut self) -> Result<Frame, Errno> {
        match self.frame_cache.take(self.memory).await {
            Err(Errno::ENOMEM) if fill::shrink(self.pages).await => self.frame_cache.take(self.memory).await,
            taken => taken,
        }
    }

    /// A frame, all zeros.
    pub async fn allocate(&mut self) -> Result<Frame, Errno> {
        let frame = self.take().await?;
        self.machine.clear_page(frame);
        Ok(frame)
    }

    /// A copy of `frame`, which no program writes meanwhile.
    pub(crate) async fn copy_of(&mut self, frame: Frame) -> Result<Frame, Errno> {
        let copy = self.take().await?;
        self.machine.page(copy).copy_from_slice(&self.machine.shared_page(frame)[..]);
        Ok(copy)
    }

    /// Gives a reference to a frame back, now or later.
    pub async fn free(&mut self, frame: Frame) {
        self.frame_cache.give(self.memory, frame).await;
    }

    /// Gives the cached frames back.
    pub async fn free_cached(&mut self) {
        self.frame_cache.give_back(self.memory).await;
    }

    /// Gives all frames of the list back and clears it.
    pub async fn free_all(&mut self, list: &mut FrameList) {
        if !list.is_empty() {
            // A refusal means that a frame was not ours; the memory process has logged it.
            let _ = self.memory.call(FreeFrames {}, list.as_bytes()).await;
            list.clear();
        }
    }

    /// Shows `frame` at `va`, with the tables that it takes. On an error the caller still has `frame`.
    pub async fn map_frame(&mut self, space: Frame, va: u64, frame: Frame, access: Access) -> Result<(), Errno> {
        for _ in 0..TABLES_PER_MAP_MAX {
            if self.machine.map(space, va, frame, access).is_ok() {
                return Ok(());
            }
            self.add_table(space, va).await?;
        }
        self.machine.map(space, va, frame, access).map_err(|_| Errno::ENOMEM)
    }

    /// Gives the space the next table that it lacks on the way to `va`.
    pub async fn add_table(&mut self, space: Frame, va: u64) -> Result<(), Errno> {
        let table = self.allocate().await?;
        self.machine.add_table(space, va, table);
        Ok(())
    }

    /// The frame with page `page` of `file`, from the cache or the disk; behind the end: zeros. It may
    /// be shared, so it is not to be written.
    pub async fn file_page(&mut self, file: MappedFile, page: u32) -> Result<Frame, Errno> {
        match self.find_page(file, page).await {
            Ok(frame) => Ok(frame),
            Err(_) => self.read_page(file, page).await,
        }
    }

    /// The frame with page `page` of `file` in the cache, to which prefetchers may bring it.
    async fn find_page(&mut self, file: MappedFile, page: u32) -> Result<Frame, Errno> {
        let mut found = self.pages.call(FindPage { file: file.id(), page }, ()).await;
        let is_elsewhere = self.inodes.count(self.pages.server().board.0) == 0;
        if found.is_err() && is_elsewhere {
            let miss = ReadMissed { file: file.id(), slot: file.slot, page };
            if fill::prefetched(self.prefetchers, miss).await {
                found = self.pages.call(FindPage { file: file.id(), page }, ()).await;
            }
        }
        found.map(Frame)
    }

    /// The content of page `page` of `file`, in a frame that is the caller's alone.
    pub(crate) async fn private_file_page(&mut self, file: MappedFile, page: u32) -> Result<Frame, Errno> {
        let frame = match self.find_page(file, page).await {
            Ok(cached) => cached,
            Err(_) => {
                let begun = Fill::begin(self.memory, self.pages, file.id(), page).await?;
                let read = self.read_begun(begun, file, page).await?;
                if !read.kept {
                    return Ok(read.frame);
                }
                read.frame
            }
        };
        let copy = self.copy_of(frame).await;
        self.free(frame).await;
        copy
    }

    /// As `file_page`, for a page that is not cached. `ESTALE`: the inode has another process than `file` says, or
    /// this is the first call since its board rebooted.
    pub async fn read_page(&mut self, file: MappedFile, page: u32) -> Result<Frame, Errno> {
        let begun = Fill::begin(self.memory, self.pages, file.id(), page).await?;
        self.read_begun(begun, file, page).await.map(|read| read.frame)
    }

    /// As `read_page`, of a page that is to be mapped because it is shared; also whether the cache was offered it.
    pub(crate) async fn read_shared(&mut self, file: MappedFile, page: u32) -> Result<PageRead, Errno> {
        let begun = Fill::begin_shared(self.memory, self.pages, file.id(), page).await?;
        self.read_begun(begun, file, page).await
    }

    async fn read_begun(&mut self, begun: Fill, file: MappedFile, page: u32) -> Result<PageRead, Errno> {
        match self.fill_from_file(begun.frame, file, page).await {
            Ok(filled) => {
                let (size, kept) = (filled.size, filled.is_kept());
                let frame = if kept { begun.as_read(&filled).keep(self.pages, size).await } else { begun.frame };
                Ok(PageRead { frame, size, kept })
            }
            Err(errno) => {
                begun.give_up(self.memory).await;
                Err(errno)
            }
        }
    }

    async fn fill_from_file(&mut self, frame: Frame, file: MappedFile, page: u32) -> Result<Filled, Errno> {
        let mut inode = self.inode(file.slot).ok_or(Errno::EIO)?;
        let mut content = self.machine.page(frame);
        let filled = inode.call(FillPage { ino: file.ino, page, maps: true }, &mut content[..]).await?;
        filled.clear_behind(&mut content[..]);
        Ok(filled)
    }

    /// The active inode's process, on the board that has inodes.
    pub(crate) fn inode(&mut self, slot: u16) -> Option<Client<Inode, PAGING>> {
        let board = (0..self.inodes.boards()).find(|&board| self.inodes.count(board) > 0)?;
        self.inodes.at(board, usize::from(slot)).map(Client::narrowed)
    }

    /// Reports failed writes to `file`.
    pub async fn settle_file(&mut self, file: MappedFile) -> Result<(), Errno> {
        let losses = self.inode(file.slot).ok_or(Errno::EIO)?.call(Sync {}, ()).await?;
        if losses.count == 0 || losses.ns_ago > LOSS_NS_MAX { Ok(()) } else { Err(Errno(losses.errno)) }
    }

    /// Memory that programs share without a file, with one use.
    pub async fn make_object(&mut self) -> Result<MappedFile, Errno> {
        self.references.call(MakeObject {}, ()).await.map(MappedFile::object)
    }

    /// `frame` is page `page` of an object from now on; the caller keeps its reference.
    pub async fn keep_page(&mut self, object: MappedFile, page: u32, frame: Frame) -> Result<(), Errno> {
        let file = object.id();
        let cache_generation = self.pages.call(BeginFill { file, mapped: NO_PAGE }, ()).await?;
        self.pages.call(KeepPage { file, page, frame: frame.0, cache_generation, size: OBJECT_BYTES }, ()).await
    }

    /// One use more of a file at the board's `references` process.
    pub async fn keep_file(&mut self, file: MappedFile) -> Result<(), Errno> {
        self.references.call(KeepFile { file: file.id(), slot: file.slot }, ()).await
    }
    /// One use less.
    pub async fn release_file(&mut self, file: MappedFile) {
        // That process logs what it does not know.
        let _ = self.references.call(ReleaseFile { file: file.id() }, ()).await;
    }
    /// The inode's process of a file in use, when it is not the one that `file` says.
    pub async fn reopen_file(&mut self, file: MappedFile) -> Result<u16, Errno> {
        self.references.call(ReopenFile { file: file.id() }, ()).await
    }
}
