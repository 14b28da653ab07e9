//! The router's counters.
//!
//! Invariant: only the router writes; `link_status` reads.

use core::cell::Cell;

macro_rules! stats { ($($(#[$doc:meta])* $name:ident,)*) => {
    /// Counters of one router since boot.
    #[derive(Default)]
    pub struct LinkStats { $($(#[$doc])* pub $name: Cell<u64>,)* }
    impl LinkStats {
        /// The counters' names, in the order of [`LinkStats::values`].
        pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];
        /// Their values.
        pub fn values(&self) -> [u64; LinkStats::NAMES.len()] {
            [$(self.$name.get()),*]
        }
    }
} }
stats! {
    /// Rendezvous with other boards whose callers waited: a call, in paired form also its answer.
    calls_sync,
    /// Those whose ends nobody awaits: calls whose callers were released at once; in paired form requests, answers.
    calls_async,
    /// Those that return nothing, whatever the mode.
    could_be_async,
    /// Calls that would have been asynchronous, had a copy been free and the board known to be there.
    fallbacks,
    /// Time from the release of asynchronous callers to the end of their calls, added up, ns.
    waits_avoided_ns,
    /// Most copies of the pool of one board that were in use at once.
    pool_high_water,
    /// Asynchronous calls that failed after their callers had been released.
    async_failed,
    /// Asynchronous calls that were lost with their board.
    async_lost,
    /// Calls from other boards.
    calls_served,
    /// Frames sent, the first time and again.
    frames_sent,
    /// Their bytes.
    bytes_sent,
    /// Of these, frames without data: acknowledgements and greetings.
    control_sent,
    /// Frames received intact.
    frames_received,
    /// Frames that had to be sent again.
    retransmissions,
    /// Frames that arrived damaged.
    damaged,
    /// Times that the device had dropped frames for want of room, found when frames were resent.
    overruns,
    /// Frames that arrived more than once.
    duplicates,
    /// Fragments that break the protocol; each ended a session.
    refused,
    /// Calls that were refused here: without a rule of the placement, or too long.
    refused_here,
    /// Calls not made because their callers had to learn first that a session had ended.
    refused_stale,
    /// Boards declared dead.
    deaths,
    /// Replies whose answers were packed.
    replies_packed,
    /// Of the fragments refused, calls that the placement does not let in.
    forbidden,
}

pub(crate) fn add(counter: &Cell<u64>, amount: u64) {
    counter.set(counter.get() + amount);
}
