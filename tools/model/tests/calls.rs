//! Calls between boards: every order of events within bounds, and protocols that are wrong on purpose.

use renga_model::calls::CallsMutant;
use renga_model::calls::check::{CallsFound, CallsSearch, search};
use renga_model::calls::world::CallsLimits;

const THREADS: usize = 2;
const NOTHING: CallsLimits = CallsLimits { losses: 0, doubles: 0, resets: 0, deaths: 0, hastes: 0 };
/// Asynchronous calls, then one that waits.
const MIXED: &[bool] = &[true, true, false];
const WAITING: &[bool] = &[false, false];
const MANY: &[bool] = &[true, true, true];
const RELEASED: &[bool] = &[true, true, true, true];

fn run(what: &str, wanted: CallsSearch) -> CallsFound {
    let found = search(wanted, THREADS);
    println!("{what}: {} states, {:?}", found.states, found.broken);
    found
}

/// Holds: call-once.
#[test]
fn calls_model_properties_hold() {
    let plain = CallsSearch { limits: NOTHING, program: MIXED, mutant: None };
    let waiting = CallsSearch { program: WAITING, ..plain };
    let searches = [
        ("nothing goes wrong", plain),
        ("a frame is lost", CallsSearch { limits: CallsLimits { losses: 1, ..NOTHING }, ..plain }),
        (
            "a frame is lost, one comes twice",
            CallsSearch { limits: CallsLimits { losses: 1, doubles: 1, ..NOTHING }, ..plain },
        ),
        ("a board is reset", CallsSearch { limits: CallsLimits { resets: 1, ..NOTHING }, ..plain }),
        ("a board is taken for dead", CallsSearch { limits: CallsLimits { deaths: 1, ..NOTHING }, ..plain }),
        (
            "a board is reset, a frame is lost",
            CallsSearch { limits: CallsLimits { resets: 1, losses: 1, ..NOTHING }, ..waiting },
        ),
        ("two resets", CallsSearch { limits: CallsLimits { resets: 2, ..NOTHING }, ..waiting }),
        (
            "dead, and a frame comes twice",
            CallsSearch { limits: CallsLimits { deaths: 1, doubles: 1, ..NOTHING }, ..waiting },
        ),
        (
            "hasty timers, a frame is lost",
            CallsSearch { limits: CallsLimits { hastes: 1, losses: 1, ..NOTHING }, ..waiting },
        ),
    ];
    for (what, wanted) in searches {
        let found = run(what, wanted);
        assert!(found.broken.is_none(), "{what}: {:?}", found.broken);
    }
}

#[test]
fn calls_model_mutants_are_found() {
    let mut alive = Vec::new();
    for mutant in CallsMutant::ALL {
        let plain = CallsSearch { limits: NOTHING, program: MIXED, mutant: Some(mutant) };
        let searches = [
            CallsSearch { limits: CallsLimits { losses: 1, ..NOTHING }, ..plain },
            CallsSearch { limits: CallsLimits { resets: 1, ..NOTHING }, ..plain },
            CallsSearch { limits: CallsLimits { doubles: 1, ..NOTHING }, program: MANY, ..plain },
            CallsSearch { limits: CallsLimits { deaths: 1, ..NOTHING }, ..plain },
            CallsSearch { limits: CallsLimits { deaths: 1, doubles: 1, ..NOTHING }, program: WAITING, ..plain },
            CallsSearch { limits: CallsLimits { resets: 1, ..NOTHING }, program: RELEASED, ..plain },
        ];
        let killed = searches.into_iter().any(|wanted| run(&format!("{mutant:?}"), wanted).broken.is_some());
        if !killed {
            alive.push(mutant);
        }
    }
    assert!(alive.is_empty(), "{alive:?} not found");
}
