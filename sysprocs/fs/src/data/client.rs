//! How an inode's process uses the data of its file: through the page cache of its board.
//!
//! Invariant: a read finds dirty pages in the cache before it goes to the medium. Not here: the blocks of a file
//! (`inode/block_map.rs`).

use renga_abi::PAGE_BYTES;
use renga_proto::data::{DataReader, DataWriteback, MakeRoom, ReadAhead, ReadIn, WriteData};
use renga_proto::disk::{Disk, ReadBlocks};
use renga_proto::pages::{
    BeginFill, CountDirty, Cut, FileId, KEPT, NO_PAGE, PagePlace, Pages, ProtectPage, ReadLeasedOut, SetLeasedOut,
    WritePage,
};
use renga_rt::{Client, Errno, Family, repeated};

/// Times that a write is tried which found no page, or no room for one.
const TRIES_MAX: u32 = 4;
pub(crate) const PAGE: u64 = PAGE_BYTES as u64;

renga_rt::clients! {
    /// The right to read and write file data, on the disk's board.
    pub struct DataClients {
        /// The cache.
        pages: Client<Pages>,
        /// What is not in it.
        disk: Client<Disk>,
        /// Bring pages in; those of the disk's board are used.
        readers: Family<DataReader>,
        /// Makes room.
        writer: Client<DataWriteback>,
    }
}

impl DataClients {
    /// The whole page at `place`; `ENOENT`: it is not in the cache.
    pub(crate) async fn read(&mut self, place: DataPage, out: &mut [u8]) -> Result<(), Errno> {
        if out.len() != PAGE_BYTES {
            return Err(Errno::EINVAL);
        }
        self.pages.call(ReadLeasedOut { file: place.file, page: place.page }, out).await
    }

    /// The whole page at `place`, which is not in the cache, and is not to be there for that.
    pub(crate) async fn read_past_cache(&mut self, place: DataPage, out: &mut [u8]) -> Result<(), Errno> {
        repeated!(self.disk.call(ReadBlocks { first: place.block.into() }, &mut *out))
    }

    /// `data` from byte `offset` of the page on; `fresh`: the block is new, so around it are zeros.
    pub(crate) async fn write(&mut self, place: DataPage, offset: u32, data: &[u8], fresh: bool) -> Result<(), Errno> {
        let DataPage { file, page, block, size } = place;
        let mut reported = Err(Errno::EIO);
        for _ in 0..TRIES_MAX {
            reported =
                self.pages.call(WritePage { file, page, place: PagePlace { block, offset }, size, fresh }, data).await;
            match reported {
                Ok(crowded) => {
                    if crowded {
                        self.make_room(false).await;
                    }
                    return Ok(());
                }
                Err(Errno::ENOENT) => self.read_in(place, 1).await?,
                Err(Errno::ENOMEM) => self.make_room(true).await,
                Err(_) => break,
            }
        }
        reported.map(|_| ())
    }

    /// The cache generation for data read from now on. Without room for one the caller's has to do: the cache refuses
    /// it if it is void.
    pub(crate) async fn cache_generation(&mut self, file: FileId) -> u64 {
        self.pages.call(BeginFill { file, mapped: NO_PAGE }, ()).await.unwrap_or(KEPT)
    }

    /// Brings pages in, from `count` blocks side by side; those that are on their way already are waited for.
    pub(crate) async fn read_in(&mut self, place: DataPage, count: u32) -> Result<(), Errno> {
        let DataPage { file, page, block, size } = place;
        self.reader(file)?.call(ReadIn { file, page, block, count, size }, ()).await
    }

    pub(crate) async fn read_ahead(&mut self, place: DataPage, count: u32) -> Result<(), Errno> {
        let DataPage { file, page, block, size } = place;
        self.reader(file)?.call(ReadAhead { file, page, block, count, size }, ()).await
    }

    /// Inodes use different readers, so that one seldom waits for another's run.
    fn reader(&mut self, file: FileId) -> Result<Client<DataReader>, Errno> {
        let board = self.pages.server().board.0;
        let count = self.readers.count(board).max(1);
        self.readers.at(board, file.ino as usize % count).ok_or(Errno::EIO)
    }

    /// The file has `size` bytes from now on; the pages from `from` on are no longer its.
    pub(crate) async fn cut(&mut self, file: FileId, from: u32, size: u64) -> Result<(), Errno> {
        self.pages.call(Cut { file, from, size }, ()).await
    }

    /// Programs that map page `page` fault before they write it again.
    pub(crate) async fn protect(&mut self, file: FileId, page: u32) -> Result<(), Errno> {
        self.pages.call(ProtectPage { file, page }, ()).await
    }

    /// Another board has the write lease, or has it no longer, and it has `size` bytes.
    pub(crate) async fn grant(&mut self, file: FileId, leased: bool, size: u64) -> Result<(), Errno> {
        self.pages.call(SetLeasedOut { file, leased, size }, ()).await
    }

    /// Makes frames free, or lets fewer be dirty; a failure is reported to the next sync.
    pub(crate) async fn make_room(&mut self, all: bool) {
        let _ = if all { self.writer.call(WriteData {}, ()).await } else { self.writer.call(MakeRoom {}, ()).await };
    }

    pub(crate) async fn lost_writes(&mut self) -> u32 {
        self.pages.call(CountDirty {}, ()).await.map_or(0, |dirty| dirty.lost)
    }
}

/// One page of a file, and the block that has it.
#[derive(Clone, Copy)]
pub(crate) struct DataPage {
    pub(crate) file: FileId,
    pub(crate) page: u32,
    pub(crate) block: u32,
    pub(crate) size: u64,
}

/// The number of the page with the byte at `offset`, which a file may have.
pub(crate) fn page_of(offset: u64) -> u32 {
    (offset / PAGE) as u32
}
