//! The rendezvous core in a host process: order, guards, deferral, notifications, alarms, faults.
use renga_abi::Errno;
use renga_core::host::HostBoard;
use renga_core::raw::{ExchangePort, RawClient};
use renga_core::{Call, Client, Me, Port, Protocol, protocol};
use std::cell::RefCell;
use std::convert::Infallible as Never;
use std::rc::Rc;

protocol! {
    /// A server for tests.
    pub Null = 1, NullCall {
        /// Adds.
        0 Add { a: u64, b: u32 } (()) -> Result<u64, Errno>;
        /// Counts the slice given.
        1 Give {} (&'a [u8]) -> Result<u32, Errno> [releases];
        /// Fills the slice taken, and returns its address.
        2 Take { fill: u8 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Waits for another call.
        3 Park { key: u64 } (()) -> Result<u64, Errno> [defers];
        /// Copies given to taken.
        4 Both {} ((&'a [u8], &'a mut [u8])) -> Result<u32, Errno>;
    }
}

type Log<T> = Rc<RefCell<Vec<T>>>;

fn log<T>() -> Log<T> {
    Rc::new(RefCell::new(Vec::new()))
}

async fn answer(mut port: Port<Null>) -> Never {
    loop {
        match port.accept().await {
            NullCall::Add(call) => {
                let sum = call.entry().a + u64::from(call.entry().b);
                call.reply(Ok(sum));
            }
            NullCall::Give(mut call) => {
                let count = call.lent().len() as u32;
                call.reply(Ok(count));
            }
            NullCall::Take(mut call) => {
                let (fill, buffer) = (call.entry().fill, call.lent());
                buffer.fill(fill);
                let at = buffer.as_ptr().addr() as u32;
                call.reply(Ok(at));
            }
            NullCall::Park(call) => call.reply(Err(Errno::EINVAL)),
            NullCall::Both(mut call) => {
                let (given, taken) = call.lent();
                taken[..given.len()].copy_from_slice(given);
                let count = given.len();
                call.set_taken_used(count);
                call.reply(Ok(count as u32));
            }
        }
    }
}

async fn relay(mut port: Port<Null>, mut next: Client<Null>) -> Never {
    loop {
        match port.accept_only(Null::ENTRIES & !Park::BIT).await {
            NullCall::Add(call) => {
                let sum = next.call(call.entry(), ()).await;
                call.reply(sum);
            }
            NullCall::Give(mut call) => {
                let count = next.call(call.entry(), call.lent()).await;
                call.reply(count);
            }
            NullCall::Take(mut call) => {
                let count = next.call(call.entry(), call.lent()).await;
                call.reply(count);
            }
            NullCall::Both(mut call) => {
                let count = next.call(call.entry(), call.lent()).await;
                call.reply(count);
            }
            NullCall::Park(_) => unreachable!("the entry is closed"),
        }
    }
}

fn board() -> HostBoard {
    HostBoard::new(0, 1 << 16)
}

/// Holds: call-by-reference.
#[test]
fn rendezvous_chain_lends_slice_without_copy() {
    let board = board();
    let mut server = board.server(|_, port| answer(port));
    for _ in 0..4 {
        let next = server;
        server = board.server(|me, port| relay(port, Client::new(&me, next)));
    }
    let seen = log();
    let out = seen.clone();
    board.client(|me| async move {
        let (mut client, mut page) = (Client::new(&me, server), [0; 16]);
        assert_eq!(client.call(Take { fill: 7 }, &mut page).await, Ok(page.as_ptr().addr() as u32), "a copy");
        out.borrow_mut().extend(page);
        assert_eq!(client.call(Add { a: 1 << 40, b: 2 }, ()).await, Ok((1 << 40) + 2));
        assert_eq!(client.call(Give {}, b"four").await, Ok(4));
        assert_eq!(client.call(Both {}, (b"abc", &mut page)).await, Ok(3));
        assert_eq!(&page[..4], b"abc\x07");
    });
    board.run();
    assert_eq!(*seen.borrow(), [7; 16]);
}

#[test]
fn rendezvous_replies_in_any_order() {
    let board = board();
    let server = board.server(|_, mut port: Port<Null>| async move {
        let mut deferred: Vec<Call<Park>> = Vec::new();
        loop {
            let NullCall::Park(call) = port.accept_only(Park::BIT).await else { unreachable!() };
            deferred.push(call);
            if deferred.len() == 8 {
                while let Some(call) = deferred.pop() {
                    let key = call.entry().key;
                    call.reply(Ok(key));
                }
            }
        }
    });
    let order = log();
    for key in 0..8 {
        let out = order.clone();
        board.client(move |me| async move {
            let key = Client::new(&me, server).call(Park { key }, ()).await;
            out.borrow_mut().push(key.unwrap());
        });
    }
    board.run();
    assert_eq!(*order.borrow(), [7, 6, 5, 4, 3, 2, 1, 0]);
}

#[test]
fn rendezvous_guard_lets_open_entry_overtake() {
    let board = board();
    let order = log();
    let seen = order.clone();
    let server = board.server(|mut me: Me, mut port: Port<Null>| async move {
        me.notified().await;
        for open in [Add::BIT, Null::ENTRIES] {
            match port.accept_only(open).await {
                NullCall::Add(call) => {
                    seen.borrow_mut().push("add");
                    call.reply(Ok(0));
                }
                NullCall::Give(call) => {
                    seen.borrow_mut().push("give");
                    call.reply(Ok(0));
                }
                _ => unreachable!(),
            }
        }
        core::future::pending().await
    });
    board.client(move |me| async move {
        let _ = Client::new(&me, server).call(Give {}, b"").await;
    });
    board.client(move |me| async move {
        let _ = Client::new(&me, server).call(Add { a: 0, b: 0 }, ()).await;
    });
    board.run();
    assert!(order.borrow().is_empty());
    // The server is the first process of the board.
    board.notify_first();
    board.run();
    assert_eq!(*order.borrow(), ["add", "give"]);
}

#[test]
fn notification_is_a_flag_and_is_kept() {
    let board = board();
    let count = log();
    let out = count.clone();
    let process = board.spawn(|mut me| async move {
        loop {
            me.notified().await;
            out.borrow_mut().push(());
        }
    });
    process.notify();
    process.notify();
    board.run();
    assert_eq!(count.borrow().len(), 1);
    process.notify();
    board.run();
    assert_eq!(count.borrow().len(), 2);
}

/// A server that keeps every `Park` until it is interrupted.
async fn keeper(mut port: Port<Null>) -> Never {
    let mut deferred: Vec<Call<Park>> = Vec::new();
    loop {
        match port.accept_or_notified(Null::ENTRIES).await {
            Some(NullCall::Park(call)) => deferred.push(call),
            Some(_) => unreachable!(),
            None => {}
        }
        while let Some(at) = deferred.iter().position(Call::wait_cancelled) {
            deferred.remove(at).reply(Err(Errno::EINTR));
        }
    }
}

#[test]
fn cancellation_ends_kept_call_only() {
    let board = board();
    let server = board.server(|_, port| keeper(port));
    let ended = log();
    let mut waiting = Vec::new();
    for key in 0..3 {
        let out = ended.clone();
        waiting.push(board.client(move |mut me| async move {
            let result = Client::new(&me, server).call(Park { key }, ()).await;
            me.clear_cancellation();
            out.borrow_mut().push((key, result));
        }));
    }
    board.run();
    assert!(ended.borrow().is_empty());
    assert_eq!(waiting[1].waits_for(), Some(server.id()));
    waiting[1].cancel_wait();
    board.run();
    assert_eq!(*ended.borrow(), [(1, Err(Errno::EINTR))]);
}

#[test]
fn timer_alarms_in_order_and_sleep_lasts() {
    let board = board();
    let order = log();
    for until_ns in [300, 100, 200, 100] {
        let out = order.clone();
        board.client(move |mut me| async move {
            me.sleep_until(until_ns).await;
            out.borrow_mut().push((until_ns, me.now_ns()));
        });
    }
    board.run_through_alarms();
    assert_eq!(*order.borrow(), [(100, 100), (100, 100), (200, 200), (300, 300)]);
}

#[test]
fn timer_sleep_keeps_earlier_notification() {
    let board = board();
    let woken = log();
    let out = woken.clone();
    let sleeper = board.client(move |mut me| async move {
        me.sleep_until(100).await;
        me.notified().await;
        out.borrow_mut().push(me.now_ns());
    });
    board.run();
    board.core.set_now_ns(99);
    sleeper.notify();
    // It is polled late: its time has passed before the alarm is checked.
    board.core.set_now_ns(101);
    board.run();
    assert_eq!(*woken.borrow(), [101]);
}

#[test]
fn timer_alarm_is_moved_and_withdrawn() {
    let board = board();
    let woken = log();
    let out = woken.clone();
    board.client(move |mut me| async move {
        me.notify_at(Some(500));
        me.notify_at(Some(50));
        me.notified().await;
        out.borrow_mut().push(me.now_ns());
        me.notify_at(Some(70));
        me.notify_at(None);
        me.notified().await;
        out.borrow_mut().push(me.now_ns());
    });
    board.run_through_alarms();
    assert_eq!(*woken.borrow(), [50]);
}

#[test]
fn rendezvous_other_board_reaches_router_and_proxy_checks_entries() {
    let board = board();
    let server = board.server(|_, port| answer(port));
    let directory = board.directory();
    let router = board.spawn(|me| async move {
        let mut exchange = ExchangePort::new(&me);
        let mut local = RawClient::new(&me, directory);
        loop {
            let Some(mut call) = exchange.accept_or_notified().await else { panic!("no process notifies") };
            let (to, op, words) = (call.destination(), call.op(), call.message());
            let (given, taken) = call.lent();
            match local.call(0, (to.index, op), words, given, taken).await {
                Ok(reply) => call.reply_message(reply.words),
                Err(errno) => call.reply_message([u64::from(errno.0), 0, 0, 0, 0, 0]),
            }
        }
    });
    let far = |index| renga_core::Address::<Null>::elsewhere(router, renga_abi::ProcId::new(3, index));
    let (there, nowhere) = (far(server.id().index), far(77));
    assert_eq!(there.id(), renga_abi::ProcId::new(3, server.id().index));
    let results = log();
    let out = results.clone();
    board.client(move |me| async move {
        let mut client = Client::new(&me, there);
        let sum = client.call(Add { a: 4, b: 5 }, ()).await;
        out.borrow_mut().push(sum);
        let mut unserved = Client::new(&me, nowhere);
        let refused = unserved.call(Add { a: 4, b: 5 }, ()).await;
        out.borrow_mut().push(refused);
    });
    board.run();
    assert_eq!(*results.borrow(), [Ok(9), Err(Errno::EINVAL)]);
}

/// Holds: call-budget.
#[test]
fn rendezvous_equals_share_core_despite_many_calls() {
    let board = board();
    let server = board.server(|_, port| answer(port));
    let order = log();
    for name in ["first", "second"] {
        let out = order.clone();
        board.client(move |me| async move {
            let mut client = Client::new(&me, server);
            for _ in 0..200 {
                let _ = client.call(Add { a: 0, b: 0 }, ()).await;
                out.borrow_mut().push(name);
            }
        });
    }
    board.run();
    let first_of_second = order.borrow().iter().position(|&name| name == "second").unwrap();
    assert!(first_of_second < 200, "the second waited until the first had ended");
}

/// Holds: call-outstanding.
#[test]
#[should_panic(expected = "pending call dropped")]
fn rendezvous_dropping_pending_call_panics() {
    use std::future::Future;
    let board = board();
    let server = board.server(|_, _: Port<Null>| core::future::pending());
    board.client(move |me| async move {
        let mut client = Client::new(&me, server);
        let mut call = std::pin::pin!(client.call(Add { a: 1, b: 1 }, ()));
        std::future::poll_fn(|cx| {
            assert!(call.as_mut().poll(cx).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
    });
    board.run();
}

/// Holds: call-outstanding.
#[test]
#[should_panic(expected = "waits for two things")]
fn rendezvous_two_waits_panic() {
    let board = board();
    let server = board.server(|_, port| answer(port));
    board.client(move |me| async move {
        let (mut one, mut two) = (Client::new(&me, server), Client::new(&me, server));
        let (first, second) = (one.call(Add { a: 1, b: 1 }, ()), two.call(Add { a: 2, b: 2 }, ()));
        let _ = (first.await, second.await);
    });
    board.run();
}

/// Holds: call-replied.
#[test]
#[should_panic(expected = "call dropped without a reply")]
fn rendezvous_dropping_accepted_call_panics() {
    let board = board();
    let server = board.server(|_, mut port: Port<Null>| async move {
        loop {
            drop(port.accept().await);
        }
    });
    board.client(move |me| async move {
        let _ = Client::new(&me, server).call(Add { a: 1, b: 1 }, ()).await;
    });
    board.run();
}

/// Holds: no-allocation.
#[test]
#[should_panic(expected = "allocation after boot")]
fn arena_sealed_allocation_panics() {
    let board = board();
    board.arena.put(|| 1u64);
    board.arena.seal();
    board.arena.put(|| 2u64);
}
