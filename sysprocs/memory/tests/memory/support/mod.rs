//! A board for tests: the processes that have its memory, files in the host's memory, and a check that
//! everything was given back.

use renga_abi::Errno;
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_hal_host::HostMemory;
use renga_memory::pager::Inodes;
use renga_memory::{FrameCache, FrameCounts, MappedFile, Pager, Space, SpaceTables, TABLES_PER_SLOT};
use renga_pages::CacheMemory;
use renga_proto::data::Prefetcher;
use renga_proto::inode::{Filled, Inode, InodeCall, InodeDirectory, InodeDirectoryCall, Lease};
use renga_proto::memory::{Memory, MemoryStatus};
use renga_proto::pages::{KEPT, PagePlace, Pages, Shrink, WritePage};
use renga_proto::references::References;
use renga_proto::sessions::Sessions;
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Family, Local, Members, Never, Port};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What the files' processes did.
#[derive(Default)]
pub struct Counts {
    pub reads: Cell<u32>,
    /// Pages that were to be written by a mapping.
    pub dirtied: Cell<u32>,
    pub references: RefCell<Vec<i32>>,
    /// Whose inode the files' processes have.
    pub inos: RefCell<Vec<u32>>,
    /// Calls to the directory.
    pub directory_calls: Cell<u32>,
    /// The next call to the directory gets `ESTALE`, as after a reboot of its board.
    pub stale: Cell<bool>,
}

/// What is on another board.
pub struct There {
    pub machine: &'static HostMemory,
    pub tables: &'static SpaceTables,
    pub memory: Client<Memory>,
    pub frame_counts: &'static FrameCounts,
    pub frame_cache: FrameCache,
    pub pages: Client<Pages>,
    pub references: Client<References>,
}

/// Everything that a test's process has.
pub struct World {
    pub machine: &'static HostMemory,
    pub tables: &'static SpaceTables,
    pub memory: Client<Memory>,
    pub frame_counts: &'static FrameCounts,
    pub frame_cache: FrameCache,
    pub pages: Client<Pages>,
    pub prefetchers: Local<Prefetcher>,
    pub references: Client<References>,
    pub sessions: &'static Sessions,
    pub inodes: Inodes,
    /// The same of another board.
    pub there: There,
    pub counts: Rc<Counts>,
    pub contents: Rc<RefCell<Vec<Vec<u8>>>>,
}

impl World {
    pub fn pager(&mut self) -> Pager<'_, HostMemory> {
        self.pager_and_there().0
    }
    /// The pager of this board, and the memory process of the other.
    pub fn pager_and_there(&mut self) -> (Pager<'_, HostMemory>, &mut Client<Memory>) {
        let World { tables, memory, frame_counts: counts, frame_cache, pages, .. } = self;
        let (prefetchers, references, inodes) = (&mut self.prefetchers, &mut self.references, &mut self.inodes);
        let machine = self.machine;
        let pager = Pager { machine, tables, memory, counts, frame_cache, pages, prefetchers, references, inodes };
        (pager, &mut self.there.memory)
    }
    /// The board of the files reboots: each file has another process, only the fixture has references, and the board
    /// of this test gets one `ESTALE`.
    pub fn reboot_disk_board(&self) {
        self.counts.references.borrow_mut().fill(1);
        self.counts.inos.borrow_mut().rotate_right(1);
        self.contents.borrow_mut().rotate_right(1);
        self.counts.stale.set(true);
        self.sessions.end(0);
    }
    /// Of the other board.
    pub fn pager_there(&mut self) -> Pager<'_, HostMemory> {
        let There { machine, tables, memory, frame_counts: counts, frame_cache, pages, references } = &mut self.there;
        let (prefetchers, inodes) = (&mut self.prefetchers, &mut self.inodes);
        Pager { machine, tables, memory, counts, frame_cache, pages, prefetchers, references, inodes }
    }
    /// With what is in its frame cache.
    pub async fn free_frames(&mut self) -> u32 {
        self.frame_cache.give_back(&mut self.memory).await;
        self.memory.call(MemoryStatus {}, ()).await.unwrap().free
    }
    /// What is in the program's memory, without faults; none if it is absent.
    pub fn peek(&self, space: &Space, va: u64) -> Option<u8> {
        let (frame, _) = self.machine.lookup(space.root(), va)?;
        Some(self.machine.shared_page(frame)[(va % 4096) as usize])
    }
}

