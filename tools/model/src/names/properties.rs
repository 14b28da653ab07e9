//! What must hold in every state, and what the search must have come by.

use super::step::Step;
use super::world::World;
use crate::search::{self, Search};
use stateright::Property;

/// A board that is cut off holds what is no longer so, and does not know it.
pub const CUT_OFF: &str = "a board that is cut off holds what is old";
/// A board knows all names of a directory whose status it does not hold.
pub const NAMES_ONLY: &str = "a board knows all names, and not the status";

impl search::World for World {
    type Step = Step;

    fn steps(&self) -> Vec<Step> {
        World::steps()
    }

    fn next(&self, step: Step) -> Option<World> {
        World::next(self, step)
    }

    fn properties() -> Vec<Property<Search<World>>> {
        // What is told anew is what is so; only what is held, or offered late, can be old.
        vec![
            Property::always("no board holds what is no longer so", |_: &Search<World>, world: &World| {
                !world.holds_old()
            }),
            Property::sometimes(NAMES_ONLY, |_: &Search<World>, world: &World| world.knows_names_only()),
            Property::sometimes(CUT_OFF, |_: &Search<World>, world: &World| world.is_cut_off_with_old()),
        ]
    }
}
