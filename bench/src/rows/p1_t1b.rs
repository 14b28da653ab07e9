//! P1.T1b: how many calls between processes a long compile makes, within boards and between them, and what one costs.

use super::{LedgerRow, RowPlan, us};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Findings, FindingsTable, quotient};
use crate::observed::{LOCAL_INSTRUCTIONS, ObservedCalls, counted};
use crate::run::{BenchMachine, BenchRun, BenchSystem, CostProfile, OURS, PAPERS, RunOutcome};
use crate::workload::CC_6876;
use anyhow::{Context, Result};
use renga_trace::event::{Timed, TraceEvent};

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P1.T1b",
    title: "Calls between processes in a compile of 6876 bytes, and what one costs",
    published: "18,626 calls, of which 2,625 between boards (14 %). A call takes 158 to 219 us within a board, 2.41 to 3.96 \
         ms between boards (17 times as much), of which the wire is 3 %. Both processors together work 2.97 to 5.92 \
         ms for it.",
    method: "tcc compiles twice; the trace of the second run counts. The cost of a call between boards is its time \
         without the server's. A call within a board costs 103 instructions (`bench rendezvous`). The wire's share \
         is that of a null call from b to a and back: two frames, the median of 64 calls.",
    runs,
    further: None,
    claims,
    evaluate,
};

/// The quantities of claims: calls that leave their board; of a null call the software, the wire, the cost.
const SHARE: &str = "share-between-boards";
const SOFTWARE: &str = "software-share";
const SOFTWARE_MS: &str = "software-ms";
const WIRE: &str = "wire-share";
const COST: &str = "between-to-within";
/// What is aimed at of the wire's share.
const WIRE_AIM: f64 = 0.85;

fn claims(profile: CostProfile) -> Vec<Claim> {
    let share = Quantity::new(SHARE, "calls that leave their board, without leases, to all calls", "share");
    let software = Quantity::new(SOFTWARE, "software of both boards in a null call between them", "share");
    let software_ms = Quantity::new(SOFTWARE_MS, "software of both boards for a null call", "ms");
    let cost = Quantity::new(COST, "a call between boards to one within", "times");
    let processors = Claim::paper(
        software_ms,
        "2.97 to 5.92",
        ClaimBound::AtMost(5.92),
        "the most that both processors of the paper work for a call",
    );
    let mut claims = vec![
        Claim::paper(share, "0.14", ClaimBound::AtMost(0.14), "the paper's share, without leases as there"),
        Claim::paper(
            software,
            "0.97",
            ClaimBound::AtLeast(0.97),
            "the paper's wire takes 3 %, its processors the rest",
        ),
        match profile {
            CostProfile::Pi3 => processors.untested("ms of processors a thousand times apart"),
            CostProfile::Paper1989 => processors,
        },
        Claim::paper(cost, "17", ClaimBound::AtMost(17.0), "the published ratio")
            .untested("the call between boards begins with a program's trap, the call within a board does not"),
    ];
    if profile == CostProfile::Pi3 {
        let wire = Quantity::new(WIRE, "the wire in a null call between boards", "share");
        let reason = "software then adds less than a fifth to the wire";
        claims.push(Claim::aim(wire, ClaimBound::AtLeast(WIRE_AIM), reason));
    }
    claims
}

