//! The waker, and a board that reboots.

use renga_clock::waker;
use renga_proto::clock::{Clock, ClockCall, Wake};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Errno, Family, Notifier, Port, Waiters, Wakes};
use std::cell::RefCell;
use std::rc::Rc;

/// The slots that the clock of a board is to wake, of which its router refuses the first `refused` calls.
fn woken(refused: usize) -> Vec<u64> {
    let board = HostBoard::new(0, 1 << 16);
    let calls = Rc::new(RefCell::new(Vec::new()));
    let out = calls.clone();
    let clock: Address<Clock> = board.server(move |_, mut port: Port<Clock>| async move {
        loop {
            if let ClockCall::Wake(call) = port.accept_only(Wake::BIT).await {
                out.borrow_mut().push(call.entry().first);
                let stale = out.borrow().len() <= refused;
                call.reply(if stale { Err(Errno::ESTALE) } else { Ok(()) });
            }
        }
    });
    let process = board.declare(1);
    let wakes: &'static Wakes = Box::leak(Box::new(Wakes::new(Some(Notifier::new(process)))));
    board.start(process, |me| {
        let clocks = Family::new(&me, board.family(&[clock])).narrowed();
        waker(me, clocks, wakes)
    });
    board.run();
    let mut waiters = Waiters::NONE;
    waiters.add(0, 3);
    wakes.wake(&mut waiters);
    board.run();
    calls.take()
}

#[test]
fn waker_running_board_wakes_once() {
    assert_eq!(woken(0), [1 << 3]);
}

#[test]
fn waker_rebooted_board_repeats_refused_wake() {
    assert_eq!(woken(1), [1 << 3; 2], "a program of the new incarnation waits there");
}

#[test]
fn waker_board_refusing_again_gives_up() {
    assert_eq!(woken(5), [1 << 3; 2]);
}
