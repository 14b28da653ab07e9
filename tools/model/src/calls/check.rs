//! What must hold in every state, and the search for a state where it does not.

use super::Mutant;
use super::world::{ANSWERED, Change, FOREIGN, LIVES, Limits, ONCE, Program, REFUSED, World};
use stateright::{Checker, HasDiscoveries, Model, Property};

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// What goes wrong.
    pub limits: Limits,
    /// What is called.
    pub program: Program,
    /// How the protocol is wrong, if it is.
    pub mutant: Option<Mutant>,
}

/// What a search has found.
#[derive(Clone, Debug)]
pub struct Found {
    /// States that differ.
    pub states: usize,
    /// The first promise that is not kept, and how to get there.
    pub broken: Option<(&'static str, Vec<Change>)>,
}

fn kept(promise: &'static str, world: &World) -> bool {
    world.broken != Some(promise)
}

impl Model for Search {
    type State = World;
    type Action = Change;

    fn init_states(&self) -> Vec<World> {
        vec![World::new(self.limits, self.mutant)]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Change>) {
        actions.extend(world.changes(self.program));
    }

    fn next_state(&self, world: &World, change: Change) -> Option<World> {
        Some(world.next(change, self.program))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |_: &Search, world: &World| kept(ONCE, world)),
            Property::always(ANSWERED, |_: &Search, world: &World| kept(ANSWERED, world)),
            Property::always(FOREIGN, |_: &Search, world: &World| kept(FOREIGN, world)),
            Property::always(REFUSED, |_: &Search, world: &World| kept(REFUSED, world)),
            Property::always(LIVES, |_: &Search, world: &World| kept(LIVES, world)),
            Property::always(
                "left alone, all calls end, all credits come back, and calls are answered again",
                |search: &Search, world: &World| world.recovers(search.program),
            ),
            Property::sometimes("a call is answered after a reset", |search: &Search, world: &World| {
                search.limits.resets == 0 || world.boards.iter().any(|board| board.life > 0 && board.believes.is_some())
            }),
        ]
    }
}

/// Searches all states, or until a promise is broken.
pub fn search(search: Search, threads: usize) -> Found {
    let checker = search.checker().threads(threads).finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let promises: Vec<&str> = search.properties().iter().map(|property| property.name).collect();
    let mut found = checker.discoveries();
    let example = promises[promises.len() - 1];
    found.remove(example);
    let broken = promises.into_iter().find_map(|name| found.remove(name).map(|path| (name, path.into_actions())));
    Found { states: checker.unique_state_count(), broken }
}
