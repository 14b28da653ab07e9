//! The properties of every state, and the states that the search must reach.

use super::step::NamesStep;
use super::world::NamesWorld;
use crate::search::{self, Search};
use stateright::Property;

/// A partitioned board caches stale data, and does not know it.
pub const CUT_OFF: &str = "a partitioned board caches stale data";
/// A board knows all names of a directory whose status it does not cache.
pub const NAMES_ONLY: &str = "a board knows all names, and not the status";

impl search::World for NamesWorld {
    type Step = NamesStep;

    fn steps(&self) -> Vec<NamesStep> {
        NamesWorld::steps()
    }

    fn next(&self, step: NamesStep) -> Option<NamesWorld> {
        NamesWorld::next(self, step)
    }

    fn properties() -> Vec<Property<Search<NamesWorld>>> {
        // A fresh lookup is current; only a cached result, or a late one, can be old.
        vec![
            Property::always("no board caches stale data", |_: &Search<NamesWorld>, world: &NamesWorld| {
                !world.holds_old()
            }),
            Property::sometimes(NAMES_ONLY, |_: &Search<NamesWorld>, world: &NamesWorld| world.knows_names_only()),
            Property::sometimes(CUT_OFF, |_: &Search<NamesWorld>, world: &NamesWorld| world.is_cut_off_with_old()),
        ]
    }
}
