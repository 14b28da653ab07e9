//! Asynchronous calls: order, credits, failures, and synchronous calls behind them.

use crate::cast::{Cast, Note, Notes, Null, STUCK, Seen, body, cluster, sum};
use crate::synchronous::LIMIT_NS;
use renga_rt::Errno;
use renga_sim::{ClusterSetup, Faults, SimCluster};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

const NOTES: u64 = 40;

/// Clients on board 1 that each note [`NOTES`] values at both servers of board 0, then count.
fn notes(setup: ClusterSetup, cast: Cast) -> (SimCluster, Vec<Seen>) {
    let done = Rc::new(Cell::new(0));
    let progress = done.clone();
    let (mut cluster, seen) = cluster(setup, cast, move |board, client| {
        let progress = progress.clone();
        let client = body(move |mut stores| {
            let progress = progress.clone();
            async move {
                let mut slice = [0; 4096];
                for i in 0..NOTES {
                    let value = client as u64 * 1000 + i;
                    let bytes = (value * 523 % 4097) as usize;
                    slice[..bytes].fill(value as u8);
                    for server in 0..2 {
                        let note = Note { value, fail: false };
                        assert_eq!(stores.at(0, server).call(note, &slice[..bytes]).await, Ok(()));
                    }
                    slice.fill(0xff); // the copy must not see this
                }
                for server in 0..2 {
                    assert!(stores.at(0, server).call(Notes {}, ()).await.unwrap() >= NOTES, "overtaken");
                }
                progress.set(progress.get() + 1);
            }
        });
        client.filter(|_| board == 1)
    });
    assert!(cluster.run_while(LIMIT_NS, || done.get() < cast.clients), "{} clients are done", done.get());
    cluster.run_until(cluster.now_ns() + 1_000_000_000);
    for noted in &seen[0].noted {
        let noted = noted.borrow();
        assert_eq!(noted.len() as u64, NOTES * cast.clients as u64, "lost or made twice");
        for client in 0..cast.clients as u64 {
            let values = noted.iter().map(|(_, value, _)| *value).filter(|value| value / 1000 == client);
            assert!(values.eq((0..NOTES).map(|i| client * 1000 + i)), "out of order");
        }
        for (_, value, got) in noted.iter() {
            assert_eq!(*got, sum(&vec![*value as u8; (value * 523 % 4097) as usize]), "changed");
        }
    }
    (cluster, seen)
}

/// Holds: async-order, async-pool.
#[test]
fn asynchronous_calls_keep_order_and_content() {
    let (_, seen) = notes(ClusterSetup::new(2), Cast { asynchronous: true, ..Cast::pair(3) });
    let stats = seen[1].stats;
    let all = 3 * 2 * NOTES;
    assert_eq!(stats.could_be_async.get(), all);
    assert_eq!(stats.calls_async.get() + stats.fallbacks.get(), all);
    assert!(stats.calls_async.get() > 0 && stats.fallbacks.get() > 0 && stats.waits_avoided_ns.get() > 0);
    assert_eq!(stats.pool_high_water.get(), 4);
}

/// Holds: async-pool.
#[test]
fn asynchronous_pool_of_one_keeps_order() {
    for clients in 1..=3 {
        for async_proxies in 1..=2 {
            let cast = Cast { asynchronous: true, slots: 1, async_proxies, ..Cast::pair(clients) };
            let (_, seen) = notes(ClusterSetup::new(2), cast);
            assert_eq!(seen[1].stats.pool_high_water.get(), 1);
        }
    }
}

#[test]
fn asynchronous_calls_without_proxy_run_with_next_synchronous_call() {
    let (_, seen) = notes(ClusterSetup::new(2), Cast { asynchronous: true, async_proxies: 0, ..Cast::pair(2) });
    assert!(seen[1].stats.calls_async.get() > 0);
}

