//! What rows read from traces: single system calls and all that was done for them; calls between boards, their cost.
//!
//! Invariant: the cost of a call between boards is the time from its start to its end, without its server's time on the
//! other board: the call that a proxy made for it.

use renga_trace::TraceHeader;
use renga_trace::calls::{Calls, TracedCall};
use renga_trace::cores::TracedCores;
use renga_trace::event::{Timed, TraceEvent};
use std::collections::HashMap;

/// The system call that, issued twice, marks the next one as measured (`p1 calls`); shells issue it once.
const MARK: u32 = 173;
/// Instructions of the least rendezvous within a board, as `./renga bench rendezvous` counts and bounds it.
pub const LOCAL_INSTRUCTIONS: u64 = 103;

/// A system call, and what was done for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// As Linux numbers it.
    pub number: u32,
    /// From the call until its program continues, ns.
    pub response_ns: u64,
    /// Calls between boards, also after the program went on.
    pub remote_calls: u64,
    /// Of the response, what these cost, ns.
    pub remote_ns: u64,
    /// Calls within a board, also after the program went on.
    pub local_calls: u64,
    /// The disk worked during the response, ns.
    pub disk_ns: u64,
    /// Of that, a board's system worked too, ns.
    pub disk_overlap_ns: u64,
    /// Two boards worked at once during the response, ns.
    pub boards_overlap_ns: u64,
    /// Frames that took the wire during the response, and how long these were on it, ns.
    pub frames: u64,
    /// See `frames`.
    pub wire_ns: u64,
}

/// When a measured call starts, when its program continues, and when it calls again.
#[derive(Clone, Copy)]
struct CallWindow {
    number: u32,
    begin_ns: u64,
    end_ns: u64,
    until_ns: u64,
}

/// The system calls behind marks, in order.
pub fn marked(header: &TraceHeader, events: &[Timed]) -> Vec<Observed> {
    let calls = Calls::of(header, events);
    let costs = costs(&calls);
    windows(events).into_iter().map(|window| observed(header, events, &calls, &costs, window)).collect()
}

fn windows(events: &[Timed]) -> Vec<CallWindow> {
    let (mut last, mut windows) = (HashMap::<_, (u32, Option<u32>)>::new(), Vec::<(_, CallWindow)>::new());
    for timed in events {
        match timed.event {
            TraceEvent::SystemCall { process, number } => {
                let before = last.insert(process, (number, last.get(&process).map(|(number, _)| *number)));
                let at_ns = timed.time_ns;
                let of_this = windows.iter_mut().rev().find(|(whose, _)| *whose == process);
                of_this
                    .into_iter()
                    .filter(|(_, window)| window.until_ns == u64::MAX)
                    .for_each(|(_, window)| window.until_ns = at_ns);
                if before == Some((MARK, Some(MARK))) && number != MARK {
                    windows
                        .push((process, CallWindow { number, begin_ns: at_ns, end_ns: u64::MAX, until_ns: u64::MAX }));
                }
            }
            TraceEvent::Enter { process } => {
                let of_this = windows.iter_mut().rev().find(|(whose, _)| *whose == process);
                of_this
                    .into_iter()
                    .filter(|(_, window)| window.end_ns == u64::MAX)
                    .for_each(|(_, window)| window.end_ns = timed.time_ns);
            }
            _ => {}
        }
    }
    // Calls that never returned, and calls of programs that never called again, yield no figure.
    windows.into_iter().map(|(_, window)| window).filter(|window| window.until_ns != u64::MAX).collect()
}

/// What each call between boards cost, ns; by its place.
pub fn costs(calls: &[TracedCall]) -> HashMap<usize, u64> {
    let took = |call: &TracedCall| call.end_ns.map(|end_ns| end_ns.saturating_sub(call.begin_ns));
    let mut served: HashMap<usize, u64> = HashMap::new();
    for call in calls {
        if let Some((place, ns)) = call.made_for.zip(took(call)) {
            served.insert(place, ns);
        }
    }
    let cost = |(place, call): (usize, &TracedCall)| {
        // Without a reply, or with a reply before its call: there its caller waited for its router only.
        let inside = served.get(&place).copied().filter(|ns| took(call).is_some_and(|all| all >= *ns)).unwrap_or(0);
        Some((place, took(call)?.saturating_sub(inside)))
    };
    calls.iter().enumerate().filter(|(_, call)| call.is_remote()).filter_map(cost).collect()
}

fn observed(
    header: &TraceHeader,
    events: &[Timed],
    calls: &[TracedCall],
    costs: &HashMap<usize, u64>,
    window: CallWindow,
) -> Observed {
    let CallWindow { number, begin_ns, end_ns, until_ns } = window;
    let mut found = Observed { number, response_ns: end_ns.saturating_sub(begin_ns), ..Observed::default() };
    for (place, call) in calls.iter().enumerate().filter(|(_, call)| (begin_ns..until_ns).contains(&call.begin_ns)) {
        // The program that was executed has touched its first page since.
        if number == EXECVE && call.begin_ns >= end_ns {
            continue;
        }
        if call.is_remote() {
            found.remote_calls += 1;
            // A program that has continued waits no more.
            let waited_ns = end_ns.saturating_sub(call.begin_ns);
            found.remote_ns += costs.get(&place).copied().unwrap_or(0).min(waited_ns);
        } else {
            found.local_calls += 1;
        }
    }
    let (mut cores, mut before_ns) = (TracedCores::new(header), 0);
    for timed in events {
        if before_ns >= end_ns {
            break;
        }
        let response_ns = timed.time_ns.min(end_ns).saturating_sub(before_ns.max(begin_ns));
        found.disk_ns += if cores.disk_works() { response_ns } else { 0 };
        found.disk_overlap_ns += if cores.disk_works() && cores.in_system() > 0 { response_ns } else { 0 };
        found.boards_overlap_ns += if cores.busy() > 1 && cores.in_system() > 0 { response_ns } else { 0 };
        if let TraceEvent::Frame(frame) = &timed.event
            && (begin_ns..end_ns).contains(&timed.time_ns)
        {
            found.frames += 1;
            found.wire_ns += frame.wire_ns;
        }
        before_ns = timed.time_ns;
        cores.take(timed);
    }
    found
}

