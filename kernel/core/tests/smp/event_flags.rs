//! Notifications and interruptions from other cores, also of callers whose call is on its way.

use super::support::*;
use renga_abi::{Errno, ProcId};
use renga_core::CoreEndpoint;
use renga_core::host::HostBoard;
use renga_core::interleaved::Cores;
use renga_core::raw::ExchangePort;
use renga_core::{Address, Call, Client, Core, Me, Port, Process, Wait};
use renga_core::{Notifier, WaitCanceller};
use renga_sync::Ipi;
use std::cell::Cell;
use std::convert::Infallible as Never;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn notification_from_other_core_is_never_lost() {
    each_seed(|cores, count, run| {
        let (written, read) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        let (from, to) = (written.clone(), read.clone());
        let sleeper = cores.on(0).spawn(|mut me| async move {
            loop {
                me.notified().await;
                to.set(from.get());
            }
        });
        for core in 1..count {
            let (written, notifier) = (written.clone(), Notifier::elsewhere(sleeper.shared()));
            cores.on(core).client(move |mut me| async move {
                for _ in 0..ROUNDS {
                    written.set(written.get() + 1);
                    notifier.notify();
                    me.yield_now().await;
                }
            });
        }
        run();
        assert_eq!(read.get(), ROUNDS * (count as u64 - 1));
    });
}

/// Keeps each call until its caller is cancelled; checks when it accepts one, and when it is notified.
async fn keeper(mut port: Port<Null>) -> Never {
    let mut deferred: Vec<Call<Park>> = Vec::new();
    loop {
        match port.accept_or_notified(Park::BIT).await {
            Some(NullCall::Park(call)) => deferred.push(call),
            Some(_) => unreachable!("only one is open"),
            None => {}
        }
        while let Some(at) = deferred.iter().position(Call::wait_cancelled) {
            deferred.remove(at).reply(Err(Errno::EINTR));
        }
    }
}

/// A client on `core` whose calls, to one of `servers` after the other, last until it is interrupted, which one process
/// of `from` does once a round. It notifies it too.
fn interrupted_each_round(cores: &Cores, [core, from]: [usize; 2], servers: &[Address<Null>], done: &Rc<Cell<u64>>) {
    let servers: Vec<_> = servers.iter().map(|&server| cores.address(core, server)).collect();
    let (begun, done) = (Rc::new(Cell::new(0)), done.clone());
    let round = begun.clone();
    let client = cores.on(core).client(move |mut me| async move {
        for key in 1..=ROUNDS {
            let mut client = Client::new(&me, servers[key as usize % servers.len()]);
            round.set(key);
            me.yield_now().await;
            if !me.wait_cancelled() {
                assert_eq!(client.call(Park { key }, ()).await, Err(Errno::EINTR));
                assert!(me.wait_cancelled(), "no reply comes before");
            }
            me.notified().await;
            me.clear_cancellation();
        }
        done.set(done.get() + 1);
    });
    cores.on(from).client(move |mut me| async move {
        for key in 1..=ROUNDS {
            while begun.get() < key {
                me.yield_now().await;
            }
            if from == core {
                client.notify();
                client.cancel_wait();
            } else {
                Notifier::elsewhere(client.shared()).notify();
                WaitCanceller::elsewhere(client.shared()).cancel_wait();
            }
        }
    });
}

#[test]
fn cancellation_reaches_call_on_any_core() {
    each_seed(|cores, count, run| {
        let done = Rc::default();
        let last = count - 1;
        let asked = [(0, 0, 1), (0, 1, 1), (1, 0, 0), (0, last, 1), (last, 0, 1), (0, 1, 0), (0, 0, 0), (1, 0, 1)];
        for (client, from, keeps) in asked {
            let kept = cores.on(keeps).server(|_, port| keeper(port));
            interrupted_each_round(cores, [client, from], &[kept], &done);
            // The call moves from core to core, and home, during the search for it.
            let mut passed = kept;
            for core in [(client + 1) % count, last, (keeps + 1) % count] {
                passed = passing(cores, core, passed);
            }
            interrupted_each_round(cores, [client, from], &[passed], &done);
        }
        run();
        assert_eq!(done.get(), 2 * asked.len() as u64);
    });
}

