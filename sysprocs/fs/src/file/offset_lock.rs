//! Transfers of several pieces at a shared offset: no other program's come between.
//!
//! Invariant: while a transfer is under way the file accepts no call that uses the offset but the one that ends it, so
//! that others wait in the order in which they came. It ends with the board that began it. A file that other boards
//! have open too is not locked: their calls share proxies, which wait for no client. Not here: transfers at an offset
//! of the caller's, and appends (`large_append.rs`).

use crate::file::open_file::OpenFile;
use renga_hal::memory::UserMemory;
use renga_proto::file::{BeginRead, BeginWrite, BegunTransfer, File, NextEntries, Read, Seek, Write};
use renga_rt::{Errno, Protocol};

/// Calls that use the offset.
const AT_OFFSET: u32 = Read::BIT | Write::BIT | Seek::BIT | BeginRead::BIT | BeginWrite::BIT | NextEntries::BIT;

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// Shuts out others while the transfer of a board is under way, or no longer.
    pub(super) fn set_transferring(&mut self, board: Option<u8>) {
        self.transferring = board;
        self.accepted = if board.is_none() { File::ENTRIES } else { File::ENTRIES & !AT_OFFSET };
    }

    /// A first piece of `wanted` bytes was `read` at the offset.
    pub(super) fn begin_read(&mut self, read: Result<u32, Errno>, wanted: usize) -> Result<BegunTransfer, Errno> {
        let (bytes, start) = (read?, self.offset);
        self.offset += u64::from(bytes);
        Ok(self.begun(start, bytes, wanted))
    }

    /// A first piece of `wanted` bytes was `written`, and the offset moved.
    pub(super) fn begin_write(&mut self, written: Result<u32, Errno>, wanted: usize) -> Result<BegunTransfer, Errno> {
        let bytes = written?;
        Ok(self.begun(self.offset.saturating_sub(bytes.into()), bytes, wanted))
    }

    /// The transfer that began at `start` goes on if all of its first piece was moved.
    fn begun(&mut self, start: u64, bytes: u32, wanted: usize) -> BegunTransfer {
        let only_here = self.references.boards() == 1 << self.home;
        let locked = bytes as usize == wanted && only_here && self.references.total() > 1;
        self.set_transferring(locked.then_some(self.asker));
        BegunTransfer { bytes, locked, start }
    }

    pub(super) fn end_transfer(&mut self, offset: u64) -> Result<(), Errno> {
        if self.transferring != Some(self.asker) {
            return Err(Errno::EINVAL);
        }
        self.set_transferring(None);
        self.check()?;
        self.offset = offset;
        Ok(())
    }
}
