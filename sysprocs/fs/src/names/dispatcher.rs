//! The process that gives path operations to walkers that are free.
//!
//! Invariant: an operation is given to a walker that has none, in the order of asking; while there is none it waits here. So
//! one that takes long holds up no other while a walker is free. It passes calls on and waits for no walker: one that becomes
//! free notes that and notifies it.
//! Not here: the operations (`walker.rs`).

use core::cell::Cell;
use renga_proto::path::{Path, Walk};
use renga_rt::{ForwardFamily, Me, Never, Notifier, Port, Protocol};

/// The walkers that have nothing to do, a bit each.
pub struct FreeWalkers {
    dispatcher: Option<Notifier>,
    free: Cell<u32>,
}

impl FreeWalkers {
    /// None yet; `dispatcher` is told of the first.
    pub const fn new(dispatcher: Option<Notifier>) -> FreeWalkers {
        FreeWalkers { dispatcher, free: Cell::new(0) }
    }

    /// Walker `number` has nothing to do.
    pub(crate) fn add(&self, number: u16) {
        let former = self.free.get();
        self.free.set(former | 1 << number);
        if let Some(dispatcher) = self.dispatcher.filter(|_| former == 0) {
            dispatcher.notify();
        }
    }

    fn any(&self) -> bool {
        self.free.get() != 0
    }

    /// One that is to have something to do.
    fn take(&self) -> Option<u16> {
        let free = self.free.get();
        self.free.set(free & free.wrapping_sub(1));
        (free != 0).then(|| free.trailing_zeros() as u16)
    }
}

/// Serves path operations by the walkers of its board.
pub async fn path(me: Me, mut port: Port<Path>, walkers: ForwardFamily<Walk>, free: &'static FreeWalkers) -> Never {
    let board = me.id().board.0;
    loop {
        let open = if free.any() { Path::ENTRIES } else { 0 };
        if let Some(call) = port.accept_or_notified(open).await {
            // One was free when the port was opened, and nobody else takes one.
            let Some(walker) = free.take().and_then(|number| walkers.at(board, number.into())) else {
                unreachable!("the port is closed while no walker is free")
            };
            call.pass_on(&walker);
        }
    }
}
