//! P1.T4: compiles on the board without the disk, with calls between boards that wait and with some that do not.

use super::{LedgerRow, RowPlan, mean, ms, twice_on_b};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Findings, FindingsTable};
use crate::run::{
    BenchRun, BenchSystem, CostProfile, OURS, OURS_ASYNC, PAIRED, PAIRED_ASYNC, PAPERS, PAPERS_ASYNC, RunOutcome,
};
use crate::spent::{self, spent};
use crate::workload::{CC_8012, CC_49797, CC_96413, WorkloadProgram};
use anyhow::{Result, bail};

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P1.T4",
    title: "Synchronous and asynchronous calls between boards, compiles on b",
    published: "Asynchronous calls gain 1 % on average: waiting for a rendezvous costs little. 91 % of the calls between \
         boards return nothing, so they could be asynchronous.",
    method: "`mode` of the system file is the only difference. tcc compiles each source twice; the second run counts. \
         In the paper's form, `messages = \"paired\"`, a call that returns data is two rendezvous, one in each \
         direction; one that returns only its status stays one. With `sync` the routers send the end of each, and the \
         proxy is taken until the second's; with `async` neither is sent, so the gain is what the ends cost. The router \
         counts by protocol which return nothing. With paper-1989 only the first source runs without leases.",
    runs,
    further: None,
    claims,
    evaluate,
};

const PROGRAMS: [(WorkloadProgram, [f64; 2]); 3] =
    [(CC_8012, [98.1, 99.6]), (CC_49797, [479.1, 484.7]), (CC_96413, [831.7, 841.1])];
/// Why the paper's question is not asked.
const FEW_CALLS: &str = "a reply with data is no rendezvous of its own here, so almost none could be asynchronous";
/// The configurations, by the word of their quantities; why the paper's question is not asked of it.
const FORMS: [(&str, &str, Option<&str>); 3] = [
    ("leases", "with leases", Some(FEW_CALLS)),
    ("no-leases", "without leases", Some(FEW_CALLS)),
    ("paired", "without leases, paired, as in the paper", None),
];

fn claims(_: CostProfile) -> Vec<Claim> {
    let of = |(word, which, untested): &(&str, &str, Option<&str>)| {
        let gain = format!("what asynchronous rendezvous gain on average, {which}");
        let share = format!("rendezvous that could be asynchronous, {which}");
        let claims = [
            Claim::paper(
                Quantity::new(format!("gain-{word}"), gain, "%"),
                "1.26",
                ClaimBound::Within(0.0, 2.0),
                "the paper says about 1 %",
            ),
            Claim::paper(
                Quantity::new(format!("could-be-{word}"), share, "share"),
                "0.91",
                ClaimBound::AtLeast(0.91),
                "the published share; in paired form only calls for a status can lower it",
            ),
        ];
        claims.map(|claim| untested.map_or(claim.clone(), |why| claim.untested(why)))
    };
    FORMS.iter().flat_map(of).collect()
}

fn programs(plan: RowPlan) -> &'static [(WorkloadProgram, [f64; 2])] {
    if plan.short { &PROGRAMS[..1] } else { &PROGRAMS }
}

/// Those that run without leases too: each takes more than a minute of 1989 so.
fn without_leases(plan: RowPlan) -> &'static [(WorkloadProgram, [f64; 2])] {
    if plan.profile == CostProfile::Paper1989 { &PROGRAMS[..1] } else { programs(plan) }
}

