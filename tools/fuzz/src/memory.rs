//! The processes of a board that have its page frames and its cached pages.

use renga_fs_host::HostFrames;
use renga_hal_host::HostMemory;
use renga_proto::inode::InodeDirectory;
use renga_proto::pages::Pages;
use renga_proto::references::References;
use renga_proto::sessions::Sessions;
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Local, Members};

/// Files that may have pages in the cache.
const CACHED_FILES: usize = 8;
/// Files that programs may map.
const USED_FILES: usize = 64;

/// Starts the processes of page frames and page cache.
pub fn start(board: HostBoard, machine: &'static HostMemory) -> HostFrames {
    HostFrames::start(board, machine, CACHED_FILES)
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
