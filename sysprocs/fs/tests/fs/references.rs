//! References of a board without the disk over the ends of sessions, with the real name cache, keeper of mapped files
//! and file processes. The directory of inodes counts here. Each of its callers, and each of an inode's process,
//! learns of the end of a session late: once, with its first call, as from the router.

use crate::support::name_cache;
use renga_fs::{FileClients, file, file_table};
use renga_hal_host::HostMemory;
use renga_memory::UsedFile;
use renga_pages::CacheMemory;
use renga_proto::file::{Close, File, FileStatus, OpenInode};
use renga_proto::inode::{
    Activate, Birth, Inode, InodeCall, InodeDirectory, InodeDirectoryCall, InodeFacts, Release, ReleaseMany, STAT_BYTES,
};
use renga_proto::inode_release::give_back;
use renga_proto::locks::{Locks, LocksCall};
use renga_proto::names::{
    BoardDied, CacheGeneration, CacheReference, CacheSteps, Names, OpenHere, ReferenceCached, RevokeName,
    RevokeReference,
};
use renga_proto::pages::FileId;
use renga_proto::references::{KeepFile, References, ReleaseFile, ReopenFile, TakeOverFile};
use renga_proto::sessions::Sessions;
use renga_proto::slots::TakeFile;
use renga_proto::steps::WalkSteps;
use renga_proto::surplus::{self, SURPLUS_BYTES};
use renga_random::Random;
use renga_rt::host::HostBoard;
use renga_rt::{Client, Errno, Family, Local, Me, Members, Never, Port, ProcId, WatchFilters};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

const INODES: usize = 3;
const FILES: usize = 3;
const STEPS: usize = 400;
const ROOT: u32 = 2;

fn leak<T>(thing: T) -> &'static T {
    Box::leak(Box::new(thing))
}

fn ino(number: usize) -> u32 {
    100 + number as u32
}

fn name(number: usize) -> [u8; 1] {
    [b'a' + number as u8]
}

/// The disk's board, and the router's memory of who was notified.
struct There {
    sessions: &'static Sessions,
    counts: RefCell<[i32; INODES]>,
    notified: RefCell<BTreeSet<ProcId>>,
    late: Cell<u32>,
}

impl There {
    /// Each inode is with another process in each session.
    fn slot(&self, number: usize) -> u16 {
        ((number + self.sessions.now(0) as usize) % INODES) as u16
    }
    fn number(&self, slot: u16) -> usize {
        (0..INODES).find(|number| self.slot(*number) == slot).unwrap()
    }
    /// What the router says first.
    fn is_late(&self, caller: ProcId) -> bool {
        let late = self.sessions.now(0) > 0 && self.notified.borrow_mut().insert(caller);
        self.late.set(self.late.get() + u32::from(late));
        late
    }
    fn add(&self, number: usize, by: i32) {
        let count = &mut self.counts.borrow_mut()[number];
        *count += by;
        assert!(*count >= 0, "inode {number} is given back once too often");
    }
    fn release(&self, of: u32, slot: u16) {
        let number = self.number(slot);
        assert_eq!(of, ino(number), "a reference of another session is given back");
        self.add(number, -1);
    }
    /// All that was referred to is not any more.
    fn end_session(&self) {
        self.counts.borrow_mut().fill(0);
        self.notified.borrow_mut().clear();
        self.sessions.end(0);
    }
}

