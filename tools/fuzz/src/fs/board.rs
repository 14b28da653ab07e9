//! A board with all processes of a file system, and a client that speaks to them as a user process does.

use super::image::Medium512;
use crate::memory::{self, FuzzFrames};
use renga_fs::{
    BufferSlot, CommitDue, CommitterClients, DataClients, FileClients, INDEXED_PER_INODE, IndexSlot, InodeClients,
    InodeReclaimerClients, InodeSlot, LockPlace, LookupClients, Medium, MetadataWritebackClients, NameSlot, RUN_PAGES,
    allocator, buffer, buffer_directory, commit_timer, committer, committer_pages, data_reader, data_writeback, disk,
    file, file_table, inode, inode_directory, inode_reclaimer, locks, lookup_worker, metadata_writeback, name_index,
    path_lookup, recognise, revocations,
};
use renga_fs::{FreeLookupWorkers, Referrers};
use renga_hal_host::HostMemory;
use renga_proto::allocator::Allocator;
use renga_proto::data::DataWriteback;
use renga_proto::disk::Disk;
use renga_proto::file::{self, File};
use renga_proto::inode::{Inode, InodeDirectory, InodeFacts, Release, STAT_BYTES, Truncate};
use renga_proto::locks::Locks;
use renga_proto::pages::Pages;
use renga_proto::path::{self as walk, Path, Walk};
use renga_proto::sessions::Sessions;
use renga_proto::slots::{FileTable, TakeFile};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Errno, Family, ForwardFamily, Local, Me, Members, Notifier, Port, Watch};
use std::cell::{Cell, RefCell};
use std::future::Future;

/// The root's inode.
pub const ROOT: u32 = 2;
/// Boot memory of the board, 16-byte words.
const BOOT_WORDS: usize = 80 << 10;
/// Of the process that writes back.
const TIMER_PRIORITY: u8 = 4;
const EPOCH_NS: u64 = 1_600_000_000_000_000_000;
const BUFFERS: usize = 8;
const INODES: usize = 8;
const FILES: usize = 2;
/// Locks that there can be.
const LOCKS: usize = 8;
/// Page frames of the board.
const FRAMES: u32 = 64;
/// Most parts of a directory or file that are read: more than the image has.
const PARTS_MAX: usize = 40;
/// Dispatches that one input may take; each completes up to 64 rendezvous.
const DISPATCHES_MAX: u32 = 10_000;

thread_local! {
    static BOOT: RefCell<Vec<u128>> = RefCell::new(vec![0; BOOT_WORDS]);
    static MACHINE: &'static HostMemory = Box::leak(Box::new(HostMemory::new(FRAMES)));
    static MEDIUM: &'static Medium512 = Box::leak(Box::default());
}

/// What a client speaks to.
pub struct FuzzUser {
    path: Client<Path>,
    table: Client<FileTable>,
    files: Family<File>,
    directory: Client<InodeDirectory>,
    inodes: Family<Inode>,
}

/// Patches the image, and if it is still taken for ext2 runs `body` on a board that has it mounted, with a
/// copy of `input`; the medium in the end, or `None`: it was refused.
pub fn run<F: Future<Output = ()> + 'static>(
    input: &[u8],
    patch: impl FnOnce(&Medium512),
    body: impl FnOnce(FuzzUser, &'static [u8]) -> F,
) -> Option<&'static Medium512> {
    MEDIUM.with(|&medium| {
        medium.reset();
        MACHINE.with(|machine| machine.reset());
        patch(medium);
        recognise(&mut &*medium).ok()?;
        BOOT.with_borrow_mut(|memory| HostBoard::lent(0, memory, |board| client(board, medium, input, body)));
        Some(medium)
    })
}

fn client<F: Future<Output = ()> + 'static>(
    board: HostBoard,
    medium: &'static Medium512,
    input: &[u8],
    body: impl FnOnce(FuzzUser, &'static [u8]) -> F,
) {
    let arena = board.arena;
    let input: &'static [u8] = arena.put_slice(input.len(), |at| input[at]);
    let finished: &'static Cell<bool> = arena.put(|| Cell::new(false));
    let servers = processes(board, medium, memory::start(board, MACHINE.with(|machine| *machine)));
    board.client(|me| {
        let future = body(servers.user(&me), input);
        async move {
            future.await;
            finished.set(true);
        }
    });
    for _ in 0..DISPATCHES_MAX {
        if !board.core.dispatch() {
            assert!(finished.get(), "a client waits for ever");
            return;
        }
    }
    panic!("operations take longer than any on a medium of this size may");
}

