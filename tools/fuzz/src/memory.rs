//! The processes of a board that have its page frames and its cached pages.

use renga_hal::host::HostMemory;
use renga_hal::memory::UserMemory;
use renga_pages::CacheMemory;
use renga_proto::memory::Memory;
use renga_proto::pages::Pages;
use renga_rt::host::Board;
use renga_rt::{Address, Client};

/// Files that may have pages in the cache.
const CACHED_FILES: usize = 8;

/// Page frames and page cache of a board.
#[derive(Clone, Copy)]
pub struct Frames {
    /// What they are.
    pub machine: &'static HostMemory,
    /// Who has them.
    pub memory: Address<Memory>,
    /// Who caches pages in them.
    pub pages: Address<Pages>,
}

/// Starts both.
pub fn start(board: Board, machine: &'static HostMemory) -> Frames {
    let (arena, frames) = (board.arena, machine.frames() as usize);
    let counts = arena.put_slice(frames, |_| 0u16);
    let memory = board.server(|me, port| renga_memory::memory(me, port, counts, machine, None));
    let room = CacheMemory::new(arena, frames, CACHED_FILES);
    let pages =
        board.server(|me, port| renga_pages::page_cache(port, Client::new(&me, memory), machine, room, 0, None));
    Frames { machine, memory, pages }
}
