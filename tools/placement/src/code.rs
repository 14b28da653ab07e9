//! The kinds as the code states them, from `renga-systems`.
//!
//! Invariant: nothing is said here that a signature says.

use crate::facts::{BoardRule, KindFacts, PlacementProtocol, ProtocolUse, ServerChoice};
use renga_abi::PAGE_BYTES;
use renga_rt::signature::{self, Edge};
use renga_systems::shared::{SHARED, needs_home};
use renga_systems::{FACTS, Facts, Kind, Place};

/// The facts of every kind.
pub fn code_kinds() -> Vec<KindFacts> {
    FACTS.iter().map(kind).collect()
}

fn kind(facts: &Facts) -> KindFacts {
    let edges = || facts.signature.edges.iter().copied().flatten();
    let serves = edges().find_map(|edge| match edge {
        Edge::Serves(served) => Some(protocol(served)),
        _ => None,
    });
    let uses: Vec<ProtocolUse> = edges()
        .filter_map(|edge| match edge {
            Edge::Serves(_) => None,
            Edge::Uses(used) => Some(call(used, ServerChoice::Nearest)),
            Edge::UsesAll(used) => Some(call(used, ServerChoice::AllBoards)),
            Edge::UsesOwn(used) => Some(call(used, ServerChoice::OwnBoardIfAny)),
            Edge::Forwards(used) => Some(forward(used, ServerChoice::Nearest)),
            Edge::ForwardsAll(used) => Some(forward(used, ServerChoice::AllBoards)),
        })
        .collect();
    KindFacts {
        name: facts.signature.name,
        serves,
        // Facts are constant data; a few of them live as long as the tool.
        uses: uses.leak(),
        board: board_rule(facts.place),
        count_max: facts.count_max,
        future_bytes: facts.signature.future_bytes as u32,
        shares: SHARED.iter().filter(|shared| shared.is_of(facts)).map(|shared| shared.name).collect::<Vec<_>>().leak(),
        needs_home: needs_home(facts),
        is_home: facts.kind == Kind::User,
    }
}

const fn call(used: &signature::ProtocolFacts, at: ServerChoice) -> ProtocolUse {
    ProtocolUse { protocol: used.name, at, entries: used.entries, forwards: false }
}

const fn forward(used: &signature::ProtocolFacts, at: ServerChoice) -> ProtocolUse {
    ProtocolUse { protocol: used.name, at, entries: used.entries, forwards: true }
}

fn board_rule(place: Place) -> BoardRule {
    match place {
        Place::Any => BoardRule::Any,
        Place::Optional => BoardRule::Optional,
        Place::DiskBoard => BoardRule::DiskOnly,
        Place::FileBoard => BoardRule::FileOnly,
        Place::Every => BoardRule::Every,
        Place::EveryLinked => BoardRule::EveryLinked,
        Place::PerRemoteCaller => BoardRule::PerRemoteCaller,
        Place::PerAsyncBoard => BoardRule::PerAsyncBoard,
    }
}

/// A protocol; any entry may lend a page each way, which bounds the messages from above.
fn protocol(served: &signature::ProtocolFacts) -> PlacementProtocol {
    PlacementProtocol {
        name: served.name,
        entries: served.names,
        defers: served.defers,
        releases: served.releases,
        returns_data: served.returns_data(),
        gives: served.gives,
        takes: served.takes,
        given_bytes_max: PAGE_BYTES as u32,
        taken_bytes_max: PAGE_BYTES as u32,
    }
}
