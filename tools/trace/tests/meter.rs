//! What adds up of a trace that was written by hand: two programs of board a, of which one reads from the disk of board
//! b.

use renga_abi::ProcId;
use renga_trace::event::{Timed, TraceEvent, TracedFrame};
use renga_trace::figures::{Spent, TraceFigures};
use renga_trace::header::{CallsFor, ProcessKind, TraceBoard, TraceHeader, TracedProtocol};
use renga_trace::meter::{Meter, PROGRAMS_MAX};
use renga_trace::snapshot::TraceSnapshot;

const FIRST: ProcId = ProcId::new(0, 0);
const SECOND: ProcId = ProcId::new(0, 1);
const ROUTER: ProcId = ProcId::new(0, 2);
const PROXY: ProcId = ProcId::new(1, 0);
const FILE: ProcId = ProcId::new(1, 1);
const DISK: ProcId = ProcId::new(1, 2);

fn header() -> TraceHeader {
    let kind = |name: &str, serves| ProcessKind { name: name.to_string(), serves };
    let entry =
        |name: &str, entry: &str| TracedProtocol { name: name.into(), entries: vec![(0, entry.into())], releasable: 0 };
    let (mut a, mut b) = (
        TraceBoard { name: "a".into(), ..TraceBoard::default() },
        TraceBoard { name: "b".into(), ..TraceBoard::default() },
    );
    a.add(0, 0, 0);
    a.add(1, 1, 0);
    a.add(2, 0, 1);
    b.add_proxies(0, 1, 2, CallsFor::Shared(0, 0, 2));
    b.add(1, 0, 3);
    b.add(2, 0, 4);
    TraceHeader {
        boards: vec![a, b],
        kinds: vec![
            kind("user", None),
            kind("router", None),
            kind("proxy", None),
            kind("file", Some(0)),
            kind("disk", Some(1)),
        ],
        protocols: vec![entry("File", "Read"), entry("Disk", "ReadBlocks")],
        ..TraceHeader::default()
    }
}

fn named(process: ProcId, pid: u32, name: &[u8]) -> TraceEvent {
    let mut bytes = [0; 16];
    bytes[..name.len()].copy_from_slice(name);
    let [name, rest] = [0, 8].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()));
    TraceEvent::Program { process, pid, name, rest }
}

/// 0 to 1,000 ns.
fn events() -> Vec<Timed> {
    let call = |caller, server| TraceEvent::Call { caller, server, op: 0 };
    let accept = |server, caller| TraceEvent::Accept { server, caller, op: 0 };
    let reply = |caller, server| TraceEvent::Reply { caller, server, op: 0 };
    let frame = TracedFrame { destination: 1, token_wait_ns: 5, wire_ns: 60, arrives_after_ns: 60, bytes: vec![0; 40] };
    let written = [
        (0, 0, TraceEvent::Account { process: FIRST, account: 1 }),
        (0, 0, TraceEvent::Account { process: SECOND, account: 2 }),
        (0, 1, TraceEvent::Idle {}),
        (0, 0, named(FIRST, 7, b"sh")),
        (0, 0, named(SECOND, 8, b"a-long-name-of-1")),
        (10, 0, TraceEvent::Dispatch { process: FIRST }),
        (20, 0, TraceEvent::Enter { process: FIRST }),
        (100, 0, TraceEvent::Trap { process: FIRST }),
        (100, 0, TraceEvent::SystemCall { process: FIRST, number: 63 }),
        (120, 0, call(FIRST, FILE)),
        (125, 0, accept(ROUTER, FIRST)),
        (145, 0, TraceEvent::WaitCall { process: ROUTER }),
        (150, 0, TraceEvent::Dispatch { process: SECOND }),
        (160, 0, TraceEvent::Enter { process: SECOND }),
        (170, 0, TraceEvent::Frame(frame)),
        (240, 1, TraceEvent::Account { process: PROXY, account: 1 }),
        (240, 1, TraceEvent::Dispatch { process: PROXY }),
        (250, 1, call(PROXY, FILE)),
        (250, 1, accept(FILE, PROXY)),
        (260, 1, call(FILE, DISK)),
        (265, 1, accept(DISK, FILE)),
        (270, 1, TraceEvent::Disk { process: DISK, first: 8, blocks: 2, writes: false }),
        (280, 1, TraceEvent::WaitNotification { process: DISK }),
        (300, 1, TraceEvent::Idle {}),
        (500, 1, TraceEvent::DiskEnd { process: DISK }),
        (500, 1, TraceEvent::Notify { process: DISK }),
        (510, 1, TraceEvent::Dispatch { process: DISK }),
        (520, 1, reply(FILE, DISK)),
        (530, 1, reply(PROXY, FILE)),
        (540, 1, TraceEvent::Idle {}),
        (700, 0, TraceEvent::Trap { process: SECOND }),
        (700, 0, reply(FIRST, FILE)),
        (710, 0, TraceEvent::Dispatch { process: FIRST }),
        (750, 0, TraceEvent::Enter { process: FIRST }),
        (900, 0, TraceEvent::Trap { process: FIRST }),
        (900, 0, named(FIRST, 7, b"ls")),
        (950, 0, TraceEvent::ProgramEnd { process: FIRST }),
        (960, 0, named(FIRST, 9, b"cat")),
        (1000, 0, TraceEvent::Idle {}),
    ];
    written.into_iter().map(|(time_ns, board, event)| Timed { time_ns, board, core: 0, event }).collect()
}

