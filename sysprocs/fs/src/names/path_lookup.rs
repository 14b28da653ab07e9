//! The process that gives path operations to lookup workers that are free.
//!
//! Invariant: operations go to idle lookup workers in the order of their calls; while none is idle they wait here. So
//! a long one delays no other while a lookup worker is free. This process forwards calls and waits for no lookup
//! worker: one that becomes free notes that and notifies it. Not here: the operations (`lookup_worker.rs`).

use core::cell::Cell;
use renga_proto::path::{Path, Walk};
use renga_rt::{ForwardFamily, Me, Never, Notifier, Port, Protocol};

/// The lookup workers that have nothing to do, a bit each.
pub struct FreeLookupWorkers {
    notifier: Option<Notifier>,
    free: Cell<u32>,
}

impl FreeLookupWorkers {
    /// None yet; `notifier` is notified of the first.
    pub const fn new(notifier: Option<Notifier>) -> FreeLookupWorkers {
        FreeLookupWorkers { notifier, free: Cell::new(0) }
    }

    pub(crate) fn add(&self, number: u16) {
        let former = self.free.get();
        self.free.set(former | 1 << number);
        if let Some(notifier) = self.notifier.filter(|_| former == 0) {
            notifier.notify();
        }
    }

    fn any(&self) -> bool {
        self.free.get() != 0
    }

    fn take(&self) -> Option<u16> {
        let free = self.free.get();
        self.free.set(free & free.wrapping_sub(1));
        (free != 0).then(|| free.trailing_zeros() as u16)
    }
}

/// Serves path operations by the lookup workers of its board.
pub async fn path_lookup(
    me: Me,
    mut port: Port<Path>,
    lookup_workers: ForwardFamily<Walk>,
    free: &'static FreeLookupWorkers,
) -> Never {
    let board = me.id().board.0;
    loop {
        let open = if free.any() { Path::ENTRIES } else { 0 };
        if let Some(call) = port.accept_or_notified(open).await {
            // One was free when the port was opened, and only this loop takes one.
            let Some(lookup_worker) = free.take().and_then(|number| lookup_workers.at(board, number.into())) else {
                unreachable!("the port is closed while no lookup_worker is free")
            };
            call.pass_on(&lookup_worker);
        }
    }
}
