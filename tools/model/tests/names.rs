//! Names held elsewhere: every order of events within bounds, and protocols that are wrong on purpose.

use renga_model::names::Mutant;
use renga_model::names::properties::CUT_OFF;
use renga_model::names::world::{Limits, World};
use renga_model::search::{Found, search};

const THREADS: usize = 2;
const PLAIN: Limits = Limits {
    walks: 3,
    changes: 3,
    makes: 0,
    folder: false,
    drops: 0,
    evictions: 0,
    deaths: 0,
    disk_deaths: 0,
    session_ends: 0,
};
const MAKING: Limits = Limits { walks: 1, changes: 1, makes: 2, ..PLAIN };
const FOLDER: Limits = Limits { folder: true, ..MAKING };

fn run(what: &str, mutant: Option<Mutant>, limits: Limits) -> Found<World> {
    let found = search(World::new(mutant, limits), THREADS);
    println!("{what}: {} states, {:?}", found.states, found.broken);
    found
}

fn limits() -> [(&'static str, Limits); 12] {
    [
        ("nothing goes wrong", PLAIN),
        ("slots are needed for other names", Limits { changes: 2, evictions: 2, ..PLAIN }),
        ("a board dies", Limits { changes: 2, deaths: 1, ..PLAIN }),
        ("the disk's board dies", Limits { changes: 2, disk_deaths: 1, ..PLAIN }),
        ("a session ends while both boards live", Limits { changes: 2, session_ends: 1, ..PLAIN }),
        ("boards make something", MAKING),
        ("slots are needed for other names beside makes", Limits { makes: 1, evictions: 1, ..MAKING }),
        ("a board that makes something dies", Limits { changes: 0, deaths: 1, ..MAKING }),
        ("the session of a board that makes something ends", Limits { walks: 0, session_ends: 1, ..MAKING }),
        ("a board knows all names of a folder", FOLDER),
        ("a board makes room that knows all names of a folder", Limits { walks: 0, drops: 1, ..FOLDER }),
        ("its session ends", Limits { changes: 0, session_ends: 1, ..FOLDER }),
    ]
}

#[test]
fn no_board_is_told_what_is_no_longer_so() {
    for (what, limits) in limits() {
        let found = run(what, None, limits);
        assert!(found.broken.is_none(), "{what}: {:?}", found.broken);
        let parted = limits.session_ends > 0 || limits.disk_deaths > 0;
        assert_eq!(found.unseen.contains(&CUT_OFF), !parted, "{what}: seen where it can be, and nowhere else");
    }
}

#[test]
fn every_mutant_is_found() {
    let mut alive = Vec::new();
    let first_late = Mutant::ALL.iter().position(|mutant| *mutant == Mutant::MakerKeepsWhatChanges);
    for (place, mutant) in Mutant::ALL.into_iter().enumerate() {
        let found = |(what, limits)| run(what, Some(mutant), limits).broken.is_some();
        let mut tried = limits();
        if Some(place) >= first_late {
            // Makes were added last, and their limits.
            tried.reverse();
        }
        if !tried.into_iter().any(found) {
            alive.push(mutant);
        }
    }
    assert!(alive.is_empty(), "{alive:?} not found");
}
