//! P1.T2: single system calls from the board without the disk and from the one with it: response, cost of calls between
//! processes, overlap.

use super::{LedgerRow, RowPlan, us};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Findings, FindingsTable, quotient};
use crate::observed::{LOCAL_INSTRUCTIONS, Observed, marked};
use crate::run::{BenchMachine, BenchRun, BenchSystem, CostProfile, OURS, PAPERS, RunOutcome};
use crate::workload::files_for_calls;
use anyhow::{Result, bail};

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P1.T2",
    title: "System calls from board b and from board a: response, calls between processes, overlap",
    published: "From b a call takes 1.4 to 2.4 times as long as from a (without the disk's time). Calls between boards, 30 \
         for the six together, are more than half of that. write and close release their callers while the other \
         board still works.",
    method: "A program makes each call five times with computation around it; the median response counts. Cost between \
         boards: a call's time without its server's. Cost within a board: the number of calls at 103 instructions \
         each. Overlap: two cores work, one of them for the system, during the response. exec: a program of 512 bytes \
         that no program has read.",
    runs,
    further: None,
    claims,
    evaluate,
};

/// A call: its name, Linux' number, and what was published, ms: from b response, cost between boards (calls), overlap
/// with the disk, of boards; from a response, overlap with the disk, cost within (calls).
struct PublishedCall {
    name: &'static str,
    number: u32,
    from_b: [f64; 5],
    from_a: [f64; 4],
}

const CALLS: [PublishedCall; 6] = [
    PublishedCall { name: "read, hit", number: 63, from_b: [10.1, 6.4, 2.0, 0.0, 0.5], from_a: [4.2, 0.0, 1.8, 10.0] },
    PublishedCall { name: "read, miss", number: 63, from_b: [8.2, 5.4, 2.0, 1.3, 0.5], from_a: [3.9, 0.7, 1.7, 8.0] },
    PublishedCall { name: "write", number: 64, from_b: [6.3, 4.0, 1.0, 0.0, 2.0], from_a: [4.3, 0.0, 1.8, 10.0] },
    PublishedCall { name: "open", number: 56, from_b: [25.4, 20.9, 10.0, 0.0, 6.1], from_a: [10.6, 0.0, 5.9, 33.0] },
    PublishedCall { name: "close", number: 57, from_b: [5.8, 4.8, 2.0, 0.0, 3.2], from_a: [4.2, 0.0, 2.0, 12.0] },
    PublishedCall {
        name: "exec",
        number: 221,
        from_b: [53.1, 32.9, 13.0, 21.3, 11.0],
        from_a: [34.7, 17.8, 14.2, 90.0],
    },
];
/// How often each one runs.
const TIMES: usize = 5;

/// A call from b takes at most so many times as long as from a.
const B_TO_A: f64 = 2.4;
/// Both configurations, by the word of their quantities: the second is the paper's.
const LEASES: [(&str, &str); 2] = [("leases", "with leases"), ("no-leases", "without leases, as in the paper")];

/// The quantity of the boards' overlap in a call.
fn overlap(call: &PublishedCall, leases: &str) -> String {
    format!("overlap-{}-{leases}", call.name.replace(", ", "-"))
}

/// From which share of today's cost of a call on the paper expects a system call to be quicker from b.
const EXPECTED: [(&str, f64); 3] = [("close", 0.66), ("open", 0.5), ("exec", 0.44)];

fn claims(_: CostProfile) -> Vec<Claim> {
    let expected = |(name, share): (&str, f64)| {
        let what = format!("{name} is quicker from b if calls between boards cost so much of today");
        let quantity = Quantity::new(format!("quicker-{name}"), what, "share");
        let claim = Claim::paper(quantity, share.to_string(), ClaimBound::AtLeast(share), "the paper's expectation");
        claim.untested("no run changes the cost of a call between boards")
    };
    let measured = LEASES.iter().flat_map(|(word, which)| claims_of(word, which));
    measured.chain(EXPECTED.map(expected)).collect()
}

fn claims_of(word: &str, which: &str) -> Vec<Claim> {
    let quantity = |id: &str, what: &str, unit| Quantity::new(format!("{id}-{word}"), format!("{what}, {which}"), unit);
    let mut claims = vec![
        Claim::paper(
            quantity("near", "calls that take at most 2.4 times as long from b as from a", "of 6"),
            "6",
            ClaimBound::AtLeast(6.0),
            "all six of the paper's calls do",
        ),
        Claim::paper(
            quantity("calls", "calls between boards for all six", "calls"),
            "30",
            ClaimBound::AtMost(30.0),
            "the paper's number",
        ),
        Claim::paper(
            quantity("share", "calls between boards in a response, the least", "share"),
            "0.62",
            ClaimBound::AtLeast(0.5),
            "the paper says more than half",
        ),
    ];
    claims.extend(CALLS.iter().map(|call| {
        let [response, .., boards] = call.from_b;
        let published = boards / response;
        let what = format!("both boards at work during the response, {}, {which}", call.name);
        Claim::paper(
            Quantity::new(overlap(call, word), what, "share"),
            format!("{published:.2}"),
            ClaimBound::AtLeast(published / 2.0),
            "half of the published overlap still is overlap",
        )
    }));
    claims
}

/// From a; from b with leases; from b without.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let on = |board: &str, system: BenchSystem| {
        let script = format!("on {board} /usr/lib/renga/p1 calls /p1/calls\n");
        BenchRun::new(BenchMachine::Cluster(system), plan.profile, "small", &script).with(files_for_calls()).traced()
    };
    vec![on("a", OURS), on("b", OURS), on("b", PAPERS)]
}

