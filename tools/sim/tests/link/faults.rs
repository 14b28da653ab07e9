//! Frames lost, doubled and damaged; boards that leave and return.

use crate::cast::{
    Add, Body, Cast, Check, Fetch, Increment, Note, Null, Pass, SHRINKS, Seen, Stores, body, build, cluster, fill, sum,
};
use crate::synchronous::LIMIT_NS;
use renga_core::WaitCanceller;
use renga_random::Random;
use renga_rt::Errno;
use renga_sim::{ClusterSetup, Faults};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// `calls` calls of all shapes to all servers of all boards, each answer compared with what it must be.
async fn random_calls(mut stores: Stores, seed: u64, boards: u8, calls: u64, done: Rc<Cell<u64>>) {
    let mut random = Random::new(seed);
    let (mut given, mut taken, mut want) = ([0; 4096], [0; 4096], [0; 4096]);
    for i in 0..calls {
        let mut far = stores.at(random.below(u64::from(boards)) as u8, random.below(2) as usize);
        let bytes = random.below(4097) as usize;
        match random.below(6) {
            0 => assert_eq!(far.call(Null {}, ()).await, Ok(())),
            1 => {
                let add = Add { a: random.below(u64::MAX), b: 1, c: random.below(9), d: -1, e: i, f: 0 };
                let total = add.a.wrapping_add(add.c).wrapping_sub(1).wrapping_add(i);
                assert_eq!(far.call(add, ()).await, Ok(total));
            }
            2 => {
                let seed = if i % 2 == 0 { i } else { i | SHRINKS };
                assert_eq!(far.call(Fetch { seed, used: bytes as u32 }, &mut taken).await, Ok(bytes as u32));
                fill(&mut want[..bytes], seed);
                assert_eq!(taken[..bytes], want[..bytes]);
            }
            3 => {
                fill(&mut given[..bytes], seed ^ i);
                assert_eq!(far.call(Check {}, &given[..bytes]).await, Ok(sum(&given[..bytes])));
            }
            4 => {
                fill(&mut given[..bytes], seed + i);
                assert_eq!(far.call(Increment {}, (&given[..bytes], &mut taken[..bytes])).await, Ok(()));
                assert!((0..bytes).all(|at| taken[at] == given[at].wrapping_add(1)));
            }
            _ => assert_eq!(far.call(Note { value: i, fail: false }, &given[..bytes]).await, Ok(())),
        }
        done.set(done.get() + 1);
    }
}

/// Total calls that `clients` of each of `boards` boards completed, all of them exactly once.
pub fn run_random(setup: ClusterSetup, cast: Cast, calls: u64) -> Vec<Seen> {
    let done = Rc::new(Cell::new(0));
    let (counted, seed) = (done.clone(), setup.seed);
    let (mut cluster, seen) = cluster(setup, cast, move |board, client| {
        let counted = counted.clone();
        body(move |stores| {
            random_calls(
                stores,
                seed * 1000 + u64::from(board) * 100 + client as u64,
                cast.boards,
                calls,
                counted.clone(),
            )
        })
    });
    let all = calls * u64::from(cast.boards) * cast.clients as u64;
    assert!(cluster.run_while(LIMIT_NS, || done.get() < all), "{} of {all} calls, seed {seed}", done.get());
    cluster.run_until(cluster.now_ns() + 1_000_000_000);
    let arrived: u64 = seen.iter().map(|seen| seen.calls.get()).sum();
    assert_eq!(arrived, all, "a call was lost or made twice, seed {seed}");
    assert!(seen.iter().all(|seen| seen.stats.refused.get() == 0 && seen.stats.deaths.get() == 0));
    seen
}

/// Holds: call-once.
#[test]
fn link_thousand_random_calls_match_model() {
    run_random(ClusterSetup::new(2), Cast::pair(5), 100);
    run_random(ClusterSetup::new(4), Cast { boards: 4, asynchronous: true, ..Cast::pair(3) }, 100);
    run_random(ClusterSetup::new(4), Cast { boards: 4, paired: true, ..Cast::pair(3) }, 100);
}

/// Holds: call-once.
#[test]
fn link_lost_doubled_damaged_frames_change_no_result() {
    let (mut again, mut packed) = (0, 0);
    for seed in 1..=40 {
        let faults = Faults {
            lost_per_mille: 30,
            doubled_per_mille: 20,
            changed_per_mille: 20,
            dropped_per_mille: 30,
            ..Faults::NONE
        };
        let setup = ClusterSetup { faults, seed, ..ClusterSetup::new(2) };
        // A system whose calls are in paired form has no background.
        let (paired, background) = (seed % 3 == 0, seed % 3 == 1);
        let cast = Cast { asynchronous: seed % 2 == 0, paired, background, ..Cast::pair(3) };
        let seen = run_random(setup, cast, 50);
        again += seen.iter().map(|seen| seen.stats.retransmissions.get()).sum::<u64>();
        packed += seen.iter().map(|seen| seen.stats.replies_packed.get()).sum::<u64>();
    }
    assert!(packed > 40, "packed answers came through, too: {packed}");
    assert!(again > 100, "the faults came through: {again}");
}

