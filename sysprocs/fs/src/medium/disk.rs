//! The disk: transfers runs of blocks between its medium and whoever asks, one run at a time, or as many as the medium takes
//! (`side_by_side.rs`).
//!
//! Invariant: it touches only the sectors of the partition that [`recognise`] found. A reply comes
//! no sooner than the model of the medium says; meanwhile, and while the medium itself lets wait, the processor is free.

use crate::medium::partition::{Partition, SECTORS_PER_BLOCK, recognise};
use crate::medium::side_by_side::side_by_side;
use crate::medium::timing::{Heads, Medium};
use renga_abi::PAGE_BYTES;
use renga_hal::block::{Block, BlockError, Progress};
use renga_proto::disk::{Disk, DiskCall};
use renga_rt::account::Count;
use renga_rt::{Errno, Me, Never, Port};

/// Serves the ext2 partition of `device`, as slowly as `medium`. Without such a partition every
/// transfer fails; boot looks first ([`recognise`]).
pub async fn disk<D: Block + 'static>(
    mut me: Me,
    mut port: Port<Disk>,
    device: &'static mut D,
    medium: &'static Medium,
) -> Never {
    let partition = recognise(device).unwrap_or_else(|why| {
        me.log(why.text(), [0, 0]);
        Partition { first_sector: 0, blocks: 0 }
    });
    let mut transfers = Transfers { device, partition };
    if let Some(latency_ns) = medium.side_by_side_ns() {
        return side_by_side(me, port, transfers, latency_ns).await;
    }
    let mut heads = Heads::new(medium);
    loop {
        match port.accept().await {
            DiskCall::ReadBlocks(mut call) => {
                let first = call.entry().first;
                let out = call.lent();
                let done_ns = heads.transfer(first, out.len() / PAGE_BYTES, false, me.now_ns());
                let done = transfers.read(&mut me, first, out, done_ns).await;
                me.sleep_until(done_ns).await;
                me.probe_disk_end();
                log_failure(&me, done, "the disk cannot read blocks from", first);
                call.reply(done);
            }
            DiskCall::WriteBlocks(mut call) => {
                let first = call.entry().first;
                let data = call.lent();
                let done_ns = heads.transfer(first, data.len() / PAGE_BYTES, true, me.now_ns());
                let done = transfers.write(&mut me, first, data).await;
                me.sleep_until(done_ns).await;
                me.probe_disk_end();
                log_failure(&me, done, "the disk cannot write blocks from", first);
                call.reply(done);
            }
        }
    }
}

/// The device and where on it the file system is.
pub(crate) struct Transfers<D: 'static> {
    device: &'static mut D,
    partition: Partition,
}

impl<D: Block> Transfers<D> {
    /// Reads blocks from `first` on, which the model of the medium has at `done_ns`.
    #[inline(always)]
    pub(crate) async fn read(&mut self, me: &mut Me, first: u64, out: &mut [u8], done_ns: u64) -> Result<(), Errno> {
        let blocks = out.len() / PAGE_BYTES;
        me.probe_disk(first, blocks, false);
        let sector = self.partition.sector(first, out.len());
        let done = self.carry_on(me, sector, |device, sector| device.read_on(sector, out)).await;
        me.count(Count::BlocksRead, blocks as i64);
        me.count(Count::MediumReadNs, done_ns.saturating_sub(me.now_ns()) as i64);
        done
    }

    /// Writes blocks from `first` on.
    #[inline(always)]
    pub(crate) async fn write(&mut self, me: &mut Me, first: u64, data: &[u8]) -> Result<(), Errno> {
        let blocks = data.len() / PAGE_BYTES;
        me.probe_disk(first, blocks, true);
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

pub(crate) fn log_failure(me: &Me, done: Result<(), Errno>, what: &'static str, first: u64) {
    if done.is_err() {
        me.log(what, [first, 0]);
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
    fn only_whole_blocks_inside_the_partition() {
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