#[test]
fn cancellation_follows_caller_between_servers() {
    each_seed(|cores, count, run| {
        let done = Rc::default();
        let keepers: Vec<_> = (0..count).map(|core| cores.on(core).server(|_, port| keeper(port))).collect();
        for _ in 0..4 {
            interrupted_each_round(cores, [0, 0], &keepers[1..], &done);
            interrupted_each_round(cores, [0, 1], &keepers, &done);
        }
        run();
        assert_eq!(done.get(), 8);
    });
}

/// Answers its calls after a while, interrupted or not.
async fn answer_late(mut me: Me, mut port: Port<Null>) -> Never {
    loop {
        let NullCall::Park(call) = port.accept_only(Park::BIT).await else { unreachable!("only one is open") };
        me.yield_now().await;
        let key = call.entry().key;
        call.reply(Ok(key));
    }
}

#[test]
fn cancellation_racing_reply_is_harmless() {
    each_seed(|cores, count, run| {
        let done = Rc::new(Cell::new(0));
        let servers = [0, 1, count - 1].map(|core| cores.on(core).server(answer_late));
        for core in 0..count {
            let (servers, done, over) =
                (servers.map(|at| cores.address(core, at)), done.clone(), Rc::new(Cell::new(false)));
            let ended = over.clone();
            let client = cores.on(core).client(move |mut me| async move {
                for key in 0..ROUNDS {
                    let mut client = Client::new(&me, servers[key as usize % servers.len()]);
                    assert_eq!(client.call(Park { key }, ()).await, Ok(key));
                    me.clear_cancellation();
                }
                done.set(done.get() + 1);
                over.set(true);
            });
            cores.on((core + 1) % count).client(move |mut me| async move {
                while !ended.get() {
                    WaitCanceller::elsewhere(client.shared()).cancel_wait();
                    me.yield_now().await;
                }
            });
        }
        run();
        assert_eq!(done.get(), count);
    });
}

#[test]
fn session_end_answers_callers_of_all_cores() {
    each_seed(|cores, count, run| {
        let (done, far) = (Rc::new(Cell::new(0)), ProcId::new(1, 9));
        let router = cores.on(0).declare(1);
        cores.on(0).start(router, |me| {
            let mut exchange = ExchangePort::new(&me);
            async move {
                let mut deferred = Vec::new();
                loop {
                    match exchange.accept_or_notified().await {
                        Some(call) => {
                            assert_eq!(call.destination(), far);
                            deferred.push(call);
                        }
                        None => deferred.drain(..).for_each(|call| {
                            call.note_reboot(1);
                            call.reply_message([u64::from(Errno::EHOSTDOWN.0), 0, 0, 0, 0, 0]);
                        }),
                    }
                }
            }
        });
        for core in 0..count {
            let (done, gate) = (done.clone(), cores.process(core, router));
            let (client, again) = (Address::<Null>::elsewhere(gate, far), Notifier::elsewhere(router.shared()));
            let caller = cores.on(core).client(move |mut me| async move {
                let mut client = Client::new(&me, client);
                for key in 0..ROUNDS {
                    assert_eq!(client.call(Park { key }, ()).await, Err(Errno::EHOSTDOWN));
                    assert_eq!(me.take_rebooted(), 1 << 1);
                    me.clear_cancellation();
                }
                done.set(done.get() + 1);
            });
            cores.on((core + 1) % count).client(move |mut me| async move {
                for _ in 0..2 * ROUNDS {
                    WaitCanceller::elsewhere(caller.shared()).cancel_wait();
                    me.yield_now().await;
                    again.notify();
                }
            });
        }
        run();
        let end = Notifier::elsewhere(router.shared());
        cores.on(1).client(move |mut me| async move {
            for _ in 0..1000 * ROUNDS {
                end.notify();
                me.yield_now().await;
            }
        });
        run();
        assert_eq!(done.get(), count);
    });
}

