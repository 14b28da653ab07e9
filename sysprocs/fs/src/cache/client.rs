//! How the other processes use buffers: get, work, put back; and short cuts.
//!
//! Invariant: a pin is held over calls to that buffer only, so that it never waits for anything but
//! the disk. A short cut (calling the buffer that held the block last time, without a pin) is taken
//! a bounded number of times, so that the directory learns that the block is in use.
//! Not here: who holds what (`buffer_directory.rs`, `buffer.rs`).

use renga_proto::buffer::{
    AddEntry, Become, Buffer, BufferDirectory, ClearBits, Committed, Discard, FindEntry, Flush, FlushBooks, Get,
    GetAhead, HasEntries, HeldBlock, Holding, LetGo, ListEntries, Log, LoggedBlock, LostWrites, NameOfEntry, NextHeld,
    Put, ReadAhead, ReadBytes, RemoveEntry, RepointEntry, TakeBit, WriteBytes, Zero,
};
use renga_proto::inode::{DirectoryRead, EntryFound};
use renga_rt::{Client, Errno, Family};

/// Short cuts remembered.
const SHORT_CUTS: usize = 4;
/// Uses of a short cut before the directory is asked again.
const SHORT_CUT_USES_MAX: u8 = 16;

renga_rt::clients! {
    /// The right to use the buffers of the disk board.
    pub struct CacheClients {
        /// Their directory.
        directory: Client<BufferDirectory>,
        /// They themselves.
        buffers: Family<Buffer>,
    }
}

#[derive(Clone, Copy)]
struct ShortCut {
    block: u64,
    buffer: u16,
    uses_left: u8,
}

pub(crate) struct Cache {
    directory: Client<BufferDirectory>,
    buffers: Family<Buffer>,
    board: u8,
    short_cuts: [ShortCut; SHORT_CUTS],
    oldest: usize,
    /// Many buffers wait for a commit.
    pub(crate) crowded: bool,
}

/// Calls `entry` of the buffer of its block: by a short cut, or pinned.
macro_rules! on_buffer {
    ($cache:expr, $block:expr, $entry:expr, $lends:expr) => {{
        let (block, entry) = (u64::from($block), $entry);
        let mut reply = Err(Errno::ESTALE);
        if let Some(buffer) = $cache.short_cut(block) {
            reply = $cache.buffer(buffer)?.call(entry, $lends).await;
        }
        if reply.is_err_and(|errno| errno == Errno::ESTALE) {
            let pin = $cache.pin(block, false).await?;
            reply = $cache.buffer(pin.buffer)?.call(entry, $lends).await;
            $cache.put(pin).await;
        }
        reply
    }};
}

struct Pin {
    buffer: u16,
    holding: Holding,
    lost: bool,
}

impl Cache {
    pub(crate) fn new(clients: CacheClients) -> Self {
        let board = clients.directory.server().board.0;
        let none = ShortCut { block: u64::MAX, buffer: 0, uses_left: 0 };
        let (directory, buffers) = (clients.directory, clients.buffers);
        Cache { directory, buffers, board, short_cuts: [none; SHORT_CUTS], oldest: 0, crowded: false }
    }

    fn buffer(&mut self, number: u16) -> Result<Client<Buffer>, Errno> {
        self.buffers.at(self.board, usize::from(number)).ok_or(Errno::EIO)
    }

    fn short_cut(&mut self, block: u64) -> Option<u16> {
        let found = self.short_cuts.iter_mut().find(|cut| cut.block == block && cut.uses_left > 0)?;
        found.uses_left -= 1;
        Some(found.buffer)
    }

    fn remember(&mut self, block: u64, buffer: u16) {
        let cut = ShortCut { block, buffer, uses_left: SHORT_CUT_USES_MAX };
        match self.short_cuts.iter_mut().find(|cut| cut.block == block) {
            Some(known) => *known = cut,
            None => {
                self.short_cuts[self.oldest] = cut;
                self.oldest = (self.oldest + 1) % SHORT_CUTS;
            }
        }
    }

