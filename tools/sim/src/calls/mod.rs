//! Runs of drawn clients and servers, without disk and programs: the rendezvous between boards.
//!
//! Real routers, proxies, sessions and frames carry calls of every shape along a drawn graph while boards
//! die, hang and are cut off; the [`oracle`] knows of every call what may become of it. Invariant of a
//! good run: each call was made exactly once or ended with a defined error; every edge kept its order;
//! in the end every board reaches every other, and nobody waits.
//!
//! Not here: user programs, files (`seed`).

mod client;
mod oracle;
mod plan;
mod protocol;
mod run;
mod seat;
mod server;

pub use run::{actors, incidents, run};
pub(crate) use run::{add_stats, text_of};
