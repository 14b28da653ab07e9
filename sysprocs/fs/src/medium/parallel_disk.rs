//! A medium that has several requests under way at once, and answers each so long after it came: as Linux's `null_blk`
//! does, beside which systems are measured.
//!
//! Invariant: requests are answered in the order in which they came, since each takes as long as another; no more than
//! [`UNDER_WAY_MAX`] are under way, and further ones wait for the first. Not here: media with one request at a time
//! (`disk.rs`).

use crate::medium::transfers::{Transfers, reply};
use heapless::Deque;
use renga_hal::block::Block;
use renga_proto::disk::{Disk, DiskCall, ReadBlocks, WriteBlocks};
use renga_rt::{Errno, Me, Never, Port};

const UNDER_WAY_MAX: usize = 16;

/// A request that the device has done already, and the medium at `at_ns`.
struct PendingRequest {
    call: DiskCall,
    done: Result<(), Errno>,
    at_ns: u64,
}

/// Serves `transfers`, each request within `latency_ns`.
pub(crate) async fn side_by_side<D: Block + 'static>(
    mut me: Me,
    mut port: Port<Disk>,
    mut transfers: Transfers<D>,
    latency_ns: u64,
) -> Never {
    let mut under_way: Deque<PendingRequest, UNDER_WAY_MAX> = Deque::new();
    loop {
        while let Some(first) = under_way.pop_front_if(|first| first.at_ns <= me.now_ns()) {
            reply(&me, first.call, first.done);
        }
        me.notify_at(under_way.front().map(|first| first.at_ns));
        let entries = if under_way.is_full() { 0 } else { ReadBlocks::BIT | WriteBlocks::BIT };
        let Some(mut call) = port.accept_or_notified(entries).await else { continue };
        let at_ns = me.now_ns() + latency_ns;
        let done = transfers.carry_out(&mut me, &mut call, at_ns).await;
        if under_way.push_back(PendingRequest { call, done, at_ns }).is_err() {
            unreachable!("entries are open only while there is room");
        }
    }
}
