//! Outcomes of P1's rows.

use super::{Asked, p1_traced};
use crate::run::{CostProfile, RunOutcome};
use crate::support::{event, measured, outcome};
use renga_trace::event::TraceEvent;

pub(super) fn outcomes(asked: &Asked<'_>) -> Vec<RunOutcome> {
    match asked.row.id {
        "P1.T1" => response_times(asked),
        "P1.T4" => calls(asked),
        "P1.T5" => pairs(asked),
        "P1.F3" => storms(asked),
        "P1.F4" => pipes(asked),
        _ => p1_traced::outcomes(asked),
    }
}

/// a, b, b without leases, the monolithic system.
fn response_times(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let b = asked.pick(&["b-to-a"], 1200, 1000);
    let longer = asked.holds == "extra-work-to-response";
    let without =
        if longer { 1200 } else { asked.pick(&["b-to-a-without-leases", "extra-work-to-response"], 1200, 1000) };
    let ns = [1000, b, without, asked.pick(&["a-to-mono"], 900, 1000)];
    let mut outcomes = asked.traces.timed(asked.runs, |run, _| ns[run]);
    if asked.fails == "extra-work-to-response" {
        // All of it is waiting.
        outcomes[2] = asked.traces.outcome(std::mem::take(&mut outcomes[2].text), &[event(0, 0, TraceEvent::Idle {})]);
    }
    outcomes
}

/// Both on a, both on b, one on each, the monolithic system.
fn pairs(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let all = ["saves-against-mono", "saves-against-both-on-a", "saves-against-both-on-a-aim"];
    let ns = [1000, 1000, asked.pick(&all, 900, 520), 1000];
    asked.traces.timed(asked.runs, |run, _| ns[run])
}

/// With leases, without, and paired; each synchronous and asynchronous.
fn calls(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let gained = asked.pick(&["gain-paired"], 30, 10);
    let mut outcomes = asked.traces.timed(asked.runs, |run, _| if run == 5 { 1000 - gained } else { 1000 });
    for outcome in &mut outcomes {
        let could_be = asked.pick(&["could-be-paired"], 10, 95);
        outcome.text = outcome.text.replace("counters 0", &format!("counters 100 0 {could_be}"));
    }
    outcomes
}

/// On a, on b, monolithic.
fn storms(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let eight = |board: &str| 700 + asked.pick(&[&format!("flattens-{board}")], 100, 50);
    let (a, b) = (eight("a"), eight("b"));
    let mono = asked.pick(&["eight-a", "eight-b"], a.min(b) - 1, a.max(b));
    let text = |last: u64| {
        let line =
            |count: u64| format!("then {count}\nstorm {count} {}\n", if count == 8 { last } else { 100 * count });
        outcome((1..=8).map(line).collect())
    };
    vec![text(a), text(b), text(mono)]
}

/// One board, two boards, Linux: two boards save half of the computation, and a byte costs them more.
fn pipes(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let scale = if asked.plan.profile == CostProfile::Pi3 { 10_000 } else { 1_000_000 };
    let apart = asked.pick(&["crossover-ms", "crossover-bytes", "two-boards-to-one"], 9, 4);
    let distances: [u64; 20] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 30, 100, 200, 300, 400, 500, 700, 1000, 0]
        .map(|distance| 10_000 * distance);
    let line = |distance: u64, ns: u64| format!("received {distance} 1 {ns}\n");
    let one: String = distances.iter().map(|distance| line(*distance, 3 * scale + 2 * distance)).collect();
    let two: String = distances.iter().map(|distance| line(*distance, apart * scale + distance)).collect();
    [one.clone(), two, one].map(outcome).into()
}

/// The lines of a label whose run has a trace of its own.
pub(super) fn whole(label: &str, ns: u64) -> String {
    measured(label, 0, ns, "0")
}