/// A space of its own with a copy of `space`, as a child gets it.
pub async fn fork(space: &mut Space, pager: &mut Pager<'_, HostMemory>) -> Result<Space, Errno> {
    let copy = pager.fork(space).await?;
    let mut bytes = [0; 4096];
    let length = space.encode_copy(&copy, &mut bytes)?;
    Space::decode_local(pager.tables, &bytes[..length])
}

/// Of each file.
pub const GENERATION: u32 = 1;

/// File number `slot`.
pub fn file(slot: u16) -> MappedFile {
    MappedFile { ino: 100 + u32::from(slot), generation: GENERATION, slot }
}

async fn inode(
    mut port: Port<Inode>,
    mut pages: Client<Pages>,
    slot: usize,
    contents: Rc<RefCell<Vec<Vec<u8>>>>,
    counts: Rc<Counts>,
) -> Never {
    loop {
        match port.accept().await {
            InodeCall::FillPage(call) if call.entry().ino != counts.inos.borrow()[slot] => {
                call.reply(Err(Errno::ESTALE));
            }
            InodeCall::FillPage(mut call) => {
                assert!(counts.references.borrow()[slot] > 0, "an inode without references is read");
                counts.reads.set(counts.reads.get() + 1);
                let offset = call.entry().page as usize * PAGE_BYTES;
                let contents = contents.borrow();
                let rest = contents[slot].get(offset..).unwrap_or(&[]);
                let slice = call.lent();
                let length = rest.len().min(slice.len());
                slice[..length].copy_from_slice(&rest[..length]);
                slice[length..].fill(0xa5); // the caller puts zeros there
                call.reply(Ok(Filled { size: contents[slot].len() as u64, keep: KEPT, bytes: length as u32 }));
            }
            InodeCall::DirtyPage(call) => {
                let (page, size) = (call.entry().page, contents.borrow()[slot].len() as u64);
                let place = PagePlace { block: 100 + page, offset: 0 };
                let write = WritePage { file: file(slot as u16).id(), page, place, size, fresh: true };
                let written = pages.call(write, &[][..]).await;
                counts.dirtied.set(counts.dirtied.get() + 1);
                call.reply(written.map(|_| Lease::NONE));
            }
            _ => panic!("not expected of an inode"),
        }
    }
}

/// What the directory says to a call about the inode `ino` of process `slot`; its references change by `by`.
fn refer(counts: &Counts, slot: u16, ino: u32, by: i32) -> Result<(), Errno> {
    counts.directory_calls.set(counts.directory_calls.get() + 1);
    if counts.stale.take() {
        return Err(Errno::ESTALE);
    }
    let slot = usize::from(slot);
    if counts.inos.borrow()[slot] != ino {
        return Err(Errno::EINVAL);
    }
    let references = &mut counts.references.borrow_mut()[slot];
    assert!(*references > 0, "an inode without references is kept or released");
    *references += by;
    Ok(())
}

async fn directory(mut port: Port<InodeDirectory>, counts: Rc<Counts>) -> Never {
    loop {
        match port.accept().await {
            InodeDirectoryCall::Keep(call) => {
                let entry = call.entry();
                call.reply(refer(&counts, entry.slot, entry.ino, 1));
            }
            InodeDirectoryCall::Release(call) => {
                let entry = call.entry();
                call.reply(refer(&counts, entry.slot, entry.ino, -1));
            }
            InodeDirectoryCall::Reactivate(call) => {
                let entry = call.entry();
                assert_eq!(entry.generation, GENERATION);
                let slot = counts.inos.borrow().iter().position(|ino| *ino == entry.ino).map(|slot| slot as u16);
                // A pending `ESTALE` comes first.
                let nothing = if counts.stale.take() { Errno::ESTALE } else { Errno::ENOENT };
                let found = slot.filter(|_| nothing == Errno::ENOENT).ok_or(nothing);
                if let Ok(slot) = found {
                    counts.references.borrow_mut()[usize::from(slot)] += 1;
                }
                call.reply(found);
            }
            _ => panic!("not expected of the directory"),
        }
    }
}

/// For whose programs a board has tables.
const SLOTS: usize = 8;

/// The processes of one board, and what they share.
#[derive(Clone, Copy)]
pub struct Servers {
    machine: &'static HostMemory,
    tables: &'static SpaceTables,
    counts: &'static FrameCounts,
    memory: Address<Memory>,
    pages: Address<Pages>,
    references: Address<References>,
    sessions: &'static Sessions,
}

