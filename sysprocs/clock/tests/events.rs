//! Event files as their holders see them.
use renga_clock::{DuePlace, EventPlace, NoticeMemory, WatchPlace, events};
use renga_proto::clock::Left;
use renga_proto::events::EventKind::{CalendarTimer, Count, Semaphore, Timer};
use renga_proto::events::{
    AddCount, AskTimerFile, BoardDied, COUNT_MAX, DropEvents, EventFile, EventKind, Events, FollowCalendar, HoldEvents,
    MakeEvents, PollEvents, SetTimerFile, TakeCount,
};
use renga_proto::pipe::{NO_PROGRAM, Polled, READABLE, WRITABLE};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Errno, Wakes, WatchFilters};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

const FILES: usize = 2;
const WATCHES: usize = 3;
const EPOCH_NS: u64 = 1_000_000;
const BOTH: u32 = READABLE | WRITABLE;

struct Rig {
    board: HostBoard,
    server: Address<Events>,
    wakes: &'static Wakes,
}

fn rig() -> Rig {
    let board = HostBoard::new(0, 1 << 18);
    let wakes: &'static Wakes = Box::leak(Box::new(Wakes::new(None)));
    let places = Box::leak(Box::new([EventPlace::FREE; FILES]));
    let due = Box::leak(Box::new([DuePlace::EMPTY; FILES]));
    let watches = Box::leak(Box::new([WatchPlace::FREE; WATCHES]));
    let notices = Box::leak(Box::new(NoticeMemory { notices: &mut [], watches: &mut [] }));
    let watched: &'static WatchFilters = Box::leak(Box::new(WatchFilters::new(&[])));
    let server =
        board.server(|me, port| events(me, port, places, due, EPOCH_NS, 1, wakes, watches, notices, watched, 0));
    Rig { board, server, wakes }
}

/// A client with what it has made.
struct File(Client<Events>, EventFile);

impl File {
    async fn take(&mut self, slot: u16) -> Result<u64, Errno> {
        let EventFile { number, generation } = self.1;
        self.0.call(TakeCount { number, generation, slot }, ()).await
    }
    async fn add(&mut self, add: u64, slot: u16) -> Result<(), Errno> {
        let EventFile { number, generation } = self.1;
        self.0.call(AddCount { number, generation, add, slot }, ()).await
    }
    async fn poll(&mut self, events: u32, slot: u16, seen: u32) -> Polled {
        let EventFile { number, generation } = self.1;
        self.0.call(PollEvents { number, generation, events, slot, seen }, ()).await.unwrap()
    }
    async fn set(&mut self, at_ns: u64, interval_ns: u64, absolute: bool) -> Result<Left, Errno> {
        let EventFile { number, generation } = self.1;
        self.0
            .call(SetTimerFile { number, generation, at_ns, interval_ns, absolute, cancel_on_set: absolute }, ())
            .await
    }
}

impl Rig {
    fn run<F: Future<Output = ()> + 'static>(
        &self,
        kind: EventKind,
        count: u64,
        body: impl FnOnce(File) -> F + 'static,
    ) {
        let (server, ran) = (self.server, Rc::new(Cell::new(false)));
        let end = ran.clone();
        self.board.client(move |me| async move {
            let mut client = Client::new(&me, server);
            let file = client.call(MakeEvents { kind, count }, ()).await.unwrap();
            body(File(client, file)).await;
            end.set(true);
        });
        self.board.run();
        assert!(ran.get(), "no entry waits");
    }
}

