//! Forwarded calls: the last server answers the caller; in place, queued, deferred, to another board, from a proxy.
use renga_abi::{Errno, ProcId};
use renga_core::host::HostBoard;
use renga_core::raw::{ExchangePort, RawClient};
use renga_core::{Address, Call, Client, Entry, Forward, ForwardFamily, Me, Port, protocol};
use std::cell::{Cell, RefCell};
use std::convert::Infallible as Never;
use std::rc::Rc;

protocol! {
    /// An index of other servers' data.
    pub Index = 1, IndexCall {
        /// Resolves a name.
        0 Lookup { name: u32 } (&'a mut [u8]) -> Result<u64, Errno>;
        /// Passes on.
        1 Pass { value: u64 } (()) -> Result<u64, Errno>;
        /// Copies given to taken.
        2 Copy {} ((&'a [u8], &'a mut [u8])) -> Result<u64, Errno>;
    }
}
protocol! {
    /// Has it.
    pub Shelf = 2, ShelfCall {
        /// Fills the slice.
        4 Read { from: u32, fill: u8 } (&'a mut [u8]) -> Result<u64, Errno>;
        /// Twice the value.
        5 Double { value: u64 } (()) -> Result<u64, Errno> [defers];
        /// Copies.
        6 Both {} ((&'a [u8], &'a mut [u8])) -> Result<u64, Errno>;
    }
}

async fn index(mut port: Port<Index>, shelf: Address<Shelf>) -> Never {
    let shelf = Forward::new(shelf);
    loop {
        match port.accept().await {
            IndexCall::Lookup(call) => {
                let fill = call.entry().name as u8;
                call.forward(&shelf, Read { from: 1, fill });
            }
            IndexCall::Pass(call) => {
                let value = call.entry().value + 1;
                call.forward(&shelf, Double { value });
            }
            IndexCall::Copy(call) => call.forward(&shelf, Both {}),
        }
    }
}

async fn shelf(mut port: Port<Shelf>) -> Never {
    loop {
        match port.accept().await {
            ShelfCall::Read(mut call) => {
                let Read { from, fill } = call.entry();
                call.lent()[from as usize..].fill(fill);
                call.set_taken_used(3);
                call.reply(Ok(u64::from(fill)));
            }
            ShelfCall::Double(call) => {
                let value = call.entry().value;
                call.reply(Ok(2 * value));
            }
            ShelfCall::Both(mut call) => {
                let (given, taken) = call.lent();
                taken[..given.len()].copy_from_slice(given);
                let count = given.len() as u64;
                call.reply(Ok(count));
            }
        }
    }
}

/// A shelf that answers the `Double`s two by two, the later first.
async fn late_shelf(mut port: Port<Shelf>) -> Never {
    let mut deferred: Option<Call<Double>> = None;
    loop {
        let ShelfCall::Double(call) = port.accept_only(Double::BIT).await else { unreachable!() };
        if let Some(first) = deferred.take() {
            for call in [call, first] {
                let value = call.entry().value;
                call.reply(Ok(2 * value));
            }
        } else {
            deferred = Some(call);
        }
    }
}

fn board() -> HostBoard {
    HostBoard::new(0, 1 << 16)
}

fn indexed(board: HostBoard, server: Address<Shelf>) -> Address<Index> {
    board.server(move |_, port| index(port, server))
}

#[test]
fn forward_last_server_replies_with_first_slice() {
    let board = board();
    let shelf = board.server(|_, port| shelf(port));
    let index = indexed(board, shelf);
    let done = Rc::new(Cell::new(0));
    let count = done.clone();
    let client = board.client(move |me| async move {
        let mut client = Client::new(&me, index);
        for round in 0..200u64 {
            let mut page = [0; 4];
            assert_eq!(client.call(Lookup { name: 7 }, &mut page).await, Ok(7));
            assert_eq!(page, [0, 7, 7, 7]);
            assert_eq!(client.call(Pass { value: round }, ()).await, Ok(2 * (round + 1)));
            assert_eq!(client.call(Copy {}, (b"abc", &mut page)).await, Ok(3));
            assert_eq!(&page, b"abc\x07");
            count.set(count.get() + 1);
        }
    });
    board.run();
    assert_eq!((done.get(), client.waits_for()), (200, None));
}

/// Holds: call-forward.
#[test]
fn forward_server_continues_and_caller_waits_for_last() {
    let board = board();
    let shelf = board.server(|_, port| late_shelf(port));
    let index = indexed(board, shelf);
    let order = Rc::new(RefCell::new(Vec::new()));
    let ask = |value: u64| {
        let order = order.clone();
        board.client(move |me| async move {
            let reply = Client::new(&me, index).call(Pass { value }, ()).await;
            order.borrow_mut().push(reply.unwrap());
        })
    };
    let first = ask(10);
    board.run();
    assert_eq!(first.waits_for(), Some(shelf.id()), "the index has nothing to do with it any more");
    ask(20);
    board.run();
    assert_eq!(*order.borrow(), [42, 22], "deferred by the last, answered in its order");
}

#[test]
fn forward_to_closed_server_waits() {
    let board = board();
    let slow = board.server(|mut me: Me, mut port: Port<Shelf>| async move {
        me.notified().await;
        loop {
            let ShelfCall::Double(call) = port.accept_only(Double::BIT).await else { unreachable!() };
            let value = call.entry().value;
            call.reply(Ok(2 * value));
        }
    });
    let index = indexed(board, slow);
    let sum = Rc::new(Cell::new(0));
    for value in 0..3 {
        let sum = sum.clone();
        board.client(move |me| async move {
            let reply = Client::new(&me, index).call(Pass { value }, ()).await;
            sum.set(sum.get() + reply.unwrap());
        });
    }
    board.run();
    assert_eq!(sum.get(), 0);
    board.notify_first();
    board.run();
    assert_eq!(sum.get(), 2 + 4 + 6);
}

#[test]
fn forward_cancellation_notifies_current_server() {
    let board = board();
    let keeper = board.server(|_, mut port: Port<Shelf>| async move {
        let mut deferred: Option<Call<Double>> = None;
        loop {
            match port.accept_or_notified(Double::BIT).await {
                Some(ShelfCall::Double(call)) => deferred = Some(call),
                Some(_) => unreachable!(),
                None => {
                    if let Some(call) = deferred.take_if(|call| call.wait_cancelled()) {
                        call.reply(Err(Errno::EINTR));
                    }
                }
            }
        }
    });
    let index = indexed(board, keeper);
    let seen = Rc::new(Cell::new(None));
    let reply = seen.clone();
    let client = board.client(move |me| async move {
        reply.set(Some(Client::new(&me, index).call(Pass { value: 1 }, ()).await));
    });
    board.run();
    client.cancel_wait();
    board.run();
    assert_eq!(seen.get(), Some(Err(Errno::EINTR)));
}

#[test]
fn forward_to_other_board_reaches_router() {
    let board = board();
    let far = ProcId::new(1, 9);
    let router = board.spawn(|me| {
        let mut exchange = ExchangePort::new(&me);
        async move {
            loop {
                let Some(mut call) = exchange.accept_or_notified().await else { panic!("no process notifies") };
                assert_eq!((call.destination(), call.op()), (far, Read::OP));
                assert_eq!(call.message()[..2], [1, 9]);
                call.lent().1.fill(5);
                call.reply_message([0, 77, 0, 0, 0, 0]);
            }
        }
    });
    let index = indexed(board, Address::elsewhere(router, far));
    let got = Rc::new(Cell::new(0));
    let out = got.clone();
    board.client(move |me| async move {
        let mut page = [0; 2];
        let value = Client::new(&me, index).call(Lookup { name: 9 }, &mut page).await;
        assert_eq!(page, [5, 5]);
        out.set(value.unwrap());
    });
    board.run();
    assert_eq!(got.get(), 77);
}

#[test]
fn forward_call_of_proxy_is_like_any_other() {
    let board = board();
    let shelf = board.server(|_, port| shelf(port));
    let at = indexed(board, shelf).id().index;
    let directory = board.directory();
    let used = Rc::new(Cell::new(0));
    let out = used.clone();
    board.client(move |me| {
        let mut raw = RawClient::new(&me, directory);
        async move {
            let (given, mut taken) = ([0; 0], [0; 8]);
            let words = [6, 0, 0, 0, 0, 0];
            let reply = raw.call(3, (at, Lookup::OP), words, &given, &mut taken).await.unwrap();
            assert_eq!((reply.words[1], taken), (6, [0, 6, 6, 6, 6, 6, 6, 6]));
            out.set(reply.taken_used);
        }
    });
    board.run();
    assert_eq!(used.get(), 3, "of what the last server said");
}

#[test]
fn forward_chain_passes_ready_queue_by_budget() {
    let board = board();
    let shelf = board.server(|_, port| shelf(port));
    let mut last = indexed(board, shelf);
    for _ in 0..100 {
        let (next, members) = (usize::from(last.id().index), board.directory());
        last = board.server(move |_, mut port: Port<Index>| async move {
            let family = ForwardFamily::new(Vec::leak(vec![members]));
            loop {
                let IndexCall::Pass(call) = port.accept_only(Pass::BIT).await else { unreachable!() };
                let Some(next) = family.at(0, next) else { unreachable!() };
                assert!(family.at(0, members.count()).is_none() && family.at(1, 0).is_none());
                let value = call.entry().value + 1;
                call.forward(&next, Pass { value });
            }
        });
    }
    let got = Rc::new(Cell::new(0));
    let out = got.clone();
    board.client(move |me| async move {
        out.set(Client::new(&me, last).call(Pass { value: 0 }, ()).await.unwrap());
    });
    board.run();
    assert_eq!(got.get(), 2 * 101);
}
