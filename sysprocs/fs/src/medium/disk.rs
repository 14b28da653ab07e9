//! The disk: transfers one block at a time between its medium and whoever asks.
//!
//! Invariant: it touches only the sectors of the partition that [`recognise`] found. A reply comes
//! no sooner than the model of the medium says; meanwhile the processor is free.

use crate::medium::partition::{Partition, SECTORS_PER_BLOCK, recognise};
use crate::medium::timing::{Heads, Medium};
use renga_hal::block::Block;
use renga_proto::disk::{Disk, DiskCall};
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
    let mut heads = Heads::new(medium);
    loop {
        let call = port.accept().await;
        let (block, write) = match &call {
            DiskCall::ReadBlock(call) => (call.entry().block, false),
            DiskCall::WriteBlock(call) => (call.entry().block, true),
        };
        let done_ns = heads.transfer(block, write, me.now_ns());
        let sector = partition.first_sector + block * SECTORS_PER_BLOCK;
        let inside = block < partition.blocks;
        match call {
            DiskCall::ReadBlock(mut call) => {
                let done = inside && device.read(sector, call.lent()).is_ok();
                me.sleep_until(done_ns).await;
                call.reply(told(&me, done, "the disk cannot read block", block));
            }
            DiskCall::WriteBlock(mut call) => {
                let done = inside && device.write(sector, call.lent()).is_ok();
                me.sleep_until(done_ns).await;
                call.reply(told(&me, done, "the disk cannot write block", block));
            }
        }
    }
}

fn told(me: &Me, done: bool, trouble: &'static str, block: u64) -> Result<(), Errno> {
    if done {
        return Ok(());
    }
    me.log(trouble, [block, 0]);
    Err(Errno::EIO)
}
