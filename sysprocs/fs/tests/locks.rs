//! The keeper of locks as slots and open files call it.
use renga_fs::{LockPlace, locks};
use renga_proto::locks::{AwaitLock, LockRequest, Locking, Locks, Owner, ReleaseLocks, SetLock};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Errno, Watch};
use std::cell::RefCell;
use std::rc::Rc;

const INO: u32 = 5;
const HOLDER: Owner = Owner::process(8);
const OTHER: Owner = Owner::process(16);
const FILE: Owner = Owner::open_file(0, 3, 1);

/// A board that is dead for an open file's board may not be dead here yet: a call that waits from there must not get
/// a lock that would stay for ever.
#[test]
fn lock_wait_of_closed_file_ends_without_lock() {
    let board = HostBoard::new(0, 1 << 20);
    let places = Vec::leak(vec![LockPlace::FREE; 4]);
    let watch: &'static Watch = Box::leak(Box::new(Watch::new(None)));
    let server: Address<Locks> = board.server(move |me, port| locks(me, port, places, watch));
    let answers = Rc::new(RefCell::new(Vec::new()));
    let set = |owner| {
        let out = answers.clone();
        board.client(move |me| async move {
            let wanted = LockRequest { owner, ino: INO, first: 0, last: 9, locking: Locking::Exclusive };
            let set = Client::new(&me, server).call(SetLock { wanted }, ()).await;
            out.borrow_mut().push(set);
        });
        board.run();
        answers.take()
    };
    let release = |owner| {
        board.client(move |me| async move {
            Client::new(&me, server).call(ReleaseLocks { owner, ino: INO }, ()).await.unwrap();
        });
        board.run();
    };
    assert_eq!(set(HOLDER), [Ok(())]);
    let out = answers.clone();
    board.client(move |me| async move {
        let wanted = LockRequest { owner: FILE, ino: INO, first: 0, last: 9, locking: Locking::Exclusive };
        let waited = Client::new(&me, server).call(AwaitLock { wanted }, ()).await;
        out.borrow_mut().push(waited);
    });
    board.run();
    assert!(answers.borrow().is_empty(), "it waits");
    release(FILE);
    assert_eq!(answers.take(), [Err(Errno::ESTALE)]);
    release(HOLDER);
    assert_eq!(set(OTHER), [Ok(())], "no owner has it");
}
