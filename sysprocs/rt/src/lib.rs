//! What a system process is written against: call, accept, reply, sleep, notifications, log.
//!
//! A system process is an `async fn` whose parameters are all that it may touch: a [`Port`] that it serves,
//! [`Client`]s and [`Family`]s that it calls, its own [`Me`], devices. The placement check reads its servers and
//! callers off this signature ([`signature`]).
//!
//! Not here: protocols (`proto`), placement (`systems`), boot (`kernel/image`).
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

#[doc(hidden)]
pub mod apart;
mod bit_set;
mod board_references;
mod defaults;
mod free_list;
mod generation;
pub mod given;
pub mod linked_list;
pub mod proc_info;
pub mod published;
mod reply;
mod retry;
pub mod signature;
mod wakes;
mod watch;
mod watch_filters;

pub use bit_set::BitSet;
pub use board_references::BoardReferences;
pub use core::convert::Infallible as Never;
pub use free_list::FreeList;
pub use generation::Generation;
pub use renga_abi::{BOARDS_MAX, BoardId, Errno, OsTimes, PAGE_BYTES, ProcId, pace, policy, user};
pub use renga_core::account;
#[cfg(feature = "host")]
pub use renga_core::host;
pub use renga_core::probe;
pub use renga_core::probe::Probe;
pub use renga_core::raw;
pub use renga_core::{
    ALL_ENTRIES, Address, Arena, Call, CallQueue, Caller, Client, Entry, Family, Forward, ForwardFamily, Local, Me,
    Members, Notifier, Port, Protocol, Wait, WaitCanceller, Word, WordCounts,
};
pub use reply::unless_cancelled;
pub use retry::Retry;
pub use wakes::{SLOT_WORDS, SlotWords, Waiters, Wakes};
pub use watch::Watch;
pub use watch_filters::{WatchFilter, WatchFilters};

#[cfg(test)]
mod tests {
    use crate::signature::{Edge, Parameter, kind};
    use crate::{Client, Forward, Me, Never, Port};

    renga_core::protocol! {
        /// Test.
        pub Left = 60, LeftCall {
            /// Test.
            0 Go { a: u32, b: bool } (()) -> Result<u32, crate::Errno> [defers];
        }
    }
    renga_core::protocol! {
        /// Test.
        pub Right = 61, RightCall {
            /// Test.
            3 Come {} (&'a [u8]) -> Result<(), crate::Errno> [releases];
        }
    }
    crate::clients! {
        /// Test.
        pub struct Both {
            /// Test.
            left: Client<Left>,
            /// Test.
            right: Client<Right>,
        }
    }
    async fn passer(_port: Port<Right>, _to: Forward<Left>) -> Never {
        core::future::pending().await
    }
    async fn server(_me: Me, _port: Port<Left>, clients: Both) -> Never {
        let _ = (clients.left, clients.right);
        core::future::pending().await
    }

    /// Holds: placement-signatures.
    #[test]
    fn signature_parameters_give_edges() {
        const EDGES: &[&[Edge]] = kind("server", &server).edges;
        assert!(matches!(EDGES[1], [Edge::Serves(f)] if f.name == "Left" && f.defers == 1 && f.releases == 0));
        assert_eq!(EDGES[2], Both::EDGES);
        assert!(matches!(kind("passer", &passer).edges[1], [Edge::Forwards(left)] if left.id == 60));
        assert!(matches!(Both::EDGES, [Edge::Uses(l), Edge::Uses(r)] if l.id == 60 && r.releases == 8));
    }
}