/// The processes of one board.
pub fn servers(board: HostBoard, frames: u32, files: usize, directory: Address<InodeDirectory>) -> Servers {
    let machine: &'static HostMemory = Box::leak(Box::new(HostMemory::new(frames)));
    let counts = FrameCounts::new(board.arena, frames as usize);
    let memory = board.server(|me, port| renga_memory::memory(me, port, counts, machine, None));
    let room = CacheMemory::new(board.arena, frames as usize, files);
    let pages = board.server(|me, port| {
        let memory = Client::new(&me, memory);
        renga_pages::page_cache(me, port, memory, machine, room, 0, None)
    });
    let sessions: &'static Sessions = board.arena.put(Sessions::new);
    let references = board.server(|me, port| {
        let (directory, pages) = (Client::new(&me, directory).narrowed(), Client::new(&me, pages));
        let names = Local::new(&me, &Members::NONE).narrowed();
        renga_memory::references(
            me,
            port,
            directory,
            pages,
            names,
            board.arena.put_slice(64, |_| renga_memory::UsedFile::EMPTY),
            sessions,
        )
    });
    let tables = SpaceTables::new(board.arena, SLOTS);
    Servers { machine, tables, counts, memory, pages, references, sessions }
}

/// Runs `body` as a process of a board with `frames` frames, room for `cached` files in the page cache and `contents`
/// as files (each open once); checks that everything is free afterwards.
pub fn run<F: Future<Output = World> + 'static>(
    frames: u32,
    cached: usize,
    contents: Vec<Vec<u8>>,
    body: impl FnOnce(World) -> F + 'static,
) {
    let board = HostBoard::new(0, 1 << 21);
    let counts = Rc::new(Counts::default());
    counts.references.borrow_mut().resize(contents.len(), 1);
    counts.inos.borrow_mut().extend((0..contents.len()).map(|slot| file(slot as u16).ino));
    let files = contents.len();
    let contents = Rc::new(RefCell::new(contents));
    let directory = board.server(|_, port| directory(port, counts.clone()));
    let here = servers(board, frames, cached, directory);
    let inode = |slot| {
        board.server(|me, port| inode(port, Client::new(&me, here.pages), slot, contents.clone(), counts.clone()))
    };
    let inodes: Vec<_> = (0..files).map(inode).collect();
    let members = board.family(&inodes);
    let there = servers(board, frames, cached, directory);
    let done = Rc::new(Cell::new(false));
    let finished = done.clone();
    board.client(move |me| {
        let Servers { machine, tables, counts: frame_counts, sessions, .. } = here;
        let (memory, pages) = (Client::new(&me, here.memory), Client::new(&me, here.pages));
        let (references, inodes) = (Client::new(&me, here.references), Family::new(&me, members).narrowed());
        let there = There {
            machine: there.machine,
            tables: there.tables,
            memory: Client::new(&me, there.memory),
            frame_counts: there.counts,
            frame_cache: FrameCache::new(),
            pages: Client::new(&me, there.pages),
            references: Client::new(&me, there.references),
        };
        async move {
            let prefetchers = Local::new(&me, &Members::NONE);
            let _me = me;
            let frame_cache = FrameCache::new();
            let world = World {
                machine,
                tables,
                memory,
                frame_counts,
                frame_cache,
                pages,
                prefetchers,
                references,
                sessions,
                inodes,
                there,
                counts,
                contents,
            };
            let mut world = body(world).await;
            let There { memory, frame_cache, pages, .. } = &mut world.there;
            let here = (&mut world.memory, &mut world.frame_cache, &mut world.pages);
            for (memory, frame_cache, pages) in [here, (memory, frame_cache, pages)] {
                frame_cache.give_back(memory).await;
                pages.call(Shrink::at_once(u32::MAX), ()).await.unwrap();
                let facts = memory.call(MemoryStatus {}, ()).await.unwrap();
                assert_eq!(facts.free, facts.total, "frames leaked");
            }
            for tables in [world.tables, world.there.tables] {
                assert_eq!(tables.free(), SLOTS * TABLES_PER_SLOT, "tables leaked");
            }
            assert!(world.counts.references.borrow().iter().all(|&count| count == 1), "inode references leaked");
            finished.set(true);
        }
    });
    board.run();
    assert!(done.get(), "the test's process did not finish");
}
