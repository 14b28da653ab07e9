//! Boards that fail and return: which processes learn it, when, and the results of the first calls to the next
//! incarnation.

use crate::cast::{Add, Body, Cast, Increment, Note, Notes, Null, Pass, body, build, cluster};
use renga_rt::Errno;
use renga_sim::{ClusterSetup, Faults};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

const MS: u64 = 1_000_000;
/// Within this time of a board's failure, every process that waits for it has an error.
const NOTICED_NS: u64 = 100 * MS;

type Results = Rc<RefCell<Vec<(u64, Result<u64, Errno>)>>>;

/// A client that makes one call, which is deferred, and notes when and how it ends.
fn waiter(results: &Results) -> Option<Body> {
    let results = results.clone();
    body(move |mut stores| {
        let results = results.clone();
        async move {
            let result = stores.at(0, 0).call(Pass {}, ()).await;
            results.borrow_mut().push((stores.now_ns(), result));
        }
    })
}

/// Holds: death-bounded.
#[test]
fn board_failure_reaches_long_waiter_within_100_ms() {
    for (seed, lost_per_mille) in [(1, 0), (2, 0), (3, 100), (4, 200), (5, 300)] {
        let results = Results::default();
        let noted = results.clone();
        let faults = Faults { lost_per_mille, ..Faults::default() };
        let setup = ClusterSetup { faults, seed, ..ClusterSetup::new(2) };
        let (mut cluster, seen) = cluster(setup, Cast::pair(3), move |board, _| waiter(&noted).filter(|_| board == 1));
        cluster.run_until(120_000 * MS + seed * 7_654_321);
        assert!(results.borrow().is_empty(), "seed {seed}: {:?}", results.borrow());
        let died_ns = cluster.now_ns();
        cluster.bus().cut_off(0, true);
        cluster.run_until(died_ns + NOTICED_NS);
        assert_eq!(results.borrow().len(), 3, "seed {seed}");
        assert!(results.borrow().iter().all(|(_, result)| *result == Err(Errno::EHOSTDOWN)));
        assert_eq!((seen[1].stats.deaths.get(), seen[1].stats.refused.get()), (1, 0));
    }
}

#[test]
fn board_alive_but_silent_is_given_up_after_5_s() {
    let (results, patient, after) = (Results::default(), Results::default(), Results::default());
    let noted = [results.clone(), patient.clone(), after.clone()];
    let (mut cluster, seen) =
        cluster(ClusterSetup::new(2), Cast::pair(2), move |board, client| match (board, client) {
            (1, 0) => {
                let (asked, after) = (noted[0].clone(), noted[2].clone());
                body(move |mut stores| {
                    let (asked, after) = (asked.clone(), after.clone());
                    async move {
                        stores.me().sleep_until(1_000 * MS).await;
                        stores.watch().begin_question(0, stores.now_ns());
                        let result = stores.at(0, 0).call(Pass {}, ()).await;
                        stores.watch().end_question(0);
                        asked.borrow_mut().push((stores.now_ns(), result));
                        // It is a board like any other when there is a session again.
                        while stores.at(0, 0).call(Null {}, ()).await.is_err() {
                            let soon_ns = stores.now_ns() + MS;
                            stores.me().sleep_until(soon_ns).await;
                        }
                        after.borrow_mut().push((stores.now_ns(), Ok(0)));
                    }
                })
            }
            (1, _) => waiter(&noted[1]),
            _ => None,
        });
    cluster.run_until(6_000 * MS);
    assert!(results.borrow().is_empty() && patient.borrow().is_empty(), "it answers questions of the link");
    cluster.run_until(6_100 * MS);
    assert_eq!(results.borrow().first().map(|(_, result)| *result), Some(Err(Errno::EHOSTDOWN)));
    assert_eq!(patient.borrow().len(), 1, "a caller that waits for the same board for other reasons fails, too");
    assert_eq!((seen[1].stats.deaths.get(), seen[1].stats.refused.get()), (1, 0));
    cluster.run_until(7_000 * MS);
    assert_eq!(after.borrow().len(), 1);
    cluster.run_until(60_000 * MS);
    assert_eq!(seen[1].stats.deaths.get(), 1, "a question that has ended ends no session");
}

/// Holds: idle-silent.
#[test]
fn idle_boards_send_no_frames() {
    let (mut cluster, seen) = cluster(ClusterSetup::new(4), Cast { boards: 4, ..Cast::pair(1) }, |_, _| {
        body(|mut stores| async move {
            for board in 0..4 {
                assert_eq!(stores.at(board, 0).call(Null {}, ()).await, Ok(()));
            }
        })
    });
    cluster.run_until(1_000 * MS);
    let frames = cluster.bus().count().frames;
    cluster.run_until(3_600_000 * MS);
    assert_eq!(cluster.bus().count().frames, frames, "an hour of nothing");
    assert!(seen.iter().all(|seen| seen.stats.deaths.get() == 0));
}

