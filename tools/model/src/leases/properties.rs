//! The properties of every state, and the states that the search must reach.

use super::step::LeasesStep;
use super::world::{BoardCache, LeasesWorld};
use crate::search::{self, Search};
use stateright::Property;

/// A predicate of a state.
type Condition = fn(&Search<LeasesWorld>, &LeasesWorld) -> bool;

impl search::World for LeasesWorld {
    type Step = LeasesStep;

    fn steps(&self) -> Vec<LeasesStep> {
        LeasesWorld::steps(self)
    }

    fn next(&self, step: LeasesStep) -> Option<LeasesWorld> {
        LeasesWorld::next(self, step)
    }

    fn properties() -> Vec<Property<Search<LeasesWorld>>> {
        let always: [(&str, Condition); 2] = [
            ("no board caches stale data", |_, world| !world.holds_old()),
            ("no reply is older than its request", |_, world| !world.old_read),
        ];
        let sometimes: [(&str, Condition); 6] = [
            (MAPPED, |_, world| any(world, |cache| cache.mapped.contains(&true))),
            (MAPPED_AT_HOME, |_, world| world.sole.contains(&true)),
            (LATE_LEASE, |_, world| any(world, BoardCache::is_lease_late)),
            (ORPHANED, |_, world| any(world, |cache| cache.orphaned && !cache.behind)),
            (UNREACHABLE, |_, world| world.write_lease.is_some_and(|write_lease| write_lease.unreachable)),
            (GONE, |_, world| world.write_lease.is_none() && any(world, |cache| cache.orphaned)),
        ];
        let always = always.into_iter().map(|(name, condition)| Property::always(name, condition));
        always.chain(sometimes.into_iter().map(|(name, condition)| Property::sometimes(name, condition))).collect()
    }
}

/// A program may store to a page of the board with the lease.
pub const MAPPED: &str = "programs elsewhere store";
/// One of the inode's board may.
pub const MAPPED_AT_HOME: &str = "programs here store";
/// A lease is on its way that has been taken back.
pub const LATE_LEASE: &str = "a lease is overtaken by its end";
/// Dirty pages are orphaned, on a board that is up.
pub const ORPHANED: &str = "dirty pages are orphaned";
/// A lease stands though its session has ended.
pub const UNREACHABLE: &str = "the board with the lease is unreachable";
/// Orphaned pages have no lease.
pub const GONE: &str = "orphaned pages belong to a lease that is over";

fn any(world: &LeasesWorld, is_so: impl Fn(&BoardCache) -> bool) -> bool {
    world.caches.iter().any(is_so)
}
