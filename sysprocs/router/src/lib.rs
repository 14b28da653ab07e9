//! The link's processes: the router, its proxies, membership, and the link's counters.
//!
//! A call to a process of another board lands at the `router`, which sends it as fragments in frames. A `proxy` there
//! makes the call, and the reply comes back. The session hands each frame on exactly once and in order, so each call is
//! made once. Not here: layouts (`wire`), devices (`phy`, `board-rpi`), the numbers of proxies and buffers (placement).
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod asynchronous;
mod calls;
mod incoming;
mod link_bench;
mod membership;
mod number_set;
mod outgoing;
mod packing;
mod proxies;
mod router;
mod router_memory;
mod router_state;
mod session;
mod session_end;
mod stats;
mod status;
mod token_link;
mod transmit;
mod wiring;

pub use calls::edge_rules::EdgeRule;
pub use calls::permits::Permits;
pub use calls::remote_callers::{RemoteCallers, Served};
pub use membership::{MembershipClients, SessionEnds, membership};
pub use number_set::NUMBERS_MAX;
pub use proxies::mailbox::{ProxyMailbox, ProxyResults};
pub use proxies::pool::PoolPlan;
pub use proxies::proxy::proxy;
pub use router::router;
pub use router_memory::RouterMemory;
pub use session::link_session::{CONTROL_BYTES_MAX, FrameOrder, Session, SessionState, WINDOW_FRAMES};
pub use session::timing::{HELLOS_MAX, LinkTiming, STUCK_FACTOR};
pub use stats::LinkStats;
pub use status::link_status;
pub use token_link::{PAUSE_NS, TRIES_MAX, TokenCount, TokenLink};
pub use wiring::{Link, LinkPlan, message_memory};
