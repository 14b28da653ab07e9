//! Addresses of servers: on this board, or on another one, to which this board's router carries the call.
//!
//! Invariant: a process of another board takes no memory here. A call to it is a call to the router, and the caller's
//! header names the server; so callers see no difference between the two. Not here: placement, carrying (the router).

use super::protocol::Protocol;
use crate::types::state::{CallTarget, Process};
use core::marker::PhantomData;
use renga_abi::ProcId;

/// Where a server of `P` is. Boot takes it from the server's port, or from the placement, and gives it to clients.
pub struct Address<P>(pub(crate) CallTarget, PhantomData<P>);
impl<P> Clone for Address<P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P> Copy for Address<P> {}
impl<P: Protocol> Address<P> {
    /// The server behind `process` of this board, which the placement says serves `P`. Should that be wrong, the first
    /// call is refused by a fault, not misunderstood: a local server's entries are those of its port.
    pub fn new(process: &'static Process) -> Self {
        Address::at(CallTarget::here(process))
    }
    /// The server `id` of another board, to which `router` carries calls. Its board's router knows its entries.
    pub fn elsewhere(router: &'static Process, id: ProcId) -> Self {
        Address::at(CallTarget { process: router, word: id.to_word() })
    }
    #[inline(always)]
    pub(crate) fn at(place: CallTarget) -> Self {
        Address(place, PhantomData)
    }
    /// The server.
    pub fn id(&self) -> ProcId {
        self.0.id()
    }
}

/// Neighbouring processes of one board: all that serve a protocol there, or all that there are.
#[derive(Clone, Copy)]
pub enum Members {
    /// These, of this board.
    Here(&'static [&'static Process]),
    /// Some of another board.
    Elsewhere {
        /// The router, which carries calls there.
        router: &'static Process,
        /// The first of them.
        first: ProcId,
        /// How many.
        count: u16,
    },
}

impl Members {
    /// None.
    pub const NONE: Members = Members::Here(&[]);

    /// Those of this board.
    pub fn here(self) -> &'static [&'static Process] {
        match self {
            Members::Here(processes) => processes,
            Members::Elsewhere { .. } => &[],
        }
    }
    /// How many they are.
    pub fn count(self) -> usize {
        match self {
            Members::Here(processes) => processes.len(),
            Members::Elsewhere { count, .. } => usize::from(count),
        }
    }
    /// The one with this number, which the placement says serves `P`.
    #[inline(always)]
    pub fn address<P: Protocol>(self, number: usize) -> Option<Address<P>> {
        self.place(number).map(Address::at)
    }
    #[inline(always)]
    pub(crate) fn place(self, number: usize) -> Option<CallTarget> {
        match self {
            Members::Here(processes) => processes.get(number).copied().map(CallTarget::here),
            // Indices are below the board's number in a word.
            Members::Elsewhere { router, first, count } => (number < usize::from(count))
                .then(|| CallTarget { process: router, word: first.to_word() + number as u32 }),
        }
    }
}
