//! Calls and their replies: callers of all kinds, slices of all kinds, calls deferred and forwarded.

use super::support::*;
use renga_core::Notifier;
use renga_core::account::{Account, AccountNumber, Count};
use renga_core::host::HostBoard;
use renga_core::interleaved::Cores;
use renga_core::{Address, Call, Client, Port, Process};
use std::cell::Cell;
use std::convert::Infallible as Never;
use std::rc::Rc;

/// A client on `core` that adds and copies alternately, and records its end.
fn asking(cores: &Cores, core: usize, server: Address<Null>, done: &Rc<Cell<u64>>) -> &'static Process {
    let (server, done) = (cores.address(core, server), done.clone());
    cores.on(core).client(move |me| async move {
        let mut client = Client::new(&me, server);
        for round in 0..ROUNDS {
            assert_eq!(client.call(Add { a: round, b: 7 }, ()).await, Ok(round + 7));
            let (given, mut taken) = ([round as u8; 5], [0xff; 7]);
            assert_eq!(client.call(Copy {}, (&given, &mut taken)).await, Ok(5));
            assert_eq!((&taken[..5], &taken[5..]), (&given[..], &[0xff; 2][..]));
        }
        done.set(done.get() + 1);
    })
}

#[test]
fn remote_call_all_cores_reach_all_servers() {
    each_seed(|cores, count, run| {
        let done = Rc::default();
        let servers: Vec<_> = (0..count).map(|core| cores.on(core).server(|_, port| answer(port))).collect();
        for client in 0..count {
            for &server in &servers {
                asking(cores, client, server, &done);
            }
        }
        run();
        assert_eq!(done.get(), (count * count) as u64);
    });
}

#[test]
fn remote_call_slice_is_lent_on_across_cores() {
    each_seed(|cores, count, run| {
        let done = Rc::default();
        let mut server = cores.on(0).server(|_, port| answer(port));
        for core in (0..2 * count).map(|at| at % count) {
            let next = cores.address(core, server);
            server = cores.on(core).server(move |me, port| relay(port, Client::new(&me, next)));
        }
        for core in 0..count {
            asking(cores, core, server, &done);
        }
        run();
        assert_eq!(done.get(), count as u64);
    });
}

#[test]
fn remote_call_forwarded_across_cores_is_answered_by_last() {
    each_seed(|cores, count, run| {
        let done = Rc::default();
        // There and back, twice on the same core, and home.
        let mut server = cores.on(1).server(|_, port| answer(port));
        for core in [0, 1, 1, 0, count - 1] {
            server = passing(cores, core, server);
        }
        let clients: Vec<_> = (0..count).map(|core| asking(cores, core, server, &done)).collect();
        run();
        assert_eq!(done.get(), count as u64);
        assert!(clients.iter().all(|client| client.waits_for().is_none()));
    });
}

/// Keeps calls until there are `full`, then answers them, the last first.
async fn answer_when_full(mut port: Port<Null>, full: usize) -> Never {
    let mut deferred: Vec<Call<Park>> = Vec::new();
    loop {
        let NullCall::Park(call) = port.accept_only(Park::BIT).await else { unreachable!("only one is open") };
        deferred.push(call);
        if deferred.len() == full {
            deferred.drain(..).rev().for_each(|call| {
                let key = call.entry().key;
                call.reply(Ok(key));
            });
        }
    }
}

#[test]
fn remote_call_replies_come_late_in_any_order() {
    each_seed(|cores, count, run| {
        let server = cores.on(0).server(move |_, port| answer_when_full(port, count));
        let server = passing(cores, count - 1, server);
        let done = Rc::new(Cell::new(0));
        for core in 0..count {
            let (server, done) = (cores.address(core, server), done.clone());
            cores.on(core).client(move |me| async move {
                let mut client = Client::new(&me, server);
                for round in 0..ROUNDS {
                    let key = round << 8 | core as u64;
                    assert_eq!(client.call(Park { key }, ()).await, Ok(key));
                }
                done.set(done.get() + 1);
            });
        }
        run();
        assert_eq!(done.get(), count);
    });
}

