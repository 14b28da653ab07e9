//! The inode process: serves one active inode at a time, as the directory of inodes says.
//!
//! Not here: what the entries do (`active_inode.rs`, `content.rs`, `truncate.rs`, `directory.rs`,
//! `status.rs`).

use crate::active_inode::ActiveInode;
use crate::cache::CacheClients;
use renga_proto::allocator::Allocator;
use renga_proto::inode::{Inode, InodeCall};
use renga_rt::{Client, Me, Never, Port};

/// Serves inode process `number`. `epoch_ns`: time of boot, ns since 1970.
pub async fn inode(
    me: Me,
    mut port: Port<Inode>,
    cache: CacheClients,
    allocator: Client<Allocator>,
    number: u16,
    epoch_ns: u64,
) -> Never {
    let mut inode = ActiveInode::new(me, cache, allocator, number, epoch_ns);
    loop {
        match port.accept().await {
            InodeCall::ReadAt(mut call) => {
                let offset = call.entry().offset;
                let read = inode.read_at(offset, call.lent()).await;
                call.set_taken_used(read.map_or(0, |count| count as usize));
                call.reply(read);
                inode.read_ahead().await;
            }
            InodeCall::WriteAt(mut call) => {
                let offset = call.entry().offset;
                let written = inode.write_at(offset, call.lent()).await;
                call.reply(written);
            }
            InodeCall::Find(mut call) => {
                let found = inode.find(call.lent()).await;
                call.reply(found);
            }
            InodeCall::Facts(call) => call.reply(inode.facts()),
            other => serve_content(&mut inode, other).await,
        }
    }
}

async fn serve_content(inode: &mut ActiveInode, call: InodeCall) {
    match call {
        InodeCall::Append(mut call) => {
            let end = inode.append(call.lent()).await;
            call.reply(end);
        }
        InodeCall::Truncate(call) => {
            let done = inode.truncate(call.entry().bytes).await;
            call.reply(done);
        }
        InodeCall::ReadLink(mut call) => {
            let read = inode.read_link(call.lent()).await;
            call.set_taken_used(read.map_or(0, |count| count as usize));
            call.reply(read);
        }
        InodeCall::SetLink(mut call) => {
            let done = inode.set_link(call.lent()).await;
            call.reply(done);
        }
        InodeCall::Sync(call) => {
            let done = inode.sync().await;
            call.reply(done);
        }
        InodeCall::Settle(call) => {
            let done = inode.settle().await;
            call.reply(done);
        }
        InodeCall::Load(call) => {
            let ino = call.entry().ino;
            // Whoever asks next waits until it is loaded; the directory of inodes does not.
            call.reply(Ok(()));
            inode.load(ino).await;
        }
        InodeCall::Initialise(call) => {
            let entry = call.entry();
            let done = inode.initialise(entry.ino, entry.mode, entry.device).await;
            call.reply(done);
        }
        InodeCall::Save(call) => {
            let done = inode.save().await;
            call.reply(done);
        }
        InodeCall::Unload(call) => {
            let done = inode.unload().await;
            call.reply(done);
        }
        other => serve_directory(inode, other).await,
    }
}

async fn serve_directory(inode: &mut ActiveInode, call: InodeCall) {
    match call {
        InodeCall::ReadDirectory(mut call) => {
            let cursor = call.entry().cursor;
            let read = inode.read_directory(cursor, call.lent()).await;
            call.set_taken_used(read.map_or(0, |read| read.bytes as usize));
            call.reply(read);
        }
        InodeCall::Enter(mut call) => {
            let entry = call.entry();
            let done = inode.enter(call.lent(), entry.ino, entry.kind).await;
            call.reply(done);
        }
        InodeCall::Remove(mut call) => {
            let removed = inode.remove(call.lent()).await;
            call.reply(removed);
        }
        InodeCall::Repoint(mut call) => {
            let entry = call.entry();
            let former = inode.repoint(call.lent(), entry.ino, entry.kind).await;
            call.reply(former);
        }
        InodeCall::AddLinks(call) => {
            let links = inode.add_links(call.entry().add).await;
            call.reply(links);
        }
        InodeCall::IsEmpty(call) => {
            let empty = inode.is_empty().await;
            call.reply(empty);
        }
        InodeCall::NameOf(mut call) => {
            let ino = call.entry().ino;
            let name = inode.name_of(ino, call.lent()).await;
            call.set_taken_used(name.map_or(0, |bytes| bytes as usize));
            call.reply(name);
        }
        other => serve_status(inode, other),
    }
}

fn serve_status(inode: &mut ActiveInode, call: InodeCall) {
    match call {
        InodeCall::Status(mut call) => {
            let done = inode.status(call.lent());
            call.reply(done);
        }
        InodeCall::Size(call) => call.reply(inode.check().map(|()| inode.record.size())),
        InodeCall::Links(call) => call.reply(inode.check().map(|()| inode.record.links())),
        InodeCall::SetMode(call) => {
            let reply = inode.set_mode(call.entry().mode);
            call.reply(reply);
        }
        InodeCall::SetTimes(call) => {
            let reply = inode.set_times(call.entry().access_ns, call.entry().modify_ns);
            call.reply(reply);
        }
        InodeCall::SetOwner(call) => {
            let reply = inode.set_owner(call.entry().uid, call.entry().gid);
            call.reply(reply);
        }
        _ => unreachable!("served before"),
    }
}
