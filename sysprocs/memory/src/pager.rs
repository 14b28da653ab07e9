//! What an address space needs of others to work: page frames, file pages, the machine.
//!
//! Invariant: a frame returned carries one reference, which is the caller's. Nothing is kept between
//! operations, so a pager is made for each from the clients of a process. Not here: areas.

use crate::frame_list::FrameList;
use crate::mapped_files::MappedFile;
use renga_abi::Errno;
use renga_hal::memory::{Access, Frame, PAGE_BYTES, TABLES_PER_MAP_MAX, UserMemory};
use renga_proto::inode::{Inode, ReadAt};
use renga_proto::memory::{AllocateFrame, FreeFrame, FreeFrames, MakePrivate, Memory};
use renga_proto::text::{FindPage, KeepFile, OfferPage, ReleaseFile, ReopenFile, Shrink, Text};
use renga_rt::{Client, Family};

/// Cached file pages to give up when memory is short.
const SHRINK_FRAMES: u32 = 64;

/// The clients of the process that owns an address space, and its board's user memory.
pub struct Pager<'a, M: UserMemory + ?Sized + 'static> {
    /// The board's user memory.
    pub machine: &'static M,
    /// Page frames.
    pub memory: &'a mut Client<Memory>,
    /// Cached file pages.
    pub text: &'a mut Client<Text>,
    /// Active inodes, on whichever board has the disk.
    pub inodes: &'a mut Family<Inode>,
}

impl<M: UserMemory + ?Sized> Pager<'_, M> {
    /// A frame, all zeros.
    pub async fn allocate(&mut self) -> Result<Frame, Errno> {
        let mut frame = self.memory.call(AllocateFrame {}, ()).await;
        if frame == Err(Errno::ENOMEM) && self.shrink().await {
            frame = self.memory.call(AllocateFrame {}, ()).await;
        }
        frame.map(Frame)
    }

    /// A frame with the content of `frame` that is the caller's alone. On an error the caller still
    /// has `frame`.
    pub async fn make_private(&mut self, frame: Frame) -> Result<Frame, Errno> {
        let mut private = self.memory.call(MakePrivate { frame: frame.0 }, ()).await;
        if private == Err(Errno::ENOMEM) && self.shrink().await {
            private = self.memory.call(MakePrivate { frame: frame.0 }, ()).await;
        }
        private.map(Frame)
    }

    /// Whether the cache of file pages gave frames back.
    async fn shrink(&mut self) -> bool {
        self.text.call(Shrink { frames: SHRINK_FRAMES }, ()).await.is_ok_and(|frames| frames > 0)
    }

    /// Gives a frame back.
    pub async fn free(&mut self, frame: Frame) {
        // A refusal means that the frame was not ours; the memory process has logged it.
        let _ = self.memory.call(FreeFrame { frame: frame.0 }, ()).await;
    }

    /// Gives all frames of the list back and clears it.
    pub async fn free_all(&mut self, list: &mut FrameList) {
        if !list.is_empty() {
            // As `free`.
            let _ = self.memory.call(FreeFrames {}, list.as_bytes()).await;
            list.clear();
        }
    }

    /// Shows `frame` at `va`, with the tables that it takes. On an error the caller still has `frame`.
    pub async fn map(&mut self, space: Frame, va: u64, frame: Frame, access: Access) -> Result<(), Errno> {
        for _ in 0..TABLES_PER_MAP_MAX {
            if self.machine.map(space, va, frame, access).is_ok() {
                return Ok(());
            }
            let table = self.allocate().await?;
            self.machine.add_table(space, va, table);
        }
        self.machine.map(space, va, frame, access).map_err(|_| Errno::ENOMEM)
    }

    /// The frame with page `page` of `file`, from the cache or the disk; behind the end: zeros. It may
    /// be shared, so it is not to be written.
    pub async fn file_page(&mut self, file: MappedFile, page: u32) -> Result<Frame, Errno> {
        let MappedFile { ino, version, .. } = file;
        match self.text.call(FindPage { ino, version, page }, ()).await {
            Ok(frame) => Ok(Frame(frame)),
            Err(_) => self.read_page(file, page).await,
        }
    }

    /// As `file_page`, for a page that is known not to be cached. `ESTALE`: the inode's process is not the one
    /// that `file` says, or was asked for the first time since its board was started again.
    pub async fn read_page(&mut self, file: MappedFile, page: u32) -> Result<Frame, Errno> {
        let frame = self.allocate().await?;
        match self.fill_from_file(frame, file, page).await {
            Ok(()) => {
                let MappedFile { ino, version, .. } = file;
                // Refused or not, the page is here.
                let _ = self.text.call(OfferPage { ino, version, page, frame: frame.0 }, ()).await;
                Ok(frame)
            }
            Err(errno) => {
                self.free(frame).await;
                Err(errno)
            }
        }
    }

    async fn fill_from_file(&mut self, frame: Frame, file: MappedFile, page: u32) -> Result<(), Errno> {
        let mut inode = self.inode(file.slot).ok_or(Errno::EIO)?;
        let offset = u64::from(page) * PAGE_BYTES as u64;
        let mut content = self.machine.page(frame);
        let bytes = inode.call(ReadAt { offset, ino: file.ino }, &mut content[..]).await? as usize;
        content[bytes.min(PAGE_BYTES)..].fill(0);
        Ok(())
    }

    /// The active inode's process, on the board that has inodes.
    fn inode(&mut self, slot: u16) -> Option<Client<Inode>> {
        let board = (0..self.inodes.boards()).find(|&board| self.inodes.count(board) > 0)?;
        self.inodes.at(board, usize::from(slot))
    }

    /// One use more of a file at the board's text process.
    pub async fn keep_file(&mut self, file: MappedFile) -> Result<(), Errno> {
        let MappedFile { ino, generation, slot, .. } = file;
        self.text.call(KeepFile { ino, generation, slot }, ()).await
    }
    /// One use less.
    pub async fn release_file(&mut self, file: MappedFile) {
        let MappedFile { ino, generation, .. } = file;
        // The text process logs what it does not know.
        let _ = self.text.call(ReleaseFile { ino, generation }, ()).await;
    }
    /// The inode's process of a file in use, when it is not the one that `file` says.
    pub async fn reopen_file(&mut self, file: MappedFile) -> Result<u16, Errno> {
        let MappedFile { ino, generation, slot, .. } = file;
        self.text.call(ReopenFile { ino, generation, slot }, ()).await
    }
}
