//! The search of all states of a world that makes steps, and what it has found.
//!
//! Not here: worlds, and their properties ([`crate::leases`], [`crate::names`]).

use stateright::{Checker, Expectation, HasDiscoveries, Model, Property};
use std::fmt::Debug;
use std::hash::Hash;

/// Boards and what is under way between them.
pub trait World: Clone + Debug + Hash + Eq + Send + Sync + 'static {
    /// What may happen.
    type Step: Clone + Debug + PartialEq + Send + Sync + 'static;

    /// All that may happen next.
    fn steps(&self) -> Vec<Self::Step>;
    /// After `step`; `None`: it cannot happen now.
    fn next(&self, step: Self::Step) -> Option<Self>;
    /// Invariants of every state, and conditions that some state must satisfy: a search without such a state has missed
    /// its subject.
    fn properties() -> Vec<Property<Search<Self>>>;
}

/// What is searched: all that follows from a first state.
#[derive(Clone, Debug)]
pub struct Search<W>(W);

/// What a search has found.
#[derive(Clone, Debug)]
pub struct SearchFound<W: World> {
    /// States that differ.
    pub states: usize,
    /// The first violated property, and the steps to it.
    pub broken: Option<(&'static str, Vec<W::Step>)>,
    /// What was so in no state.
    pub unseen: Vec<&'static str>,
}

impl<W: World> Model for Search<W> {
    type State = W;
    type Action = W::Step;

    fn init_states(&self) -> Vec<W> {
        vec![self.0.clone()]
    }

    fn actions(&self, world: &W, actions: &mut Vec<W::Step>) {
        actions.extend(world.steps());
    }

    fn next_state(&self, world: &W, step: W::Step) -> Option<W> {
        world.next(step)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        W::properties()
    }
}

/// Searches all states that follow from `first`, or until a property is broken.
pub fn search<W: World>(first: W, threads: usize) -> SearchFound<W> {
    let checker = Search(first).checker().threads(threads).finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let mut discoveries = checker.discoveries();
    let (mut broken, mut unseen) = (None, Vec::new());
    for Property { expectation, name, .. } in W::properties() {
        match (expectation, discoveries.remove(name)) {
            (Expectation::Always, Some(path)) => broken = broken.or(Some((name, path.into_actions()))),
            (Expectation::Sometimes, None) => unseen.push(name),
            _ => {}
        }
    }
    SearchFound { states: checker.unique_state_count(), broken, unseen }
}
