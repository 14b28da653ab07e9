//! The disk's partition as a file: what its node in `/dev` gives.
//!
//! Invariant: it comes from the buffers, so metadata is current, on the medium or not. Data is as on the medium at
//! the last read of its block, as with Linux's buffers of a block device.

use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::buffer::directory::ReadBytes;
use renga_proto::proc_files::SECTOR_BYTES;
use renga_rt::{Errno, Retry};

const BLOCK_BYTES: u64 = PAGE_BYTES as u64;
/// Where the superblock has the number of blocks.
const BLOCKS_AT: u32 = 1024 + 4;

impl<M: UserMemory> ProcFilesState<M> {
    async fn bytes_of(&mut self, block: u64, offset: u32, out: &mut [u8]) -> Result<(), Errno> {
        let mut buffers = self.clients.buffers.at(self.init_board, 0).ok_or(Errno::EIO)?;
        buffers.call_retrying(ReadBytes { block, offset }, &mut *out).await
    }

    async fn disk_blocks(&mut self) -> Result<u64, Errno> {
        let mut blocks = [0; 4];
        self.bytes_of(0, BLOCKS_AT, &mut blocks).await?;
        Ok(u32::from_le_bytes(blocks).into())
    }

    /// `/proc/partitions`: the one that there is, its size in KiB.
    pub(super) async fn partitions(&mut self, out: &mut TextWindow<'_>) -> Result<(), Errno> {
        let kib = self.disk_blocks().await? * (BLOCK_BYTES / 1024);
        put!(out, "major minor  #blocks  name\n\n 179        1 {kib:10} mmcblk0p1\n");
        Ok(())
    }

    pub(crate) async fn disk_sectors(&mut self) -> Result<u64, Errno> {
        Ok(self.disk_blocks().await? * (BLOCK_BYTES / SECTOR_BYTES))
    }

    /// Bytes from `offset` on; how many, all of the slice unless the disk ends.
    pub(crate) async fn read_disk(&mut self, offset: u64, out: &mut [u8]) -> Result<u32, Errno> {
        let left = (self.disk_blocks().await? * BLOCK_BYTES).saturating_sub(offset);
        let end = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let mut done = 0;
        // Each pass passes a block.
        while done < end {
            let at = offset + done as u64;
            let bytes = (end - done).min((BLOCK_BYTES - at % BLOCK_BYTES) as usize);
            self.bytes_of(at / BLOCK_BYTES, (at % BLOCK_BYTES) as u32, &mut out[done..done + bytes]).await?;
            done += bytes;
        }
        Ok(done as u32)
    }
}