/// The processes that others call.
#[derive(Clone, Copy)]
pub struct FuzzServers {
    /// The lookup worker.
    pub path: Address<Path>,
    /// The directory of inodes.
    pub directory: Address<InodeDirectory>,
    /// The inodes, of this only board.
    pub inodes: &'static [Members],
    /// The table of open files.
    pub table: Address<FileTable>,
    /// The open files, of this only board.
    pub files: &'static [Members],
    /// The locks.
    pub locks: Address<Locks>,
}

impl FuzzServers {
    /// The process `me` as a user of them.
    fn user(&self, me: &Me) -> FuzzUser {
        FuzzUser {
            path: Client::new(me, self.path),
            table: Client::new(me, self.table),
            files: Family::new(me, self.files),
            directory: Client::new(me, self.directory),
            inodes: Family::new(me, self.inodes),
        }
    }
}

/// Starts all processes of a file system on `medium`.
pub fn processes(board: HostBoard, medium: &'static Medium512, frames: FuzzFrames) -> FuzzServers {
    let (arena, pages) = (board.arena, frames.pages);
    let Some(model) = Medium::named("none") else { unreachable!("there is such a model") };
    let device = arena.put(|| medium);
    let disk = board.server(|me, port| disk(me, port, device, model));
    let buffers = arena
        .put_slice(BUFFERS, |_| board.server(|me, port| buffer(port, Client::new(&me, disk), arena.put(|| [0; 4096]))));
    let buffers = board.family(buffers);
    let slots = arena.put_slice(BUFFERS, |_| BufferSlot::EMPTY);
    let timer = board.declare(TIMER_PRIORITY);
    let due: &'static CommitDue = arena.put(|| CommitDue::new(Some(Notifier::new(timer))));
    let buffer_directory = board.server(|me, port| buffer_directory(me, port, ForwardFamily::new(buffers), slots, due));
    let cache = |me: &Me| Client::new(me, buffer_directory);
    let writer = |me: &Me| MetadataWritebackClients {
        directory: Client::new(me, buffer_directory),
        buffers: Family::new(me, buffers),
        disk: Client::new(me, disk),
    };
    board.spawn(|me| metadata_writeback(writer(&me), arena.put_slice(2, |_| [0; 4096])));
    let allocator = board.server(|me, port| {
        let cache = cache(&me);
        allocator(me, port, cache, due, EPOCH_NS)
    });
    let content = content(board, disk, pages);
    let caches = board.family(&[pages]);
    let revocations = board.server(|me, port| {
        let (caches, own) = (Family::new(&me, caches).narrowed(), Client::new(&me, pages).narrowed());
        let held = Family::new(&me, arena.put_slice(1, |_| Members::NONE)).narrowed();
        revocations(me, port, caches, held, own, arena.put(|| [0; 4096]), arena.put(|| Watch::new(None)))
    });
    let places = arena.put_slice(INDEXED_PER_INODE * INODES, |_| IndexSlot::EMPTY);
    let index = board.server(|me, port| name_index(port, cache(&me), places, arena.put(|| [0; 4096])));
    let referrers = arena.put_slice(INODES, |_| Cell::new(0));
    let referrers: &'static Referrers = arena.put(|| Referrers::new(referrers));
    let inodes = arena.put_slice(INODES, |number| {
        board.server(|me, port| {
            let clients = InodeClients {
                cache: cache(&me),
                data: content(&me),
                revocations: Client::new(&me, revocations),
                allocator: Client::new(&me, allocator),
                index: Client::new(&me, index),
            };
            inode(me, port, clients, number as u16, referrers, 0, EPOCH_NS, 0)
        })
    });
    let inodes = board.family(inodes);
    let slots = arena.put_slice(INODES, |_| InodeSlot::EMPTY);
    let names = arena.put_slice(INODES, |_| NameSlot::EMPTY);
    let directory = board.server(|me, port| {
        let (inodes, passed_on) = (Family::new(&me, inodes), ForwardFamily::new(inodes));
        inode_directory(me, port, inodes, passed_on, slots, names, referrers, due)
    });
    workers(board, directory, inodes, allocator, (writer, content));
    board.start(timer, |me| {
        let (directory, inodes) = (Client::new(&me, directory), Family::new(&me, inodes).narrowed());
        commit_timer(me, directory, inodes, due)
    });
    let path = lookup_workers(board, |me| LookupClients {
        inode_directory: Client::new(me, directory),
        inodes: Family::new(me, inodes),
        cutters: ForwardFamily::new(inodes),
        allocator: Client::new(me, allocator),
        revocations: Client::new(me, revocations),
    });
    let (table, files, locks) = opener(board, inodes, directory, frames);
    FuzzServers { path, directory, inodes, table, files, locks }
}