/// Of each call the one with the median response.
fn medians(outcome: &RunOutcome) -> Result<Vec<Observed>> {
    let (header, events) = outcome.events()?;
    let found = marked(&header, &events);
    if found.len() != CALLS.len() * TIMES {
        bail!("{} measured calls in the trace instead of {}", found.len(), CALLS.len() * TIMES);
    }
    let median = |(published, made): (&PublishedCall, &[Observed])| {
        if made.iter().any(|call| call.number != published.number) {
            bail!("{} is number {}, and these were made: {made:?}", published.name, published.number);
        }
        let mut made = made.to_vec();
        made.sort_by_key(|call| call.response_ns);
        Ok(made[TIMES / 2])
    };
    CALLS.iter().zip(found.chunks(TIMES)).map(median).collect()
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let mut findings = Findings::default();
    let all = outcomes.iter().map(medians).collect::<Result<Vec<_>>>()?;
    let [a, b, without] = &all[..] else { bail!("three runs are needed") };
    findings.tables.push(from_b("From b, us (published: ms); d is the disk's time", b));
    findings.tables.push(from_b("From b without leases, us (published: ms)", without));
    findings.tables.push(from_a(plan, a));
    for (board, calls) in [("a", a), ("b", b), ("b without leases", without)] {
        for (published, found) in CALLS.iter().zip(calls) {
            let name = |what: &str| format!("{} from {board} {what}", published.name);
            findings.figure(name("ns"), found.response_ns);
            findings.figure(name("calls between boards"), found.remote_calls);
            findings.figure(name("calls within boards"), found.local_calls);
        }
    }
    for ((word, _), calls) in LEASES.iter().zip([b, without]) {
        let near = |(a, b): &(&Observed, &Observed)| own_ns(b) as f64 <= B_TO_A * own_ns(a) as f64;
        findings.quantity(format!("near-{word}"), a.iter().zip(calls).filter(near).count() as f64);
        let remote: u64 = calls.iter().map(|call| call.remote_calls).sum();
        findings.quantity(format!("calls-{word}"), remote as f64);
        let share = |call: &Observed| quotient(call.remote_ns, own_ns(call));
        let least = calls.iter().filter(|call| call.remote_calls > 0).map(share).reduce(f64::min);
        match least {
            Some(least) => findings.quantity(format!("share-{word}"), least),
            None => findings.unmeasured(format!("share-{word}"), "no call leaves its board"),
        }
        for (published, call) in CALLS.iter().zip(calls) {
            let id = overlap(published, word);
            match call {
                // What does not leave the board overlaps with nothing, and need not.
                Observed { remote_calls: 0, .. } => findings.unmeasured(id, "the call does not leave its board"),
                call => findings.quantity(id, quotient(call.boards_overlap_ns, call.response_ns)),
            }
        }
    }
    findings.notes.push(why(a, b));
    Ok(findings)
}

/// What makes the slowest call from b slow.
fn why(from_a: &[Observed], from_b: &[Observed]) -> String {
    let ratio = |(a, b): (&Observed, &Observed)| quotient(own_ns(b), own_ns(a));
    let all = || CALLS.iter().zip(from_a.iter().zip(from_b));
    let worst = all().max_by(|(_, one), (_, other)| ratio(*one).total_cmp(&ratio(*other)));
    let Some((published, (a, b))) = worst else { return String::new() };
    let what = match 2 * b.wire_ns > b.remote_ns {
        true => "A page is eight of the paper's blocks, and processors became faster by far more than the wire",
        false => "The remainder is software on both boards: a page goes as many frames, each with its own work",
    };
    format!(
        "Why: of {} from b {} us are {} calls between boards, whose {} frames are on the wire for {} us, while all \
         of it takes {} us on a. {what}. So a call that fetches a page costs far more than one that finds it. Leased \
         objects do not cross.",
        published.name,
        us(b.remote_ns),
        b.remote_calls,
        b.frames,
        us(b.wire_ns),
        us(own_ns(a))
    )
}

/// Of the response, what is not the disk's alone.
fn own_ns(call: &Observed) -> u64 {
    call.response_ns - call.disk_ns
}

fn from_b(title: &str, calls: &[Observed]) -> FindingsTable {
    let mut table = FindingsTable::new(
        title,
        &[
            "",
            "response",
            "between",
            "calls",
            "d overlap",
            "boards",
            "published:",
            "response",
            "between",
            "overlap",
            "boards",
        ],
    );
    for (published, call) in CALLS.iter().zip(calls) {
        let [response, between, count, disk, boards] = published.from_b;
        table.rows.push(vec![
            published.name.to_string(),
            response_of(call),
            us(call.remote_ns),
            call.remote_calls.to_string(),
            us(call.disk_overlap_ns),
            us(call.boards_overlap_ns),
            String::new(),
            response.to_string(),
            format!("{between} ({count})"),
            disk.to_string(),
            boards.to_string(),
        ]);
    }
    table
}

fn from_a(plan: RowPlan, calls: &[Observed]) -> FindingsTable {
    let mut table = FindingsTable::new(
        "From a, us (published: ms)",
        &["", "response", "d overlap", "within", "calls", "published:", "response", "overlap", "within"],
    );
    for (published, call) in CALLS.iter().zip(calls) {
        let [response, disk, within, count] = published.from_a;
        table.rows.push(vec![
            published.name.to_string(),
            response_of(call),
            us(call.disk_overlap_ns),
            us(call.local_calls * LOCAL_INSTRUCTIONS * plan.profile.instruction_ns()),
            call.local_calls.to_string(),
            String::new(),
            response.to_string(),
            disk.to_string(),
            format!("{within} ({count})"),
        ]);
    }
    table
}

fn response_of(call: &Observed) -> String {
    match call.disk_ns {
        0 => us(call.response_ns),
        _ => format!("{} + d {}", us(own_ns(call)), us(call.disk_ns)),
    }
}
