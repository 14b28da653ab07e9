//! Outcomes of those rows of P1 that read calls from traces.

use super::Asked;
use super::p1::whole;
use crate::run::RunOutcome;
use crate::support::{event, frame};
use renga_abi::ProcId;
use renga_trace::event::{Timed, TraceEvent};

const PROXY: ProcId = ProcId::new(0, 0);
const FILE: ProcId = ProcId::new(0, 1);
const DISK: ProcId = ProcId::new(0, 2);
const USER: ProcId = ProcId::new(1, 0);
const NEIGHBOUR: ProcId = ProcId::new(1, 1);
/// The system call whose repetition marks the next one; those that are measured, and how often each.
const MARK: u32 = 173;
const CALLS: [u32; 6] = [63, 63, 64, 56, 57, 221];
const NAMES: [&str; 6] = ["read-hit", "read-miss", "write", "open", "close", "exec"];
const TIMES: usize = 5;
/// Longer than each run.
const LONG_NS: u64 = 1_000_000;

pub(super) fn outcomes(asked: &Asked<'_>) -> Vec<RunOutcome> {
    match asked.row.id {
        "P1.T1b" => compile(asked),
        "P1.T2" => single_calls(asked),
        "P1.T3" => placements(asked),
        "P1.F2" => queues(asked),
        id => panic!("no outcomes of {id}"),
    }
}

fn call(caller: ProcId, server: ProcId) -> TraceEvent {
    TraceEvent::Call { caller, server, op: 0 }
}

fn reply(caller: ProcId, server: ProcId) -> TraceEvent {
    TraceEvent::Reply { caller, server, op: 0 }
}

/// The compile on b, null calls, the compile on b without leases, on a.
fn compile(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let calls = |remote: u64, local: u64| {
        let mut events = Vec::new();
        for number in 0..remote + local {
            let server = if number < remote { FILE } else { NEIGHBOUR };
            events.push(event(10 * number, 1, call(USER, server)));
            events.push(event(10 * number + 5, 1, reply(USER, server)));
        }
        asked.traces.outcome(whole("2", LONG_NS), &events)
    };
    // The software is what is left of a call by two frames.
    let total_ns = asked.pick(&["software-ms"], 7_000_000, 5_000_000);
    // The paper's software and our wire: no outcome has both.
    let of_wire = asked.fails == "software-share" || asked.holds == "wire-share";
    let wire_ns = if of_wire { total_ns * 45 / 100 } else { 10 };
    let text = format!("linkcall 0 {total_ns}\n");
    let null =
        asked.traces.outcome(text, &[event(10, 1, frame(wire_ns)), event(total_ns - wire_ns, 0, frame(wire_ns))]);
    let remote = asked.pick(&["share-between-boards"], 50, 1);
    vec![calls(1, 50), null, calls(remote, 50), calls(0, 50)]
}

/// With only the disk on a, with the standard placement, with that and leases: some calls between boards in each label.
fn placements(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let standard_ns = asked.pick(&["standard-to-other"], 1100, 1000);
    let calls = [asked.pick(&["calls-other-to-standard"], 3, 1), 2, 0];
    // a always works, b for so long.
    let works_ns = [asked.pick(&["overlap-other-to-standard"], 300, 100), 200, 100];
    let happens = |run: usize, begin_ns: u64| {
        let at = |number: u64| begin_ns + 10 * number;
        let both = |number| [event(at(number), 1, call(USER, FILE)), event(at(number) + 5, 1, reply(USER, FILE))];
        let idle = event(begin_ns + works_ns[run], 1, TraceEvent::Idle {});
        let works = event(begin_ns + 1, 1, TraceEvent::Enter { process: NEIGHBOUR });
        [works].into_iter().chain((1..=calls[run]).flat_map(both)).chain([idle]).collect()
    };
    asked.traces.timed_with(asked.runs, |run, _| if run == 1 { standard_ns } else { 1000 }, happens)
}

/// What a single call does.
struct SingleCall {
    response_ns: u64,
    /// Calls to the other board, and the time of each.
    remote: u64,
    each_ns: u64,
    /// The other board goes on working, and this one's system, for so long.
    overlap_ns: u64,
}

/// From a, from b with leases, without.
fn single_calls(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let from_b = |word: &str| {
        let is = |id: &str| asked.fails == format!("{id}-{word}");
        CALLS.map(|number| {
            let place = NAMES.iter().zip(CALLS).position(|(name, _)| asked.fails == format!("overlap-{name}-{word}"));
            let overlaps = place.is_none_or(|place| CALLS[place] != number);
            let remote = if is("calls") { 6 } else { 1 };
            let response_ns = if is("near") { 30_000 } else { 20_000 };
            let each_ns = if is("share") { 100 } else { 11_000 / remote };
            (number, SingleCall { response_ns, remote, each_ns, overlap_ns: if overlaps { 8_000 } else { 0 } })
        })
    };
    let from_a = CALLS.map(|number| (number, SingleCall { response_ns: 10_000, remote: 0, each_ns: 0, overlap_ns: 0 }));
    let run = |calls: [(u32, SingleCall); 6]| {
        let mut events = Vec::new();
        for (place, (number, call)) in calls.iter().flat_map(|call| std::iter::repeat_n(call, TIMES)).enumerate() {
            single_call(place as u64 * LONG_NS, *number, call, &mut events);
        }
        asked.traces.outcome(String::new(), &events)
    };
    vec![run(from_a), run(from_b("leases")), run(from_b("no-leases"))]
}

fn single_call(at_ns: u64, number: u32, made: &SingleCall, events: &mut Vec<Timed>) {
    let system_call = |number| TraceEvent::SystemCall { process: USER, number };
    let enter = || TraceEvent::Enter { process: USER };
    let mut add = |after_ns: u64, board, what| events.push(event(at_ns + after_ns, board, what));
    add(10, 1, enter());
    add(20, 1, system_call(MARK));
    add(30, 1, system_call(MARK));
    add(40, 1, enter());
    add(100, 1, system_call(number));
    let mut last_ns = 100;
    for _ in 0..made.remote {
        add(last_ns + 1, 1, call(USER, FILE));
        add(last_ns + 2, 1, TraceEvent::Idle {});
        add(last_ns + 10, 0, call(PROXY, FILE));
        add(last_ns + 20, 0, reply(PROXY, FILE));
        last_ns += made.each_ns;
        if made.overlap_ns == 0 {
            add(last_ns - 1, 0, TraceEvent::Idle {});
        }
        add(last_ns, 1, reply(USER, FILE));
    }
    if made.remote > 0 && made.overlap_ns > 0 {
        add(last_ns + made.overlap_ns, 0, TraceEvent::Idle {});
    }
    add(100 + made.response_ns, 1, enter());
    add(LONG_NS - 10, 1, system_call(MARK));
}

/// Two compiles on one board, and on two.
fn queues(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let requests = |together: bool| {
        let first = [event(10, 0, call(FILE, DISK)), event(60, 0, reply(FILE, DISK))];
        let at_ns = if together { 20 } else { 70 };
        let second = [event(at_ns, 1, call(NEIGHBOUR, DISK)), event(at_ns + 50, 1, reply(NEIGHBOUR, DISK))];
        let mut events = [first, second].concat();
        events.sort_by_key(|event| event.time_ns);
        asked.traces.outcome(whole("pair", LONG_NS), &events)
    };
    vec![requests(false), requests(asked.fails != "queue-two-boards-less-one")]
}
