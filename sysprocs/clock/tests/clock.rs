//! The clock as sleepers and programs with timers see it.
use renga_clock::{DuePlace, Sleeper, SlotWait, Timer, clock};
use renga_proto::clock::{
    AskTimer, AwaitWake, BoardDied, CalendarTime, Clock, Counted, DropTimer, GoOn, INTERVAL_TIMER, Left, MakeTimer,
    Overruns, SetCalendarTime, SetTimer, SleepUntil, TimerSignal, Wake,
};
use renga_proto::procs::{Cause, Procs, ProcsCall, Sender};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Errno, Port, Protocol, Watch};
use std::cell::RefCell;
use std::rc::Rc;

const TIMERS: usize = 3;
const SLEEPERS: usize = 4;
/// A process that the keeper does not know.
const NO_PROCESS: u32 = 99;
/// One that ignores what comes.
const DEAF: u32 = 98;
type Sent = Rc<RefCell<Vec<(u64, u8, Cause)>>>;

/// A clock, and a keeper of processes that notes when which signal came and why.
fn signal(signal: u8) -> TimerSignal {
    TimerSignal { signal, thread: 0 }
}

fn start(board: &HostBoard) -> (Address<Clock>, Sent) {
    start_watched(board, Box::leak(Box::new(Watch::new(None))))
}

fn start_watched(board: &HostBoard, watch: &'static Watch) -> (Address<Clock>, Sent) {
    start_with_tick(board, watch, 0)
}

fn start_with_tick(board: &HostBoard, watch: &'static Watch, tick_ns: u64) -> (Address<Clock>, Sent) {
    let sent = Sent::default();
    let out = sent.clone();
    let procs: Address<Procs> = board.server(move |me, mut port: Port<Procs>| async move {
        loop {
            if let ProcsCall::Kill(call) = port.accept_only(Procs::ENTRIES).await {
                let entry = call.entry();
                if entry.pid != NO_PROCESS {
                    out.borrow_mut().push((me.now_ns(), entry.signal, entry.cause));
                }
                call.reply(if entry.pid == NO_PROCESS { Err(Errno::ESRCH) } else { Ok(entry.pid != DEAF) });
            }
        }
    });
    let (timers, due) = (vec![Timer::FREE; TIMERS], vec![DuePlace::EMPTY; SLEEPERS + TIMERS]);
    let sleepers: Vec<Sleeper> = (0..SLEEPERS).map(|_| Sleeper::NONE).collect();
    let slots = Vec::leak(vec![SlotWait::NONE; SLEEPERS]);
    let server = board.server(move |me, port| {
        let procs = Client::new(&me, procs).narrowed();
        clock(me, port, procs, 1_000, Vec::leak(sleepers), Vec::leak(timers), Vec::leak(due), slots, watch, tick_ns)
    });
    (server, sent)
}

#[test]
fn clock_sleepers_wake_in_order_or_on_cancellation() {
    let board = HostBoard::new(0, 1 << 16);
    let (server, _) = start(&board);
    let woken = Rc::new(RefCell::new(Vec::new()));
    let mut sleepers = Vec::new();
    for until_ns in [500, 100, 300] {
        let out = woken.clone();
        sleepers.push(board.client(move |me| async move {
            let result = Client::new(&me, server).call(SleepUntil { until_ns, calendar: false }, ()).await;
            out.borrow_mut().push((until_ns, me.now_ns(), result));
        }));
    }
    board.run();
    sleepers[0].cancel_wait();
    board.run_through_alarms();
    assert_eq!(*woken.borrow(), [(500, 0, Err(Errno::EINTR)), (100, 100, Ok(())), (300, 300, Ok(()))]);
}

#[test]
fn clock_with_tick_ends_sleeps_and_timers_at_ticks() {
    let board = HostBoard::new(0, 1 << 16);
    let (server, sent) = start_with_tick(&board, Box::leak(Box::new(Watch::new(None))), 400);
    let woken = Rc::new(RefCell::new(Vec::new()));
    for until_ns in [1, 400, 401, 900] {
        let out = woken.clone();
        board.client(move |me| async move {
            Client::new(&me, server).call(SleepUntil { until_ns, calendar: false }, ()).await.unwrap();
            out.borrow_mut().push((until_ns, me.now_ns()));
        });
    }
    board.client(move |me| async move {
        let mut clock = Client::new(&me, server);
        let make = MakeTimer { pid: 8, slot: 0, counted: Counted::Time, signal: signal(14), id: 0, value: 0 };
        let timer = clock.call(make, ()).await.unwrap();
        clock.call(SetTimer { pid: 8, timer, at_ns: 700, interval_ns: 0, absolute: false }, ()).await.unwrap();
    });
    board.run_through_alarms();
    assert_eq!(*woken.borrow(), [(1, 400), (400, 400), (401, 800), (900, 1200)]);
    assert_eq!(sent.borrow().iter().map(|(at_ns, ..)| *at_ns).collect::<Vec<_>>(), [800]);
}

