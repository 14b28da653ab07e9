//! The clock as sleepers see it.
use renga_clock::clock;
use renga_proto::clock::{CalendarTime, Clock, SetCalendarTime, SleepUntil};
use renga_rt::host::Board;
use renga_rt::{Address, Client, Errno};
use std::cell::RefCell;
use std::rc::Rc;

#[test]
fn sleepers_wake_in_order_and_an_interrupted_one_at_once() {
    let board = Board::new(0, 1 << 16);
    let server: Address<Clock> = board.server(|me, port| clock(me, port, 1_000));
    let woken = Rc::new(RefCell::new(Vec::new()));
    let mut sleepers = Vec::new();
    for until_ns in [500, 100, 300] {
        let out = woken.clone();
        sleepers.push(board.client(move |me| async move {
            let result = Client::new(&me, server).call(SleepUntil { until_ns }, ()).await;
            out.borrow_mut().push((until_ns, me.now_ns(), result));
        }));
    }
    board.run();
    sleepers[0].interrupt();
    board.run_through_alarms();
    assert_eq!(*woken.borrow(), [(500, 0, Err(Errno::EINTR)), (100, 100, Ok(())), (300, 300, Ok(()))]);
}

#[test]
fn calendar_time_starts_at_the_epoch_and_can_be_set() {
    let board = Board::new(0, 1 << 16);
    let server: Address<Clock> = board.server(|me, port| clock(me, port, 1_000));
    board.core.set_now_ns(50);
    board.client(move |me| async move {
        let mut clock = Client::new(&me, server);
        assert_eq!(clock.call(CalendarTime {}, ()).await, Ok(1_050));
        clock.call(SetCalendarTime { now_ns: 9_000 }, ()).await.unwrap();
        assert_eq!(clock.call(CalendarTime {}, ()).await, Ok(9_000));
    });
    board.run();
}
