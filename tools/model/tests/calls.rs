//! Calls between boards: every order of events within bounds, and protocols that are wrong on purpose.

use renga_model::calls::Mutant;
use renga_model::calls::check::{Found, Search, search};
use renga_model::calls::world::Limits;

const THREADS: usize = 2;
const NOTHING: Limits = Limits { losses: 0, doubles: 0, resets: 0, deaths: 0, hastes: 0 };
/// Asynchronous calls, then one that waits.
const MIXED: &[bool] = &[true, true, false];
const WAITING: &[bool] = &[false, false];
const MANY: &[bool] = &[true, true, true];
const RELEASED: &[bool] = &[true, true, true, true];

fn run(what: &str, wanted: Search) -> Found {
    let found = search(wanted, THREADS);
    println!("{what}: {} states, {:?}", found.states, found.broken);
    found
}

/// Holds: call-once.
#[test]
fn calls_model_properties_hold() {
    let plain = Search { limits: NOTHING, program: MIXED, mutant: None };
    let waiting = Search { program: WAITING, ..plain };
    let searches = [
        ("nothing goes wrong", plain),
        ("a frame is lost", Search { limits: Limits { losses: 1, ..NOTHING }, ..plain }),
        ("a frame is lost, one comes twice", Search { limits: Limits { losses: 1, doubles: 1, ..NOTHING }, ..plain }),
        ("a board is reset", Search { limits: Limits { resets: 1, ..NOTHING }, ..plain }),
        ("a board is taken for dead", Search { limits: Limits { deaths: 1, ..NOTHING }, ..plain }),
        ("a board is reset, a frame is lost", Search { limits: Limits { resets: 1, losses: 1, ..NOTHING }, ..waiting }),
        ("two resets", Search { limits: Limits { resets: 2, ..NOTHING }, ..waiting }),
        ("dead, and a frame comes twice", Search { limits: Limits { deaths: 1, doubles: 1, ..NOTHING }, ..waiting }),
        ("hasty timers, a frame is lost", Search { limits: Limits { hastes: 1, losses: 1, ..NOTHING }, ..waiting }),
    ];
    for (what, wanted) in searches {
        let found = run(what, wanted);
        assert!(found.broken.is_none(), "{what}: {:?}", found.broken);
    }
}

#[test]
fn calls_model_mutants_are_found() {
    let mut alive = Vec::new();
    for mutant in Mutant::ALL {
        let plain = Search { limits: NOTHING, program: MIXED, mutant: Some(mutant) };
        let searches = [
            Search { limits: Limits { losses: 1, ..NOTHING }, ..plain },
            Search { limits: Limits { resets: 1, ..NOTHING }, ..plain },
            Search { limits: Limits { doubles: 1, ..NOTHING }, program: MANY, ..plain },
            Search { limits: Limits { deaths: 1, ..NOTHING }, ..plain },
            Search { limits: Limits { deaths: 1, doubles: 1, ..NOTHING }, program: WAITING, ..plain },
            Search { limits: Limits { resets: 1, ..NOTHING }, program: RELEASED, ..plain },
        ];
        let killed = searches.into_iter().any(|wanted| run(&format!("{mutant:?}"), wanted).broken.is_some());
        if !killed {
            alive.push(mutant);
        }
    }
    assert!(alive.is_empty(), "{alive:?} not found");
}