#[test]
fn asynchronous_caller_does_not_wait_for_proxy() {
    let got = Rc::new(Cell::new(None));
    let progress = got.clone();
    let cast = Cast { asynchronous: true, async_proxies: 1, ..Cast::pair(1) };
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), cast, move |board, _| {
        let progress = progress.clone();
        let client = body(move |mut stores| {
            let progress = progress.clone();
            async move {
                assert_eq!(stores.at(0, 0).call(Null {}, ()).await, Ok(()));
                // The only proxy is stuck at server 1.
                assert_eq!(stores.at(0, 1).call(Note { value: STUCK, fail: false }, &[]).await, Ok(()));
                for value in 0..2 {
                    assert_eq!(stores.at(0, 0).call(Note { value, fail: false }, &[]).await, Ok(()));
                }
                progress.set(Some(stores.at(0, 0).call(Notes {}, ()).await));
                assert_eq!(stores.at(0, 0).call(Note { value: 2, fail: false }, &[]).await, Ok(()));
            }
        });
        client.filter(|_| board == 1)
    });
    cluster.run_until(1_000_000_000);
    assert_eq!(got.get(), Some(Ok(2)));
    assert_eq!(seen[0].noted[0].borrow().len(), 2, "no call waits for the third");
    assert_eq!(seen[1].stats.calls_async.get(), 4);
}

#[test]
fn asynchronous_calls_with_faults_keep_order() {
    for seed in 1..=10 {
        let faults = Faults { lost_per_mille: 40, doubled_per_mille: 40, changed_per_mille: 20, ..Faults::NONE };
        let setup = ClusterSetup { faults, seed, ..ClusterSetup::new(2) };
        notes(setup, Cast { asynchronous: true, slots: 1 + seed as usize % 4, ..Cast::pair(3) });
    }
}

#[test]
fn asynchronous_caller_resumes_at_once() {
    let times = Rc::new(RefCell::new(Vec::new()));
    let noted = times.clone();
    let cast = Cast { asynchronous: true, ..Cast::pair(1) };
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), cast, move |board, _| {
        let noted = noted.clone();
        let client = body(move |mut stores| {
            let noted = noted.clone();
            async move {
                assert_eq!(stores.at(0, 0).call(Null {}, ()).await, Ok(()));
                for fail in [false, true, false] {
                    noted.borrow_mut().push(stores.now_ns());
                    assert_eq!(stores.at(0, 0).call(Note { value: 1, fail }, &[1; 4096]).await, Ok(()));
                }
                noted.borrow_mut().push(stores.now_ns());
                // Behind the three on the same server; another server does not wait for them.
                assert_eq!(stores.at(0, 1).call(Notes {}, ()).await, Ok(0));
                noted.borrow_mut().push(stores.now_ns());
                assert_eq!(stores.at(0, 0).call(Notes {}, ()).await, Ok(2));
            }
        });
        client.filter(|_| board == 1)
    });
    cluster.run_until(1_000_000_000);
    let times = times.borrow();
    assert_eq!(times.len(), 5);
    assert!(times[..4].iter().all(|at_ns| *at_ns == times[0]), "released without a wait");
    assert!(times[4] - times[3] < 4_000_000, "fragments alternate: {}", times[4] - times[3]);
    let stats = seen[1].stats;
    assert_eq!((stats.calls_async.get(), stats.async_failed.get(), stats.pool_high_water.get()), (3, 1, 3));
    assert_eq!(seen[0].noted[0].borrow().len(), 2);
}

#[test]
fn synchronous_mode_releases_no_caller() {
    let (_, seen) = notes(ClusterSetup::new(2), Cast::pair(2));
    let stats = seen[1].stats;
    assert_eq!((stats.calls_async.get(), stats.could_be_async.get()), (0, 2 * 2 * NOTES));
}

#[test]
fn asynchronous_calls_of_dead_board_count_as_lost() {
    let result = Rc::new(Cell::new(None));
    let progress = result.clone();
    let cast = Cast { asynchronous: true, ..Cast::pair(1) };
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), cast, move |board, _| {
        let progress = progress.clone();
        let client = body(move |mut stores| {
            let progress = progress.clone();
            async move {
                stores.me().sleep_until(100_000_000).await;
                for value in 0..3 {
                    assert_eq!(stores.at(0, 0).call(Note { value, fail: false }, &[]).await, Ok(()));
                }
                progress.set(Some(stores.at(0, 0).call(Notes {}, ()).await));
            }
        });
        client.filter(|_| board == 1)
    });
    cluster.run_until(50_000_000);
    cluster.bus().cut_off(0, true);
    cluster.run_until(2_000_000_000);
    assert_eq!(result.get(), Some(Err(Errno::EHOSTDOWN)));
    assert_eq!((seen[1].stats.async_lost.get(), seen[1].stats.deaths.get()), (3, 1));
}
