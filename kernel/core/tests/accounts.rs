//! The account that a server's work is charged to.
#![allow(missing_docs)]

use renga_abi::Errno;
use renga_core::account::{Account, AccountNumber, Count};
use renga_core::host::HostBoard;
use renga_core::{Client, Port, Protocol, protocol};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

protocol! {
    /// Keeps calls.
    pub Keeper = 1, KeeperCall {
        /// Is answered by `Finish`.
        0 Keep {} (()) -> Result<(), Errno> [defers];
        /// Does the work of those kept.
        1 Finish {} (()) -> Result<(), Errno>;
    }
}

const KEPT: [u16; 3] = [3, 5, 6];
const FINISHES: u16 = 9;

#[test]
fn account_server_charges_each_part_to_its_call() {
    let board = HostBoard::new(0, 1 << 20);
    board.core.set_accounts(board.arena.put_slice(AccountNumber::count(1), |_| Account::new()));
    let (below, worked) = (board.declare(4), Rc::new(Cell::new(0)));
    let mut works = None;
    let count = worked.clone();
    board.start(below, |me| {
        let (mut port, address) = Port::<Keeper>::new(&me);
        works = Some(address);
        async move {
            loop {
                match port.accept().await {
                    KeeperCall::Keep(call) => call.reply(Err(Errno::EINVAL)),
                    KeeperCall::Finish(call) => {
                        me.count(Count::BlocksRead, 10);
                        count.set(count.get() + 1);
                        call.reply(Ok(()));
                    }
                }
            }
        }
    });
    let keeper = board.server(move |mut me, mut port: Port<Keeper>| {
        let mut below = Client::new(&me, works.unwrap());
        async move {
            let mut kept = vec![];
            me.notify_at(Some(1_000));
            loop {
                match port.accept_or_notified(Keeper::ENTRIES).await {
                    Some(KeeperCall::Keep(call)) => kept.push(call),
                    Some(KeeperCall::Finish(call)) => {
                        for kept in kept.drain(..) {
                            me.take_up(&kept);
                            me.count(Count::BlocksWritten, 1);
                            below.call(Finish {}, ()).await.unwrap();
                            kept.reply(Ok(()));
                        }
                        call.reply(Ok(()));
                    }
                    None => me.count(Count::LinkFrames, 1),
                }
            }
        }
    });
    for slot in KEPT.into_iter().chain([FINISHES]) {
        let process = board.client(move |me| async move {
            let mut client = Client::new(&me, keeper);
            if slot == FINISHES {
                client.call(Finish {}, ()).await.unwrap();
            } else {
                client.call(Keep {}, ()).await.unwrap();
            }
        });
        process.set_account(AccountNumber::of_slot(0, slot));
    }
    board.run_through_alarms();
    assert_eq!(worked.get(), KEPT.len());
    let counted = |number, count: Count| board.core.counts(number)[count as usize];
    for slot in KEPT {
        let number = AccountNumber::of_slot(0, slot);
        let both = (counted(number, Count::BlocksWritten), counted(number, Count::BlocksRead));
        assert_eq!(both, (1, 10), "slot {slot}: its own part, and what another did for that");
    }
    let last = AccountNumber::of_slot(0, FINISHES);
    assert_eq!((counted(last, Count::BlocksWritten), counted(last, Count::BlocksRead)), (0, 0), "of the last caller");
    assert_eq!(counted(AccountNumber::SYSTEM, Count::LinkFrames), 1, "what an alarm causes is no caller's");
}

protocol! {
    /// Does something for others.
    pub Works = 1, WorksCall {
        /// Takes its time.
        0 Work { ns: u64 } (()) -> Result<(), Errno> [defers];
    }
}

/// Holds: charged-everywhere.
#[test]
fn account_work_is_charged_to_its_program() {
    let board = HostBoard::new(0, 1 << 20);
    board.core.set_accounts(board.arena.put_slice(AccountNumber::count(2), |_| Account::new()));
    let first = board.server(|mut me, mut port: Port<Works>| async move {
        loop {
            let WorksCall::Work(call) = port.accept().await;
            let ns = call.entry().ns;
            me.sleep_until(me.now_ns() + ns).await;
            me.count(Count::BlocksRead, 3);
            call.reply(Ok(()));
        }
    });
    let second = board.server(move |me, mut port: Port<Works>| {
        let mut next = Client::new(&me, first);
        async move {
            loop {
                let WorksCall::Work(call) = port.accept().await;
                let done = next.call(call.entry(), ()).await;
                call.reply(done);
            }
        }
    });
    let done = Rc::new(Cell::new(0));
    let seen = Rc::new(RefCell::new(Vec::new()));
    for slot in [3u16, 5] {
        let (done, seen) = (done.clone(), seen.clone());
        let process = board.client(move |mut me| async move {
            let mut client = Client::new(&me, second);
            for _ in 0..slot {
                client.call(Work { ns: 1_000 }, ()).await.unwrap();
            }
            seen.borrow_mut().push(me.account());
            me.act_for(AccountNumber::of_slot(1, 9));
            client.call(Work { ns: 1 }, ()).await.unwrap();
            done.set(done.get() + 1);
        });
        process.set_account(AccountNumber::of_slot(0, slot));
    }
    board.run_through_alarms();
    assert_eq!(done.get(), 2);
    let blocks = |number| board.core.counts(number)[Count::BlocksRead as usize];
    assert_eq!((blocks(AccountNumber::of_slot(0, 3)), blocks(AccountNumber::of_slot(0, 5))), (9, 15));
    assert_eq!(blocks(AccountNumber::of_slot(1, 9)), 6, "a proxy's are those of whom it acts for");
    assert_eq!(blocks(AccountNumber::SYSTEM), 0);
    assert_eq!(Count::NAMES.len(), Count::ALL.len());
    seen.borrow().iter().for_each(|number| assert_ne!(*number, AccountNumber::SYSTEM));
    assert_eq!(AccountNumber::of_slot(0, 256), AccountNumber::SYSTEM, "no account is another board's");
}