/// With leases synchronous, asynchronous; without them the same; paired the same.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let on_b = |system: BenchSystem, programs: &[(WorkloadProgram, _)]| {
        twice_on_b(plan, system, programs.iter().map(|(program, _)| program)).traced()
    };
    let (with, without) = (programs(plan), without_leases(plan));
    let systems = [(OURS, with), (OURS_ASYNC, with), (PAPERS, without), (PAPERS_ASYNC, without)];
    systems.into_iter().chain([(PAIRED, without), (PAIRED_ASYNC, without)]).map(|(of, on)| on_b(of, on)).collect()
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let [ours, ours_async, papers, papers_async, paired, paired_async] = outcomes else { bail!("six runs are needed") };
    let mut findings = Findings::default();
    let columns =
        ["", "async", "sync", "gain", "rendezvous", "could be", "were", "published:", "async", "sync", "gain"];
    let without = without_leases(plan);
    let runs = [(ours, ours_async, programs(plan)), (papers, papers_async, without), (paired, paired_async, without)];
    for ((word, what, _), (sync, asynchronous, programs)) in FORMS.iter().zip(runs) {
        let mut table = FindingsTable::new(format!("{what}, ms (published: s)"), &columns);
        let (mut gains, mut could_be, mut all) = (Vec::new(), 0, 0);
        for (program, published) in programs {
            let label = format!("{}-2", program.name);
            let (sync, asynchronous) = (sync.measured(&label)?, asynchronous.measured(&label)?);
            let gain = |sync: f64, asynchronous: f64| 100.0 * (sync - asynchronous) / sync;
            let ours = gain(sync.ns as f64, asynchronous.ns as f64);
            gains.push(ours);
            all += sync.calls;
            could_be += sync.could_be_asynchronous;
            for (mode, found) in [("sync", sync), ("async", asynchronous)] {
                findings.figure(format!("{} {what} {mode} ns", program.name), found.ns);
                findings.figure(format!("{} {what} {mode} calls", program.name), found.calls);
            }
            let share = |all| 100.0 * sync.could_be_asynchronous as f64 / all as f64;
            let share =
                Some(sync.calls).filter(|all| *all > 0).map_or("-".into(), |all| format!("{:.0} %", share(all)));
            table.rows.push(vec![
                program.title.to_string(),
                ms(asynchronous.ns),
                ms(sync.ns),
                format!("{ours:.2} %"),
                sync.calls.to_string(),
                share,
                asynchronous.asynchronous.to_string(),
                String::new(),
                published[0].to_string(),
                published[1].to_string(),
                format!("{:.2} %", gain(published[1], published[0])),
            ]);
        }
        findings.tables.push(table);
        findings.quantity(format!("gain-{word}"), mean(&gains));
        match all {
            0 => findings.unmeasured(format!("could-be-{word}"), "nothing crosses"),
            all => findings.quantity(format!("could-be-{word}"), could_be as f64 / all as f64),
        }
    }
    say_why(plan, [ours, ours_async], &mut findings)?;
    Ok(findings)
}

/// Where the time goes with leases, synchronous and asynchronous, and what is there to gain.
fn say_why(plan: RowPlan, runs: [&RunOutcome; 2], findings: &mut Findings) -> Result<()> {
    let labels: Vec<String> = programs(plan).iter().map(|(program, _)| format!("{}-2", program.name)).collect();
    let [sync, asynchronous] = [spent(runs[0], &labels)?, spent(runs[1], &labels)?];
    let mut table = spent::table();
    for ((program, _), (sync, asynchronous)) in programs(plan).iter().zip(sync.iter().zip(&asynchronous)) {
        let both = [("sync", sync), ("async", asynchronous)];
        table.rows.extend(both.map(|(mode, found)| found.row(&format!("{}, {mode}", program.title))));
    }
    findings.tables.push(table);
    if let Some(((program, _), found)) = programs(plan).iter().zip(&sync).next_back() {
        findings.notes.push(format!(
            "Why: {} makes {}. Only rendezvous that return nothing can gain, and only what their callers waited. In the \
             paper's system an answer with data is one of its own in the other direction (P1.T2), and neither of the \
             two returns anything. Here it is the reply, which the caller awaits. In paired form the routers send the \
             ends of both; a server goes on at once, its proxy does not.",
            program.title,
            found.words()
        ));
    }
    Ok(())
}
