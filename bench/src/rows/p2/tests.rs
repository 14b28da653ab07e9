//! Figures of P2 from made outcomes.

use super::{Figure, Pair, Task, judge, runs, tries};
use crate::findings::Verdict;
use crate::rows::Plan;
use crate::run::{ALONE, Outcome, Profile};

const FRONT: Task = Task { name: "front", title: "front", before: "", script: "", work: 10 };
const JOB: Task = Task { name: "job", title: "job", before: "", script: "", work: 40 };
const fn pair(jobs: u32, counts: bool) -> Pair {
    Pair { front: &FRONT, job: &JOB, jobs, counts }
}
const FIGURE: Figure =
    Figure { title: "t", pairs: &[pair(1, true), pair(2, false)], system: ALONE, published: ("500 %", [12.0, 3.0]) };
const PLAN: Plan = Plan { profile: Profile::Pi3, short: false };

fn measured(label: &str, begin_s: u64, seconds: f64) -> String {
    let ns = (seconds * 1e9) as u64;
    format!(
        "measuring {label} at {}\nmeasured {label} status 0 ns {ns} counters 0 0 0 totals 0\n",
        begin_s * 1_000_000_000
    )
}

/// Of 10 s the foreground, alone, keeps its processor busy for 8.
fn front(seconds: f64) -> String {
    format!("jobs 2 0\nbefore 100 90\n{}after 1100 290\n", measured("front", 1, seconds))
}

fn outcome(text: String) -> Outcome {
    Outcome { text, trace: None }
}

fn outcomes(eii_s: f64) -> Vec<Outcome> {
    let both = |seconds: f64| outcome(front(seconds) + &measured("job-1", 0, 40.0));
    let three = |seconds: f64| outcome(front(seconds) + &measured("job-1", 0, 20.0) + &measured("job-2", 10, 40.0));
    let alone = [front(10.0), measured("job-1", 0, 36.0), measured("job-1", 0, 10.0) + &measured("job-2", 3, 15.0)];
    let pairs = [both(20.0), both(eii_s), both(10.05), three(30.0), three(10.0), three(10.0)];
    alone.map(outcome).into_iter().chain(pairs).collect()
}

#[test]
fn each_task_runs_alone_and_each_pair_in_each_mode() {
    let runs = runs(PLAN, &FIGURE);
    assert_eq!(runs.len(), 3 + 2 * 3);
    assert!(
        runs[8].script.contains("--policy ipd") && runs[8].script.contains("measure job-2 sh /p2/job 2 20 > job-2 &")
    );
    assert!(runs[0].script.contains("timed front sh /p2/front 0 10") && !runs[0].script.contains("\nheld\n"));
    assert!(!runs[1].script.contains("front"), "{}", runs[1].script);
    assert_eq!(super::runs(Plan { short: true, ..PLAN }, &FIGURE).len(), 2 + 3);
}

#[test]
fn figures_and_verdicts_are_of_what_was_measured() {
    let found = judge(PLAN, &FIGURE, &outcomes(11.0)).unwrap();
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
    assert_eq!(found.verdict(), Some(Verdict::Confirmed));
    assert_eq!(judge(PLAN, &FIGURE, &outcomes(10.4)).unwrap().verdict(), Some(Verdict::Beaten));
    assert_eq!(judge(PLAN, &FIGURE, &outcomes(11.3)).unwrap().verdict(), Some(Verdict::Refuted));
    assert!(judge(PLAN, &FIGURE, &outcomes(11.0)[1..]).is_err());
    let mut held = outcomes(11.0);
    held[4].text = held[4].text.replace("jobs 2 0", "jobs 2 1");
    assert!(judge(PLAN, &FIGURE, &held).is_err());
}

#[test]
fn what_the_paper_says_of_intervals_is_counted() {
    assert_eq!([0.5, 1.2, 3.2, 3.3, 7.5, 15.6, 31.7, 47.9].map(tries), [0, 1, 1, 2, 3, 4, 5, 6]);
}