async fn directory(mut port: Port<InodeDirectory>, there: Rc<There>) -> Never {
    loop {
        match port.accept().await {
            InodeDirectoryCall::Activate(call) if there.is_late(call.caller()) => call.reply(Err(Errno::ESTALE)),
            InodeDirectoryCall::Reactivate(call) if there.is_late(call.caller()) => call.reply(Err(Errno::ESTALE)),
            InodeDirectoryCall::Keep(call) if there.is_late(call.caller()) => call.reply(Err(Errno::ESTALE)),
            InodeDirectoryCall::Release(call) if there.is_late(call.caller()) => call.reply(Err(Errno::ESTALE)),
            InodeDirectoryCall::ReleaseMany(call) if there.is_late(call.caller()) => call.reply(Err(Errno::ESTALE)),
            InodeDirectoryCall::Activate(call) => {
                let number = (call.entry().ino - ino(0)) as usize;
                there.add(number, 1);
                call.reply(Ok(there.slot(number)));
            }
            InodeDirectoryCall::Reactivate(call) => {
                let number = (call.entry().ino - ino(0)) as usize;
                there.add(number, 1);
                call.reply(Ok(there.slot(number)));
            }
            InodeDirectoryCall::Keep(call) => {
                let entry = call.entry();
                let number = there.number(entry.slot);
                let known = ino(number) == entry.ino && there.counts.borrow()[number] > 0;
                there.add(number, known.into());
                call.reply(if known { Ok(()) } else { Err(Errno::EINVAL) });
            }
            InodeDirectoryCall::Release(call) => {
                let Release { slot, ino } = call.entry();
                there.release(ino, slot);
                call.reply(Ok(()));
            }
            InodeDirectoryCall::ReleaseMany(mut call) => {
                surplus::references(call.lent()).for_each(|(ino, slot)| there.release(ino, slot));
                call.reply(Ok(()));
            }
            _ => panic!("not expected of the directory"),
        }
    }
}

async fn inode(mut port: Port<Inode>, slot: u16, there: Rc<There>) -> Never {
    loop {
        match port.accept().await {
            InodeCall::Status(call) if there.is_late(call.caller()) => call.reply(Err(Errno::ESTALE)),
            InodeCall::Status(mut call) => {
                let number = there.number(slot);
                assert!(there.counts.borrow()[number] > 0, "inode {number} is called by who does not refer to it");
                call.lent().1[0] = number as u8;
                call.reply(Ok(()));
            }
            _ => panic!("not expected of an inode"),
        }
    }
}

/// A program's slot, with what it has.
struct Opener {
    there: Rc<There>,
    names: Client<Names>,
    own_names: Local<Names>,
    directory: Client<InodeDirectory>,
    references: Client<References>,
    table: Client<renga_proto::slots::FileTable>,
    files: Family<File>,
    /// Process, generation, inode.
    open: Vec<(u16, u32, usize)>,
    mapped: Vec<usize>,
}

impl Opener {
    /// As the services of a program's slot do it.
    async fn refer(&mut self, number: usize) -> InodeFacts {
        if let Ok(facts) = self.names.call(OpenHere { at: ROOT.into(), flags: 0 }, &name(number)[..]).await {
            return facts;
        }
        let cache_generation = self.names.call(CacheGeneration {}, ()).await.unwrap();
        let mut origin = self.there.sessions.origin(0);
        let mut slot = self.directory.call(Activate { ino: ino(number) }, ()).await;
        if slot == Err(Errno::ESTALE) {
            origin = self.there.sessions.origin(0);
            slot = self.directory.call(Activate { ino: ino(number) }, ()).await;
        }
        let (slot, ino) = (slot.unwrap(), ino(number));
        let facts = InodeFacts { slot, ino, mode: 0o100_644, birth: Birth { generation: 1, device: 0 }, origin };
        let mut steps = WalkSteps::default();
        steps.put_name(ROOT, &name(number), ino, 1);
        steps.end_at(&facts, true, &[0; STAT_BYTES]);
        let _ = self.names.call(CacheSteps { cache_generation }, steps.bytes()).await;
        let keep = CacheReference { cache_generation, slot, ino, generation: 1, session: 0 };
        let mut surplus = [0; SURPLUS_BYTES];
        let ReferenceCached { origin: kept, surplus_bytes } = self.names.call(keep, &mut surplus[..]).await.unwrap();
        if surplus_bytes > 0 {
            self.directory.call(ReleaseMany {}, &surplus[..surplus_bytes as usize]).await.unwrap();
        }
        InodeFacts { origin: if kept.kept { kept } else { origin }, ..facts }
    }

