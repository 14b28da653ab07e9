//! Figures of P2 from synthetic outcomes.

use super::{JobsClaim, Occupied, P2Figure, P2Pair, P2Task, PairPlacement, claims, evaluate, runs};
use crate::rows::RowPlan;
use crate::run::{ALONE, CostProfile, OURS, RunOutcome};

const FRONT: P2Task = P2Task { name: "front", title: "front", before: "", script: "", work: 10 };
const JOB: P2Task = P2Task { name: "job", title: "job", before: "", script: "", work: 40 };
const fn pair(jobs: u32, counts: bool) -> P2Pair {
    let places = PairPlacement { system: ALONE, front: "a", jobs: &["a"] };
    P2Pair { front: &FRONT, job: &JOB, jobs, places, counts }
}
const FIGURE: P2Figure = P2Figure {
    title: "t",
    pairs: &[pair(1, true), pair(2, false)],
    short: None,
    occupied: Occupied::Wholly,
    published: (500.0, [12.0, 3.0]),
    jobs: Some(JobsClaim::Regulated { jobs: 1 }),
    untested: None,
};
const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: false };

fn measured(label: &str, begin_s: u64, seconds: f64) -> String {
    let ns = (seconds * 1e9) as u64;
    format!(
        "measuring {label} at {}\nmeasured {label} status 0 ns {ns} counters 0 0 0 totals 0\n",
        begin_s * 1_000_000_000
    )
}

/// Of 10 s the foreground, alone, keeps its processor busy for 8.
fn front(seconds: f64) -> String {
    let counts = ["without 9 1 2 3 4 5 6 7 8 9\n", "with 109 1 52 3 1004 505 6 1007 908 9\n"];
    let [without, with] = counts;
    format!("jobs 2 0\n{without}before 100 90\n{}after 1100 290\n{with}", measured("front", 1, seconds))
}

fn outcome(text: String) -> RunOutcome {
    RunOutcome { text, trace: None }
}

fn outcomes(eii_s: f64) -> Vec<RunOutcome> {
    let both = |seconds: f64| outcome(front(seconds) + &measured("job-1", 0, 40.0));
    let three = |seconds: f64| outcome(front(seconds) + &measured("job-1", 0, 20.0) + &measured("job-2", 10, 40.0));
    let alone = [front(10.0), measured("job-1", 0, 36.0), measured("job-1", 0, 10.0) + &measured("job-2", 3, 15.0)];
    let pairs = [both(20.0), both(eii_s), both(10.05), three(30.0), three(10.0), three(10.0)];
    alone.map(outcome).into_iter().chain(pairs).collect()
}

#[test]
fn p2_runs_cover_tasks_and_pairs() {
    let runs = runs(PLAN, &FIGURE);
    assert_eq!(runs.len(), 3 + 2 * 3);
    assert!(
        runs[8].script.contains("--policy ipd") && runs[8].script.contains("measure job-2 sh /p2/job 2 20 > job-2 &")
    );
    assert!(runs[0].script.contains("timed front sh /p2/front 0 10") && !runs[0].script.contains("\nheld\n"));
    assert!(!runs[1].script.contains("front"), "{}", runs[1].script);
    assert_eq!(super::runs(RowPlan { short: true, ..PLAN }, &FIGURE).len(), 2 + 3);
}

#[test]
fn p2_quantities_follow_measurements() {
    let found = evaluate(PLAN, &FIGURE, &outcomes(11.0)).unwrap();
    assert_eq!(
        found.tables[0].rows[0],
        ["front, 1 x job", "10000", "20000", "100.00 %", "11000", "10.00 %", "10050", "0.50 %"]
    );
    // 36 s of 30 that were idle would be more than there is: the share says so.
    assert_eq!(
        found.tables[1].rows[0],
        ["front, 1 x job", "36000", "40000", "120 %", "40000", "120 %", "40000", "120 %"]
    );
    assert_eq!(found.tables[1].rows[1][1..4], ["18000", "50000", "45 %"]);
    assert!(found.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.columns.len())));
    let near = |id: &str, wanted: f64| (found.measured[id].clone().unwrap() - wanted).abs() < 1e-9;
    assert!(near("lowest-class", 100.0) && near("EII", 10.0) && near("EII-aim", 10.0) && near("IPD", 0.5));
    assert!(near("jobs-end", 1.0) && near("EII-share", 0.45), "{:?}", found.measured);
    assert_eq!(found.measured.len(), claims(&FIGURE).len());
    assert!(evaluate(PLAN, &FIGURE, &outcomes(11.0)[1..]).is_err());
    let mut suspended = outcomes(11.0);
    suspended[4].text = suspended[4].text.replace("jobs 2 0", "jobs 2 1");
    assert!(evaluate(PLAN, &FIGURE, &suspended).is_err());
}

#[test]
fn p2_contention_is_derived_from_counts() {
    let found = evaluate(PLAN, &FIGURE, &outcomes(11.0)).unwrap();
    assert_eq!(found.tables[2].rows[0], ["front, 1 x job", "0, 50, 0 of 100", "0, 50, 0 of 100", "0, 50, 0 of 100"]);
    assert_eq!(found.tables[3].rows[0][3..5], ["1000, 500, 0", "1000, 900, 0"]);
    let two = outcome("with 1 2 3 4 5 6 7 8 9 10 11 2 2 2 2 2 2 2 2 2\n".to_string());
    let counts = super::measured::RegulatorCounts::of(&two, "with ").unwrap();
    assert_eq!((counts.samples, counts.contended, counts.jobs), (11, [4, 5, 6], [10, 11, 12]), "boards are added up");
    assert!(super::measured::RegulatorCounts::of(&outcome("with 1 2\n".to_string()), "with ").is_err());
}

#[test]
fn p2_idle_time_excludes_waiters() {
    let figure = P2Figure { occupied: Occupied::Processor, ..FIGURE };
    let found = evaluate(PLAN, &figure, &outcomes(11.0)).unwrap();
    assert_eq!(found.tables[1].rows[0][..4], ["front, 1 x job", "36000", "40000", "112 %"], "36 s of 40 less 8");
}

#[test]
fn p2_pairs_run_where_placed() {
    const PAIR: P2Pair =
        P2Pair { places: PairPlacement { system: OURS, front: "b", jobs: &["a", "b"] }, jobs: 3, ..pair(3, true) };
    let figure = P2Figure { pairs: &[PAIR], ..FIGURE };
    let script = &runs(PLAN, &figure)[2].script;
    assert!(script.contains("timed front remote -b b sh /p2/front 0 10\n"), "{script}");
    assert!(script.contains("measure job-1 sh /p2/job 1 13 >") && script.contains("measure job-3 sh /p2/job 3 13 >"));
    assert!(script.contains("measure job-2 remote -b b sh /p2/job 2 13 > job-2 &\n"), "{script}");
}

/// Holds: bench-verdicts.
#[test]
fn p2_policy_without_contention_is_not_tested() {
    let mut outcomes = outcomes(11.0);
    let slow = measured("front", 1, 20.0);
    outcomes[3].text = outcomes[3].text.replace(&slow, &measured("front", 1, 10.2));
    let found = evaluate(PLAN, &FIGURE, &outcomes).unwrap();
    assert!(["EII", "IPD"].iter().all(|id| found.measured[*id].is_err()), "{:?}", found.measured);
}
