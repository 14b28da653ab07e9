//! The processes that others call.

use crate::frames::{HostFrames, WRITEBACK_PRIORITY};
use crate::workers;
use renga_fs::{
    BufferSlot, CommitDue, FileClients, INDEXED_PER_INODE, IndexSlot, InodeClients, InodeSlot, LockPlace,
    LookupClients, Medium, MetadataWritebackClients, NameSlot, REPORTS, Referrers, allocator, buffer, buffer_directory,
    commit_timer, disk, file, file_table, inode, inode_directory, locks, name_index, revocations,
};
use renga_hal::block::Block;
use renga_proto::allocator::Allocator;
use renga_proto::buffer::directory::BufferDirectory;
use renga_proto::disk::Disk;
use renga_proto::events::Events;
use renga_proto::file::File;
use renga_proto::inode::InodeDirectory;
use renga_proto::locks::Locks;
use renga_proto::path::Path;
use renga_proto::sessions::Sessions;
use renga_proto::slots::FileTable;
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Family, ForwardFamily, Local, Me, Members, Notifier, OsTimes, Watch, WatchFilters};
use std::cell::Cell;
use std::sync::atomic::AtomicU32;

/// When the board was started, ns since 1970.
pub const EPOCH_NS: u64 = 1_600_000_000_000_000_000;
/// Locks of the board.
const LOCKS: usize = 8;

/// The size of a board: processes of each kind, and page frames.
#[derive(Clone, Copy)]
pub struct FsCounts {
    /// Blocks of metadata that are cached.
    pub buffers: usize,
    /// Active inodes.
    pub inodes: usize,
    /// Lookup workers.
    pub paths: usize,
    /// Open files.
    pub files: usize,
    /// Page frames.
    pub frames: u32,
}

/// The processes that others call.
#[derive(Clone, Copy)]
pub struct FsServers {
    /// The allocator of blocks and inodes.
    pub allocator: Address<Allocator>,
    /// The directory of buffers.
    pub buffers: Address<BufferDirectory>,
    /// What passes operations on paths to the lookup workers.
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
    /// What is watched.
    pub watched: &'static WatchFilters,
}

impl FsServers {
    /// Starts all processes of a file system on `device`, whose time is that of `medium`. `caches` are the
    /// boards' caches of pages, and of names, and the board's server of event files, if it has one.
    pub fn start<B: Block + 'static>(
        board: HostBoard,
        device: &'static mut B,
        medium: &'static Medium,
        frames: HostFrames,
        (page_caches, name_caches, events): (&'static [Members], &'static [Members], &'static Members),
        counts: FsCounts,
    ) -> FsServers {
        let (arena, pages) = (board.arena, frames.pages);
        let events = move |me: &Me| Local::new(me, events).narrowed();
        let disk = board.server(|me, port| disk(me, port, device, medium));
        let timer = board.declare(WRITEBACK_PRIORITY);
        let due: &'static CommitDue = arena.put(|| CommitDue::new(Some(Notifier::new(timer)), &OsTimes::DEFAULT));
        let (buffers, writer) = metadata_cache(board, disk, due, counts.buffers);
        let cache = |me: &Me| Client::new(me, buffers);
        let allocator = board.server(|me, port| {
            let cache = cache(&me);
            allocator(me, port, cache, due, EPOCH_NS)
        });
        let data = frames.data(board, disk);
        let revocations = board.server(|me, port| {
            let caches = Family::new(&me, page_caches).narrowed();
            let (names, own) = (Family::new(&me, name_caches).narrowed(), Client::new(&me, pages).narrowed());
            revocations(me, port, caches, names, own, arena.put(|| [0; 4096]), arena.put(|| Watch::new(None)))
        });
        let places = arena.put_slice(INDEXED_PER_INODE * counts.inodes, |_| IndexSlot::EMPTY);
        let index = board.server(|me, port| name_index(port, cache(&me), places, arena.put(|| [0; 4096])));
        let parents = arena.put_slice(counts.inodes, |_| AtomicU32::new(0));
        let watched: &'static WatchFilters = arena.put(|| WatchFilters::new(parents));
        let sets = arena.put_slice(counts.inodes, |_| Cell::new(0));
        let referrers: &'static Referrers = arena.put(|| Referrers::new(sets));
        let inodes = arena.put_slice(counts.inodes, |number| {
            board.server(|me, port| {
                let clients = InodeClients {
                    cache: cache(&me),
                    data: data(&me),
                    revocations: Client::new(&me, revocations),
                    allocator: Client::new(&me, allocator),
                    index: Client::new(&me, index),
                    events: events(&me),
                };
                inode(me, port, clients, number as u16, referrers, 0, EPOCH_NS, 0, watched)
            })
        });
        let inodes = board.family(inodes);
        let slots = arena.put_slice(counts.inodes, |_| InodeSlot::EMPTY);
        let names = arena.put_slice(counts.inodes, |_| NameSlot::EMPTY);
        let directory = board.server(|me, port| {
            let (inodes, passed_on) = (Family::new(&me, inodes), ForwardFamily::new(inodes));
            inode_directory(me, port, inodes, passed_on, slots, names, referrers, due, watched)
        });
        let lookup = |me: &Me| LookupClients {
            inode_directory: Client::new(me, directory),
            inodes: Family::new(me, inodes),
            cutters: ForwardFamily::new(inodes),
            allocator: Client::new(me, allocator),
            revocations: Client::new(me, revocations),
            events: events(me),
        };
        workers::background(board, lookup, writer, data, counts.buffers);
        board.start(timer, |me| {
            let (directory, inodes) = (Client::new(&me, directory), Family::new(&me, inodes).narrowed());
            commit_timer(me, directory, inodes, due)
        });
        let path = workers::lookup(board, lookup, (counts.paths, watched));
        let (table, files, locks) = opener(board, (inodes, directory), frames, counts.files, (watched, &events));
        FsServers { allocator, buffers, path, directory, inodes, table, files, locks, watched }
    }
}

