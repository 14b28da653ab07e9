//! The counter as its clients see it.

use renga_counter::counter;
use renga_proto::counter::{Add, Counter, ReadCounter};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Errno};
use std::cell::Cell;
use std::rc::Rc;

#[test]
fn counter_two_clients_lose_no_addition() {
    let board = HostBoard::new(0, 1 << 16);
    let server: Address<Counter> = board.server(|_, port| counter(port));
    let finished = Rc::new(Cell::new(0));
    for amount in [1, -3] {
        let finished = finished.clone();
        board.client(move |me| async move {
            let mut counter = Client::new(&me, server);
            for _ in 0..100 {
                assert!(counter.call(Add { amount }, ()).await.is_ok());
            }
            finished.set(finished.get() + 1);
        });
    }
    board.run();
    board.client(move |me| async move {
        assert_eq!(Client::new(&me, server).call(ReadCounter {}, ()).await, Ok(-200));
        finished.set(finished.get() + 1);
    });
    board.run();
}

#[test]
fn counter_sum_out_of_range_is_refused_and_changes_nothing() {
    let board = HostBoard::new(0, 1 << 16);
    let server: Address<Counter> = board.server(|_, port| counter(port));
    board.client(move |me| async move {
        let mut counter = Client::new(&me, server);
        assert_eq!(counter.call(Add { amount: i64::MAX }, ()).await, Ok(i64::MAX));
        assert_eq!(counter.call(Add { amount: 1 }, ()).await, Err(Errno::ERANGE));
        assert_eq!(counter.call(ReadCounter {}, ()).await, Ok(i64::MAX));
    });
    board.run();
}
