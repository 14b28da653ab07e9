//! Models that a checker searches: every order of events, up to a number of faults.
//!
//! The protocols are the real ones, not descriptions of them: [`calls`] is a lossy bus between boards
//! whose sessions are `renga_router::Session`, [`leases`] what boards may cache of a file, [`names`] of names and
//! inodes, [`token`] a bus whose boards run `renga_mac::Mac`. Not here: the simulator, which runs whole systems but one
//! order of events at a time.
#![forbid(unsafe_code)]

#[cfg(feature = "search")]
pub mod calls;
#[cfg(feature = "search")]
pub mod leases;
#[cfg(feature = "search")]
pub mod names;
#[cfg(feature = "search")]
pub mod search;
#[cfg(feature = "search")]
pub mod token;
pub mod trace;