#[test]
fn clock_calendar_starts_at_epoch_and_is_set() {
    let board = HostBoard::new(0, 1 << 16);
    let (server, _) = start(&board);
    board.core.set_now_ns(50);
    board.client(move |me| async move {
        let mut clock = Client::new(&me, server);
        assert_eq!(clock.call(CalendarTime {}, ()).await, Ok(1_050));
        clock.call(SetCalendarTime { now_ns: 9_000 }, ()).await.unwrap();
        assert_eq!(clock.call(CalendarTime {}, ()).await, Ok(9_000));
    });
    board.run();
}

/// A wait for a calendar time follows `clock_settime`; other waits do not.
#[test]
fn clock_calendar_waits_follow_set_time() {
    let board = HostBoard::new(0, 1 << 16);
    let (server, sent) = start(&board);
    let woken = Rc::new(RefCell::new(Vec::new()));
    for (until_ns, calendar) in [(9_000, true), (600, false), (20_000, true)] {
        let out = woken.clone();
        board.client(move |me| async move {
            Client::new(&me, server).call(SleepUntil { until_ns, calendar }, ()).await.unwrap();
            out.borrow_mut().push((until_ns, me.now_ns()));
        });
    }
    board.client(move |me| async move {
        let mut clock = Client::new(&me, server);
        for (id, absolute, at_ns) in [(0, true, 15_000), (1, false, 700)] {
            let make = MakeTimer { pid: 8, slot: 0, counted: Counted::Calendar, signal: signal(14), id, value: 0 };
            let timer = clock.call(make, ()).await.unwrap();
            clock.call(SetTimer { pid: 8, timer, at_ns, interval_ns: 0, absolute }, ()).await.unwrap();
        }
        clock.call(SleepUntil { until_ns: 100, calendar: false }, ()).await.unwrap();
        clock.call(SetCalendarTime { now_ns: 15_000 }, ()).await.unwrap();
    });
    board.run_through_alarms();
    assert_eq!(*woken.borrow(), [(9_000, 100), (600, 600), (20_000, 5_100)]);
    let times: Vec<(u64, u32)> = sent.borrow().iter().map(|&(at_ns, _, cause)| (at_ns, cause.sender.pid)).collect();
    assert_eq!(times, [(100, 0), (700, 1)]);
}

#[test]
fn clock_timer_counts_overruns_until_signal_is_taken() {
    let board = HostBoard::new(0, 1 << 16);
    let (server, sent) = start(&board);
    board.client(move |me| async move {
        let (pid, mut clock) = (8, Client::new(&me, server));
        let make = MakeTimer { pid, slot: 0, counted: Counted::Time, signal: signal(34), id: 5, value: 77 };
        let timer = clock.call(make, ()).await.unwrap();
        let set = SetTimer { pid, timer, at_ns: 100, interval_ns: 30, absolute: false };
        assert_eq!(clock.call(set, ()).await, Ok(Left { left_ns: 0, interval_ns: 0 }));
        clock.call(SleepUntil { until_ns: 40, calendar: false }, ()).await.unwrap();
        assert_eq!(clock.call(AskTimer { pid, timer }, ()).await, Ok(Left { left_ns: 60, interval_ns: 30 }));
        clock.call(SleepUntil { until_ns: 215, calendar: false }, ()).await.unwrap();
        assert_eq!(clock.call(AskTimer { pid, timer }, ()).await, Ok(Left { left_ns: 5, interval_ns: 30 }));
        // 100, 130, 160, 190: three more than the delivered one.
        assert_eq!(clock.call(GoOn { pid, timer }, ()).await, Ok(3));
        assert_eq!(clock.call(Overruns { pid, timer }, ()).await, Ok(3));
        clock.call(SleepUntil { until_ns: 225, calendar: false }, ()).await.unwrap();
        assert_eq!(clock.call(GoOn { pid, timer }, ()).await, Ok(0));
        let stop = SetTimer { pid, timer, at_ns: 0, interval_ns: 30, absolute: false };
        assert_eq!(clock.call(stop, ()).await, Ok(Left { left_ns: 25, interval_ns: 30 }));
        assert_eq!(clock.call(AskTimer { pid: 9, timer }, ()).await, Err(Errno::EINVAL), "another's");
        clock.call(DropTimer { pid, timer }, ()).await.unwrap();
        assert_eq!(clock.call(GoOn { pid, timer }, ()).await, Err(Errno::EINVAL));
    });
    board.run_through_alarms();
    let cause = Cause { code: -2, sender: Sender::of(5), value: 77, timer: 1 };
    assert_eq!(*sent.borrow(), [(100, 34, cause), (220, 34, cause)]);
}

