//! Runs of random clients and servers, without disk and programs: the rendezvous between boards.
//!
//! Real routers, proxies, sessions and frames carry calls of every shape along a random graph while boards fail, hang
//! and are cut off; the [`oracle`] knows the allowed results of every call. Invariant of a good run: each call was
//! executed exactly once or ended with a defined error; every edge kept its order; in the end every board reaches every
//! other, and no process waits.
//!
//! Not here: user programs, files (`seed`).

mod board_processes;
mod client;
mod oracle;
mod plan;
mod protocol;
mod run;
mod server;

pub use run::{actors, incidents, run};
pub(crate) use run::{add_stats, text_of};
