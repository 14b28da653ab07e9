//! P1.T3: two placements of the system's processes, programs on the board without the disk.

use super::{Plan, Row, ms};
use crate::findings::{Bound, Claim, Findings, Table};
use crate::run::{MOVED, Machine, OURS, Outcome, PAPERS, PAPERS_MOVED, Run, System};
use crate::workload::{CC_6876, CC_96413, PIPELINE, Program};
use anyhow::{Result, bail};

/// The row.
pub const ROW: Row = Row {
    id: "P1.T3",
    title: "Two placements by the system file alone, programs on b",
    published: "With only the disk's process on a there are fewer calls between boards than with the standard placement, and yet \
                programs take longer: two boards at work at once outweigh the calls.",
    method: "The standard placement, and one with the process that recalls leases and the one that writes back on b. The paper's other placement is none here: `renga check` refuses it, since what reads and writes files is \
             to be where the disk is, as pages would cross the link for nobody; with the allocator of blocks on b, boards die \
             at boot, as all inodes call it. So this asks the paper's question of the two \
             placements that there are: is the one with more calls between boards the faster? Each program runs twice; the \
             second time counts.",
    runs,
    judge,
};

/// Programs, and what was published of them: other placement s, calls; standard s, calls.
const PROGRAMS: [(Program, [f64; 4]); 3] = [
    (CC_6876, [92.2, 1326.0, 90.5, 3102.0]),
    (CC_96413, [858.9, 10_496.0, 831.8, 21_856.0]),
    (PIPELINE, [4.7, 79.0, 3.8, 276.0]),
];
/// Time with more calls to time with fewer, as published for the longest compile: less than 1.
const MORE_CALLS: Bound = Bound::AtMost(1.0, 0.968);

fn programs(plan: Plan) -> &'static [(Program, [f64; 4])] {
    if plan.short { &PROGRAMS[..1] } else { &PROGRAMS }
}

/// With leases: standard, moved; without: the same.
fn runs(plan: Plan) -> Vec<Run> {
    let on_b = |system: System| {
        let twice = |(program, _): &(Program, _)| {
            ["1", "2"].map(|time| format!("on b {}\n", program.timed(&format!("{}-{time}", program.name)))).concat()
        };
        let script: String = programs(plan).iter().map(twice).collect();
        Run::new(Machine::Cluster(system), plan.profile, "dev", &script)
    };
    vec![on_b(OURS), on_b(MOVED), on_b(PAPERS), on_b(PAPERS_MOVED)]
}

fn judge(plan: Plan, outcomes: &[Outcome]) -> Result<Findings> {
    let [ours, moved, papers, papers_moved] = outcomes else { bail!("four runs are needed") };
    let mut findings = Findings::default();
    let columns = ["", "standard", "calls", "moved", "calls", "published:", "standard", "calls", "other", "calls"];
    for (what, standard, moved, counts) in
        [("with leases", ours, moved, true), ("without leases", papers, papers_moved, false)]
    {
        let mut table = Table::new(format!("{what}, ms and calls that b makes to a (published: s)"), &columns);
        let mut worst = 0.0f64;
        for (program, published) in programs(plan) {
            let label = format!("{}-2", program.name);
            let (standard, moved) = (standard.measured(&label)?, moved.measured(&label)?);
            for (placement, found) in [("standard", standard), ("moved", moved)] {
                findings.figure(format!("{} {what} {placement} ns", program.name), found.ns);
                findings.figure(format!("{} {what} {placement} calls", program.name), found.calls);
            }
            let (more, fewer) = if standard.calls >= moved.calls { (standard, moved) } else { (moved, standard) };
            worst = worst.max(more.ns as f64 / fewer.ns.max(1) as f64);
            let mut row = vec![program.title.to_string(), ms(standard.ns), standard.calls.to_string()];
            row.extend([ms(moved.ns), moved.calls.to_string(), String::new()]);
            row.extend([2, 3, 0, 1].map(|place: usize| published[place].to_string()));
            table.rows.push(row);
        }
        findings.tables.push(table);
        let what = format!("time with more calls to time with fewer, the worst program, {what}");
        let claim = Claim::new(what, "0.97 to 0.81", worst, MORE_CALLS);
        findings.claims.push(if counts { claim } else { claim.beside() });
    }
    Ok(findings)
}