/// Starts a lookup worker with `clients`, and the process that passes operations on paths to it.
fn lookup_workers(board: HostBoard, clients: impl FnOnce(&Me) -> LookupClients) -> Address<Path> {
    let dispatcher = board.declare(1);
    let free = &*board.arena.put(|| FreeLookupWorkers::new(Some(Notifier::new(dispatcher))));
    let lookup_worker: Address<Walk> = board.server(|me, port| lookup_worker(port, clients(&me), 0, free));
    let lookup_workers = board.family(&[lookup_worker]);
    board.start(dispatcher, |me| {
        let port = Port::new(&me).0;
        path_lookup(me, port, ForwardFamily::new(lookup_workers), free)
    });
    Address::new(dispatcher)
}

/// Starts the processes of open files.
fn opener(
    board: HostBoard,
    inodes: &'static [Members],
    directory: Address<InodeDirectory>,
    FuzzFrames { machine, memory, pages, .. }: FuzzFrames,
) -> (Address<FileTable>, &'static [Members], Address<Locks>) {
    let arena = board.arena;
    let table = board.server(|_, port| file_table(port, arena.put_slice(FILES, |_| 0)));
    let watch = arena.put(|| Watch::new(None));
    let places = arena.put_slice(LOCKS, |_| LockPlace::FREE);
    let locks: Address<Locks> = board.server(|me, port| locks(me, port, places, watch));
    let files = arena.put_slice(FILES, |number| {
        board.server(|me, port| {
            let clients = FileClients {
                inodes: Family::new(&me, inodes).narrowed(),
                inode_directory: Client::new(&me, directory).narrowed(),
                names: Local::new(&me, &Members::NONE),
                file_table: Client::new(&me, table),
                pages: Client::new(&me, pages),
                memory: Client::new(&me, memory),
                proc_files: Family::new(&me, &[]).narrowed(),
                locks: Client::new(&me, locks).narrowed(),
            };
            file(me, port, clients, machine, number as u16, 0, arena.put(Sessions::new))
        })
    });
    (table, board.family(files), locks)
}

/// Starts the processes between page cache and medium; what makes clients of them.
fn content(board: HostBoard, disk: Address<Disk>, pages: Address<Pages>) -> impl Fn(&Me) -> DataClients {
    let arena = board.arena;
    let room = || arena.put_slice(RUN_PAGES, |_| [0; 4096]);
    let reader = board.server(|me, port| data_reader(port, Client::new(&me, pages), Client::new(&me, disk), room()));
    let readers = board.family(&[reader]);
    let writer: Address<DataWriteback> =
        board.server(|me, port| data_writeback(port, Client::new(&me, pages), Client::new(&me, disk), room()));
    move |me| DataClients {
        pages: Client::new(me, pages),
        disk: Client::new(me, disk),
        readers: Family::new(me, readers),
        writer: Client::new(me, writer),
    }
}

/// Starts those that the directory of inodes gives work.
fn workers(
    board: HostBoard,
    directory: Address<InodeDirectory>,
    inodes: &'static [Members],
    allocator: Address<Allocator>,
    (writer, content): (impl Fn(&Me) -> MetadataWritebackClients, impl Fn(&Me) -> DataClients),
) {
    board.spawn(|me| {
        let clients = InodeReclaimerClients {
            inode_directory: Client::new(&me, directory),
            inodes: Family::new(&me, inodes),
            allocator: Client::new(&me, allocator),
        };
        inode_reclaimer(me, clients)
    });
    board.spawn(|me| {
        let clients = CommitterClients {
            inode_directory: Client::new(&me, directory),
            inodes: Family::new(&me, inodes),
            allocator: Client::new(&me, allocator),
            disk: writer(&me).disk,
            writer: writer(&me),
            content: content(&me).writer,
            pages: content(&me).pages,
        };
        committer(me, clients, board.arena.put_slice(committer_pages(BUFFERS), |_| [0; 4096]))
    });
}

