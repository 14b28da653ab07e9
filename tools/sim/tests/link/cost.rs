//! What calls cost on the wire.

use crate::cast::{Add, Body, Cast, Check, Fetch, Null, SHRINKS, Stores, body, cluster, fill};
use crate::synchronous::LIMIT_NS;
use renga_sim::{BusCounters, BusTiming, ClusterSetup};
use std::cell::Cell;
use std::future::Future;
use std::ops::Range;
use std::rc::Rc;

const CALLS: u64 = 100;

/// What the bus did for [`CALLS`] calls of each of `clients` clients after a first one, and how long
/// they took, ns.
fn measure<F: Future<Output = ()> + 'static>(
    clients: usize,
    calls: impl Fn(Stores, u64) -> F + Copy + 'static,
) -> (BusCounters, u64) {
    let (warm, done) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let counters = (warm.clone(), done.clone());
    let go = Rc::new(Cell::new(false));
    let may_go = go.clone();
    let make = move |board: u8, _: usize| -> Option<Body> {
        let ((warm, done), go) = (counters.clone(), may_go.clone());
        let client = body(move |mut stores| {
            let (warm, done, go) = (warm.clone(), done.clone(), go.clone());
            async move {
                // Its words stay in the caller's message: no later call sends them.
                let add = Add { a: u64::MAX, b: 1 << 40, c: 1 << 50, d: -1 << 60, e: 1 << 60, f: u32::MAX };
                assert!(stores.at(0, 0).call(add, ()).await.is_ok());
                warm.set(warm.get() + 1);
                while !go.get() {
                    let later_ns = stores.now_ns() + 1_000_000;
                    stores.me().sleep_until(later_ns).await;
                }
                calls(stores, CALLS).await;
                done.set(done.get() + 1);
            }
        });
        client.filter(|_| board == 1)
    };
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), Cast::pair(clients), make);
    assert!(cluster.run_while(LIMIT_NS, || warm.get() < clients));
    cluster.run_until(cluster.now_ns() + 10_000_000);
    let (before, began_ns) = (cluster.bus().count(), cluster.now_ns());
    go.set(true);
    assert!(cluster.run_while(LIMIT_NS, || done.get() < clients));
    let (after, took_ns) = (cluster.bus().count(), cluster.now_ns() - began_ns);
    assert_eq!((seen[0].stats.retransmissions.get(), seen[1].stats.retransmissions.get()), (0, 0));
    let count = BusCounters {
        frames: after.frames - before.frames,
        bytes: after.bytes - before.bytes,
        wire_ns: after.wire_ns - before.wire_ns,
        busy_ns: after.busy_ns - before.busy_ns,
        ..after
    };
    (count, took_ns)
}

fn report(what: &str, calls: u64, count: BusCounters, took_ns: u64) {
    println!(
        "{what}: {:.2} frames and {:.1} bytes a call, {:.1} us; wire {:.1} %, bus {:.1} % busy",
        count.frames as f64 / calls as f64,
        count.bytes as f64 / calls as f64,
        took_ns as f64 / 1e3 / calls as f64,
        100.0 * count.wire_ns as f64 / took_ns as f64,
        100.0 * count.busy_ns as f64 / took_ns as f64,
    );
}

#[test]
fn null_call_takes_two_small_frames() {
    let (count, took_ns) = measure(1, |mut stores, calls| async move {
        for _ in 0..calls {
            assert_eq!(stores.at(0, 0).call(Null {}, ()).await, Ok(()));
        }
    });
    report("null", CALLS, count, took_ns);
    assert_eq!(count.frames, 2 * CALLS);
    assert!(count.bytes <= 36 * CALLS, "{} bytes", count.bytes);
}

async fn fetch(stores: Stores, calls: u64) {
    fetch_all(stores, 0..calls).await;
}

async fn fetch_all(mut stores: Stores, seeds: Range<u64>) {
    let (mut page, mut want) = ([0; 4096], [0; 4096]);
    for seed in seeds {
        assert_eq!(stores.at(0, 0).call(Fetch { seed, used: 4096 }, &mut page).await, Ok(4096));
        fill(&mut want, seed);
        assert_eq!(page, want);
    }
}

#[test]
fn bulk_read_keeps_wire_busy() {
    let (count, took_ns) = measure(1, fetch);
    report("read 4 KiB, one client", CALLS, count, took_ns);
    // The request, and the page with its heads in four frames.
    assert_eq!(count.frames, 5 * CALLS);
    let (count, took_ns) = measure(4, fetch);
    report("read 4 KiB, four clients", 4 * CALLS, count, took_ns);
    let useful_ns = 4 * CALLS * 4096 * 8 * 1_000_000_000 / BusTiming::PI3.bits_per_s;
    println!("useful {:.1} % of the wire", 100.0 * useful_ns as f64 / took_ns as f64);
    assert!(useful_ns * 100 >= took_ns * 90, "less than 90 % of the wire");
}

#[test]
fn packed_read_takes_two_frames() {
    let packed = |stores, calls| fetch_all(stores, SHRINKS..SHRINKS + calls);
    let (count, took_ns) = measure(1, packed);
    report("read 4 KiB that shrink", CALLS, count, took_ns);
    assert_eq!(count.frames, 2 * CALLS);
}

#[test]
fn bulk_write_keeps_wire_busy() {
    let (count, took_ns) = measure(4, |mut stores, calls| async move {
        let page = [7; 4096];
        for _ in 0..calls {
            assert!(stores.at(0, 0).call(Check {}, &page).await.is_ok());
        }
    });
    report("write 4 KiB, four clients", 4 * CALLS, count, took_ns);
    let useful_ns = 4 * CALLS * 4096 * 8 * 1_000_000_000 / BusTiming::PI3.bits_per_s;
    assert!(useful_ns * 100 >= took_ns * 80, "less than 80 % of the wire");
}