#[test]
fn event_file_counter_and_semaphore_take_counts() {
    let rig = rig();
    rig.run(Count, 3, |mut file| async move {
        assert_eq!(file.add(4, NO_PROGRAM).await, Ok(()));
        assert_eq!(file.take(NO_PROGRAM).await, Ok(7));
        assert_eq!(file.take(NO_PROGRAM).await, Err(Errno::EAGAIN));
        assert_eq!(file.add(COUNT_MAX, NO_PROGRAM).await, Ok(()));
        assert_eq!(file.add(1, NO_PROGRAM).await, Err(Errno::EAGAIN));
        assert_eq!(file.add(0, NO_PROGRAM).await, Ok(()));
        assert_eq!(file.add(u64::MAX, NO_PROGRAM).await, Err(Errno::EAGAIN));
        assert_eq!(file.poll(BOTH, NO_PROGRAM, 0).await.events, READABLE);
        assert_eq!(file.take(NO_PROGRAM).await, Ok(COUNT_MAX));
        assert_eq!(file.poll(BOTH, NO_PROGRAM, 0).await.events, WRITABLE);
        assert_eq!(file.set(1, 0, false).await, Err(Errno::EINVAL), "no timer");
    });
    rig.run(Semaphore, 2, |mut file| async move {
        assert_eq!([file.take(NO_PROGRAM).await, file.take(NO_PROGRAM).await], [Ok(1), Ok(1)]);
        assert_eq!(file.take(NO_PROGRAM).await, Err(Errno::EAGAIN));
    });
}

#[test]
fn event_file_empty_take_is_woken_once() {
    let rig = rig();
    let wakes = rig.wakes;
    rig.run(Count, 0, move |mut file| async move {
        assert_eq!(file.take(5).await, Err(Errno::EAGAIN));
        assert_eq!(file.poll(READABLE, 6, 0).await.events, 0);
        // A caller that finds an event, or waits for none, is not woken.
        assert_eq!(file.poll(WRITABLE, 7, 0).await.events, WRITABLE);
        assert_eq!(file.poll(READABLE, NO_PROGRAM, 0).await.events, 0);
        assert_eq!(wakes.take(), None);
        file.add(COUNT_MAX, NO_PROGRAM).await.unwrap();
        assert_eq!(wakes.take(), Some((0, [1 << 5 | 1 << 6, 0, 0, 0])));
        assert_eq!(file.add(1, 8).await, Err(Errno::EAGAIN));
        assert_eq!(wakes.take(), None);
        file.take(NO_PROGRAM).await.unwrap();
        assert_eq!(wakes.take(), Some((0, [1 << 8, 0, 0, 0])));
    });
}

/// An event that is there and was seen is none; who waits for the next is woken by it.
#[test]
fn event_file_edge_is_reported_once() {
    let rig = rig();
    let wakes = rig.wakes;
    rig.run(Count, 1, move |mut file| async move {
        let first = file.poll(READABLE, 1, 0).await;
        assert_eq!(first.events, READABLE);
        assert_eq!(file.poll(READABLE, 1, first.edges).await, Polled { events: 0, ..first });
        assert_eq!(wakes.take(), None);
        file.add(1, NO_PROGRAM).await.unwrap();
        assert_eq!(wakes.take(), Some((0, [1 << 1, 0, 0, 0])));
        let second = file.poll(READABLE, 1, first.edges).await;
        assert!(second.events == READABLE && second.edges != first.edges && second.edges != 0);
    });
}

#[test]
fn event_file_timer_counts_unread_expiries() {
    let rig = rig();
    let (server, wakes, board) = (rig.server, rig.wakes, rig.board);
    let timer = Rc::new(RefCell::new(None));
    let keep = timer.clone();
    rig.run(Timer, 0, |mut file| async move {
        assert_eq!(file.set(0, 0, false).await, Ok(Left { left_ns: 0, interval_ns: 0 }));
        assert_eq!(file.set(100, 30, false).await, Ok(Left { left_ns: 0, interval_ns: 0 }));
        assert_eq!(file.take(9).await, Err(Errno::EAGAIN));
        assert_eq!(file.add(1, NO_PROGRAM).await, Err(Errno::EINVAL));
        *keep.borrow_mut() = Some(file.1);
    });
    let made = timer.borrow().unwrap();
    board.run_through_alarms();
    assert_eq!((board.core.now_ns(), wakes.take()), (100, Some((0, [1 << 9, 0, 0, 0]))), "once, until it is read");
    board.core.set_now_ns(165);
    let times = Rc::new(RefCell::new(Vec::new()));
    let out = times.clone();
    board.client(move |me| async move {
        let mut file = File(Client::new(&me, server), made);
        for slot in [NO_PROGRAM, 9] {
            let taken = file.take(slot).await;
            out.borrow_mut().push(taken);
        }
        let EventFile { number, generation } = made;
        let left = file.0.call(AskTimerFile { number, generation }, ()).await;
        assert_eq!(left, Ok(Left { left_ns: 25, interval_ns: 30 }));
    });
    board.run();
    assert_eq!(*times.borrow(), [Ok(3), Err(Errno::EAGAIN)]);
    board.run_through_alarms();
    assert_eq!((board.core.now_ns(), wakes.take()), (190, Some((0, [1 << 9, 0, 0, 0]))));
}

