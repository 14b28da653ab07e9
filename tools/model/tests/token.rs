//! The token protocol: every order of events within bounds, and protocols that are wrong on purpose.

use renga_mac::model::Mutant;
use renga_model::token::{TokenFound, TokenSearch, search};

const THREADS: usize = 2;
const PAIR: TokenSearch =
    TokenSearch { boards: 2, cold: false, faults: 1, lates: 1, demands: 2, greedy: false, mutant: None };

fn run(what: &str, wanted: TokenSearch) -> TokenFound {
    let found = search(wanted, THREADS);
    println!("{what}: {} states, {:?}", found.states, found.broken);
    found
}

/// Holds: token-one.
#[test]
fn token_model_properties_hold() {
    let searches = [
        ("two boards, two faults", TokenSearch { faults: 2, ..PAIR }),
        ("two boards, one of them greedy", TokenSearch { greedy: true, ..PAIR }),
        ("two boards from cold", TokenSearch { cold: true, ..PAIR }),
        ("three boards", TokenSearch { boards: 3, ..PAIR }),
        ("three boards, three frames", TokenSearch { boards: 3, lates: 0, demands: 3, ..PAIR }),
        ("three boards from cold", TokenSearch { boards: 3, cold: true, lates: 0, demands: 1, ..PAIR }),
        ("four boards", TokenSearch { boards: 4, lates: 0, demands: 1, ..PAIR }),
    ];
    for (what, wanted) in searches {
        let found = run(what, wanted);
        assert!(found.broken.is_none(), "{what}: {:?}", found.broken);
    }
}

/// Holds: token-one.
#[test]
fn token_model_mutants_are_found() {
    let mut alive = Vec::new();
    for mutant in Mutant::ALL {
        let pair = TokenSearch { mutant: Some(mutant), ..PAIR };
        let searches = [pair, TokenSearch { greedy: true, faults: 0, ..pair }, TokenSearch { boards: 3, ..pair }];
        let killed = searches.into_iter().any(|wanted| run(&format!("{mutant:?}"), wanted).broken.is_some());
        if !killed {
            alive.push(mutant);
        }
    }
    assert!(alive.is_empty(), "{alive:?} not found");
}

#[test]
#[ignore = "takes minutes: more faults, and boards that are late; ./renga test --long=models"]
fn token_model_deep_search_holds() {
    let searches = [
        ("two boards, three faults", TokenSearch { faults: 3, ..PAIR }),
        ("two boards from cold, two faults", TokenSearch { cold: true, faults: 2, ..PAIR }),
        ("three boards, two of them late", TokenSearch { boards: 3, lates: 2, ..PAIR }),
        ("four boards, one late", TokenSearch { boards: 4, ..PAIR }),
        ("three boards, two faults", TokenSearch { boards: 3, faults: 2, lates: 0, demands: 1, ..PAIR }),
    ];
    for (what, wanted) in searches {
        let found = run(what, wanted);
        assert!(found.broken.is_none(), "{what}: {:?}", found.broken);
    }
}
