//! Names held elsewhere: every order of events within bounds, and protocols that are wrong on purpose.

use renga_model::names::Mutant;
use renga_model::names::check::{Found, Search, search};
use renga_model::names::world::Limits;

const THREADS: usize = 2;
const PLAIN: Limits = Limits { walks: 3, changes: 3, evictions: 0, deaths: 0, disk_deaths: 0 };

fn run(what: &str, wanted: Search) -> Found {
    let found = search(wanted, THREADS);
    println!("{what}: {} states, {:?}", found.states, found.broken);
    found
}

fn limits() -> [(&'static str, Limits); 4] {
    [
        ("nothing goes wrong", PLAIN),
        ("slots are needed for other names", Limits { changes: 2, evictions: 2, ..PLAIN }),
        ("a board dies", Limits { changes: 2, deaths: 1, ..PLAIN }),
        ("the disk's board dies", Limits { changes: 2, disk_deaths: 1, ..PLAIN }),
    ]
}

#[test]
fn no_board_is_told_what_is_no_longer_so() {
    for (what, limits) in limits() {
        let found = run(what, Search { limits, mutant: None });
        assert!(found.broken.is_none(), "{what}: {:?}", found.broken);
    }
}

#[test]
fn every_mutant_is_found() {
    let mut alive = Vec::new();
    for mutant in Mutant::ALL {
        let found = |(what, limits)| run(what, Search { limits, mutant: Some(mutant) }).broken.is_some();
        if !limits().into_iter().any(found) {
            alive.push(mutant);
        }
    }
    assert!(alive.is_empty(), "{alive:?} not found");
}