#[test]
fn event_file_calendar_timer_follows_set_time() {
    let rig = rig();
    let wakes = rig.wakes;
    rig.run(CalendarTimer, 0, move |mut file| async move {
        assert!(file.set(EPOCH_NS + 500, 0, true).await.is_ok());
        assert_eq!(file.take(3).await, Err(Errno::EAGAIN));
        file.0.call(FollowCalendar { now_ns: 400 }, ()).await.unwrap();
        assert_eq!(wakes.take(), Some((0, [1 << 3, 0, 0, 0])));
        assert_eq!(file.poll(BOTH, NO_PROGRAM, 0).await.events, READABLE);
        assert_eq!(file.take(3).await, Err(Errno::ECANCELED));
        assert_eq!(file.take(3).await, Err(Errno::EAGAIN), "reported once");
        let EventFile { number, generation } = file.1;
        let left = file.0.call(AskTimerFile { number, generation }, ()).await;
        assert_eq!(left, Ok(Left { left_ns: EPOCH_NS + 100, interval_ns: 0 }));
    });
}

/// As the clock's: so long from now is so long, whatever the calendar says meanwhile.
#[test]
fn event_file_relative_timer_ignores_set_time() {
    let rig = rig();
    let (board, wakes) = (rig.board, rig.wakes);
    rig.run(CalendarTimer, 0, |mut file| async move {
        assert!(file.set(500, 0, false).await.is_ok());
        assert_eq!(file.take(3).await, Err(Errno::EAGAIN));
        file.0.call(FollowCalendar { now_ns: 400 }, ()).await.unwrap();
        let EventFile { number, generation } = file.1;
        let left = file.0.call(AskTimerFile { number, generation }, ()).await;
        assert_eq!(left, Ok(Left { left_ns: 500, interval_ns: 0 }));
    });
    board.run_through_alarms();
    assert_eq!((board.core.now_ns(), wakes.take()), (500, Some((0, [1 << 3, 0, 0, 0]))));
}

#[test]
fn event_file_ends_with_last_reference() {
    let rig = rig();
    rig.run(Count, 1, |mut file| async move {
        let EventFile { number, generation } = file.1;
        let second = file.0.call(MakeEvents { kind: Timer, count: 0 }, ()).await.unwrap();
        assert_eq!(file.0.call(MakeEvents { kind: Count, count: 0 }, ()).await, Err(Errno::ENFILE));
        for (number, generation) in [(number, generation + 1), (FILES as u16, generation), (9, 0)] {
            assert_eq!(file.0.call(TakeCount { number, generation, slot: 1 }, ()).await, Err(Errno::ESTALE));
            assert_eq!(file.0.call(HoldEvents { number, generation }, ()).await, Err(Errno::ESTALE));
            assert_eq!(file.0.call(DropEvents { number, generation }, ()).await, Err(Errno::ESTALE));
        }
        assert_eq!(file.0.call(HoldEvents { number, generation }, ()).await, Ok(()));
        assert_eq!(file.0.call(DropEvents { number, generation }, ()).await, Ok(()));
        assert_eq!(file.take(NO_PROGRAM).await, Ok(1));
        assert_eq!(file.0.call(DropEvents { number, generation }, ()).await, Ok(()));
        assert_eq!(file.take(NO_PROGRAM).await, Err(Errno::ESTALE));
        assert_eq!(file.0.call(HoldEvents { number, generation }, ()).await, Err(Errno::ESTALE));
        let third = file.0.call(MakeEvents { kind: Count, count: 0 }, ()).await.unwrap();
        assert!(third.number == number && third.generation != generation);
        file.0.call(BoardDied { board: 0 }, ()).await.unwrap();
        let EventFile { number, generation } = second;
        assert_eq!(file.0.call(AskTimerFile { number, generation }, ()).await, Err(Errno::ESTALE));
    });
}
