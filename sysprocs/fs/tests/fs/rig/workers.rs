//! The processes that act on the directory of inodes from above: path walkers, the reaper and the committer.

use super::Content;
use renga_fs::{
    CommitterClients, FreeWalkers, PathClients, ReaperClients, WriterClients, committer, committer_pages, path, reaper,
    walker,
};
use renga_proto::allocator::Allocator;
use renga_proto::inode::InodeDirectory;
use renga_proto::pages::Recalls;
use renga_proto::path::{Path, Walk};
use renga_rt::host::Board;
use renga_rt::{Address, Client, Family, ForwardFamily, Me, Members, Notifier, Port};

/// Those that the directory of inodes gives work.
pub fn workers(
    board: Board,
    directory: Address<InodeDirectory>,
    inodes: &'static [Members],
    allocator: Address<Allocator>,
    buffers: usize,
    (writer, content): (impl Fn(&Me) -> WriterClients, Content),
) {
    board.spawn(|me| {
        let clients = ReaperClients {
            inode_directory: Client::new(&me, directory),
            inodes: Family::new(&me, inodes),
            allocator: Client::new(&me, allocator),
        };
        reaper(me, clients)
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

/// The path walkers.
pub fn walkers(
    board: Board,
    directory: Address<InodeDirectory>,
    inodes: &'static [Members],
    (allocator, recalls): (Address<Allocator>, Address<Recalls>),
    count: usize,
) -> Address<Path> {
    let dispatcher = board.declare(1);
    let free = &*board.arena.put(|| FreeWalkers::new(Some(Notifier::new(dispatcher))));
    let start = |number| {
        board.server(|me, port| {
            let clients = PathClients {
                inode_directory: Client::new(&me, directory),
                inodes: Family::new(&me, inodes),
                cutters: ForwardFamily::new(inodes),
                allocator: Client::new(&me, allocator),
                recalls: Client::new(&me, recalls),
            };
            walker(port, clients, number as u16, free)
        })
    };
    let walkers: Vec<Address<Walk>> = (0..count).map(start).collect();
    let walkers = board.family(&walkers);
    board.start(dispatcher, |me| {
        let port = Port::new(&me).0;
        path(me, port, ForwardFamily::new(walkers), free)
    });
    Address::new(dispatcher)
}