/// Calls of a client that continues after each error: when each ended, and its result.
fn persistent(board: u8, every_ns: u64, asynchronous: bool, results: &Results) -> Option<Body> {
    let results = results.clone();
    body(move |mut stores| {
        let results = results.clone();
        async move {
            for value in 0.. {
                let next_ns = stores.now_ns() + every_ns;
                stores.me().sleep_until(next_ns).await;
                let mut far = stores.at(board, 0);
                let result = match asynchronous {
                    true => far.call(Note { value, fail: false }, &[1, 2, 3]).await.map(|()| 0),
                    false => far.call(Add { a: value, b: 0, c: 0, d: 0, e: 0, f: 0 }, ()).await,
                };
                let took_ns = stores.now_ns() - next_ns;
                results.borrow_mut().push((took_ns, result));
            }
        }
    })
}

/// Holds: stale-once.
#[test]
fn board_reboot_gives_each_caller_one_stale_error() {
    for asynchronous in [false, true] {
        let results: Vec<Results> = (0..3).map(|_| Results::default()).collect();
        let noted = results.clone();
        let cast = Cast { asynchronous, ..Cast::pair(3) };
        let (mut cluster, seen) = cluster(ClusterSetup::new(2), cast, move |board, client| {
            persistent(0, 3 * MS, asynchronous, &noted[client]).filter(|_| board == 1)
        });
        for _ in 0..5 {
            cluster.run_until(cluster.now_ns() + 200 * MS);
            results.iter().for_each(|results| results.borrow_mut().clear());
            let new = Rc::new(RefCell::new(None));
            let made = new.clone();
            cluster.reboot(0, move |site| *made.borrow_mut() = Some(build(site, cast, |_, _| None)));
            cluster.run_until(cluster.now_ns() + 100 * MS);
            for results in &results {
                let results = results.borrow();
                let stale = |result: &(u64, Result<u64, Errno>)| result.1 == Err(Errno::ESTALE);
                let stale_at = results.iter().position(stale).unwrap();
                assert!(results[stale_at + 1..].iter().all(|(_, result)| result.is_ok()), "{results:?}");
                // The last reply of the old incarnation may have been on its way.
                let before = results[..stale_at].iter();
                assert!(before.filter(|(_, result)| *result != Err(Errno::EHOSTDOWN)).count() <= 1, "{results:?}");
            }
            let good = |results: &Results| results.borrow().iter().filter(|(_, result)| result.is_ok()).count();
            let (made, arrived) = (results.iter().map(good).sum::<usize>(), new.borrow().as_ref().unwrap().calls.get());
            assert!(made.abs_diff(arrived as usize) <= 3, "{arrived} of {made}: one each may be under way");
        }
        assert_eq!(seen[1].stats.refused_stale.get(), 15);
    }
}

/// Holds: board-returns.
#[test]
fn board_failure_fails_calls_at_once_and_reboot_serves_soon() {
    let (there, back) = (Results::default(), Results::default());
    let (noted, cast) = (there.clone(), Cast::pair(1));
    let (mut cluster, _) = cluster(ClusterSetup::new(2), cast, move |board, _| {
        persistent(0, MS / 10, false, &noted).filter(|_| board == 1)
    });
    cluster.run_until(300 * MS);
    cluster.bus().cut_off(0, true);
    cluster.run_until(500 * MS);
    there.borrow_mut().clear();
    cluster.run_until(5_000 * MS);
    let slowest = there.borrow().iter().map(|(took_ns, _)| *took_ns).max().unwrap();
    assert!(there.borrow().iter().all(|(_, result)| *result == Err(Errno::EHOSTDOWN)));
    assert_eq!(slowest, 0, "a call to a failed board does not wait");
    cluster.bus().cut_off(0, false);
    let (booted_ns, noted) = (cluster.now_ns(), back.clone());
    cluster.reboot(0, |site| {
        let noted = noted.clone();
        drop(build(site, cast, move |_, _| persistent(1, MS / 10, false, &noted)));
    });
    there.borrow_mut().clear();
    let served = || back.borrow().iter().any(|(_, result)| result.is_ok());
    let serves = || there.borrow().iter().any(|(_, result)| result.is_ok());
    assert!(cluster.run_while(100 * MS, || !(served() && serves())));
    let took_us = (cluster.now_ns() - booted_ns) / 1000;
    println!("a rebooted board is called, and calls, after {took_us} us");
    assert!(took_us < 10_000, "{took_us} us");
}

#[test]
fn board_failing_after_hello_blocks_nobody() {
    let (there, cast) = (Results::default(), Cast::pair(1));
    let noted = there.clone();
    let (mut cluster, _) =
        cluster(ClusterSetup::new(2), cast, move |board, _| persistent(0, MS, false, &noted).filter(|_| board == 1));
    cluster.run_until(300 * MS);
    for times in 0..20 {
        cluster.reboot(0, |site| drop(build(site, cast, |_, _| None)));
        cluster.bus().cut_off(0, false);
        cluster.run_until(cluster.now_ns() + 10_000 * times);
        cluster.bus().cut_off(0, true);
        cluster.run_until(cluster.now_ns() + 150 * MS);
        there.borrow_mut().clear();
        cluster.run_until(cluster.now_ns() + 20 * MS);
        assert!(there.borrow().len() >= 19, "{times}: {:?}", there.borrow());
    }
}

