//! Sets of watches as who has them sees them.
use WatchChange::{Add, Modify, Remove};
use renga_clock::{DuePlace, EventPlace, NoticeMemory, WatchPlace, events};
use renga_proto::events::{
    AddCount, ChangeWatch, ClaimWatch, DropEvents, EventFile, EventKind, Events, MakeEvents, NextWatch, TakeCount,
    WATCH_EDGES, WATCH_EXCLUSIVE, WATCH_ONCE, WatchChange, WatchEntry, WatchStamp, WatchWish,
};
use renga_proto::pipe::{NO_PROGRAM, READABLE};
use renga_rt::host::HostBoard;
use renga_rt::{Client, Errno, Wakes, WatchFilters};
use std::cell::Cell;
use std::rc::Rc;

const WATCHES: usize = 3;

/// A client with a set that it has made.
struct Set(Client<Events>, EventFile);

impl Set {
    async fn change(&mut self, change: WatchChange, descriptor: u16, events: u32) -> Result<(), Errno> {
        self.change_of(u64::MAX, change, descriptor, events).await
    }
    async fn change_of(&mut self, object: u64, change: WatchChange, descriptor: u16, events: u32) -> Result<(), Errno> {
        let EventFile { number, generation } = self.1;
        let wish = WatchWish { change, descriptor, events };
        self.0.call(ChangeWatch { number, generation, wish, data: 7, object, more: 9 }, ()).await
    }
    async fn next(&mut self, from: u16, slot: u16) -> Result<WatchEntry, Errno> {
        let EventFile { number, generation } = self.1;
        self.0.call(NextWatch { number, generation, from, slot }, ()).await
    }
    async fn claim(&mut self, watch: WatchEntry, edges: u32) -> Result<(), Errno> {
        let EventFile { number, generation } = self.1;
        let claim = ClaimWatch { number, generation, place: watch.key.place, stamp: watch.stamp, edges };
        self.0.call(claim, ()).await
    }
}

fn run<F: Future<Output = ()> + 'static>(body: impl FnOnce(Set, &'static Wakes) -> F + 'static) {
    let board = HostBoard::new(0, 1 << 18);
    let wakes: &'static Wakes = Box::leak(Box::new(Wakes::new(None)));
    let places = Box::leak(Box::new([EventPlace::FREE; 2]));
    let due = Box::leak(Box::new([DuePlace::EMPTY; 2]));
    let watches = Box::leak(Box::new([WatchPlace::FREE; WATCHES]));
    let notices = Box::leak(Box::new(NoticeMemory { notices: &mut [], watches: &mut [] }));
    let watched: &'static WatchFilters = Box::leak(Box::new(WatchFilters::new(&[])));
    let server = board.server(|me, port| events(me, port, places, due, 0, 1, wakes, watches, notices, watched, 0));
    let ran = Rc::new(Cell::new(false));
    let end = ran.clone();
    board.client(move |me| async move {
        let mut client = Client::new(&me, server);
        let file = client.call(MakeEvents { kind: EventKind::Watches, count: 0 }, ()).await.unwrap();
        body(Set(client, file), wakes).await;
        end.set(true);
    });
    board.run();
    assert!(ran.get(), "no entry waits");
}

#[test]
fn event_set_duplicate_watch_is_refused() {
    run(|mut set, _| async move {
        assert_eq!(set.change(Modify, 5, READABLE).await, Err(Errno::ENOENT));
        assert_eq!(set.change(Add, 5, READABLE).await, Ok(()));
        assert_eq!(set.change(Add, 5, READABLE).await, Err(Errno::EEXIST));
        assert_eq!(set.change(Add, 6, WATCH_EXCLUSIVE | READABLE).await, Ok(()));
        assert_eq!(set.change(Modify, 6, READABLE).await, Err(Errno::EINVAL));
        let (first, second) = (set.next(0, NO_PROGRAM).await.unwrap(), set.next(1, NO_PROGRAM).await.unwrap());
        assert_eq!((first.key.descriptor, first.data, first.object, first.more), (5, 7, u64::MAX, 9));
        assert_eq!((second.key.descriptor, set.next(2, NO_PROGRAM).await), (6, Err(Errno::ENOENT)));
        // Another set has its own, of the same places.
        let other = set.0.call(MakeEvents { kind: EventKind::Watches, count: 0 }, ()).await.unwrap();
        let own = core::mem::replace(&mut set.1, other);
        assert_eq!(set.next(0, NO_PROGRAM).await, Err(Errno::ENOENT));
        assert_eq!(set.change(Add, 5, READABLE).await, Ok(()));
        assert_eq!(set.change(Add, 6, READABLE).await, Err(Errno::ENOSPC));
        let EventFile { number, generation } = other;
        set.0.call(DropEvents { number, generation }, ()).await.unwrap();
        set.1 = own;
        assert_eq!(set.change(Add, 7, READABLE).await, Ok(()), "its watches have ended with it");
        assert_eq!(set.change(Remove, 5, 0).await, Ok(()));
        assert_eq!(set.change(Remove, 5, 0).await, Err(Errno::ENOENT));
        assert_eq!(set.next(0, NO_PROGRAM).await.unwrap().key.descriptor, 6);
    });
}

