//! Calls that the placement does not let in.

use crate::cast::{Add, Cast, Check, Note, Notes, Null, Stores, body, cluster};
use crate::synchronous::LIMIT_NS;
use renga_rt::Errno;
use renga_sim::ClusterSetup;
use std::cell::RefCell;
use std::rc::Rc;

/// Board 1 makes a call that is let in, one that is not, and again; and what its answers were. Then what board 0's
/// server noted, and what its router counted: calls refused as forbidden, boards taken for dead.
fn tried(asynchronous: bool, permitted: u32, forbidden: impl AsyncFn(&mut Stores) -> Errno + Copy + 'static) {
    let got = Rc::new(RefCell::new(Vec::new()));
    let progress = got.clone();
    let cast = Cast { asynchronous, permitted, ..Cast::pair(1) };
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), cast, move |board, _| {
        let progress = progress.clone();
        let client = body(move |mut stores| {
            let progress = progress.clone();
            async move {
                assert_eq!(stores.at(0, 0).call(Null {}, ()).await, Ok(()));
                let answer = forbidden(&mut stores).await;
                progress.borrow_mut().push(answer);
                // The next session starts: its first call learns that.
                let mut again = stores.at(0, 0).call(Null {}, ()).await;
                while again.is_err() {
                    again = stores.at(0, 0).call(Null {}, ()).await;
                }
                progress.borrow_mut().push(Errno(0));
            }
        });
        client.filter(|_| board == 1)
    });
    assert!(cluster.run_while(LIMIT_NS, || got.borrow().len() < 2), "{:?}", got.borrow());
    assert_eq!(*got.borrow(), [Errno::EHOSTDOWN, Errno(0)]);
    assert!(seen[0].noted.iter().all(|noted| noted.borrow().is_empty()), "the server has seen nothing of it");
    let stats = seen[0].stats;
    assert_eq!([stats.forbidden.get(), stats.refused.get(), stats.deaths.get()], [1, 1, 1]);
}

/// Holds: permits.
#[test]
fn forbidden_call_ends_session() {
    tried(false, Null::BIT | Notes::BIT, async |stores| {
        let add = Add { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 };
        stores.at(0, 0).call(add, ()).await.unwrap_err()
    });
}

#[test]
fn forbidden_call_of_several_fragments_ends_session() {
    tried(false, Null::BIT, async |stores| stores.at(0, 0).call(Check {}, &[7; 4096]).await.unwrap_err());
}

#[test]
fn forbidden_asynchronous_call_ends_session() {
    tried(true, Null::BIT | Notes::BIT, async |stores| {
        assert_eq!(stores.at(0, 0).call(Note { value: 3, fail: false }, &[1]).await, Ok(()));
        stores.at(0, 0).call(Notes {}, ()).await.unwrap_err()
    });
}
