//! Transfers between the device and callers' memory, inside the partition.
//!
//! Owns: the device. Invariant: only sectors of the partition are touched. Called by: `disk.rs` and `parallel_disk.rs`.
//! Not here: timing.

use crate::medium::partition::{Partition, SECTORS_PER_BLOCK};
use crate::probes::{Disk, DiskEnd};
use renga_abi::PAGE_BYTES;
use renga_hal::block::{Block, BlockError, Progress};
use renga_proto::disk::DiskCall;
use renga_rt::account::Count;
use renga_rt::{Errno, Me};

/// The device and where on it the file system is.
pub(crate) struct Transfers<D: 'static> {
    pub(super) device: &'static mut D,
    pub(super) partition: Partition,
}

impl<D: Block> Transfers<D> {
    /// Carries a call out on the device, and logs a failure; the medium is done with it at `done_ns`.
    pub(crate) async fn carry_out(&mut self, me: &mut Me, call: &mut DiskCall, done_ns: u64) -> Result<(), Errno> {
        let (first, _, write) = extent(call);
        let done = match call {
            DiskCall::ReadBlocks(call) => self.read(me, first, call.lent(), done_ns).await,
            DiskCall::WriteBlocks(call) => self.write(me, first, call.lent()).await,
        };
        if done.is_err() {
            me.log(
                if write { "the disk cannot write blocks from" } else { "the disk cannot read blocks from" },
                [first, 0],
            );
        }
        done
    }

    /// Reads blocks from `first` on, which the model of the medium has at `done_ns`.
    #[inline(always)]
    async fn read(&mut self, me: &mut Me, first: u64, out: &mut [u8], done_ns: u64) -> Result<(), Errno> {
        let blocks = out.len() / PAGE_BYTES;
        me.probe(Disk, [first, blocks as u64, 0]);
        let sector = self.partition.sector(first, out.len());
        let done = self.carry_on(me, sector, |device, sector| device.read_on(sector, out)).await;
        me.count(Count::BlocksRead, blocks as i64);
        me.count(Count::MediumReadNs, done_ns.saturating_sub(me.now_ns()) as i64);
        done
    }

    #[inline(always)]
    async fn write(&mut self, me: &mut Me, first: u64, data: &[u8]) -> Result<(), Errno> {
        let blocks = data.len() / PAGE_BYTES;
        me.probe(Disk, [first, blocks as u64, 1]);
        let sector = self.partition.sector(first, data.len());
        let done = self.carry_on(me, sector, |device, sector| device.write_on(sector, data)).await;
        me.count(Count::BlocksWritten, blocks as i64);
        done
    }

    /// Has the device do it to its end, and sleeps while that lets wait.
    #[inline(always)]
    async fn carry_on(
        &mut self,
        me: &mut Me,
        sector: Result<u64, Errno>,
        mut go_on: impl FnMut(&mut D, u64) -> Result<Progress, BlockError>,
    ) -> Result<(), Errno> {
        let sector = sector?;
        loop {
            match go_on(self.device, sector) {
                Ok(Progress::Done) => return Ok(()),
                Ok(Progress::Later(wait_ns)) => me.sleep_until(me.now_ns() + wait_ns).await,
                Err(_) => return Err(Errno::EIO),
            }
        }
    }
}

/// The first block of a call, how many blocks it transfers, and whether it writes them.
pub(crate) fn extent(call: &mut DiskCall) -> (u64, usize, bool) {
    match call {
        DiskCall::ReadBlocks(call) => (call.entry().first, call.lent().len() / PAGE_BYTES, false),
        DiskCall::WriteBlocks(call) => (call.entry().first, call.lent().len() / PAGE_BYTES, true),
    }
}

/// Ends a call, which is over on the medium too.
pub(crate) fn reply(me: &Me, call: DiskCall, done: Result<(), Errno>) {
    me.probe(DiskEnd, []);
    match call {
        DiskCall::ReadBlocks(call) => call.reply(done),
        DiskCall::WriteBlocks(call) => call.reply(done),
    }
}

impl Partition {
    /// The first sector of a transfer of `bytes` from block `first` on. `EINVAL`: not whole blocks; `EIO`:
    /// not all of them are in the partition.
    fn sector(&self, first: u64, bytes: usize) -> Result<u64, Errno> {
        if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) {
            return Err(Errno::EINVAL);
        }
        let below = first.checked_add((bytes / PAGE_BYTES) as u64).filter(|below| *below <= self.blocks);
        below.map(|_| self.first_sector + first * SECTORS_PER_BLOCK).ok_or(Errno::EIO)
    }
}

#[cfg(test)]
mod tests {
    use super::{Errno, PAGE_BYTES, Partition};

    #[test]
    fn transfers_outside_partition_are_refused() {
        let partition = Partition { first_sector: 2048, blocks: 10 };
        assert_eq!(partition.sector(0, 10 * PAGE_BYTES), Ok(2048));
        assert_eq!(partition.sector(9, PAGE_BYTES), Ok(2048 + 72));
        for bytes in [0, 512, PAGE_BYTES + 1] {
            assert_eq!(partition.sector(0, bytes), Err(Errno::EINVAL), "{bytes}");
        }
        for (first, blocks) in [(10, 1), (9, 2), (u64::MAX, 1)] {
            assert_eq!(partition.sector(first, blocks * PAGE_BYTES), Err(Errno::EIO), "{first}, {blocks}");
        }
    }
}