#[test]
fn remote_call_calls_of_one_core_keep_order() {
    each_seed(|cores, count, run| {
        let seen = shared::<Vec<u64>>();
        let out = seen.clone();
        let mine = cores.on(0).declare(1);
        cores.on(0).start(mine, |mut me| {
            let (mut port, _) = Port::<Null>::new(&me);
            async move {
                me.notified().await; // so that some calls wait
                loop {
                    let NullCall::Add(call) = port.accept_only(Add::BIT).await else {
                        unreachable!("only one is open")
                    };
                    out.borrow_mut().push(call.entry().a);
                    call.reply(Ok(0));
                }
            }
        });
        let server = Address::<Null>::new(mine);
        for at in 0..6 {
            let server = cores.address(count - 1, server);
            cores.on(count - 1).client(move |me| async move {
                let _ = Client::new(&me, server).call(Add { a: at, b: 0 }, ()).await;
            });
        }
        let waker = Notifier::elsewhere(mine.shared());
        cores.on(1).client(move |_| async move { waker.notify() });
        run();
        assert_eq!(*seen.borrow(), [0, 1, 2, 3, 4, 5]);
    });
}

#[test]
fn remote_call_guard_holds_for_other_cores() {
    each_seed(|cores, count, run| {
        let seen = shared::<Vec<&str>>();
        let out = seen.clone();
        let server = cores.on(0).server(|_, mut port: Port<Null>| async move {
            let mut open = Add::BIT;
            loop {
                match port.accept_only(open).await {
                    NullCall::Add(call) => {
                        out.borrow_mut().push("add");
                        open = Add::BIT | Park::BIT;
                        call.reply(Ok(0));
                    }
                    NullCall::Park(call) => {
                        out.borrow_mut().push("park");
                        call.reply(Ok(0));
                    }
                    NullCall::Copy(_) => unreachable!("the entry is closed"),
                }
            }
        });
        for core in 1..count {
            let at = cores.address(core, server);
            cores.on(core).client(move |me| async move {
                let _ = Client::new(&me, at).call(Park { key: 0 }, ()).await;
                let _ = Client::new(&me, at).call(Add { a: 0, b: 0 }, ()).await;
            });
        }
        run();
        assert!(seen.borrow().is_empty(), "the first open entry is another one");
        let at = cores.address(1, server);
        cores.on(1).client(move |me| async move {
            let _ = Client::new(&me, at).call(Add { a: 0, b: 0 }, ()).await;
        });
        run();
        assert_eq!((seen.borrow()[..2].to_vec(), seen.borrow().len()), (vec!["add", "park"], 2 * count - 1));
    });
}

#[test]
fn remote_call_work_is_charged_on_server_core() {
    each_seed(|cores, _, run| {
        let number = AccountNumber::of_slot(0, 3);
        let accounts =
            || -> &'static [Account] { Vec::leak((0..AccountNumber::count(1)).map(|_| Account::new()).collect()) };
        let [here, there]: [HostBoard; 2] = [0, 1].map(|core| {
            cores.on(core).core.set_accounts(accounts());
            cores.on(core)
        });
        let server = there.server(move |_, mut port: Port<Null>| async move {
            loop {
                let NullCall::Add(call) = port.accept_only(Add::BIT).await else { unreachable!("only one is open") };
                there.take_time(1000);
                call.reply(Ok(0));
            }
        });
        // Through a server that has no account of its own.
        let near = cores.address(0, server);
        let near = here.server(move |me, port| relay(port, Client::new(&me, near)));
        let program = here.client(move |me| async move {
            let mut client = Client::new(&me, near);
            for _ in 0..ROUNDS {
                assert_eq!(client.call(Add { a: 0, b: 0 }, ()).await, Ok(0));
            }
        });
        program.set_account(number);
        run();
        let behalf = Count::ALL.iter().position(|&count| count == Count::BehalfNs).expect("it is counted");
        assert_eq!(there.core.counts(number)[behalf], 1000 * ROUNDS);
        assert_eq!(here.core.counts(number)[behalf], 0);
    });
}
