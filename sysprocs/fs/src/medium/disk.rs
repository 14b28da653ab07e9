//! The disk: transfers runs of blocks between its medium and its callers, one run at a time, or as many as the medium
//! takes (`parallel_disk.rs`).
//!
//! Invariant: it touches only the sectors of the partition that [`recognise`] found. A reply comes
//! no sooner than the model of the medium says; meanwhile, and while the medium itself lets wait, the processor is
//! free.

use crate::medium::parallel_disk::side_by_side;
use crate::medium::partition::{Partition, recognise};
use crate::medium::timing::{Heads, Medium};
use crate::medium::transfers::{Transfers, extent, reply};
use renga_hal::block::Block;
use renga_proto::disk::Disk;
use renga_rt::{Me, Never, Port};

/// Serves the ext2 partition of `device`, as slowly as `medium`. Without such a partition every transfer fails; boot
/// checks first ([`recognise`]).
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
        let mut call = port.accept().await;
        let (first, blocks, write) = extent(&mut call);
        let done_ns = heads.transfer(first, blocks, write, me.now_ns());
        let done = transfers.carry_out(&mut me, &mut call, done_ns).await;
        me.sleep_until(done_ns).await;
        reply(&me, call, done);
    }
}