#[test]
fn full_load_causes_no_retransmission_or_failure() {
    for boards in [4, 8] {
        let done: Vec<Rc<Cell<u64>>> = (0..boards).map(|_| Rc::default()).collect();
        let counted = done.clone();
        let cast = Cast { boards, ..Cast::pair(10) };
        let (mut cluster, seen) = cluster(ClusterSetup::new(boards), cast, move |board, client| {
            let done = counted[usize::from(board)].clone();
            body(move |mut stores| {
                let done = done.clone();
                async move {
                    let (given, mut taken) = ([client as u8; 4096], [0; 4096]);
                    let other = (board + 1 + client as u8 % (boards - 1)) % boards;
                    loop {
                        assert_eq!(stores.at(other, 0).call(Increment {}, (&given, &mut taken)).await, Ok(()));
                        done.set(done.get() + 1);
                    }
                }
            })
        });
        cluster.run_until(5_000 * MS);
        let counts: Vec<u64> = done.iter().map(|done| done.get()).collect();
        let again: u64 = seen.iter().map(|seen| seen.stats.retransmissions.get()).sum();
        let control: u64 = seen.iter().map(|seen| seen.stats.control_sent.get()).sum();
        let frames: u64 = seen.iter().map(|seen| seen.stats.frames_sent.get()).sum();
        println!("{boards} boards, 5 s: calls {counts:?}, {frames} frames, {control} of them control, {again} again");
        assert_eq!(again, 0);
        assert!(seen.iter().all(|seen| seen.stats.deaths.get() == 0 && seen.stats.refused.get() == 0));
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        assert!(least * 3 > most * 2, "the bus is shared: {counts:?}");
    }
}

#[test]
fn asynchronous_loss_is_counted_and_reported_to_caller() {
    let results = Results::default();
    let (noted, cast) = (results.clone(), Cast { asynchronous: true, slots: 8, ..Cast::pair(1) });
    let (mut cluster, seen) =
        cluster(ClusterSetup::new(2), cast, move |board, _| persistent(0, MS, true, &noted).filter(|_| board == 1));
    cluster.run_until(50 * MS);
    cluster.bus().cut_off(0, true);
    cluster.run_until(200 * MS);
    let lost = seen[1].stats.async_lost.get();
    assert!((1..=8).contains(&lost), "{lost}");
    cluster.bus().cut_off(0, false);
    results.borrow_mut().clear();
    cluster.run_until(400 * MS);
    let stale_count = results.borrow().iter().filter(|(_, result)| *result == Err(Errno::ESTALE)).count();
    assert_eq!(stale_count, 1, "{:?}", results.borrow());
}

/// Holds: stale-once.
#[test]
fn board_reboot_ends_old_calls_before_new_ones() {
    let passed = Results::default();
    let noted = passed.clone();
    let cast = Cast::pair(2);
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), cast, |board, client| match (board, client) {
        (1, 0) => waiter(&Results::default()),
        _ => None,
    });
    for _ in 0..10 {
        cluster.run_until(cluster.now_ns() + 50 * MS);
        let noted = noted.clone();
        cluster.reboot(1, move |site| {
            let noted = noted.clone();
            drop(build(site, cast, move |_, client| match client {
                0 => waiter(&noted),
                _ => body(|mut stores| async move {
                    assert_eq!(stores.at(0, 0).call(Notes {}, ()).await, Ok(0));
                }),
            }));
        });
    }
    cluster.run_until(cluster.now_ns() + 50 * MS);
    assert!(passed.borrow().is_empty());
    assert_eq!(seen[0].stats.refused.get(), 0);
}

/// It was heard, so it is not one that boots slowly.
#[test]
fn board_failure_before_first_session_blocks_nobody() {
    let mut heard_and_not_up = 0;
    for cut_ns in (3 * MS..4 * MS).step_by(20_000) {
        let results = Results::default();
        let noted = results.clone();
        let (mut cluster, seen) =
            cluster(ClusterSetup::new(2), Cast::pair(1), move |board, _| waiter(&noted).filter(|_| board == 1));
        cluster.run_until(cut_ns);
        cluster.bus().cut_off(0, true);
        cluster.run_until(cut_ns + NOTICED_NS);
        let heard = seen[1].stats.frames_received.get() > 0;
        let outcomes: Vec<_> = results.borrow().iter().map(|(_, result)| *result).collect();
        assert!(!heard || outcomes == [Err(Errno::EHOSTDOWN)], "cut at {cut_ns}: {outcomes:?}");
        heard_and_not_up += u32::from(heard && seen[0].stats.frames_received.get() == 0);
    }
    assert!(heard_and_not_up > 0, "every cut was before or after");
}
