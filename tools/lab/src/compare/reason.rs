//! Why synchronous and asynchronous calls took as long as they did.
//!
//! Invariant: each sentence follows from counts of the runs, not from a model of them.

use super::findings::{ComparedCase, PhaseFigures};
use super::variation::MODE;
use std::collections::BTreeMap;

/// Less is the same time, %.
const SAME_PERCENT: f64 = 1.0;
/// From this share of the time on the wire limits both modes, %.
const WIRE_LIMITS_PERCENT: f64 = 90.0;

/// For each pair of combinations that differ in their mode alone: how much time asynchronous calls save, and why.
pub(super) fn reasons(cases: &[ComparedCase]) -> Vec<String> {
    let others = |case: &ComparedCase| -> BTreeMap<String, String> {
        case.settings.iter().filter(|(key, _)| *key != MODE).map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let mode = |case: &ComparedCase, wanted: &str| case.settings.get(MODE).is_some_and(|mode| mode == wanted);
    let pairs = cases.iter().filter(|case| mode(case, "sync")).filter_map(|sync| {
        let other = cases.iter().find(|case| mode(case, "async") && others(case) == others(sync))?;
        Some((sync, other))
    });
    pairs.map(|(sync, asynchronous)| reason(&others(sync), &sync.total, &asynchronous.total)).collect()
}

fn reason(others: &BTreeMap<String, String>, sync: &PhaseFigures, asynchronous: &PhaseFigures) -> String {
    let at: Vec<String> = others.iter().map(|(key, value)| format!("{key} {value}")).collect();
    let at = if at.is_empty() { "Here ".to_string() } else { format!("At {}, ", at.join(", ")) };
    let (before, after) = (sync.ns.median as f64, asynchronous.ns.median as f64);
    let saved = 100.0 * (before - after) / before.max(1.0);
    let what = match saved {
        saved if saved.abs() < SAME_PERCENT => {
            format!("both modes take the same time (asynchronous calls save {saved:.2} %)")
        }
        saved if saved > 0.0 => format!("asynchronous calls save {saved:.1} % of the time"),
        saved => format!("asynchronous calls take {:.1} % longer", -saved),
    };
    let calls = asynchronous.calls.median;
    let (could, released) = (asynchronous.releasable.median, asynchronous.released.median);
    let counts = format!(
        "Of {calls} calls between boards {could} could release their callers early, and {released} did; the other {} \
         return a result that the caller waits for.",
        calls.saturating_sub(could)
    );
    let busy = asynchronous.busy_percent();
    let wire = if busy >= WIRE_LIMITS_PERCENT {
        format!(" The wire was busy for {busy:.0} % of the time: it limits both modes.")
    } else {
        String::new()
    };
    let fallback = if released < could {
        " A call that could be released waits if no copy is free (`slots` in [async]), its board has not answered yet, or \
         the system file makes its edge synchronous."
    } else {
        ""
    };
    format!("{at}{what}. {counts}{wire}{fallback}")
}

#[cfg(test)]
mod tests {
    use super::reasons;
    use crate::compare::findings::ComparedCase;
    use crate::compare::record::RunRecord;
    use renga_trace::phases::{LinkUse, RunPhase};

    fn case(mode: &str, rate: &str, ns: u64, released: u64) -> ComparedCase {
        let link = LinkUse { calls: 173, releasable: 8, released, frames: 9, bytes: 900, wire_ns: ns * 95 / 100 };
        let phases = vec![RunPhase { name: "start".to_string(), begin_ns: 5, end_ns: 5 + ns, link }];
        let record = RunRecord { phases, ..RunRecord::default() };
        let settings =
            [("mode", mode), ("link.rate_mbit_s", rate)].map(|(key, value)| (key.to_string(), value.to_string()));
        ComparedCase::of(&settings.to_vec(), &["key".to_string()], &[record])
    }

    #[test]
    fn reason_of_equal_times_counts_calls_that_could_be_released() {
        let cases = [case("sync", "4", 1_000_000, 0), case("async", "4", 998_000, 8), case("sync", "18", 9, 0)];
        let [reason] = &reasons(&cases)[..] else { panic!("one pair") };
        for wanted in [
            "At link.rate_mbit_s 4, both modes take the same time",
            "save 0.20 %",
            "Of 173 calls",
            "8 could",
            "165",
            "95 %",
        ] {
            assert!(reason.contains(wanted), "no {wanted} in {reason}");
        }
        assert!(!reason.contains("slots"), "{reason}");
    }

    #[test]
    fn reason_of_calls_that_waited_names_the_slots() {
        let slower = reasons(&[case("async", "4", 1_100, 3), case("sync", "4", 1_000, 0)]);
        assert!(slower[0].contains("10.0 % longer") && slower[0].contains("`slots`"), "{slower:?}");
        assert!(reasons(&[case("sync", "4", 1, 0)]).is_empty());
    }
}