const EXECVE: u32 = 221;

/// Calls of a part of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedCalls {
    /// Within boards.
    pub local: u64,
    /// Between boards.
    pub remote: u64,
    /// What each of these cost, sorted, ns.
    pub costs_ns: Vec<u64>,
}

/// The calls that start from `begin_ns` to `end_ns`; calls of proxies are a part of a call between boards.
pub fn counted(header: &TraceHeader, events: &[Timed], begin_ns: u64, end_ns: u64) -> ObservedCalls {
    let calls = Calls::of(header, events);
    let costs = costs(&calls);
    let mut found = ObservedCalls::default();
    for (place, call) in calls.iter().enumerate().filter(|(_, call)| (begin_ns..end_ns).contains(&call.begin_ns)) {
        match call.is_remote() {
            true => {
                found.remote += 1;
                found.costs_ns.extend(costs.get(&place));
            }
            false if header.is_proxy(call.caller) => {}
            false => found.local += 1,
        }
    }
    found.costs_ns.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::{Observed, counted, marked};
    use renga_abi::ProcId;
    use renga_trace::event::{Timed, TraceEvent, TracedFrame};
    use renga_trace::{CallsFor, ProcessKind, TraceBoard, TraceHeader};

    const USER: ProcId = ProcId::new(1, 0);
    const PROXY: ProcId = ProcId::new(0, 0);
    const FILE: ProcId = ProcId::new(0, 1);

    /// A write of b: a receives it after 100 to 140 ns; a serves it from 120 to 170 ns; the program continues at 150
    /// and calls again at 400.
    fn events() -> Vec<Timed> {
        let call = |caller, server| TraceEvent::Call { caller, server, op: 0 };
        let reply = |caller, server| TraceEvent::Reply { caller, server, op: 0 };
        let system_call = |number| TraceEvent::SystemCall { process: USER, number };
        [
            (10, 1, TraceEvent::Enter { process: USER }),
            (20, 1, system_call(173)),
            (30, 1, system_call(93)),
            (40, 1, system_call(173)),
            (50, 1, system_call(173)),
            (60, 1, TraceEvent::Enter { process: USER }),
            (100, 1, system_call(64)),
            (105, 1, call(USER, FILE)),
            (106, 1, TraceEvent::Idle {}),
            (108, 1, frame()),
            (120, 0, call(PROXY, FILE)),
            (125, 0, reply(PROXY, FILE)),
            (140, 1, reply(USER, FILE)),
            (150, 1, TraceEvent::Enter { process: USER }),
            // Behind the response.
            (160, 0, frame()),
            (170, 0, TraceEvent::Idle {}),
            (400, 1, system_call(173)),
            (410, 1, TraceEvent::Enter { process: USER }),
        ]
        .into_iter()
        .map(|(time_ns, board, event)| Timed { time_ns, board, core: 0, event })
        .collect()
    }

    fn frame() -> TraceEvent {
        TraceEvent::Frame(TracedFrame {
            destination: 0,
            token_wait_ns: 1,
            wire_ns: 7,
            arrives_after_ns: 8,
            bytes: vec![1],
        })
    }

    fn header() -> TraceHeader {
        let mut boards = ["a", "b"].map(|name| TraceBoard { name: name.to_string(), ..TraceBoard::default() });
        boards[0].add_proxies(0, 1, 0, CallsFor::Shared(1, 0, 1));
        boards[0].add(1, 0, 1);
        boards[1].add(0, 0, 1);
        let kinds = ["proxy", "x"].map(|name| ProcessKind { name: name.to_string(), serves: None });
        TraceHeader { boards: boards.into(), kinds: kinds.into(), protocols: Vec::new(), ..TraceHeader::default() }
    }

    #[test]
    fn observed_marked_call_includes_nested_work() {
        let wanted = Observed {
            number: 64,
            response_ns: 50,
            remote_calls: 1,
            remote_ns: 35 - 5,
            local_calls: 1,
            disk_ns: 0,
            disk_overlap_ns: 0,
            // From the answer on b's system works beside a's, until the program continues.
            boards_overlap_ns: 10,
            frames: 1,
            wire_ns: 7,
        };
        assert_eq!(marked(&header(), &events()), [wanted]);
    }

    #[test]
    fn observed_proxy_calls_are_part_of_remote_calls() {
        let found = counted(&header(), &events(), 100, 400);
        assert_eq!((found.local, found.remote, found.costs_ns), (0, 1, vec![30]));
        assert_eq!(counted(&header(), &events(), 110, 400).remote, 0);
    }
}