#[test]
fn clock_timers_are_bounded_and_freed_with_process() {
    let board = HostBoard::new(0, 1 << 16);
    let (server, sent) = start(&board);
    board.client(move |me| async move {
        let mut clock = Client::new(&me, server);
        for pid in [DEAF, NO_PROCESS, 8] {
            let make =
                MakeTimer { pid, slot: 0, counted: Counted::Time, signal: signal(14), id: INTERVAL_TIMER, value: 0 };
            let timer = clock.call(make, ()).await.unwrap();
            let interval_ns = if pid == DEAF { 10 } else { 0 };
            clock.call(SetTimer { pid, timer, at_ns: 100, interval_ns, absolute: true }, ()).await.unwrap();
        }
        let make = MakeTimer { pid: 8, slot: 0, counted: Counted::Time, signal: signal(14), id: 1, value: 0 };
        assert_eq!(clock.call(make, ()).await, Err(Errno::EAGAIN));
        clock.call(SleepUntil { until_ns: 2_500_000, calendar: false }, ()).await.unwrap();
        let timer = clock.call(make, ()).await.unwrap();
        assert_eq!(timer, 1, "the timer of no process");
        clock.call(DropTimer { pid: DEAF, timer: 0 }, ()).await.unwrap();
    });
    board.run_through_alarms();
    // A timer whose process ignores the signal slows down.
    let times: Vec<(u64, u32)> = sent.borrow().iter().map(|&(at_ns, _, cause)| (at_ns, cause.timer)).collect();
    assert_eq!(times, [(100, 1), (100, 3), (1_000_100, 1), (2_000_100, 1)]);
}

/// The clock keeps one wake that comes before its program waits. It watches a board while a program waits for
/// something there.
#[test]
fn clock_wake_before_wait_is_kept() {
    let board = HostBoard::new(0, 1 << 16);
    let watch: &'static Watch = Box::leak(Box::new(Watch::new(None)));
    let (server, _) = start_watched(&board, watch);
    let woken = Rc::new(RefCell::new(Vec::new()));
    let wait = |slot, until_ns, boards| {
        let out = woken.clone();
        let process = board.client(move |me| async move {
            let waited = Client::new(&me, server).call(AwaitWake { slot, until_ns, boards }, ()).await;
            out.borrow_mut().push((slot, me.now_ns(), waited));
        });
        board.run();
        process
    };
    let wake = |first| {
        board.client(move |me| async move {
            Client::new(&me, server).call(Wake { first, second: 0, third: 0, fourth: u64::MAX }, ()).await.unwrap();
        });
        board.run();
    };
    wake(0b1);
    wait(0, u64::MAX, 0b10);
    assert_eq!(woken.take(), [(0, 0, Ok(()))], "it was woken before");
    assert!(!watch.contains(1));
    wait(0, u64::MAX, 0b10);
    wait(1, 700, 0);
    wait(2, u64::MAX, 0b110);
    assert!(woken.borrow().is_empty() && watch.contains(1) && watch.contains(2));
    wake(0b1);
    assert_eq!(woken.take(), [(0, 0, Ok(()))]);
    board.client(move |me| async move {
        Client::new(&me, server).call(BoardDied { board: 2 }, ()).await.unwrap();
    });
    board.run();
    assert_eq!(woken.take(), [(2, 0, Ok(()))]);
    assert!(!watch.contains(1) && !watch.contains(2));
    board.run_through_alarms();
    assert_eq!(woken.take(), [(1, 700, Ok(()))]);
    wait(3, u64::MAX, 0b100);
    assert_eq!(woken.take(), [(3, 700, Ok(()))], "the board may have failed since the poll");
    wait(3, u64::MAX, 0).cancel_wait();
    board.run();
    assert_eq!(woken.take(), [(3, 700, Err(Errno::EINTR))]);
    wait(SLEEPERS as u16, 0, 0);
    assert_eq!(woken.take(), [(SLEEPERS as u16, 700, Err(Errno::EINVAL))], "there is no such slot");
}