    /// The buffer of `block`, pinned and holding it. An error leaves nothing pinned.
    async fn pin(&mut self, block: u64, overwrite: bool) -> Result<Pin, Errno> {
        // A refusal makes the directory offer another buffer; one that may not refuse does so only if the
        // disk fails, and then the others are tried.
        let mut failures = 0;
        while failures <= self.count() {
            let pinned = self.directory.call(Get { block }, ()).await?;
            self.crowded = pinned.crowded;
            let mut pin = Pin { buffer: pinned.buffer, holding: Holding::Block, lost: false };
            if !pinned.fresh {
                self.remember(block, pin.buffer);
                return Ok(pin);
            }
            let wanted = Become { block, overwrite, force: pinned.force };
            match self.buffer(pin.buffer)?.call(wanted, ()).await {
                Ok(lost) => {
                    pin.lost = lost;
                    self.remember(block, pin.buffer);
                    return Ok(pin);
                }
                Err(Errno::EBUSY) => {
                    pin.holding = Holding::Former;
                    self.put(pin).await;
                    failures += usize::from(pinned.force);
                }
                Err(errno) => {
                    pin.holding = Holding::Nothing;
                    self.put(pin).await;
                    return Err(errno);
                }
            }
        }
        Err(Errno::EIO)
    }

    async fn put(&mut self, pin: Pin) {
        // It refuses nothing.
        let Pin { buffer, holding, lost } = pin;
        let _ = self.directory.call(Put { buffer, holding, lost }, ()).await;
    }

    pub(crate) async fn read(&mut self, block: u32, offset: u32, out: &mut [u8]) -> Result<(), Errno> {
        on_buffer!(self, block, ReadBytes { block: block.into(), offset }, &mut *out)
    }

    /// Writes content.
    pub(crate) async fn write(&mut self, block: u32, offset: u32, data: &[u8]) -> Result<(), Errno> {
        on_buffer!(self, block, WriteBytes { block: block.into(), offset, books: false }, data)
    }
    /// Writes books.
    pub(crate) async fn write_books(&mut self, block: u32, offset: u32, data: &[u8]) -> Result<(), Errno> {
        on_buffer!(self, block, WriteBytes { block: block.into(), offset, books: true }, data)
    }

    /// Replaces the content of the whole block, which is not read first: by `data` from `offset` on
    /// and zeros around it.
    pub(crate) async fn overwrite(&mut self, block: u32, offset: u32, data: &[u8], books: bool) -> Result<(), Errno> {
        let block = u64::from(block);
        let pin = self.pin(block, true).await?;
        let mut buffer = self.buffer(pin.buffer)?;
        let mut reply = Ok(());
        if data.len() < renga_abi::PAGE_BYTES {
            reply = buffer.call(Zero { block, books }, ()).await;
        }
        if reply.is_ok() && !data.is_empty() {
            reply = buffer.call(WriteBytes { block, offset, books }, data).await;
        }
        self.put(pin).await;
        reply
    }

    /// Starts reading a block that is likely to be wanted, if a buffer is free for it.
    pub(crate) async fn read_ahead(&mut self, block: u32) -> Result<(), Errno> {
        let block = u64::from(block);
        let Ok(buffer) = self.directory.call(GetAhead { block }, ()).await else { return Ok(()) };
        let begun = self.buffer(buffer)?.call(ReadAhead { block }, ()).await;
        // The block may not be there yet: whoever wants it asks the buffer to hold it again.
        let holding = if begun == Err(Errno::EBUSY) { Holding::Former } else { Holding::Nothing };
        self.put(Pin { buffer, holding, lost: begun == Ok(true) }).await;
        Ok(())
    }

    /// Forgets changes of blocks that are about to be freed.
    pub(crate) async fn discard(&mut self, first: u32, count: u32) -> Result<(), Errno> {
        let (mut from, below) = (u64::from(first), u64::from(first) + u64::from(count));
        while let Ok(HeldBlock { block, buffer }) = self.directory.call(NextHeld { from, below }, ()).await {
            // A refusal means that it is gone from there already.
            let _ = self.buffer(buffer)?.call(Discard { block }, ()).await;
            from = block + 1;
        }
        Ok(())
    }

