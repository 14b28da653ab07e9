//! A board with two cores, written by hand: what one of them does is not taken for what the other does.

use prost::Message;
use renga_abi::ProcId;
use renga_trace::event::{Timed, TraceEvent};
use renga_trace::figures::{CoreTime, Spent, TraceFigures};
use renga_trace::header::{ProcessKind, TraceBoard, TraceHeader};
use renga_trace::meter::Meter;
use renga_trace::perfetto::{PerfettoTrace, export};
use renga_trace::summary::summary;

const FIRST: ProcId = ProcId::new(0, 0);
const SECOND: ProcId = ProcId::new(0, 1);
const DISK: ProcId = ProcId::new(0, 2);
/// A board of two cores, and one of one.
fn header() -> TraceHeader {
    let mut a = TraceBoard { name: "a".into(), more_cores: 1, ..TraceBoard::default() };
    a.add(0, 0, 0);
    a.add(1, 1, 0);
    a.add(2, 0, 1);
    let b = TraceBoard { name: "b".into(), ..TraceBoard::default() };
    let kinds = ["user", "disk"].map(|name| ProcessKind { name: name.to_string(), serves: None });
    TraceHeader { boards: vec![a, b], kinds: kinds.into(), ..TraceHeader::default() }
}

/// 0 to 1,000 ns: a program on each core of a, and while they run the disk's process works on core 1, core 0 waits, and
/// comes back.
fn events() -> Vec<Timed> {
    let written = [
        (0, 0, 0, TraceEvent::Account { process: FIRST, account: 1 }),
        (0, 0, 0, TraceEvent::Account { process: SECOND, account: 2 }),
        (0, 1, 0, TraceEvent::Idle {}),
        (0, 0, 1, TraceEvent::Idle {}),
        (10, 0, 0, TraceEvent::Dispatch { process: FIRST }),
        (20, 0, 0, TraceEvent::Enter { process: FIRST }),
        (100, 0, 1, TraceEvent::Dispatch { process: SECOND }),
        (110, 0, 1, TraceEvent::Enter { process: SECOND }),
        (300, 0, 1, TraceEvent::Trap { process: SECOND }),
        (340, 0, 1, TraceEvent::Dispatch { process: DISK }),
        (400, 0, 0, TraceEvent::Trap { process: FIRST }),
        (430, 0, 0, TraceEvent::Idle {}),
        (450, 0, 1, TraceEvent::Enter { process: SECOND }),
        (700, 0, 0, TraceEvent::Alarm {}),
        (720, 0, 0, TraceEvent::Enter { process: FIRST }),
        (900, 0, 1, TraceEvent::Idle {}),
        (1000, 0, 0, TraceEvent::Stopped),
    ];
    written.into_iter().map(|(time_ns, board, core, event)| Timed { time_ns, board, core, event }).collect()
}

fn until(time_ns: u64) -> TraceFigures {
    let mut meter = Meter::new(header());
    events().iter().filter(|event| event.time_ns <= time_ns).for_each(|event| meter.take(event));
    meter.pass_until(time_ns);
    meter.figures()
}

/// Holds: trace-summary.
#[test]
fn meter_keeps_cores_apart() {
    let figures = until(1000);
    let a = figures.boards[0];
    assert_eq!(a.cores[0], CoreTime { programs_ns: 380 + 280, system_ns: 20 + 30 + 20, idle_ns: 270 });
    assert_eq!(a.cores[1], CoreTime { programs_ns: 190 + 450, system_ns: 10 + 150, idle_ns: 100 + 100 });
    assert_eq!(figures.boards[1].all_cores(), CoreTime { programs_ns: 0, system_ns: 0, idle_ns: 1000 });
    let spent: Vec<Spent> = figures.programs.values().map(|program| program.spent).collect();
    let first = Spent { itself_ns: 380 + 280, on_behalf_ns: 10 + 30 };
    let second = Spent { itself_ns: 190 + 450, on_behalf_ns: 10 + 40 };
    assert_eq!(spent, [first, second], "the rest is the system's");
    assert_eq!(figures.work[&DISK].core_ns, 110);
    assert_eq!(figures.overlap_ns, 0, "two cores of one board are not two boards");
}

/// Holds: top-accounts.
#[test]
fn meter_attributes_every_nanosecond_of_each_core() {
    for time_ns in (0..=1000).step_by(7) {
        let figures = until(time_ns);
        for (board, cores) in figures.boards.iter().zip([2, 1]) {
            for (core, time) in board.cores.iter().enumerate() {
                let wanted_ns = if core < cores { time_ns } else { 0 };
                assert_eq!(time.programs_ns + time.system_ns + time.idle_ns, wanted_ns, "core {core}, {time_ns} ns");
            }
        }
        let spent: u64 =
            figures.programs.values().map(|program| program.spent.itself_ns + program.spent.on_behalf_ns).sum();
        let busy = figures.boards.iter().map(|board| board.all_cores()).map(|all| all.programs_ns + all.system_ns);
        assert_eq!(spent + figures.system_ns, busy.sum::<u64>(), "until {time_ns} ns");
    }
}

/// Holds: trace-summary.
#[test]
fn summary_and_export_show_each_core() {
    let sums = summary(&header(), &events());
    let names: Vec<&str> = sums.cores.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a 0", "a 1", "b"]);
    assert_eq!((sums.cores[0].1, sums.cores[1].1), (until(1000).boards[0].cores[0], until(1000).boards[0].cores[1]));
    let trace = export(&header(), &events());
    assert_eq!(PerfettoTrace::decode(trace.encode_to_vec().as_slice()), Ok(trace.clone()));
    let descriptors = trace.packet.iter().filter_map(|packet| packet.track_descriptor.as_ref());
    let cores: Vec<_> = descriptors.filter(|track| track.name().starts_with("core ")).collect();
    let names: Vec<&str> = cores.iter().map(|track| track.name()).collect();
    assert_eq!(names, ["core 0", "core 1"], "b did nothing");
    let slices = |core: usize| {
        let uuid = cores[core].uuid;
        let on_it = trace.packet.iter().filter_map(|packet| packet.track_event.as_ref());
        on_it.filter(move |event| event.track_uuid == uuid && event.name.is_some()).map(|event| event.name())
    };
    assert_eq!(
        slices(1).collect::<Vec<_>>(),
        ["user 1", "program of user 1", "user 1", "disk 0", "program of user 1"],
        "core 1 of a"
    );
}