/// Starts the buffers and their directory; what makes clients that write them back.
fn metadata_cache(
    board: HostBoard,
    disk: Address<Disk>,
    due: &'static CommitDue,
    count: usize,
) -> (Address<BufferDirectory>, impl Fn(&Me) -> MetadataWritebackClients) {
    let arena = board.arena;
    let buffers = arena
        .put_slice(count, |_| board.server(|me, port| buffer(port, Client::new(&me, disk), arena.put(|| [0; 4096]))));
    let buffers = board.family(buffers);
    let slots = arena.put_slice(count, |_| BufferSlot::EMPTY);
    let directory = board.server(|me, port| buffer_directory(me, port, ForwardFamily::new(buffers), slots, due));
    let clients = move |me: &Me| MetadataWritebackClients {
        directory: Client::new(me, directory),
        buffers: Family::new(me, buffers),
        disk: Client::new(me, disk),
    };
    (directory, clients)
}

/// Starts the processes of open files.
fn opener(
    board: HostBoard,
    (inodes, directory): (&'static [Members], Address<InodeDirectory>),
    HostFrames { machine, memory, pages, .. }: HostFrames,
    count: usize,
    (watched, events): (&'static WatchFilters, &dyn Fn(&Me) -> Local<Events, REPORTS>),
) -> (Address<FileTable>, &'static [Members], Address<Locks>) {
    let arena = board.arena;
    let table = board.server(|_, port| file_table(port, arena.put_slice(count, |_| 0)));
    let places = arena.put_slice(LOCKS, |_| LockPlace::FREE);
    let locks = board.server(|me, port| locks(me, port, places, arena.put(|| Watch::new(None))));
    let files: &[Address<File>] = arena.put_slice(count, |number| {
        board.server(|me, port| {
            let clients = FileClients {
                inodes: Family::new(&me, inodes).narrowed(),
                inode_directory: Client::new(&me, directory).narrowed(),
                names: Local::new(&me, &Members::NONE),
                file_table: Client::new(&me, table),
                pages: Client::new(&me, pages),
                prefetchers: Local::new(&me, &Members::NONE),
                memory: Client::new(&me, memory),
                proc_files: Family::new(&me, &[]).narrowed(),
                locks: Client::new(&me, locks).narrowed(),
                references: Family::new(&me, &[]).narrowed(),
                events: events(&me),
            };
            file(me, port, clients, machine, number as u16, 0, arena.put(Sessions::new), watched)
        })
    });
    (table, board.family(files), locks)
}
