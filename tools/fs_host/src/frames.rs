//! The processes of a board that have its page frames and its cached pages.

use renga_core::Process;
use renga_fs::{DataClients, RUN_PAGES, data_reader, data_writeback};
use renga_hal::memory::UserMemory;
use renga_hal_host::HostMemory;
use renga_memory::FrameCounts;
use renga_pages::CacheMemory;
use renga_proto::disk::Disk;
use renga_proto::memory::Memory;
use renga_proto::pages::Pages;
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Family, Me, Notifier, Port};

/// Priority of what writes back.
pub(crate) const WRITEBACK_PRIORITY: u8 = 4;

/// Page frames and page cache of a board.
#[derive(Clone, Copy)]
pub struct HostFrames {
    /// The frames' content.
    pub machine: &'static HostMemory,
    /// References to each frame.
    pub counts: &'static FrameCounts,
    /// The owner of the frames.
    pub memory: Address<Memory>,
    /// The cache of pages in them.
    pub pages: Address<Pages>,
    /// The cache wakes it when much is dirty; a file system starts it.
    writeback: &'static Process,
}

impl HostFrames {
    /// Starts both, with room for pages of `cached_files` files.
    pub fn start(board: HostBoard, machine: &'static HostMemory, cached_files: usize) -> HostFrames {
        let (arena, frames) = (board.arena, machine.frames() as usize);
        let counts = FrameCounts::new(arena, frames);
        let memory = board.server(|me, port| renga_memory::memory(me, port, counts, machine, None));
        let room = CacheMemory::new(arena, frames, cached_files);
        let writeback = board.declare(WRITEBACK_PRIORITY);
        let pages = board.server(|me, port| {
            let memory = Client::new(&me, memory);
            renga_pages::page_cache(me, port, memory, machine, room, 0, Some(Notifier::new(writeback)))
        });
        HostFrames { machine, counts, memory, pages, writeback }
    }

    /// Starts the processes between page cache and medium; what makes clients of them.
    pub(crate) fn data(&self, board: HostBoard, disk: Address<Disk>) -> impl Fn(&Me) -> DataClients + use<> {
        let pages = self.pages;
        let room = || board.arena.put_slice(RUN_PAGES, |_| [0; 4096]);
        let reader =
            board.server(|me, port| data_reader(port, Client::new(&me, pages), Client::new(&me, disk), room()));
        let readers = board.family(&[reader]);
        board.start(self.writeback, |me| {
            data_writeback(Port::new(&me).0, Client::new(&me, pages), Client::new(&me, disk), room())
        });
        let writer = Address::new(self.writeback);
        move |me| DataClients {
            pages: Client::new(me, pages),
            disk: Client::new(me, disk),
            readers: Family::new(me, readers),
            writer: Client::new(me, writer),
        }
    }
}
