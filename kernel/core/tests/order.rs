//! The order in which ready processes run: by priority, then by the time at which they became ready.
#![allow(missing_docs)]

use renga_core::host::HostBoard;
use std::cell::RefCell;
use std::rc::Rc;

#[test]
fn ready_queue_highest_priority_first_equals_fifo() {
    let board = HostBoard::new(0, 1 << 20);
    let ran = Rc::new(RefCell::new(vec![]));
    let woken: Vec<_> = [(1, 'a'), (6, 'b'), (3, 'c'), (6, 'd'), (1, 'e'), (7, 'f')]
        .into_iter()
        .map(|(priority, name)| {
            let (process, ran) = (board.declare(priority), ran.clone());
            board.start(process, |mut me| async move {
                loop {
                    me.notified().await;
                    ran.borrow_mut().push(name);
                    if name == 'c' {
                        // Behind its equals, of which there are none.
                        me.yield_now().await;
                        ran.borrow_mut().push('C');
                    }
                }
            });
            process
        })
        .collect();
    board.run();
    assert!(ran.borrow().is_empty());
    woken.iter().for_each(|process| process.notify());
    board.run();
    assert_eq!(ran.borrow().iter().collect::<String>(), "fbdcCae");
    // Notifications from before its poll are kept.
    ran.borrow_mut().clear();
    woken[4].notify();
    woken[4].notify();
    board.run();
    assert_eq!(ran.borrow().iter().collect::<String>(), "ee");
}