    async fn let_go(&mut self, facts: &InodeFacts) {
        let of = (facts.ino, facts.slot, facts.origin);
        give_back(&mut self.own_names, &mut self.directory, self.there.sessions, of).await.unwrap();
    }

    async fn open_file(&mut self, number: usize) {
        let facts = self.refer(number).await;
        let Ok(file) = self.table.call(TakeFile {}, ()).await else { return self.let_go(&facts).await };
        let InodeFacts { slot, ino, mode, origin, .. } = facts;
        let open = OpenInode { slot, ino, mode, flags: 0, generation: 1, origin };
        let generation = self.files.at(0, file.into()).unwrap().call(open, ()).await.unwrap();
        self.open.push((file, generation, number));
    }

    async fn use_file(&mut self, which: usize) {
        let (file, _, number) = self.open[which];
        let mut status = [0; STAT_BYTES];
        self.files.at(0, file.into()).unwrap().call(FileStatus {}, &mut status[..]).await.unwrap();
        assert_eq!(usize::from(status[0]), number, "of another inode");
    }

    async fn close_file(&mut self, which: usize) {
        let (file, generation, _) = self.open.swap_remove(which);
        self.files.at(0, file.into()).unwrap().call(Close { generation }, ()).await.unwrap();
    }

    async fn map(&mut self, number: usize, session_ends: bool) {
        let facts = self.refer(number).await;
        let InodeFacts { slot, ino, origin, .. } = facts;
        if session_ends {
            self.there.end_session();
            self.names.call(BoardDied { board: 0 }, ()).await.unwrap();
        }
        self.references
            .call(TakeOverFile { file: FileId { ino, generation: 1 }, slot, origin, runs: true }, ())
            .await
            .unwrap();
        self.mapped.push(number);
        assert!(self.there.counts.borrow()[number] > 0, "inode {number} is mapped by who does not refer to it");
    }

    /// As a fork does, by what the parent knows, which may be old.
    async fn map_again(&mut self, which: usize, slot: u16) {
        let number = self.mapped[which];
        self.references.call(KeepFile { file: FileId { ino: ino(number), generation: 1 }, slot }, ()).await.unwrap();
        self.mapped.push(number);
    }

    async fn fault(&mut self, which: usize) {
        let number = self.mapped[which];
        let found = self.references.call(ReopenFile { file: FileId { ino: ino(number), generation: 1 } }, ()).await;
        assert_eq!(found, Ok(self.there.slot(number)));
    }

    async fn unmap(&mut self, which: usize) {
        let number = self.mapped.swap_remove(which);
        self.references.call(ReleaseFile { file: FileId { ino: ino(number), generation: 1 } }, ()).await.unwrap();
    }

    async fn end_session(&mut self, random: &mut Random) {
        self.there.end_session();
        // The servers here do not all know yet.
        if random.occurs(50) && !self.open.is_empty() {
            self.close_file(0).await;
        }
        self.names.call(BoardDied { board: 0 }, ()).await.unwrap();
    }

    async fn step(&mut self, random: &mut Random) {
        let (number, which) = (random.below(INODES as u64) as usize, random.below(8) as usize);
        match random.below(16) {
            0..3 if self.open.len() < FILES => self.open_file(number).await,
            3..6 if which < self.open.len() => self.use_file(which).await,
            6..8 if which < self.open.len() => self.close_file(which).await,
            8 | 9 if self.mapped.len() < 8 => self.map(number, random.occurs(10)).await,
            10 if which < self.mapped.len() => self.map_again(which, random.below(INODES as u64) as u16).await,
            11 if which < self.mapped.len() => self.fault(which).await,
            12 | 13 if which < self.mapped.len() => self.unmap(which).await,
            14 => self.names.call(RevokeName { directory: ROOT }, &name(number)[..]).await.unwrap(),
            15 if random.occurs(40) => self.end_session(random).await,
            _ => {}
        }
    }

