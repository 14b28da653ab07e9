//! Prefetchers between a reader and an inode's process that is scripted: how many requests are under way, and what
//! comes into the page cache.

use renga_fs::prefetcher;
use renga_hal_host::HostMemory;
use renga_pages::CacheMemory;
use renga_pages::fill::prefetched;
use renga_proto::data::{Prefetcher, ReadMissed};
use renga_proto::inode::{FillPage, Filled, Inode, InodeCall};
use renga_proto::pages::{FileId, KEPT, Pages, ReadCached, RevokePages, TO_END};
use renga_rt::host::HostBoard;
use renga_rt::{Client, Errno, Family, Local, Me, Never, Port};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

const FILE: FileId = FileId { ino: 12, generation: 1 };
const PAGE: usize = 4096;
const PAGES: u32 = 40;
const FRAMES: usize = 64;

/// What the inode's process does, and what it has seen.
#[derive(Default)]
struct Script {
    /// It revokes everything before it replies.
    revokes: bool,
    requested: RefCell<Vec<u32>>,
    /// Requests during which another one waited.
    accompanied: Cell<u32>,
}

async fn inode(mut me: Me, mut port: Port<Inode>, mut pages: Client<Pages>, script: Rc<Script>) -> Never {
    let mut next = None;
    loop {
        let call = match next.take() {
            Some(call) => call,
            None => port.accept().await,
        };
        let InodeCall::FillPage(mut call) = call else { panic!("only pages are requested") };
        for _ in 0..8 {
            me.yield_now().await;
        }
        next = port.accept_waiting(FillPage::BIT);
        script.accompanied.set(script.accompanied.get() + u32::from(next.is_some()));
        let page = call.entry().page;
        script.requested.borrow_mut().push(page);
        if script.revokes {
            pages.call(RevokePages { file: FILE, from: 0, to: TO_END }, ()).await.unwrap();
        }
        call.lent().fill(page as u8);
        call.reply(Ok(Filled { size: u64::from(PAGES) * PAGE as u64, keep: KEPT, bytes: PAGE as u32 }));
    }
}

/// Reads these pages of the file on a board with two prefetchers: of each, whether they brought it, and its first byte
/// in the cache.
fn read(script: &Rc<Script>, without_leases: u8, wanted: Vec<u32>) -> Vec<(bool, Result<u8, Errno>)> {
    let board = HostBoard::new(0, 1 << 22);
    let machine: &'static HostMemory = Box::leak(Box::new(HostMemory::new(FRAMES as u32)));
    let counts = renga_memory::FrameCounts::new(board.arena, FRAMES);
    let memory = board.server(|me, port| renga_memory::memory(me, port, counts, machine, None));
    let pages = board.server(|me, port| {
        let (memory, room) = (Client::new(&me, memory), CacheMemory::new(board.arena, FRAMES, 4));
        renga_pages::page_cache(me, port, memory, machine, room, 0, None)
    });
    let inode = board.server(|me, port| {
        let pages = Client::new(&me, pages);
        inode(me, port, pages, script.clone())
    });
    let inodes = board.family(&[inode]);
    let prefetchers = [0, 1].map(|number| {
        board.server::<Prefetcher, _>(|me, port| {
            let (pages, memory) = (Client::new(&me, pages), Client::new(&me, memory));
            let inodes = Family::new(&me, inodes).narrowed();
            prefetcher(me, port, pages, memory, inodes, machine, number, 2, without_leases)
        })
    });
    let own = &board.family(&prefetchers)[0];
    let seen = Rc::new(RefCell::new(Vec::new()));
    let read = seen.clone();
    board.client(move |me| {
        let (mut prefetchers, mut pages) = (Local::new(&me, own), Client::<Pages>::new(&me, pages));
        async move {
            for page in wanted {
                let brought = prefetched(&mut prefetchers, ReadMissed { file: FILE, slot: 0, page }).await;
                let mut byte = [0];
                let offset = u64::from(page) * PAGE as u64;
                let found = pages.call(ReadCached { file: FILE, offset }, &mut byte[..]).await;
                read.borrow_mut().push((brought, found.map(|_| byte[0])));
            }
        }
    });
    board.run();
    seen.take()
}

#[test]
fn prefetcher_sequential_reader_has_two_requests_under_way() {
    let script = Rc::new(Script::default());
    let mut read = read(&script, 0, (0..PAGES).collect());
    assert_eq!(read.drain(..2).collect::<Vec<_>>(), [(false, Err(Errno::ENOENT)); 2], "the reader has them itself");
    assert_eq!(read, (2..PAGES).map(|page| (true, Ok(page as u8))).collect::<Vec<_>>());
    let mut requested = script.requested.take();
    requested.sort_unstable();
    assert_eq!(requested, (2..PAGES).collect::<Vec<_>>(), "each page once, none behind the end");
    // Neither the first nor the last has company.
    assert!(script.accompanied.get() >= PAGES - 6, "{} of {PAGES}", script.accompanied.get());
}

#[test]
fn prefetcher_random_reader_gets_no_page() {
    let script = Rc::new(Script::default());
    let read = read(&script, 0, vec![17, 3, 30, 22, 9, 38]);
    assert!(read.iter().all(|page| *page == (false, Err(Errno::ENOENT))), "{read:?}");
    assert!(script.requested.take().is_empty());
}

#[test]
fn prefetcher_page_revoked_before_reply_is_not_kept() {
    let script = Rc::new(Script { revokes: true, ..Script::default() });
    let read = read(&script, 0, (0..4).collect());
    assert!(read.iter().all(|(_, found)| *found == Err(Errno::ENOENT)), "{read:?}");
    assert!(!script.requested.take().is_empty());
}

#[test]
fn prefetcher_board_without_leases_requests_no_page() {
    let script = Rc::new(Script::default());
    let read = read(&script, 1, (0..PAGES).collect());
    assert!(read.iter().all(|(brought, _)| !brought), "{read:?}");
    assert!(script.requested.take().is_empty());
}