/// What an operation said.
pub type Told<T> = Result<T, Errno>;

impl FuzzUser {
    /// The lookup worker.
    pub fn path(&mut self) -> &mut Client<Path> {
        &mut self.path
    }

    /// Opens an inode by path and gives it back at once.
    pub async fn open(&mut self, path: &[u8], flags: u32) -> Told<InodeFacts> {
        let facts = self.path.call(walk::Open { at: ROOT.into(), flags, mode: 0o644 }, path).await?;
        self.directory.call(Release { slot: facts.slot, ino: facts.ino }, ()).await?;
        Ok(facts)
    }

    /// As `truncate(2)`.
    pub async fn truncate(&mut self, path: &[u8], bytes: u64) -> Told<()> {
        let facts = self.path.call(walk::Open { at: ROOT.into(), flags: walk::OPEN_WRITE, mode: 0 }, path).await?;
        let mut cut = Err(Errno::EIO);
        if let Some(mut inode) = self.inodes.at(0, facts.slot.into()) {
            cut = inode.call(Truncate { bytes }, ()).await;
        }
        self.directory.call(Release { slot: facts.slot, ino: facts.ino }, ()).await.and(cut)
    }

    /// Opens a file by path, does something with it, closes it.
    async fn with_file<R>(
        &mut self,
        path: &[u8],
        flags: u32,
        access: u32,
        body: impl AsyncFnOnce(&mut Client<File>) -> Told<R>,
    ) -> Told<R> {
        let facts = self.path.call(walk::Open { at: ROOT.into(), flags, mode: 0o644 }, path).await?;
        let number = self.table.call(TakeFile {}, ()).await?;
        let mut file = self.files.at(0, number.into()).ok_or(Errno::EBADF)?;
        let open = file::OpenInode {
            slot: facts.slot,
            ino: facts.ino,
            mode: facts.mode,
            flags: access,
            generation: facts.birth.generation,
            origin: facts.origin,
        };
        let generation = file.call(open, ()).await?;
        let done = body(&mut file).await;
        let closed = file.call(file::Close { generation }, ()).await;
        done.and_then(|done| closed.map(|()| done))
    }

    /// Reads a file's first parts, and behind its middle; how many bytes.
    pub async fn read(&mut self, path: &[u8]) -> Told<u64> {
        self.with_file(path, 0, 0, async |file| {
            let (mut page, mut total) = ([0; 1500], 0);
            for _ in 0..PARTS_MAX {
                match file.call(file::Read {}, &mut page[..]).await? {
                    0 => break,
                    bytes => total += u64::from(bytes),
                }
            }
            let size = file.call(file::Seek { offset: 0, whence: file::Whence::End }, ()).await?;
            let _ = file.call(file::ReadFrom { offset: size / 2 }, &mut page[..]).await?;
            Ok(total)
        })
        .await
    }

    /// Writes `data` at `offset`.
    pub async fn write(&mut self, path: &[u8], flags: u32, offset: u64, data: &[u8]) -> Told<u32> {
        self.with_file(path, flags | walk::OPEN_WRITE, 1, async |file| file.call(file::WriteTo { offset }, data).await)
            .await
    }

    /// Reads a directory; how many bytes its entries take.
    pub async fn list(&mut self, path: &[u8]) -> Told<u64> {
        self.with_file(path, walk::OPEN_DIRECTORY, 0, async |file| {
            let (mut out, mut total) = ([0; 600], 0);
            for _ in 0..PARTS_MAX {
                match file.call(file::NextEntries {}, &mut out[..]).await?.bytes {
                    0 => break,
                    bytes => total += u64::from(bytes),
                }
            }
            Ok(total)
        })
        .await
    }

    /// Asks for the status of a path.
    pub async fn status(&mut self, path: &[u8], flags: u32) -> Told<()> {
        let mut out = [0; STAT_BYTES];
        self.path.call(walk::StatusOf { at: ROOT.into(), flags }, (path, &mut out[..])).await
    }
}