/// The compile on b with leases, without, on a; null calls.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let compile = |board: &str, system: BenchSystem| {
        let script: String = ["1", "2"].iter().map(|time| format!("on {board} {}\n", CC_6876.timed(time))).collect();
        BenchRun::new(BenchMachine::Cluster(system), plan.profile, "dev", &script).traced()
    };
    let null = "on b /usr/lib/renga/linkcall\n";
    let null = BenchRun::new(BenchMachine::Cluster(OURS), plan.profile, "small", null).traced();
    match plan.short {
        true => vec![compile("b", OURS), null],
        false => vec![compile("b", OURS), null, compile("b", PAPERS), compile("a", OURS)],
    }
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let mut findings = Findings::default();
    let columns =
        ["", "calls", "between boards", "share", "least, us", "median", "most", "published:", "calls", "between"];
    let mut table = FindingsTable::new("The compile; costs of calls between boards", &columns);
    let local_ns = LOCAL_INSTRUCTIONS * plan.profile.instruction_ns();
    for (label, run) in [("b", 0), ("b without leases", 2), ("a", 3)] {
        let Some(outcome) = outcomes.get(run) else { continue };
        let measured = outcome.measured("2")?;
        let (header, events) = outcome.events()?;
        let found = counted(&header, &events, measured.begin_ns, measured.begin_ns + measured.ns);
        let ObservedCalls { local, remote, costs_ns } = &found;
        findings.figure(format!("calls within boards, compile on {label}"), *local);
        findings.figure(format!("calls between boards, compile on {label}"), *remote);
        let share = quotient(*remote, local + remote);
        let cost = |place: usize| costs_ns.get(place).map_or("-".to_string(), |ns| us(*ns));
        let published = if label == "a" { ["18626", "0"] } else { ["18626", "2625"] };
        let median = costs_ns.len() / 2;
        let mut row = vec![
            label.to_string(),
            (local + remote).to_string(),
            remote.to_string(),
            format!("{:.1} %", 100.0 * share),
        ];
        row.extend([cost(0), cost(median), cost(costs_ns.len().saturating_sub(1)), String::new()]);
        row.extend(published.map(str::to_string));
        table.rows.push(row);
        if run == 2 {
            findings.quantity(SHARE, share);
        }
    }
    findings.tables.push(table);
    let null = null_call(outcomes.get(1).context("null calls are needed")?)?;
    let Null { total_ns, wire_ns, token_ns, server_ns } = null;
    let caller_ns = total_ns.saturating_sub(wire_ns + token_ns + server_ns);
    findings.figure("null call between boards ns", total_ns);
    let mut table = FindingsTable::new("One call, us (published: ms)", &["", "us", "published"]);
    table.rows = vec![
        vec!["within a board".into(), us(local_ns), "0.158 to 0.219".into()],
        vec!["between boards, from and to the program".into(), us(total_ns), "2.41 to 3.96".into()],
        vec!["  of that the wire".into(), us(wire_ns), "3 %".into()],
        vec!["  of that waiting for the token".into(), us(token_ns), "-".into()],
        vec!["  of that software on the caller's board".into(), us(caller_ns), "-".into()],
        vec!["  of that software on the server's board".into(), us(server_ns), "-".into()],
    ];
    findings.tables.push(table);
    let software_ns = (caller_ns + server_ns) as f64;
    findings.quantity(SOFTWARE, software_ns / total_ns as f64);
    findings.quantity(SOFTWARE_MS, software_ns / 1e6);
    findings.quantity(COST, total_ns as f64 / local_ns as f64);
    if plan.profile == CostProfile::Pi3 {
        findings.quantity(WIRE, wire_ns as f64 / total_ns as f64);
    }
    let aim_ns = (wire_ns as f64 / WIRE_AIM) as u64;
    findings.notes.push(format!(
        "Why: the two frames are on the wire for {} us. For 85 % all the rest must take {} us; it takes {} us: the \
         token {}, software on the caller's board {} ({} instructions from trap to frame and from reply to program), \
         on the server's {} ({} instructions).",
        us(wire_ns),
        us(aim_ns.saturating_sub(wire_ns)),
        us(total_ns - wire_ns),
        us(token_ns),
        us(caller_ns),
        caller_ns / plan.profile.instruction_ns(),
        us(server_ns),
        server_ns / plan.profile.instruction_ns()
    ));
    Ok(findings)
}

/// A null call: its time, and of that the wire's and the waits for the token.
#[derive(Clone, Copy)]
struct Null {
    total_ns: u64,
    wire_ns: u64,
    token_ns: u64,
    /// From the request's arrival until its answer is sent.
    server_ns: u64,
}

/// The median of the program's own measurements.
fn null_call(outcome: &RunOutcome) -> Result<Null> {
    let (_, events) = outcome.events()?;
    let call = |line: &str| {
        let (begin, end) = line.trim_end().strip_prefix("linkcall ")?.split_once(' ')?;
        null_between(&events, begin.parse().ok()?, end.parse().ok()?)
    };
    let mut calls: Vec<Null> = outcome.text.lines().filter_map(call).collect();
    calls.sort_by_key(|call| call.total_ns);
    calls.get(calls.len() / 2).copied().with_context(|| format!("no null calls; the run said:\n{}", outcome.text))
}

/// The first frame from b to a in that time, and the first back behind it.
fn null_between(events: &[Timed], begin_ns: u64, end_ns: u64) -> Option<Null> {
    let mut frames = events.iter().filter(|timed| (begin_ns..end_ns).contains(&timed.time_ns)).filter_map(|timed| {
        let TraceEvent::Frame(frame) = &timed.event else { return None };
        Some((timed.board, timed.time_ns, frame))
    });
    let (_, there_ns, there) = frames.find(|(board, ..)| *board == 1)?;
    let (_, back_ns, back) = frames.find(|(board, ..)| *board == 0)?;
    let arrived_ns = there_ns + there.arrives_after_ns;
    Some(Null {
        total_ns: end_ns - begin_ns,
        wire_ns: there.wire_ns + back.wire_ns,
        token_ns: there.token_wait_ns + back.token_wait_ns,
        server_ns: back_ns.saturating_sub(back.token_wait_ns).saturating_sub(arrived_ns),
    })
}