#[test]
fn link_same_seed_repeats_run() {
    let run = || {
        let faults = Faults { lost_per_mille: 50, doubled_per_mille: 50, changed_per_mille: 50, ..Faults::NONE };
        let setup = ClusterSetup { faults, seed: 7, ..ClusterSetup::new(3) };
        let seen = run_random(setup, Cast { boards: 3, ..Cast::pair(2) }, 100);
        seen.iter().map(|seen| seen.stats.values()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

/// A client that calls board 0 every 10 ms and notes the time and what it got.
type Log = Rc<RefCell<Vec<(u64, Result<(), Errno>)>>>;
fn caller(log: &Log) -> Option<Body> {
    let log = log.clone();
    body(move |mut stores| {
        let log = log.clone();
        async move {
            loop {
                let next_ns = stores.now_ns() + 10_000_000;
                stores.me().sleep_until(next_ns).await;
                let result = stores.at(0, 0).call(Null {}, ()).await;
                log.borrow_mut().push((stores.now_ns(), result));
            }
        }
    })
}

#[test]
fn dead_board_fails_calls_and_may_rejoin() {
    let log = Log::default();
    let noted = log.clone();
    let cast = Cast::pair(2);
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), cast, |board, client| match (board, client) {
        (1, 0) => caller(&noted),
        (1, _) => body(|mut stores| async move {
            assert_eq!(stores.at(0, 1).call(Pass {}, ()).await, Err(Errno::EHOSTDOWN));
        }),
        _ => None,
    });
    cluster.run_until(200_000_000);
    assert!(log.borrow().len() > 10 && log.borrow().iter().all(|(_, result)| result.is_ok()));
    cluster.bus().cut_off(0, true);
    cluster.run_until(1_000_000_000);
    let (at_ns, first) = *log.borrow().iter().find(|(_, result)| result.is_err()).unwrap();
    assert_eq!(first, Err(Errno::EHOSTDOWN));
    assert!(at_ns < 300_000_000, "dead after {at_ns} ns");
    assert_eq!((seen[1].stats.deaths.get(), seen[1].clients[1].waits_for()), (1, None));
    // It was not dead, only out of reach.
    cluster.bus().cut_off(0, false);
    log.borrow_mut().clear();
    cluster.run_until(2_000_000_000);
    assert!(log.borrow().iter().skip(5).all(|(_, result)| result.is_ok()), "{:?}", log.borrow());
    // Now it is reset.
    log.borrow_mut().clear();
    cluster.reboot(0, |site| drop(build(site, cast, |_, _| None)));
    cluster.run_until(3_000_000_000);
    assert!(
        log.borrow().len() > 50 && log.borrow().iter().skip(8).all(|(_, result)| result.is_ok()),
        "{:?}",
        log.borrow()
    );
    assert!(log.borrow().iter().filter(|(_, result)| result.is_err()).count() <= 8);
}

#[test]
fn absent_board_is_declared_dead_in_time() {
    let log = Log::default();
    let noted = log.clone();
    let cast = Cast::pair(1);
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), cast, |board, _| caller(&noted).filter(|_| board == 1));
    cluster.bus().cut_off(0, true);
    cluster.run_until(1_000_000_000);
    assert!(log.borrow().is_empty(), "the board may still be booting");
    cluster.run_until(10_000_000_000);
    assert!(log.borrow().iter().all(|(_, result)| *result == Err(Errno::EHOSTDOWN)));
    assert_eq!(seen[1].stats.deaths.get(), 1);
}

#[test]
fn rebooted_caller_finds_proxy_free() {
    let passed = Rc::new(Cell::new(0));
    let progress = passed.clone();
    let cast = Cast::pair(1);
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), cast, |board, _| {
        let waits = body(|mut stores| async move {
            let _ = stores.at(0, 0).call(Pass {}, ()).await; // it is reset meanwhile
        });
        waits.filter(|_| board == 1)
    });
    cluster.run_until(100_000_000);
    cluster.reboot(1, move |site| {
        let progress = progress.clone();
        drop(build(site, cast, |_, _| {
            let progress = progress.clone();
            body(move |stores| random_calls(stores, 3, 2, 50, progress.clone()))
        }));
    });
    assert!(cluster.run_while(LIMIT_NS, || passed.get() < 50), "{} calls", passed.get());
    assert_eq!(seen[0].stats.refused.get(), 0);
}

#[test]
fn cancellation_at_any_time_ends_only_its_call() {
    const CALLS: usize = 40;
    for seed in 1..=10 {
        let faults = Faults { lost_per_mille: 30, doubled_per_mille: 30, changed_per_mille: 0, ..Faults::NONE };
        let setup = ClusterSetup { faults, seed, ..ClusterSetup::new(2) };
        let results = Rc::new(RefCell::new(Vec::new()));
        let noted = results.clone();
        let (mut cluster, seen) = cluster(setup, Cast::pair(4), move |board, client| {
            let noted = noted.clone();
            let client = body(move |mut stores| {
                let noted = noted.clone();
                async move {
                    for _ in 0..CALLS {
                        let far = if client == 3 {
                            // Fills the window, so that news of an interruption may come late.
                            stores.at(0, 1).call(Check {}, &[0; 4096]).await.map(|_| 0)
                        } else {
                            stores.at(0, 0).call(Pass {}, ()).await
                        };
                        noted.borrow_mut().push(far);
                        stores.me().clear_cancellation();
                    }
                }
            });
            client.filter(|_| board == 1)
        });
        let (mut random, mut interruptions) = (Random::new(seed), 0);
        while results.borrow().len() < 4 * CALLS {
            cluster.run_until(cluster.now_ns() + random.below(5_000_000));
            WaitCanceller::new(seen[1].clients[random.below(3) as usize]).cancel_wait();
            interruptions += 1;
            assert!(interruptions < 10_000, "calls are stuck, seed {seed}");
        }
        let results = results.borrow();
        assert!(results.iter().all(|result| matches!(result, Ok(0) | Err(Errno::EINTR))));
        let ended = results.iter().filter(|result| result.is_err()).count();
        assert!(ended == 3 * CALLS && ended <= interruptions, "{ended} of {interruptions}");
        assert!(seen.iter().all(|seen| seen.stats.refused.get() == 0));
    }
}
