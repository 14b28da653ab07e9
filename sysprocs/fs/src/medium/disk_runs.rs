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

/// Bytes of a run of `bytes` that go in one call.
fn piece_bytes(disk: &Client<Disk>, bytes: usize) -> usize {
    if disk.is_elsewhere() { PAGE_BYTES } else { bytes.max(PAGE_BYTES) }
}

impl DiskRuns for Client<Disk> {
    async fn read_run(&mut self, first: u64, room: &mut [u8]) -> Result<(), Errno> {
        let bytes = piece_bytes(self, room.len());
        for (block, piece) in (first..).step_by(bytes / PAGE_BYTES).zip(room.chunks_mut(bytes)) {
            self.call_retrying(ReadBlocks { first: block }, piece).await?;
        }
        Ok(())
    }

    async fn write_run(&mut self, first: u64, data: &[u8]) -> Result<(), Errno> {
        let bytes = piece_bytes(self, data.len());
        for (block, piece) in (first..).step_by(bytes / PAGE_BYTES).zip(data.chunks(bytes)) {
            self.call_retrying(WriteBlocks { first: block }, piece).await?;
        }
        Ok(())
    }
}