#[test]
fn event_set_edge_is_claimed_once() {
    run(|mut set, _| async move {
        set.change(Add, 5, WATCH_EDGES | READABLE).await.unwrap();
        let watch = set.next(0, NO_PROGRAM).await.unwrap();
        assert_eq!([set.claim(watch, 4).await, set.claim(watch, 4).await], [Ok(()), Err(Errno::EAGAIN)]);
        let later = set.next(0, NO_PROGRAM).await.unwrap();
        assert_eq!(later.stamp, WatchStamp { edges: 4, ..watch.stamp });
        assert_eq!(set.claim(later, 5).await, Ok(()));
        // A claim from before a modification is stale.
        let before = set.next(0, NO_PROGRAM).await.unwrap();
        set.change(Modify, 5, WATCH_ONCE | READABLE).await.unwrap();
        assert_eq!(set.claim(before, 6).await, Err(Errno::EAGAIN));
        let once = set.next(0, NO_PROGRAM).await.unwrap();
        assert_eq!((once.stamp.edges, set.claim(once, 6).await), (0, Ok(())));
        assert_eq!(
            [set.next(0, NO_PROGRAM).await.err(), set.claim(once, 6).await.err()],
            [Some(Errno::ENOENT), Some(Errno::EAGAIN)]
        );
        set.change(Modify, 5, READABLE).await.unwrap();
        let gone = set.next(0, NO_PROGRAM).await.unwrap();
        assert_eq!([set.claim(gone, 0).await, set.change(Add, 5, READABLE).await], [Ok(()); 2]);
        assert_eq!(set.claim(gone, 0).await, Err(Errno::EAGAIN), "that is another one");
    });
}

#[test]
fn event_set_closed_descriptor_frees_watch() {
    run(|mut set, _| async move {
        // More often than there are places: the server reports each watch once, then its object closes.
        for object in 0..4 * WATCHES as u64 {
            assert_eq!(set.change_of(object, Add, 5, WATCH_ONCE | READABLE).await, Ok(()), "{object}");
            let watch = set.next(0, NO_PROGRAM).await.unwrap();
            assert_eq!(set.claim(watch, 1).await, Ok(()));
        }
        // An unreported watch stays: a copy of its descriptor may be open.
        assert_eq!(set.change_of(100, Add, 6, WATCH_ONCE | READABLE).await, Ok(()));
        assert_eq!(set.change_of(101, Add, 6, WATCH_ONCE | READABLE).await, Ok(()));
        assert_eq!(set.change_of(100, Modify, 6, READABLE).await, Ok(()));
    });
}

#[test]
fn event_set_new_watch_wakes_waiter() {
    run(|mut set, wakes| async move {
        assert_eq!(set.next(0, 9).await, Err(Errno::ENOENT));
        set.change(Add, 5, READABLE).await.unwrap();
        assert_eq!(wakes.take(), Some((0, [1 << 9, 0, 0, 0])));
        assert!(set.next(0, 9).await.is_ok());
        set.change(Remove, 5, 0).await.unwrap();
        assert_eq!(wakes.take(), None, "there is not more than before");
        let EventFile { number, generation } = set.1;
        assert_eq!(set.0.call(TakeCount { number, generation, slot: NO_PROGRAM }, ()).await, Err(Errno::EINVAL));
        assert_eq!(set.0.call(AddCount { number, generation, add: 1, slot: NO_PROGRAM }, ()).await, Err(Errno::EINVAL));
        let count = set.0.call(MakeEvents { kind: EventKind::Count, count: 0 }, ()).await.unwrap();
        set.1 = count;
        assert_eq!(set.next(0, NO_PROGRAM).await, Err(Errno::EINVAL));
        assert_eq!(set.change(Add, 5, READABLE).await, Err(Errno::EINVAL));
    });
}
