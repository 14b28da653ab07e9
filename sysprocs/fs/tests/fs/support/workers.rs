//! The processes that act on the directory of inodes from above: path lookup workers, the inode reclaimer and the committer.

use super::Content;
use renga_fs::{
    CommitterClients, FreeLookupWorkers, InodeReclaimerClients, LookupClients, MetadataWritebackClients, committer,
    committer_pages, inode_reclaimer, lookup_worker, path_lookup,
};
use renga_proto::allocator::Allocator;
use renga_proto::inode::InodeDirectory;
use renga_proto::pages::Revocations;
use renga_proto::path::{Path, Walk};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Family, ForwardFamily, Me, Members, Notifier, Port};

/// Those that the directory of inodes gives work.
pub fn workers(
    board: HostBoard,
    directory: Address<InodeDirectory>,
    inodes: &'static [Members],
    allocator: Address<Allocator>,
    buffers: usize,
    (writer, content): (impl Fn(&Me) -> MetadataWritebackClients, Content),
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
            content: Client::new(&me, content.writer),
            pages: Client::new(&me, content.pages),
        };
        committer(me, clients, vec![[0; 4096]; committer_pages(buffers)].leak())
    });
}

/// The path lookup workers.
pub fn lookup_workers(
    board: HostBoard,
    directory: Address<InodeDirectory>,
    inodes: &'static [Members],
    (allocator, revocations): (Address<Allocator>, Address<Revocations>),
    count: usize,
) -> Address<Path> {
    let dispatcher = board.declare(1);
    let free = &*board.arena.put(|| FreeLookupWorkers::new(Some(Notifier::new(dispatcher))));
    let start = |number| {
        board.server(|me, port| {
            let clients = LookupClients {
                inode_directory: Client::new(&me, directory),
                inodes: Family::new(&me, inodes),
                cutters: ForwardFamily::new(inodes),
                allocator: Client::new(&me, allocator),
                revocations: Client::new(&me, revocations),
            };
            lookup_worker(port, clients, number as u16, free)
        })
    };
    let lookup_workers: Vec<Address<Walk>> = (0..count).map(start).collect();
    let lookup_workers = board.family(&lookup_workers);
    board.start(dispatcher, |me| {
        let port = Port::new(&me).0;
        path_lookup(me, port, ForwardFamily::new(lookup_workers), free)
    });
    Address::new(dispatcher)
}