    /// Writes all changed content to the disk, in ascending order; with `books` also those books that are
    /// in the journal.
    pub(crate) async fn flush(&mut self, books: bool) -> Result<(), Errno> {
        let (mut told, mut from) = (Ok(()), 0);
        while let Ok(HeldBlock { block, buffer }) = self.directory.call(NextHeld { from, below: u64::MAX }, ()).await {
            match self.buffer(buffer)?.call(Flush { block, books }, ()).await {
                // Written when the buffer went on to another block.
                Ok(()) | Err(Errno::ESTALE) => {}
                Err(errno) => told = Err(errno),
            }
            from = block + 1;
        }
        told
    }

    /// How many buffers there are.
    pub(crate) fn count(&self) -> usize {
        self.buffers.count(self.board)
    }
    /// Lets a buffer write its changed books to block `to`, which is the journal's.
    pub(crate) async fn log(&mut self, buffer: usize, to: u64) -> Result<LoggedBlock, Errno> {
        self.buffers.at(self.board, buffer).ok_or(Errno::EIO)?.call(Log { to }, ()).await
    }
    /// Says that what was logged is committed; `void`: that it never will be.
    pub(crate) async fn committed(&mut self, void: bool) -> Result<(), Errno> {
        for number in 0..self.count() as u16 {
            self.buffer(number)?.call(Committed { void }, ()).await?;
        }
        self.directory.call(LetGo {}, ()).await
    }
    /// Writes all changed books to their places, without a journal.
    pub(crate) async fn flush_books(&mut self) -> Result<(), Errno> {
        let mut told = Ok(());
        for number in 0..self.count() as u16 {
            told = told.and(self.buffer(number)?.call(FlushBooks {}, ()).await);
        }
        self.directory.call(LetGo {}, ()).await?;
        told
    }

    pub(crate) async fn lost_writes(&mut self) -> u32 {
        self.directory.call(LostWrites {}, ()).await.unwrap_or(0)
    }

    pub(crate) async fn find_entry(&mut self, block: u32, name: &[u8]) -> Result<EntryFound, Errno> {
        on_buffer!(self, block, FindEntry { block: block.into() }, name)
    }
    pub(crate) async fn add_entry(&mut self, block: u32, name: &[u8], ino: u32, kind: u8) -> Result<(), Errno> {
        on_buffer!(self, block, AddEntry { block: block.into(), ino, kind }, name)
    }
    pub(crate) async fn remove_entry(&mut self, block: u32, name: &[u8]) -> Result<u32, Errno> {
        on_buffer!(self, block, RemoveEntry { block: block.into() }, name)
    }
    pub(crate) async fn repoint_entry(&mut self, block: u32, name: &[u8], ino: u32, kind: u8) -> Result<u32, Errno> {
        on_buffer!(self, block, RepointEntry { block: block.into(), ino, kind }, name)
    }
    pub(crate) async fn list_entries(
        &mut self,
        block: u32,
        position: u64,
        out: &mut [u8],
    ) -> Result<DirectoryRead, Errno> {
        on_buffer!(self, block, ListEntries { block: block.into(), position }, &mut *out)
    }
    pub(crate) async fn has_entries(&mut self, block: u32) -> Result<bool, Errno> {
        on_buffer!(self, block, HasEntries { block: block.into() }, ())
    }
    pub(crate) async fn name_of_entry(&mut self, block: u32, ino: u32, out: &mut [u8]) -> Result<u32, Errno> {
        on_buffer!(self, block, NameOfEntry { block: block.into(), ino }, &mut *out)
    }
    pub(crate) async fn take_bit(&mut self, block: u32, from: u32, below: u32) -> Result<u32, Errno> {
        on_buffer!(self, block, TakeBit { block: block.into(), from, below }, ())
    }
    pub(crate) async fn clear_bits(&mut self, block: u32, first: u32, count: u32) -> Result<u32, Errno> {
        on_buffer!(self, block, ClearBits { block: block.into(), first, count }, ())
    }
}
