//! The processes of a board that have its page frames and its cached pages.

use renga_hal::memory::UserMemory;
use renga_hal_host::HostMemory;
use renga_memory::FrameCounts;
use renga_pages::CacheMemory;
use renga_proto::inode::InodeDirectory;
use renga_proto::memory::Memory;
use renga_proto::pages::Pages;
use renga_proto::references::References;
use renga_proto::sessions::Sessions;
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Local, Members};

/// Files that may have pages in the cache.
const CACHED_FILES: usize = 8;
/// Files that programs may map.
const USED_FILES: usize = 64;

/// Page frames and page cache of a board.
#[derive(Clone, Copy)]
pub struct FuzzFrames {
    /// What they are.
    pub machine: &'static HostMemory,
    /// How many references they have.
    pub counts: &'static FrameCounts,
    /// The owner of the frames.
    pub memory: Address<Memory>,
    /// The cache of pages in them.
    pub pages: Address<Pages>,
}

/// Starts both.
pub fn start(board: HostBoard, machine: &'static HostMemory) -> FuzzFrames {
    let (arena, frames) = (board.arena, machine.frames() as usize);
    let counts = FrameCounts::new(arena, frames);
    let memory = board.server(|me, port| renga_memory::memory(me, port, counts, machine, None));
    let room = CacheMemory::new(arena, frames, CACHED_FILES);
    let pages = board.server(|me, port| {
        let memory = Client::new(&me, memory);
        renga_pages::page_cache(me, port, memory, machine, room, 0, None)
    });
    FuzzFrames { machine, counts, memory, pages }
}

/// Starts the process that knows which files programs map.
pub fn references(board: HostBoard, directory: Address<InodeDirectory>, pages: Address<Pages>) -> Address<References> {
    let room = board.arena.put_slice(USED_FILES, |_| renga_memory::UsedFile::EMPTY);
    board.server(|me, port| {
        let (directory, pages) = (Client::new(&me, directory).narrowed(), Client::new(&me, pages));
        let names = Local::new(&me, &Members::NONE).narrowed();
        renga_memory::references(me, port, directory, pages, names, room, board.arena.put(Sessions::new))
    })
}
