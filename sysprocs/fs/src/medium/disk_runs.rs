//! Runs of blocks from and to the disk, on whichever board it is.
//!
//! Invariant: a call to another board carries a page, so a run travels there in pieces, from its first block on; a
//! reboot of that board costs nothing, as its disk process keeps nothing. Called by: whoever reads or writes blocks.
//! Not here: transfers on the medium (`transfers.rs`).

use renga_abi::PAGE_BYTES;
use renga_proto::disk::{Disk, ReadBlocks, WriteBlocks};
use renga_rt::{Client, Errno, Retry};

/// A client of the disk.
pub(crate) trait DiskRuns {
    /// Reads blocks from `first` on.
    async fn read_run(&mut self, first: u64, room: &mut [u8]) -> Result<(), Errno>;
    /// Writes blocks from `first` on; after an error any of them may be there.
    async fn write_run(&mut self, first: u64, data: &[u8]) -> Result<(), Errno>;
}

impl DiskRuns for Client<Disk> {
    #[inline(always)]
    async fn read_run(&mut self, first: u64, room: &mut [u8]) -> Result<(), Errno> {
        if !self.is_elsewhere() {
            return self.call(ReadBlocks { first }, room).await;
        }
        for (block, page) in (first..).zip(room.chunks_mut(PAGE_BYTES)) {
            self.call_retrying(ReadBlocks { first: block }, page).await?;
        }
        Ok(())
    }

    #[inline(always)]
    async fn write_run(&mut self, first: u64, data: &[u8]) -> Result<(), Errno> {
        if !self.is_elsewhere() {
            return self.call(WriteBlocks { first }, data).await;
        }
        for (block, page) in (first..).zip(data.chunks(PAGE_BYTES)) {
            self.call_retrying(WriteBlocks { first: block }, page).await?;
        }
        Ok(())
    }
}