fn meter(events: &[Timed]) -> Meter {
    let mut meter = Meter::new(header());
    events.iter().for_each(|event| meter.take(event));
    meter
}

/// Until this time, though the event before may have been earlier.
fn until(time_ns: u64) -> TraceFigures {
    let events: Vec<Timed> = events().into_iter().filter(|event| event.time_ns <= time_ns).collect();
    let mut meter = meter(&events);
    meter.pass_until(time_ns);
    meter.figures()
}

/// Holds: top-accounts.
#[test]
fn meter_splits_own_time_and_time_on_behalf() {
    let figures = until(1000);
    let found: Vec<_> = figures
        .programs
        .values()
        .map(|program| (program.pid, program.name.as_str(), program.spent, program.end_ns))
        .collect();
    // On b: 240 to 300 and 510 to 540, in which the disk answers the file, which works for the proxy, which does for
    // pid 7.
    let first = Spent { itself_ns: 80 + 150, on_behalf_ns: 10 + 50 + 60 + 30 + 40 + 60 };
    let second = Spent { itself_ns: 540, on_behalf_ns: 10 + 10 };
    assert_eq!(found[0], (7, "ls", first, Some(950)));
    assert_eq!(found[1], (8, "a-long-name-of-1", second, None));
    assert_eq!(found[2], (9, "cat", Spent { itself_ns: 0, on_behalf_ns: 40 }, None));
}

/// Holds: top-accounts.
#[test]
fn meter_attributes_every_nanosecond_of_each_board() {
    for time_ns in (0..=1000).step_by(7) {
        let figures = until(time_ns);
        let spent = figures.programs.values().map(|program| program.spent);
        let programs = spent.fold([0, 0], |all, one| [all[0] + one.itself_ns, all[1] + one.on_behalf_ns]);
        let cores = figures.boards.iter().map(|board| board.all_cores());
        let sums = cores.clone().fold([0, 0], |all, core| [all[0] + core.programs_ns, all[1] + core.system_ns]);
        assert_eq!([programs[0], programs[1] + figures.system_ns], sums, "until {time_ns} ns");
        for core in cores {
            assert_eq!(core.programs_ns + core.system_ns + core.idle_ns, time_ns);
        }
    }
}

#[test]
fn meter_counts_calls_frames_and_disk_by_board() {
    let [a, b] = until(1000).boards[..] else { panic!("two boards") };
    assert_eq!((a.calls_local, a.calls_remote, b.calls_local, b.calls_remote), (0, 1, 2, 0));
    assert_eq!((a.sent.frames, a.sent.bytes, a.sent.wire_ns, a.sent.token_wait_ns), (1, 40, 60, 5));
    assert_eq!((b.disk.requests, b.disk.pages_read, b.disk.pages_written, b.disk.busy_ns), (1, 2, 0, 230));
    let work = until(1000).work;
    let file = work[&FILE];
    assert_eq!((file.served, file.served_ns, file.waited_ns), (1, 280, 0));
    assert_eq!((work[&DISK].served, work[&DISK].waited_ns), (1, 5));
    assert_eq!(work.get(&ROUTER).map(|router| (router.core_ns, router.served)), Some((20, 0)));
}

