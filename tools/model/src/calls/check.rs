//! The properties of every state, and the search for a state that violates one.

use super::CallsMutant;
use super::world::{ANSWERED, CallsChange, CallsLimits, CallsWorld, FOREIGN, INCARNATIONS, ONCE, Program, REFUSED};
use stateright::{Checker, HasDiscoveries, Model, Property};

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub struct CallsSearch {
    /// What goes wrong.
    pub limits: CallsLimits,
    /// What is called.
    pub program: Program,
    /// How the protocol is wrong, if it is.
    pub mutant: Option<CallsMutant>,
}

/// What a search has found.
#[derive(Clone, Debug)]
pub struct CallsFound {
    /// States that differ.
    pub states: usize,
    /// The first promise that is not kept, and how to get there.
    pub broken: Option<(&'static str, Vec<CallsChange>)>,
}

fn kept(promise: &'static str, world: &CallsWorld) -> bool {
    world.broken != Some(promise)
}

impl Model for CallsSearch {
    type State = CallsWorld;
    type Action = CallsChange;

    fn init_states(&self) -> Vec<CallsWorld> {
        vec![CallsWorld::new(self.limits, self.mutant)]
    }

    fn actions(&self, world: &CallsWorld, actions: &mut Vec<CallsChange>) {
        actions.extend(world.changes(self.program));
    }

    fn next_state(&self, world: &CallsWorld, change: CallsChange) -> Option<CallsWorld> {
        Some(world.next(change, self.program))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |_: &CallsSearch, world: &CallsWorld| kept(ONCE, world)),
            Property::always(ANSWERED, |_: &CallsSearch, world: &CallsWorld| kept(ANSWERED, world)),
            Property::always(FOREIGN, |_: &CallsSearch, world: &CallsWorld| kept(FOREIGN, world)),
            Property::always(REFUSED, |_: &CallsSearch, world: &CallsWorld| kept(REFUSED, world)),
            Property::always(INCARNATIONS, |_: &CallsSearch, world: &CallsWorld| kept(INCARNATIONS, world)),
            Property::always(
                "left alone, all calls end, all credits come back, and calls are answered again",
                |search: &CallsSearch, world: &CallsWorld| world.recovers(search.program),
            ),
            Property::sometimes("a call is answered after a reset", |search: &CallsSearch, world: &CallsWorld| {
                search.limits.resets == 0
                    || world.boards.iter().any(|board| board.incarnation > 0 && board.believes.is_some())
            }),
        ]
    }
}

/// Searches all states, or until a promise is broken.
pub fn search(search: CallsSearch, threads: usize) -> CallsFound {
    let checker = search.checker().threads(threads).finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let promises: Vec<&str> = search.properties().iter().map(|property| property.name).collect();
    let mut found = checker.discoveries();
    let example = promises[promises.len() - 1];
    found.remove(example);
    let broken = promises.into_iter().find_map(|name| found.remove(name).map(|path| (name, path.into_actions())));
    CallsFound { states: checker.unique_state_count(), broken }
}
