//! Phases of runs, and findings over them, on outcomes written by hand.

use super::{PhaseSpread, mark, numbers, offset_us, over, text};
use crate::claims::{Claim, ClaimBound, ClaimVerdict, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot};
use crate::rows::{LedgerRow, OF_BACKGROUND, OF_IO_SPEED, OF_RECLAIM, ROWS, RowPlan};
use crate::run::{BenchMachine, BenchRun, CostProfile, OURS, RunOutcome};
use std::collections::BTreeSet;

const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: false };

fn run(script: &str) -> BenchRun {
    BenchRun::new(BenchMachine::Cluster(OURS), CostProfile::Pi3, "small", script)
}

/// Holds: bench-phases.
#[test]
fn phases_start_later_where_marked_and_only_there() {
    let marked = run(&format!("first\n{}second\n{}third\n", mark(5_000), mark(20)));
    assert!(marked.has_phases() && !run("first\n").has_phases());
    assert_eq!(marked.clone().at_phase(0), marked);
    assert_eq!(run("first\n").at_phase(3), run("first\n"));
    let later = marked.clone().at_phase(3).script;
    let sleeps: Vec<f64> = later.lines().filter_map(|line| line.strip_prefix("sleep ")?.parse().ok()).collect();
    assert!(matches!(sleeps[..], [one, two] if one < 5.0 && two < 0.02 && one != two), "{later}");
    assert!(later.contains("\nfirst\nsleep ") && later.ends_with("third\n"), "{later}");
    let all: BTreeSet<String> = (0..16).map(|phase| marked.clone().at_phase(phase).script).collect();
    assert_eq!(all.len(), 16, "each phase is another run");
    let seeded = BenchRun { seed: 2, ..marked.clone() }.at_phase(3).script;
    assert!(seeded != later && marked.at_phase(3).script == later, "the seed decides");
    assert!((1..200).all(|phase| offset_us(1, phase, 0, 7) < 7));
}

/// Holds: bench-phases.
#[test]
fn phases_spread_is_of_measured_values() {
    let of = |values: &[f64]| PhaseSpread::of(values.iter().copied());
    assert_eq!(of(&[3.0, 1.0, 9.0, 2.0]), Some(PhaseSpread { median: 2.0, least: 1.0, most: 9.0 }));
    assert_eq!(of(&[]), None);
}

#[test]
fn phases_texts_merge_by_number() {
    assert_eq!(text(&["3.0 %", "12.25 %", "4.5 %"]).unwrap(), "4.5 (3.0 to 12.25) %");
    assert_eq!(text(&["1, 50 of 9", "0, 50 of 9"]).unwrap(), "0 (0 to 1), 50 of 9");
    assert_eq!(text(&["-0.5 %", "+0.5 %"]).unwrap(), "-0.5 (-0.5 to +0.5) %");
    assert_eq!(text(&["It took 3.", "It took 4."]).unwrap(), "It took 3 (3 to 4).");
    assert_eq!((text(&["-", "3"]), text(&["a", "a"])), (None, Some("a".to_string())));
    assert_eq!(numbers("P2-1 x"), [(false, "P"), (true, "2"), (false, "-"), (true, "1"), (false, " x")]);
}

/// A row that reports what its run says as `figure`.
const ROW: LedgerRow = LedgerRow {
    id: "P9.T1",
    title: "",
    published: "",
    method: "",
    runs: |_| vec![run(&mark(5_000))],
    further: None,
    claims: |_| {
        let claim = |id: &str| Claim::aim(Quantity::new(id, id, "%"), ClaimBound::AtMost(2.0), "two");
        vec![claim("figure"), claim("seldom")]
    },
    evaluate: |_, outcomes| {
        let number = outcomes[0].numbers("figure ")?[0];
        let mut found = Findings::default();
        found.figure("all ns", number);
        found.quantity("figure", number as f64);
        match number > 3 {
            true => found.quantity("seldom", 1.0),
            false => found.unmeasured("seldom", "it was small"),
        }
        let mut table = FindingsTable::new("t", &["what", "%"]);
        table.rows = vec![vec!["one".to_string(), format!("{number}.00")]];
        found.tables = vec![table];
        let points = vec![(1.0, number as f64), (2.0, 7.0)];
        found.plots = vec![Plot::new("p", ["x", "y"], vec![Curve::new("one", points)])];
        Ok(found)
    },
};

fn outcomes(figures: &[u64]) -> Vec<Vec<RunOutcome>> {
    let of = |figure: &u64| vec![RunOutcome { text: format!("figure {figure}\n"), trace: None }];
    figures.iter().map(of).collect()
}

/// Holds: bench-phases.
#[test]
fn phases_give_median_least_and_most() {
    let found = ROW.findings_over(PLAN, &outcomes(&[2, 5, 1, 1])).unwrap();
    let judged = |id: &str| found.claims.iter().find(|judged| judged.claim.quantity.id == id).unwrap();
    let figure = judged("figure");
    assert_eq!((figure.verdict, figure.here().as_str()), (ClaimVerdict::Met, "1 (1 to 5)"));
    assert!(figure.remark().ends_with("Holds at 3 of 4 starts"), "{}", figure.remark());
    let seldom = judged("seldom");
    assert_eq!((seldom.verdict, seldom.here().as_str()), (ClaimVerdict::NotTested, "-"));
    assert!(seldom.remark().ends_with("it was small (measured at 1 of 4 starts)"), "{}", seldom.remark());
    assert_eq!(found.tables[0].rows[0], ["one", "1.00 (1.00 to 5.00)"]);
    let curve = &found.plots[0].curves[0];
    assert_eq!((&curve.points[..], &curve.ranges[..]), (&[(1.0, 1.0), (2.0, 7.0)][..], &[(1.0, 5.0), (7.0, 7.0)][..]));
    let figures: Vec<_> = found.figures.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(figures, [("all ns", 1), ("least of all ns", 1), ("most of all ns", 5)]);
    // The verdict follows the median, whatever the first start said.
    let failed = ROW.findings_over(PLAN, &outcomes(&[1, 5, 4])).unwrap();
    assert!(failed.claims.iter().any(|judged| judged.claim.quantity.id == "figure" && judged.verdict.failed()));
}

/// Holds: bench-phases.
#[test]
fn phases_of_one_start_are_the_row_itself() {
    let one = outcomes(&[2]);
    assert_eq!(ROW.findings_over(PLAN, &one).unwrap(), ROW.findings(PLAN, &one[0]).unwrap());
    assert_eq!(over(&[]), Findings::default());
}

/// Holds: bench-phases.
#[test]
fn phases_are_there_for_rows_that_need_them() {
    let t4 = ROWS.iter().filter(|row| row.id == "P1.T4");
    for row in OF_BACKGROUND.iter().chain(OF_RECLAIM).chain(OF_IO_SPEED).chain(t4) {
        for run in (row.runs)(PLAN) {
            let linux = matches!(run.machine, BenchMachine::Linux(_));
            assert!(linux || run.has_phases(), "{}: {}", row.id, run.script);
        }
    }
}