#[test]
fn meter_interval_is_difference_of_totals() {
    let (before, after) = (until(300), until(600));
    let between = after.since(&before);
    assert_eq!((between.begin_ns, between.time_ns, between.span_ns()), (300, 600, 300));
    assert_eq!(between.boards[0].all_cores().programs_ns, 300);
    assert_eq!((between.boards[1].all_cores().idle_ns, between.boards[1].disk.busy_ns), (260, 200));
    assert_eq!(between.boards[0].calls_remote, 0, "it was made before");
    let answered: u64 = between.edges.values().map(|sum| sum.answered).sum();
    assert_eq!(answered, 2, "the disk's and the file's: {:?}", between.edges);
    // A program that did nothing since is absent; one that ended before is too.
    assert!(until(1000).since(&until(980)).programs.values().all(|program| program.pid != 7));
    assert!(!between.work.contains_key(&ROUTER));
}

#[test]
fn meter_program_stays_in_system_call_until_resumed() {
    let events = events();
    let at = |time_ns: u64| {
        let until: Vec<Timed> = events.iter().filter(|event| event.time_ns <= time_ns).cloned().collect();
        meter(&until).system_call(FIRST)
    };
    assert_eq!([at(99), at(100), at(749), at(750)], [None, Some((63, 100)), Some((63, 100)), None]);
}

#[test]
fn meter_programs_of_stopped_board_have_ended() {
    let mut events = events();
    events.push(Timed { time_ns: 1100, board: 0, core: 0, event: TraceEvent::Stopped });
    let figures = meter(&events).figures();
    let ends: Vec<_> = figures.programs.values().map(|program| program.end_ns).collect();
    assert_eq!(ends, [Some(950), Some(1100), Some(1100)]);
}

#[test]
fn meter_memory_is_independent_of_trace_length() {
    let mut meter = meter(&events());
    for pid in 10..10 + 2 * PROGRAMS_MAX as u32 {
        let time_ns = 1000 + u64::from(pid) * 100;
        let events = [
            named(FIRST, pid, b"x"),
            TraceEvent::Call { caller: SECOND, server: FILE, op: 0 },
            TraceEvent::Reply { caller: SECOND, server: FILE, op: 0 },
            TraceEvent::ProgramEnd { process: FIRST },
        ];
        events.into_iter().for_each(|event| meter.take(&Timed { time_ns, board: 0, core: 0, event }));
    }
    let figures = meter.figures();
    assert_eq!(figures.programs.len(), PROGRAMS_MAX);
    assert!(figures.programs.values().any(|program| program.pid == 8), "who runs is not forgotten");
    assert_eq!(figures.boards[0].calls_remote, 1 + 2 * PROGRAMS_MAX as u64);
}

/// Wherever a trace begins, what adds up from there on is what adds up in the whole one.
#[test]
fn meter_from_snapshot_adds_up_rest_alike() {
    let events = events();
    let own = |figures: &TraceFigures| {
        let programs = figures.programs.values().filter(|program| program.spent != Spent::default());
        let spent: Vec<_> = programs.map(|program| (program.pid, program.name.clone(), program.spent)).collect();
        (figures.boards.iter().map(|board| (board.cores, board.disk.busy_ns)).collect::<Vec<_>>(), spent)
    };
    for cut in 1..events.len() {
        let (before, rest) = events.split_at(cut);
        let (mut whole, mut snapshot) = (meter(before), TraceSnapshot::default());
        before.iter().for_each(|event| snapshot.take(event));
        let figures = whole.figures();
        let mut part = meter(&snapshot.events(figures.time_ns));
        for event in rest {
            whole.take(event);
            part.take(event);
        }
        let ours = part.figures();
        assert_eq!(own(&ours), own(&whole.figures().since(&figures)), "from event {cut} on");
        assert_eq!(ours.system_ns, whole.figures().system_ns - figures.system_ns, "from event {cut} on");
    }
}
