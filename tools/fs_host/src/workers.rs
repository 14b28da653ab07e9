//! The processes above the directory of inodes: lookup workers, inode reclaimer, committer, metadata writeback.

use renga_fs::{
    CommitterClients, DataClients, FreeLookupWorkers, InodeReclaimerClients, LookupClients, MetadataWritebackClients,
    committer, committer_pages, inode_reclaimer, lookup_worker, metadata_writeback, path_lookup,
};
use renga_proto::path::Path;
use renga_rt::host::HostBoard;
use renga_rt::{Address, ForwardFamily, Me, Notifier, Port, WatchFilters};

/// Pages that metadata writeback gathers.
const WRITEBACK_PAGES: usize = 4;

/// Starts the processes without callers.
pub(crate) fn background(
    board: HostBoard,
    lookup: impl Fn(&Me) -> LookupClients,
    writer: impl Fn(&Me) -> MetadataWritebackClients,
    data: impl Fn(&Me) -> DataClients,
    buffers: usize,
) {
    let pages = |count| board.arena.put_slice(count, |_| [0; 4096]);
    board.spawn(|me| metadata_writeback(writer(&me), pages(WRITEBACK_PAGES)));
    board.spawn(|me| {
        let LookupClients { inode_directory, inodes, allocator, .. } = lookup(&me);
        inode_reclaimer(me, InodeReclaimerClients { inode_directory, inodes, allocator })
    });
    board.spawn(|me| {
        let LookupClients { inode_directory, inodes, allocator, .. } = lookup(&me);
        let (writer, disk, data) = (writer(&me), writer(&me).disk, data(&me));
        let (data_writeback, cache) = (data.writer, data.pages);
        let clients =
            CommitterClients { inode_directory, inodes, allocator, disk, writer, data_writeback, pages: cache };
        committer(me, clients, pages(committer_pages(buffers)))
    });
}

/// Starts `count` lookup workers and the process that passes operations on paths to them.
pub(crate) fn lookup(
    board: HostBoard,
    clients: impl Fn(&Me) -> LookupClients,
    (count, watched): (usize, &'static WatchFilters),
) -> Address<Path> {
    let dispatcher = board.declare(1);
    let free = &*board.arena.put(|| FreeLookupWorkers::new(Some(Notifier::new(dispatcher))));
    let workers = board.arena.put_slice(count, |number| {
        board.server(|me, port| lookup_worker(port, clients(&me), number as u16, free, watched))
    });
    let workers = board.family(workers);
    board.start(dispatcher, |me| {
        let port = Port::new(&me).0;
        path_lookup(me, port, ForwardFamily::new(workers), free)
    });
    Address::new(dispatcher)
}
