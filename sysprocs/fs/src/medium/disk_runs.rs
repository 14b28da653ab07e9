//! Runs of blocks from and to the disk, whose board may be another one.
//!
//! Invariant: a call to another board carries a page, so a run travels there in pieces, from its first block on; a
//! reboot of that board costs nothing, as its disk process keeps nothing. Called by: processes that read or write
//! blocks. Not here: transfers on the medium (`transfers.rs`).

use renga_abi::PAGE_BYTES;
use renga_proto::disk::{Disk, ReadBlocks, WriteBlocks};
use renga_rt::{Client, Errno, Retry};

/// Reads blocks from `$first` on into `$room`, by the client `$disk`. A run on the own board is one call, without a
/// future of its own.
macro_rules! read_run {
    ($disk:expr, $first:expr, $room:expr) => {
        match $disk.is_elsewhere() {
            false => $disk.call(renga_proto::disk::ReadBlocks { first: $first }, $room).await,
            true => crate::medium::disk_runs::read_pages(&mut $disk, $first, $room).await,
        }
    };
}
pub(crate) use read_run;

/// Writes `$data` to the blocks from `$first` on, likewise; after an error any of them may be there.
macro_rules! write_run {
    ($disk:expr, $first:expr, $data:expr) => {
        match $disk.is_elsewhere() {
            false => $disk.call(renga_proto::disk::WriteBlocks { first: $first }, $data).await,
            true => crate::medium::disk_runs::write_pages(&mut $disk, $first, $data).await,
        }
    };
}
pub(crate) use write_run;

pub(crate) async fn read_pages(disk: &mut Client<Disk>, first: u64, room: &mut [u8]) -> Result<(), Errno> {
    for (first, page) in (first..).zip(room.chunks_mut(PAGE_BYTES)) {
        disk.call_retrying(ReadBlocks { first }, page).await?;
    }
    Ok(())
}

pub(crate) async fn write_pages(disk: &mut Client<Disk>, first: u64, data: &[u8]) -> Result<(), Errno> {
    for (first, page) in (first..).zip(data.chunks(PAGE_BYTES)) {
        disk.call_retrying(WriteBlocks { first }, page).await?;
    }
    Ok(())
}
