//! Leases of pages: every order of events within bounds, and protocols that are wrong on purpose.

use renga_model::leases::Mutant;
use renga_model::leases::check::{Found, Search, search};
use renga_model::leases::world::Limits;

const THREADS: usize = 2;
const PLAIN: Limits = Limits { fills: 3, changes: 3, deaths: 0, inode_deaths: 0, evictions: 0, leases: 0 };
const LENT: Limits = Limits { fills: 1, changes: 2, leases: 2, ..PLAIN };

fn run(what: &str, wanted: Search) -> Found {
    let found = search(wanted, THREADS);
    println!("{what}: {} states, {:?}", found.states, found.broken);
    found
}

fn limits() -> [(&'static str, Limits); 8] {
    [
        ("nothing goes wrong", PLAIN),
        ("a cache forgets the file", Limits { changes: 2, evictions: 1, ..PLAIN }),
        ("a board dies", Limits { changes: 2, deaths: 1, ..PLAIN }),
        ("the inode's board dies", Limits { changes: 2, inode_deaths: 1, ..PLAIN }),
        ("boards write in their caches", LENT),
        ("a cache that writes forgets the file", Limits { evictions: 1, ..LENT }),
        ("a board that writes dies", Limits { deaths: 1, ..LENT }),
        ("the inode's board dies while a file is lent", Limits { inode_deaths: 1, ..LENT }),
    ]
}

#[test]
fn no_board_reads_what_is_no_longer_so() {
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