    /// The last names go, and all is closed.
    async fn end(&mut self) {
        for number in 0..INODES {
            if self.names.call(RevokeReference { ino: ino(number) }, ()).await == Ok(true) {
                self.there.add(number, -1);
            }
        }
        while !self.open.is_empty() {
            self.close_file(0).await;
        }
        while !self.mapped.is_empty() {
            self.unmap(0).await;
        }
    }
}

async fn no_locks(mut port: Port<Locks>) -> Never {
    loop {
        let LocksCall::ReleaseLocks(call) = port.accept().await else { panic!("nothing is locked") };
        call.reply(Ok(()));
    }
}

fn play(seed: u64) -> u32 {
    let (board, sessions) = (HostBoard::new(0, 1 << 22), leak(Sessions::new()));
    let (counts, notified) = (RefCell::default(), RefCell::default());
    let there = Rc::new(There { sessions, counts, notified, late: Cell::new(0) });
    let names = name_cache::start_in(board, sessions);
    let machine = leak(HostMemory::new(64));
    let counts = renga_memory::FrameCounts::new(board.arena, 64);
    let memory = board.server(|me, port| renga_memory::memory(me, port, counts, machine, None));
    let pages = board.server(|me, port| {
        let (memory, room) = (Client::new(&me, memory), CacheMemory::new(board.arena, 64, 4));
        renga_pages::page_cache(me, port, memory, machine, room, 0, None)
    });
    let directory = board.server(|_, port| directory(port, there.clone()));
    let inodes: Vec<_> =
        (0..INODES as u16).map(|slot| board.server(|_, port| inode(port, slot, there.clone()))).collect();
    let (inodes, own_names) = (board.family(&inodes), &board.family(&[names])[0]);
    let references = board.server(|me, port| {
        let (directory, pages) = (Client::new(&me, directory).narrowed(), Client::new(&me, pages));
        let names = Local::new(&me, own_names).narrowed();
        renga_memory::references(me, port, directory, pages, names, vec![UsedFile::EMPTY; 8].leak(), sessions)
    });
    let table = board.server(|_, port| file_table(port, vec![0; FILES].leak()));
    let locks = board.server(|_, port| no_locks(port));
    let files: Vec<_> = (0..FILES as u16)
        .map(|number| {
            board.server(|me: Me, port| {
                let clients = FileClients {
                    inodes: Family::new(&me, inodes).narrowed(),
                    inode_directory: Client::new(&me, directory).narrowed(),
                    names: Local::new(&me, own_names),
                    file_table: Client::new(&me, table),
                    pages: Client::new(&me, pages),
                    prefetchers: Local::new(&me, &Members::NONE),
                    memory: Client::new(&me, memory),
                    proc_files: Family::new(&me, &[]).narrowed(),
                    locks: Client::new(&me, locks).narrowed(),
                    references: Family::new(&me, &[]).narrowed(),
                    events: Local::new(&me, &Members::NONE).narrowed(),
                };
                file(me, port, clients, machine, number, 0, sessions, leak(WatchFilters::new(&[])))
            })
        })
        .collect();
    let files = board.family(&files);
    let (done, seen) = (Rc::new(Cell::new(false)), there.clone());
    let ended = done.clone();
    board.client(move |me| {
        let mut opener = Opener {
            there,
            names: Client::new(&me, names),
            own_names: Local::new(&me, own_names),
            directory: Client::new(&me, directory),
            references: Client::new(&me, references),
            table: Client::new(&me, table),
            files: Family::new(&me, files),
            open: Vec::new(),
            mapped: Vec::new(),
        };
        async move {
            let mut random = Random::new(seed);
            for _ in 0..STEPS {
                opener.step(&mut random).await;
            }
            opener.end().await;
            ended.set(true);
        }
    });
    board.run();
    assert!(done.get(), "seed {seed}: the opener waits for ever");
    assert_eq!(*seen.counts.borrow(), [0; INODES], "seed {seed}: what is not in use is referred to");
    seen.late.get()
}

#[test]
fn references_late_session_end_balances() {
    let late: u32 = (0..50).map(play).sum();
    assert!(late > 1000, "{late} calls learned of it late");
}
