//! Outcomes of P3's rows.

use super::Asked;
use crate::run::RunOutcome;
use crate::support::outcome;

/// ms.
const ALONE: u64 = 100;
/// The longest step beside small batches.
const LONG: u64 = 220;

/// Four forms, and Linux's three.
pub(super) fn outcomes(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let count = steps(&asked.runs[0].script) - 1;
    let mut small = vec![110 * ALONE / 100; count];
    small[count - 1] = LONG;
    match asked.fails {
        "noise" => small = vec![ALONE + 1; count],
        "noise-longest-step" => small[count - 1] = 110,
        _ => {}
    }
    let mut large =
        vec![asked.pick(&["batching-to-alone", "batching-remains", "batching-to-stream"], 130, ALONE); count];
    match asked.fails {
        "batching-spread" | "batching-longest-step" => large[count - 1] = 3 * ALONE,
        "batching-to-small-batches" => large = vec![2 * ALONE; count],
        _ => {}
    }
    let us = asked.pick(&["instructions-to-kswapd"], 32_000, 3_200);
    let alone = vec![ALONE; count];
    let ours = [
        ours(&alone, [[0; 4]; 2]),
        ours(&alone, [[0; 4]; 2]),
        ours(&small, [[5, 50, 1600, us], [0; 4]]),
        ours(&large, [[0; 4], [2, 8, 2000, 3000]]),
    ];
    let linux = [0, 0, 500].map(|pages| linux(&alone, pages));
    ours.into_iter().chain(linux).take(asked.runs.len()).collect()
}

/// So many steps a run measures.
fn steps(script: &str) -> usize {
    let measured = script.split("state before").nth(1).and_then(|rest| rest.split("./stencil ").nth(1));
    measured.and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap()
}

fn lines(ms: &[u64]) -> String {
    let steps: String = ms.iter().map(|ms| format!(" {ms}000000")).collect();
    format!("steps 900000000{steps}\nsum 77\nstreamed 5000000 0 2000000000\n")
}

/// What the reclaimer and the batcher did: begun, steps, pages, us.
fn ours(ms: &[u64], did: [[u64; 4]; 2]) -> RunOutcome {
    let [ordinary, batches] = did.map(|[begun, steps, pages, us]| format!("{begun} {steps} {pages} {us}"));
    outcome(lines(ms) + &format!("before 100 50 3 6 0 0 0 0 0 0 0 0\nafter 100 40 3 6 {ordinary} {batches}\n"))
}

fn linux(ms: &[u64], pages: u64) -> RunOutcome {
    let counted = |pages: u64| format!("{pages} 3 {} {}", 2 * pages, 6000 * pages);
    outcome(lines(ms) + &format!("before 9 {}\nafter 8 {}\n", counted(10), counted(10 + pages)))
}
