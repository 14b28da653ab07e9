//! The properties of every state, and the search for a violation.

use super::board::TokenBoard;
use super::bus::{TokenChange, TokenWorld};
use renga_mac::model::Mutant;
use renga_mac::{MacState, Sending};
use stateright::{Checker, HasDiscoveries, Model, Property};

/// Ticks in which two boards may use the token before they have noticed: a frame, and a late board.
pub const DOUBLED_TICKS: u8 = 6;
/// Ticks after the last fault in which everybody is served and the bus idle.
pub const RECOVERY_TICKS: u64 = 600;

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub struct TokenSearch {
    /// Boards, two to four.
    pub boards: u8,
    /// All boards have just been switched on; else they are members of an idle bus.
    pub cold: bool,
    /// Faults at most.
    pub faults: u8,
    /// Times that a board is late at most.
    pub lates: u8,
    /// Frames at most.
    pub demands: u8,
    /// Whether to check if board 0 alone could use all of the bus.
    pub greedy: bool,
    /// How the protocol is wrong, if it is.
    pub mutant: Option<Mutant>,
}

/// What a search has found.
#[derive(Clone, Debug)]
pub struct TokenFound {
    /// States that differ.
    pub states: usize,
    /// The first violated property, and the steps to it.
    pub broken: Option<(&'static str, Vec<Option<TokenChange>>)>,
}

impl Model for TokenSearch {
    type State = TokenWorld;
    type Action = Option<TokenChange>;

    fn init_states(&self) -> Vec<TokenWorld> {
        let make = if self.cold { TokenWorld::cold } else { TokenWorld::warm };
        vec![make(self.boards, self.mutant, self.faults, self.lates, self.demands)]
    }

    fn actions(&self, world: &TokenWorld, actions: &mut Vec<Option<TokenChange>>) {
        actions.push(None);
        actions.extend(world.changes().into_iter().map(Some));
    }

    fn next_state(&self, world: &TokenWorld, change: Option<TokenChange>) -> Option<TokenWorld> {
        world.next(change)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(
                "two boards do not use the token for longer than they need to notice",
                |_: &TokenSearch, world: &TokenWorld| world.doubled <= DOUBLED_TICKS,
            ),
            Property::always(
                "no second token and no new one without a fault",
                |search: &TokenSearch, world: &TokenWorld| search.cold || world.disturbed || peaceful(world),
            ),
            Property::always(
                "no board goes on that sees another use the bus, or has lost",
                |_: &TokenSearch, world: &TokenWorld| !world.boards.iter().any(|board| board.rude),
            ),
            Property::always("no board of its own number is ever silenced", |_: &TokenSearch, world: &TokenWorld| {
                world.boards.iter().all(|board| board.mac.state() != MacState::Quarantine)
            }),
            Property::always(
                "left alone, all are served soon, and then the bus is idle with one token",
                |_: &TokenSearch, world: &TokenWorld| recovers(world),
            ),
            Property::always(
                "a board that wants all of the bus gets its share",
                |search: &TokenSearch, world: &TokenWorld| !search.greedy || shares(world),
            ),
        ]
    }
}

fn peaceful(world: &TokenWorld) -> bool {
    // A token that is being sent may have arrived before its sender knows.
    let giving = |state| matches!(state, MacState::Hold { sending: Sending::Token { .. }, .. });
    let has = |board: &&TokenBoard| board.mac.has_token() && !giving(board.mac.state());
    let tokens = world.boards.iter().filter(has).count();
    let collided = |board: &TokenBoard| board.talk.as_ref().is_some_and(|talk| talk.collided);
    tokens <= 1 && !world.boards.iter().any(|board| board.regenerated || collided(board))
}

/// Every board that runs wants to send, and nothing more goes wrong.
fn recovers(world: &TokenWorld) -> bool {
    let mut world = world.clone();
    for number in 0..world.boards.len() as u8 {
        if world.boards[usize::from(number)].on {
            world.demand(number);
        }
    }
    for _ in 0..RECOVERY_TICKS {
        match world.next(None) {
            Some(next) => world = next,
            None => return served(&world),
        }
    }
    false
}

/// As [`recovers`], but board 0 always has one more frame.
fn shares(world: &TokenWorld) -> bool {
    let mut world = world.clone();
    world.boards[0].endless = true;
    for number in 0..world.boards.len() as u8 {
        if world.boards[usize::from(number)].on {
            world.demand(number);
        }
    }
    for _ in 0..RECOVERY_TICKS {
        if !world.boards.iter().skip(1).any(|board| board.on && board.demand) {
            return true;
        }
        let Some(next) = world.next(None) else { return false };
        world = next;
    }
    false
}

fn served(world: &TokenWorld) -> bool {
    let mut running = world.boards.iter().filter(|board| board.on);
    let tokens = running.clone().filter(|board| board.mac.has_token()).count();
    tokens == usize::from(running.clone().count() > 0) && running.all(|board| !board.demand && board.mac.is_member())
}

/// Searches all states, or until a property is broken.
pub fn search(search: TokenSearch, threads: usize) -> TokenFound {
    let checker = search.checker().threads(threads).finish_when(HasDiscoveries::Any).spawn_bfs().join();
    let broken = checker.discoveries().into_iter().next();
    let broken = broken.map(|(name, path)| (name, path.into_actions()));
    TokenFound { states: checker.unique_state_count(), broken }
}
