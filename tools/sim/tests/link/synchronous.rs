//! Synchronous calls: words, slices, deferred replies, interruptions.

use crate::cast::{Add, Cast, Check, Fetch, Increment, Null, Open, Pass, Stores, body, cluster, fill, sum};
use renga_core::WaitCanceller;
use renga_rt::Errno;
use renga_sim::ClusterSetup;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Longer than any of these runs may take.
pub const LIMIT_NS: u64 = 60_000_000_000;

async fn every_shape(mut stores: Stores) {
    let mut far = stores.at(0, 0);
    assert_eq!(far.call(Null {}, ()).await, Ok(()));
    let add = Add { a: u64::MAX - 5, b: 3, c: 1 << 40, d: -7, e: 99, f: 0xffff_ffff };
    let total = add.a.wrapping_add(add.b * add.c).wrapping_add(add.d as u64).wrapping_add(add.e ^ u64::from(add.f));
    assert_eq!(far.call(add, ()).await, Ok(total));
    let (mut page, mut other, mut want) = ([0; 4096], [0; 4096], [0; 4096]);
    fill(&mut want, 5);
    assert_eq!(far.call(Fetch { seed: 5, used: 4096 }, &mut page).await, Ok(4096));
    assert_eq!(page, want);
    assert_eq!(far.call(Check {}, &page).await, Ok(sum(&want)));
    assert_eq!(far.call(Increment {}, (&page, &mut other)).await, Ok(()));
    assert!(other.iter().zip(&want).all(|(o, w)| *o == w.wrapping_add(1)));
    page.fill(0xaa);
    assert_eq!(far.call(Fetch { seed: 9, used: 1500 }, &mut page).await, Ok(1500));
    fill(&mut want, 9);
    assert_eq!(page[..1500], want[..1500]);
    assert!(page[1500..].iter().all(|byte| *byte == 0xaa), "bytes not used do not cross");
}

#[test]
fn remote_call_carries_words_and_slices_both_ways() {
    let done = Rc::new(Cell::new(0));
    let progress = done.clone();
    let (mut cluster, _) = cluster(ClusterSetup::new(2), Cast::pair(1), move |board, _| {
        let progress = progress.clone();
        let client = body(move |stores| {
            let progress = progress.clone();
            async move {
                every_shape(stores).await;
                progress.set(progress.get() + 1);
            }
        });
        client.filter(|_| board == 1)
    });
    assert!(cluster.run_while(LIMIT_NS, || done.get() < 1));
}

renga_core::protocol! {
    /// No server has this protocol.
    pub Wrong = 51, WrongCall {
        /// An entry that the server does not have.
        20 Absent {} (()) -> Result<(), Errno>;
    }
}

#[test]
fn remote_call_of_unknown_entry_is_refused() {
    let got = Rc::new(Cell::new(None));
    let progress = got.clone();
    let cast = Cast { permitted: u32::MAX, ..Cast::pair(1) };
    let (mut cluster, _) = cluster(ClusterSetup::new(2), cast, move |board, _| {
        let progress = progress.clone();
        let client = body(move |mut stores| {
            let progress = progress.clone();
            async move {
                let result = stores.wrong::<Wrong>().call(Absent {}, ()).await;
                progress.set(Some(result));
                assert_eq!(stores.at(0, 0).call(Null {}, ()).await, Ok(()));
            }
        });
        client.filter(|_| board == 1)
    });
    cluster.run_until(100_000_000);
    assert_eq!(got.get(), Some(Err(Errno::EINVAL)));
}

#[test]
fn remote_call_deferred_reply_arrives_later() {
    let order = Rc::new(RefCell::new(Vec::new()));
    let noted = order.clone();
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), Cast::pair(3), move |board, client| {
        let noted = noted.clone();
        let client = body(move |mut stores| {
            let noted = noted.clone();
            async move {
                let mut far = stores.at(0, 1);
                if client < 2 {
                    stores.me().sleep_until(1_000_000 * client as u64).await;
                    let value = far.call(Pass {}, ()).await;
                    noted.borrow_mut().push((client, value));
                } else {
                    stores.me().sleep_until(500_000_000).await;
                    assert_eq!(far.call(Open { value: 1 << 60 }, ()).await, Ok(()));
                    stores.me().sleep_until(900_000_000).await;
                    assert_eq!(far.call(Open { value: 8 }, ()).await, Ok(()));
                }
            }
        });
        client.filter(|_| board == 1)
    });
    cluster.run_until(2_000_000_000);
    assert_eq!(*order.borrow(), [(0, Ok(1 << 60)), (1, Ok(8))]);
    assert_eq!((seen[0].stats.retransmissions.get(), seen[1].stats.retransmissions.get()), (0, 0));
    let before = cluster.bus().count();
    cluster.run_until(3_600_000_000_000);
    assert_eq!(cluster.bus().count(), before, "an idle link is silent");
}

#[test]
fn remote_call_cancellation_reaches_server() {
    let results = Rc::new(RefCell::new(Vec::new()));
    let noted = results.clone();
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), Cast::pair(2), move |board, _| {
        let noted = noted.clone();
        let client = body(move |mut stores| {
            let noted = noted.clone();
            async move {
                let mut far = stores.at(0, 0);
                let first = far.call(Pass {}, ()).await;
                let again = far.call(Pass {}, ()).await; // the flag is still up
                stores.me().clear_cancellation();
                let value = far.call(Pass {}, ()).await;
                noted.borrow_mut().push([first, again, value]);
            }
        });
        client.filter(|_| board == 1)
    });
    cluster.run_until(100_000_000);
    for client in &seen[1].clients {
        WaitCanceller::new(client).cancel_wait();
    }
    cluster.run_until(200_000_000);
    assert!(results.borrow().is_empty());
    // A proxy's flag of an earlier call must not end the present one.
    let waiting: Vec<_> = seen[1].clients.iter().map(|client| client.waits_for()).collect();
    assert!(waiting.iter().all(Option::is_some), "{waiting:?}");
    for client in &seen[1].clients {
        WaitCanceller::new(client).cancel_wait();
    }
    cluster.run_until(300_000_000);
    let eintr = Err(Errno::EINTR);
    assert_eq!(*results.borrow(), [[eintr; 3], [eintr; 3]]);
}
