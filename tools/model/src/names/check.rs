//! What must hold in every state, and the search.

use super::Mutant;
use super::world::{Limits, Step, World};
use stateright::{Checker, HasDiscoveries, Model, Property};

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// What may happen how often.
    pub limits: Limits,
    /// How the protocol is wrong, if it is.
    pub mutant: Option<Mutant>,
}

/// What a search has found.
#[derive(Clone, Debug)]
pub struct Found {
    /// States that differ.
    pub states: usize,
    /// The first property that does not hold, and how to get there.
    pub broken: Option<(&'static str, Vec<Step>)>,
}

impl Model for Search {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        vec![World::new(self.mutant, self.limits)]
    }

    fn actions(&self, _: &World, actions: &mut Vec<Step>) {
        actions.extend(World::steps());
    }

    fn next_state(&self, world: &World, step: Step) -> Option<World> {
        world.next(step)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        // What is told anew is what is so; only what is held, or offered late, can be old.
        vec![Property::always("no board holds what is no longer so", |_: &Search, world: &World| !world.holds_old())]
    }
}

/// Searches all states, or until a property is broken.
pub fn search(search: Search, threads: usize) -> Found {
    let checker = search.checker().threads(threads).finish_when(HasDiscoveries::Any).spawn_bfs().join();
    let broken = checker.discoveries().into_iter().next();
    let broken = broken.map(|(name, path)| (name, path.into_actions()));
    Found { states: checker.unique_state_count(), broken }
}
