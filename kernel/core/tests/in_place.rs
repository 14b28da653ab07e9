//! A notification in place: a process that waits for it runs in the notifier's poll, unless others go first.
#![allow(missing_docs)]

use renga_core::Notifier;
use renga_core::host::HostBoard;
use renga_core::raw::ExchangePort;
use std::cell::RefCell;
use std::rc::Rc;

const NOTIFIER_PRIORITY: u8 = 5;
/// As in `sched/ready.rs`.
const IN_PLACE_PER_DISPATCH: u32 = 64;

/// Runs a notifier of one process of `priority`, `times` times in one poll, while one of each of `ready` is ready. Who
/// ran in which order: the notifier before (`[`) and after (`]`), the notified (`n`), the ready ones (their priority).
fn order(priority: u8, times: u32, ready: &[u8]) -> String {
    let board = HostBoard::new(0, 1 << 20);
    let ran = Rc::new(RefCell::new(String::new()));
    let notified = board.declare(priority);
    let log = ran.clone();
    board.start(notified, |mut me| async move {
        loop {
            me.notified().await;
            log.borrow_mut().push('n');
        }
    });
    let others: Vec<_> = ready
        .iter()
        .map(|&priority| {
            let (process, log) = (board.declare(priority), ran.clone());
            board.start(process, move |mut me| async move {
                loop {
                    me.notified().await;
                    log.borrow_mut().push((b'0' + priority) as char);
                }
            });
            process
        })
        .collect();
    let (notifier, right, log) = (board.declare(NOTIFIER_PRIORITY), Notifier::new(notified), ran.clone());
    board.start(notifier, |mut me| async move {
        loop {
            me.notified().await;
            log.borrow_mut().push('[');
            for other in &others {
                other.notify();
            }
            for _ in 0..times {
                right.notify_in_place();
            }
            log.borrow_mut().push(']');
        }
    });
    board.run();
    notifier.notify();
    board.run();
    let ran = ran.borrow();
    ran.clone()
}

#[test]
fn notification_in_place_runs_who_waits_before_it_returns() {
    assert_eq!(order(3, 1, &[]), "[n]");
    assert_eq!(order(3, 2, &[]), "[nn]", "it waits again");
    assert_eq!(order(7, 1, &[]), "[n]");
}

#[test]
fn notification_in_place_lets_more_urgent_processes_go_first() {
    assert_eq!(order(3, 1, &[4]), "[]4n");
    assert_eq!(order(3, 1, &[3, 1]), "[n]31", "equals and less urgent ones do not");
}

#[test]
fn notification_in_place_is_bounded_within_a_dispatch() {
    let runs = IN_PLACE_PER_DISPATCH as usize;
    let bounded = format!("[{}]n", "n".repeat(runs));
    assert_eq!(order(3, IN_PLACE_PER_DISPATCH + 1, &[]), bounded, "the next is dispatched");
}

#[test]
fn notification_now_runs_who_accepts_unless_others_go_first() {
    let board = HostBoard::new(0, 1 << 20);
    let ran = Rc::new(RefCell::new(String::new()));
    let [accepting, other] = [(4, 'a'), (6, 'o')].map(|(priority, name)| {
        let (process, log) = (board.declare(priority), ran.clone());
        board.start(process, move |me| async move {
            let mut port = ExchangePort::new(&me);
            loop {
                assert!(port.accept_or_notified().await.is_none());
                log.borrow_mut().push(name);
            }
        });
        process
    });
    board.run();
    accepting.notify_now(|| 0);
    assert_eq!(*ran.borrow(), "a", "nobody had to dispatch it");
    other.notify();
    accepting.notify_now(|| 0);
    assert_eq!(*ran.borrow(), "a", "it waits for the more urgent one");
    board.run();
    assert_eq!(*ran.borrow(), "aoa");
}
