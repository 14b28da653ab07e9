//! The link's processes: the router, its proxies, and what counts them.
//!
//! A call to a process of another board lands at the `router`, which sends it as fragments in frames;
//! over there a `proxy` makes it, and the reply comes back. Each frame is handed on exactly
//! once and in order (`session`), each call made exactly once (`incoming`). Not here: layouts (`wire`),
//! devices (`phy`, `board-rpi`), how many proxies and buffers there must be (placement).
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod asynchronous;
mod ending;
mod incoming;
mod jobs;
mod measured;
mod membership;
#[cfg(feature = "model")]
mod model;
mod outgoing;
mod permits;
mod places;
mod pool;
mod post;
mod proxy;
mod remotes;
mod router;
mod rules;
mod sending;
mod session;
mod set;
mod stats;
mod status;
mod timing;
mod token_link;
mod transmit;
mod wiring;

pub use asynchronous::{InCopy, OutCopy};
pub use ending::Closing;
pub use incoming::InCall;
pub use jobs::{Job, Jobs};
pub use membership::{Ends, MembershipClients, membership};
pub use outgoing::OutCall;
pub use permits::Permits;
pub use pool::PoolPlan;
pub use post::{Completions, Post, Worker};
pub use proxy::proxy;
pub use remotes::{Remotes, Served};
pub use router::{Peer, RouterMemory, router};
pub use rules::EdgeRule;
pub use session::{CONTROL_BYTES_MAX, Session, State, Verdict, WINDOW_FRAMES};
pub use set::NUMBERS_MAX;
pub use stats::Stats;
pub use status::link_status;
pub use timing::{GREETINGS_MAX, LinkTiming, STUCK_FACTOR};
pub use token_link::{PAUSE_NS, TRIES_MAX, TokenCount, TokenLink};
pub use wiring::{Link, LinkPlan, message_memory};
