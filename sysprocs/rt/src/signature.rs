//! What a process serves and uses, read off its function's signature at compile time.
//!
//! Invariant: a process can call only through the clients among its parameters, so the edges found
//! here are all that there are. Not here: where the servers are (placement).

use core::convert::Infallible as Never;
use core::future::Future;
use renga_core::Notifier;
use renga_core::{ALL_ENTRIES, Me, Protocol, WordCounts};

/// One parameter's part in the network of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The process serves this protocol.
    Serves(ProtocolFacts),
    /// The process calls one server of this protocol.
    Uses(ProtocolFacts),
    /// The process calls servers of this protocol on every board that has them.
    UsesAll(ProtocolFacts),
    /// The process calls servers of this protocol on its own board, if that has any.
    UsesOwn(ProtocolFacts),
    /// The process passes calls on to one server of this protocol, and does not wait for it.
    Forwards(ProtocolFacts),
    /// The process passes calls on to servers of this protocol on every board that has them.
    ForwardsAll(ProtocolFacts),
}

impl Edge {
    /// The protocol served or called.
    pub const fn protocol(&self) -> &ProtocolFacts {
        let (Edge::Serves(protocol)
        | Edge::Uses(protocol)
        | Edge::UsesAll(protocol)
        | Edge::UsesOwn(protocol)
        | Edge::Forwards(protocol)
        | Edge::ForwardsAll(protocol)) = self;
        protocol
    }
}

/// What a check needs to know of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolFacts {
    /// Its number.
    pub id: u32,
    /// Its name.
    pub name: &'static str,
    /// Entries that are served, or may be called.
    pub entries: u32,
    /// Entries whose reply may wait for another client.
    pub defers: u32,
    /// Entries without a result.
    pub releases: u32,
    /// Entries whose callers give a slice.
    pub gives: u32,
    /// Entries whose callers lend a slice to be written.
    pub takes: u32,
    /// How many words calls and replies have.
    pub word_counts: &'static WordCounts,
    /// Entries by number and name.
    pub names: &'static [(u32, &'static str)],
}

impl ProtocolFacts {
    /// Entries that return data: more than one word, which is a status, or a slice.
    pub fn returns_data(&self) -> u32 {
        let words = self.names.iter().filter(|(op, _)| self.word_counts.replied(*op) > 1);
        words.fold(self.takes, |entries, (op, _)| entries | 1 << op) & !self.releases
    }
}

pub(crate) const fn facts<P: Protocol>(entries: u32) -> ProtocolFacts {
    assert!(entries == ALL_ENTRIES || entries & !P::ENTRIES == 0, "a right to entries that the protocol does not have");
    let (entries, defers, releases) = (entries & P::ENTRIES, P::DEFERS, P::RELEASES);
    let (gives, takes, word_counts) = (P::GIVES, P::TAKES, P::WORD_COUNTS);
    ProtocolFacts { id: P::ID, name: P::NAME, entries, defers, releases, gives, takes, word_counts, names: P::NAMES }
}

/// A type that may be a parameter of a process.
pub trait Parameter {
    /// Its part in the network; none for memory, devices and numbers.
    const EDGES: &'static [Edge] = &[];
}
impl Parameter for Me {}
impl Parameter for u64 {}
impl Parameter for u32 {}
impl Parameter for u16 {}
impl Parameter for u8 {}
impl Parameter for usize {}
// Notifying never waits, so it is no edge.
impl Parameter for Option<Notifier> {}
impl<T: ?Sized> Parameter for &'static mut T {}
impl<T: ?Sized> Parameter for &'static T {}

#[doc(hidden)]
pub const fn count(lists: &[&[Edge]]) -> usize {
    let (mut total, mut i) = (0, 0);
    while i < lists.len() {
        total += lists[i].len();
        i += 1;
    }
    total
}

#[doc(hidden)]
pub const fn concat<const N: usize>(lists: &[&[Edge]]) -> [Edge; N] {
    // A group of clients begins with one.
    let mut all = [lists[0][0]; N];
    let (mut at, mut i) = (0, 0);
    while i < lists.len() {
        let mut k = 0;
        while k < lists[i].len() {
            all[at] = lists[i][k];
            at += 1;
            k += 1;
        }
        i += 1;
    }
    all
}

/// A process function of any number of parameters up to twelve.
pub trait ProcessFn<Args>: Copy {
    /// The parts of its parameters, in their order.
    const EDGES: &'static [&'static [Edge]];
    /// Bytes of its future.
    const FUTURE_BYTES: usize;
}
macro_rules! process_fn { ($(($($A:ident)*))*) => { $(
    impl<Fun: Copy + Fn($($A),*) -> Fut, Fut: Future<Output = Never>, $($A: Parameter),*> ProcessFn<($($A,)*)> for Fun {
        const EDGES: &'static [&'static [Edge]] = &[$($A::EDGES),*];
        const FUTURE_BYTES: usize = size_of::<Fut>();
    }
)* } }
process_fn! {
    (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H)
    (A B C D E F G H I) (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L)
}

/// A kind of process: its name in placement files, and what its signature says.
#[derive(Clone, Copy, Debug)]
pub struct KindSignature {
    /// Name in placement files.
    pub name: &'static str,
    /// The parts of its parameters.
    pub edges: &'static [&'static [Edge]],
    /// Bytes of its future.
    pub future_bytes: usize,
}

/// The kind `name` whose process function is `function`.
pub const fn kind<F: ProcessFn<Args>, Args>(name: &'static str, _function: &F) -> KindSignature {
    KindSignature { name, edges: F::EDGES, future_bytes: F::FUTURE_BYTES }
}