#[test]
fn wait_report_names_server_on_other_core() {
    let cores = Cores::new(0, 3, 1 << 16);
    let _first = cores.on(0).declare(1);
    let keeps = cores.on(2).server(|_, port| keeper(port));
    let passes = passing(&cores, 1, keeps);
    let server = cores.address(0, passes);
    let client = cores.on(0).client(move |me| async move {
        let _ = Client::new(&me, server).call(Park { key: 1 }, ()).await;
    });
    cores.run(&choices(1));
    assert_eq!((client.wait(), client.waits_for()), (Wait::ReplyElsewhere, Some(keeps.id())));
}

#[test]
#[should_panic(expected = "a process of one core only is wanted on another one")]
fn shared_process_without_message_panics() {
    Notifier::elsewhere(HostBoard::new(0, 1 << 16).declare(1).shared()).notify();
}

#[test]
fn cancellation_finding_call_gone_is_forwarded() {
    let cores = Cores::new(0, 3, 1 << 16);
    let keepers = [1, 2].map(|core| cores.on(core).declare(1));
    for (core, process) in [1, 2].into_iter().zip(keepers) {
        cores.on(core).start(process, |me| keeper(Port::new(&me).0));
    }
    let done = Rc::new(Cell::new(0));
    let out = done.clone();
    let servers = keepers.map(|process| cores.address(0, Address::<Null>::new(process)));
    let client = cores.on(0).client(move |mut me| async move {
        for server in servers {
            assert_eq!(Client::new(&me, server).call(Park { key: 0 }, ()).await, Err(Errno::EINTR));
            me.clear_cancellation();
            out.set(out.get() + 1);
        }
    });
    let [home, first, second] = [0, 1, 2].map(|core| cores.on(core).core);
    let step = |core: &Core| {
        core.drain_mailbox();
        while core.dispatch() {}
    };
    [home, first, second].into_iter().for_each(step);
    step(first);
    client.cancel_wait();
    // The keeper checks before its notification, since another process has notified it.
    keepers[0].notify();
    assert!(first.dispatch());
    step(home);
    step(second);
    assert_eq!((done.get(), client.waits_for()), (1, Some(keepers[1].id())));
    client.cancel_wait(); // the signal is still where it was sent
    [first, second, home].into_iter().for_each(step);
    assert_eq!(done.get(), 2);
}

/// Counts.
struct CountingIpi(AtomicU32);
impl Ipi for CountingIpi {
    fn send(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn acknowledge(&self) {}
    fn wait(&self) {}
}

#[test]
fn ipi_polling_core_receives_none() {
    let ipi: &'static CountingIpi = Box::leak(Box::new(CountingIpi(AtomicU32::new(0))));
    let endpoints: &'static [CoreEndpoint] = vec![CoreEndpoint::new(ipi)].leak();
    let core = Box::leak(Box::new(Core::new()));
    core.set_endpoints(0, endpoints);
    let core: &'static Core = core;
    let board = HostBoard::new(0, 1 << 12);
    let process: &'static Process = board.arena.put(|| Process::new(core, 1, ProcId::new(0, 0)));
    process.enable_remote_calls(board.arena);
    let notifier = Notifier::elsewhere(process.shared());
    assert!(core.stop_polling());
    core.resume_polling();
    notifier.notify();
    assert_eq!(ipi.0.load(Ordering::Relaxed), 0, "it came back");
    assert!(!core.stop_polling(), "something is there");
    core.drain_mailbox();
    assert!(core.stop_polling());
    notifier.notify();
    notifier.notify();
    assert_eq!(ipi.0.load(Ordering::Relaxed), 1, "once until it polls");
    core.resume_polling();
    assert!(core.stop_polling());
}
