//! Rows of tables: pairs of calls, their parts, states, and critical paths.

use crate::support::{DISK, FILE, PROXY, ROUTER, USER, events, header, tables};
use renga_browser_view::critical_path::{PathCause, PathFinder};
use renga_browser_view::tables::{CALL_ABANDONED, CoreActivity, RowState, RunTables};
use renga_browser_view::tabulator::TraceTabulator;
use renga_trace::moment::TraceMoment;
use renga_trace::{Timed, TraceEvent};

fn place(tables: &RunTables, id: renga_abi::ProcId) -> u32 {
    tables.processes.ids().iter().position(|known| *known == id).expect("it was seen") as u32
}

/// Holds: view-parts.
#[test]
fn call_between_boards_parts_sum_to_its_duration() {
    let tables = tables();
    let call = &tables.calls[0];
    assert_eq!((call.begin_ns, call.accept_ns, call.end_ns), (200, Some(210), 900));
    // The frames: 250 to 285 and 840 to 875 on the wire, 9 ns before each for the token; the server from 300 to 800.
    assert_eq!(call.parts_ns, [500, 70, 18]);
    assert_eq!(call.ns() - call.parts_ns.iter().sum::<u64>(), 112, "software: 200-241, 285-300, 800-831, 875-900");
    let carrier = call.made_by.expect("a proxy made it") as usize;
    assert_eq!((tables.calls[carrier].caller, tables.calls[carrier].made_for), (place(&tables, PROXY), Some(0)));
    assert_eq!(
        tables.frames.iter().map(|frame| (frame.role, frame.call)).collect::<Vec<_>>(),
        [(1, Some(0)), (4, Some(0))]
    );
}

#[test]
fn board_stop_ends_its_calls_and_cores() {
    let tables = tables();
    let abandoned: Vec<_> = tables.calls.iter().filter(|call| call.flags & CALL_ABANDONED != 0).collect();
    let [call] = &abandoned[..] else { panic!("the proxy's second: {abandoned:?}") };
    assert_eq!((call.caller, call.begin_ns, call.end_ns), (place(&tables, PROXY), 1060, 1100));
    let of_b: Vec<_> = tables.cores.iter().filter(|row| row.core == 1 && row.time_ns >= 1100).collect();
    assert_eq!(
        of_b.iter().map(|row| (row.time_ns, row.activity)).collect::<Vec<_>>(),
        [(1100, CoreActivity::Off), (1400, CoreActivity::Idle)]
    );
    let disk = place(&tables, DISK);
    let last = tables.states.iter().rfind(|state| state.process == disk).expect("it had states");
    assert_eq!((last.time_ns, last.state), (1100, RowState::Unknown));
}

#[test]
fn critical_path_has_causes_without_gaps() {
    let tables = tables();
    let (user, file, disk) = (place(&tables, USER), place(&tables, FILE), place(&tables, DISK));
    let path = PathFinder::new(&tables).path(user, 100, 1000);
    assert!(path.windows(2).all(|pair| pair[0].end_ns == pair[1].begin_ns), "{path:#?}");
    let found: Vec<_> = path.iter().map(|one| (one.begin_ns, one.process, one.cause)).collect();
    let wanted = [
        (100, user, PathCause::System),
        (200, user, PathCause::Link),
        (241, user, PathCause::Token),
        (250, user, PathCause::Wire),
        (285, user, PathCause::Link),
        (300, file, PathCause::System),
        (400, disk, PathCause::Unknown),
        (420, disk, PathCause::System),
        (430, disk, PathCause::Medium),
        (690, disk, PathCause::Ready),
        (695, disk, PathCause::System),
        (700, file, PathCause::Ready),
        (800, user, PathCause::Link),
        (831, user, PathCause::Token),
        (840, user, PathCause::Wire),
        (875, user, PathCause::Link),
        (900, user, PathCause::Ready),
        (950, user, PathCause::System),
    ];
    assert_eq!(found, wanted);
    assert_eq!(path.last().map(|one| one.end_ns), Some(1000));
}

#[test]
fn program_state_without_its_core_is_ready() {
    let event = |time_ns, event| Timed { time_ns, board: 0, core: 0, event };
    let events = [
        event(10, TraceEvent::Enter { process: USER }),
        event(30, TraceEvent::Dispatch { process: ROUTER }),
        event(40, TraceEvent::WaitNotification { process: ROUTER }),
        event(50, TraceEvent::Enter { process: USER }),
        event(60, TraceEvent::Trap { process: USER }),
    ];
    let mut tabulator = TraceTabulator::new(header());
    events.iter().for_each(|timed| tabulator.take(timed));
    let tables = tabulator.finish();
    let path = PathFinder::new(&tables).path(place(&tables, USER), 10, 60);
    let found: Vec<_> = path.iter().map(|one| (one.begin_ns, one.cause)).collect();
    assert_eq!(found, [(10, PathCause::Program), (30, PathCause::Ready), (50, PathCause::Program)]);
}

/// What `renga trace --path` says of the same instants.
/// Holds: view-parts.
#[test]
fn critical_path_ends_where_chain_of_moment_does() {
    let (tables, header) = (tables(), header());
    let user = place(&tables, USER);
    let path = PathFinder::new(&tables).path(user, 50, 1500);
    let mut compared = 0;
    for segment in &path {
        let mut moment = TraceMoment::default();
        for timed in events().iter().take_while(|timed| timed.time_ns <= segment.begin_ns) {
            moment.take(&header, timed, &mut |_, _| {});
        }
        let chain = moment.chain(&header, USER);
        let on_link = matches!(segment.cause, PathCause::Link | PathCause::Token | PathCause::Wire);
        let name = header.full_name(tables.processes.id(segment.process));
        assert_eq!(chain.contains("-> link"), on_link, "{segment:?}: {chain}");
        let last = chain.rsplit(" -> ").next().unwrap_or_default();
        assert!(on_link || last.starts_with(&name), "{segment:?}: {chain}");
        compared += 1;
    }
    assert!(compared > 18, "{compared}");
    assert!(tables.processes.ids().contains(&ROUTER));
}
