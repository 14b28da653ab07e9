//! Outcomes of P2's rows.

use super::Asked;
use crate::run::{BenchRun, RunOutcome};
use crate::support::{measured, outcome};
use std::fmt::Write;

pub(super) fn outcomes(asked: &Asked<'_>) -> Vec<RunOutcome> {
    if asked.row.id == "P2.F1" {
        return ["disk", "send"].map(|load| outcome(samples(asked, load))).into();
    }
    asked.runs.iter().map(|run| outcome(text(asked, run))).collect()
}

/// Seconds of the foreground and of the jobs; alone 10 and 30.
fn text(asked: &Asked<'_>, run: &BenchRun) -> String {
    let jobs = (1..).take_while(|job| run.script.contains(&format!("measure job-{job} "))).count();
    let has_front = run.script.contains("timed front ");
    let policy = ["eii", "ipd"].into_iter().find(|policy| run.script.contains(&format!("--policy {policy}")));
    let first_to_end = if asked.row.id == "P2.F2b" { "ipd" } else { "eii" };
    let (front_s, jobs_s) = match (has_front, jobs, policy) {
        (_, 0, _) => (10.0, 0.0),
        (false, ..) => (0.0, 30.0),
        (true, _, None) => (asked.pick(&["lowest-class"], 10.1, 70.0), 45.0),
        (true, _, Some(policy)) => {
            let title = policy.to_uppercase();
            let [aim, share] = ["aim", "share"].map(|what| format!("{title}-{what}"));
            let late = asked.pick(&[&share], 60.0, 40.0);
            let last = asked.fails == "jobs-end" && (asked.row.id == "P2.F5" || policy == first_to_end);
            (asked.pick(&[&title, &aim], 13.0, 10.04), if last { 50.0 } else { late })
        }
    };
    let mut text = String::from("jobs 2 0\nwithout 9 1 2 3 4 5 6 7 8 9\nwith 109 1 52 3 1004 505 6 1007 908 9\n");
    text += "before 100 90\nafter 1100 290\n";
    if has_front {
        text += &measured("front", 1_000_000_000, (front_s * 1e9) as u64, "0");
    }
    (1..=jobs).for_each(|job| text += &measured(&format!("job-{job}"), 0, (jobs_s * 1e9) as u64, "0"));
    text
}

/// Idle, and the jobs' share of processor, disk, link: beside a foreground, which either the resource's share or the
/// processor's reveals; and without one.
fn samples(asked: &Asked<'_>, load: &str) -> String {
    let of = |cpu: u32, own: u32, idle: u32| match load {
        "disk" => format!("{idle} {cpu} {own} 0"),
        _ => format!("{idle} {cpu} 0 {own}"),
    };
    let (by_own, by_cpu, without) = (of(100, 50, 10), of(50, 100, 10), of(0, 100, 50));
    let without = asked.pick(&[&format!("chosen-{load}")], of(0, 95, 50), without);
    let both = load == "send" && asked.fails != "link-both";
    let cpu_alone = load == "disk" && asked.fails == "disk-own";
    let mut text = String::new();
    for job in 1..=8 {
        let _ = writeln!(text, "look-{job}-0 {}", [without.as_str(); 6].join(" "));
        for front in 1..=8 {
            let with = if cpu_alone || (both && front % 2 == 0) { &by_cpu } else { &by_own };
            let _ = writeln!(text, "look-{job}-{front} {}", [with.as_str(); 6].join(" "));
        }
    }
    text
}
