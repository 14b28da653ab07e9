//! The inode process: serves one active inode at a time, as the directory of inodes says.
//!
//! Invariant: while it is frozen it changes nothing, so that a commit sees every change whole. A write
//! that finds no room waits for a commit, which frees blocks, without keeping that from coming.
//!
//! Not here: what the entries do (`active_inode.rs`, `content.rs`, `truncate.rs`, `directory.rs`,
//! `status.rs`).

use crate::inode::active_inode::{ActiveInode, InodeClients};
use crate::inode::referrers::Referrers;
use renga_proto::inode::{
    Append, DirtyPage, Facts, FillPage, Find, Freeze, Frozen, Inode, InodeCall, IsEmpty, Links, Load, NameOf,
    OpenKnown, ReadDirectory, ReadLink, Settle, Size, Status, Thaw, WriteAt,
};
use renga_rt::{Call, Errno, Me, Never, Port, Protocol};

/// What may be asked of an inode that stands still.
const STILL: u32 = Facts::BIT
    | FillPage::BIT
    | Find::BIT
    | Freeze::BIT
    | IsEmpty::BIT
    | Links::BIT
    | Load::BIT
    | NameOf::BIT
    | OpenKnown::BIT
    | ReadDirectory::BIT
    | ReadLink::BIT
    | Settle::BIT
    | Size::BIT
    | Status::BIT
    | Thaw::BIT;

/// A write that waits for a commit, and where it began.
enum Stuck {
    Write(Call<WriteAt>),
    Append(Call<Append>, u64),
    Dirty(Call<DirtyPage>),
}

/// Serves inode process `number`. `without_leases`: the boards that keep no pages, a bit each; `epoch_ns`: time of boot,
/// ns since 1970.
pub async fn inode(
    me: Me,
    mut port: Port<Inode>,
    parts: InodeClients,
    number: u16,
    referrers: &'static Referrers,
    without_leases: u8,
    epoch_ns: u64,
) -> Never {
    let mut inode = ActiveInode::new(me, parts, without_leases, (number, referrers), epoch_ns);
    let (mut frozen, mut stuck) = (false, None);
    loop {
        let open = if frozen || stuck.is_some() { STILL } else { Inode::ENTRIES };
        match port.accept_only(open).await {
            InodeCall::FillPage(mut call) => {
                let (FillPage { ino, page }, board) = (call.entry(), call.board());
                let filled = inode.fill_page(board, ino, page, call.lent()).await;
                call.reply(filled);
                inode.read_ahead().await;
            }
            InodeCall::WriteAt(call) => stuck = write(&mut inode, call).await,
            InodeCall::Append(call) => stuck = append(&mut inode, call).await,
            InodeCall::DirtyPage(call) => stuck = dirty_page(&mut inode, call).await,
            InodeCall::Freeze(call) => {
                frozen = true;
                let state = inode.freeze().await;
                call.reply(state.map(|state| Frozen { waits: stuck.is_some(), ..state }));
            }
            InodeCall::Thaw(call) => {
                frozen = false;
                let committed = call.entry().committed;
                call.reply(Ok(()));
                if committed && let Some(stuck) = stuck.take() {
                    again(&mut inode, stuck).await;
                }
            }
            InodeCall::Find(mut call) => {
                let found = inode.find(call.lent()).await;
                call.reply(found);
            }
            InodeCall::Facts(call) => call.reply(inode.facts()),
            InodeCall::OpenKnown(call) => call.reply(Ok(inode.facts_or_none())),
            InodeCall::Status(mut call) => {
                let done = inode.status(call.lent().1);
                call.reply(done);
            }
            other => serve_content(&mut inode, other).await,
        }
    }
}

#[inline(always)]
async fn write(inode: &mut ActiveInode, mut call: Call<WriteAt>) -> Option<Stuck> {
    let offset = call.entry().offset;
    let written = match inode.admit(&call) {
        Ok(()) => inode.write_at(offset, call.lent()).await,
        Err(errno) => Err(errno),
    };
    match written {
        Err(Errno::EAGAIN) => return Some(Stuck::Write(call)),
        written => call.reply(written),
    }
    None
}

#[inline(always)]
async fn append(inode: &mut ActiveInode, mut call: Call<Append>) -> Option<Stuck> {
    let offset = inode.record.size();
    let end = match inode.admit(&call) {
        Ok(()) => inode.append(call.lent()).await,
        Err(errno) => Err(errno),
    };
    match end {
        Err(Errno::EAGAIN) => return Some(Stuck::Append(call, offset)),
        end => call.reply(end),
    }
    None
}

async fn dirty_page(inode: &mut ActiveInode, call: Call<DirtyPage>) -> Option<Stuck> {
    let (DirtyPage { ino, page }, board) = (call.entry(), call.board());
    let dirtied = match inode.admit(&call) {
        Ok(()) => inode.dirty_page(board, ino, page).await,
        Err(errno) => Err(errno),
    };
    match dirtied {
        Err(Errno::EAGAIN) => return Some(Stuck::Dirty(call)),
        dirtied => call.reply(dirtied),
    }
    None
}

/// Tries a write again after a commit.
async fn again(inode: &mut ActiveInode, stuck: Stuck) {
    match stuck {
        Stuck::Write(mut call) => {
            let offset = call.entry().offset;
            let written = inode.write_again(offset, call.lent()).await;
            call.reply(written);
        }
        Stuck::Dirty(call) => {
            let (DirtyPage { ino, page }, board) = (call.entry(), call.board());
            let dirtied = inode.dirty_page_again(board, ino, page).await;
            call.reply(dirtied);
        }
        Stuck::Append(mut call, offset) => {
            let written = inode.write_again(offset, call.lent()).await;
            call.reply(written.map(|()| inode.record.size()));
        }
    }
}

async fn serve_content(inode: &mut ActiveInode, call: InodeCall) {
    match call {
        InodeCall::Truncate(call) => {
            let done = match inode.admit(&call) {
                Ok(()) => inode.truncate(call.entry().bytes).await,
                Err(errno) => Err(errno),
            };
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
            let done = match inode.admit(&call) {
                Ok(()) => inode.sync().await,
                Err(errno) => Err(errno),
            };
            call.reply(done);
        }
        InodeCall::Settle(call) => {
            let done = match inode.admit(&call) {
                Ok(()) => inode.settle().await,
                Err(errno) => Err(errno),
            };
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
            // As with `Load`.
            call.reply(Ok(()));
            inode.initialise(entry.ino, entry.mode, entry.device).await;
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
        other => serve_status(inode, other).await,
    }
}

async fn serve_status(inode: &mut ActiveInode, call: InodeCall) {
    match call {
        InodeCall::Size(call) => call.reply(inode.check().map(|()| inode.record.size())),
        InodeCall::Links(call) => call.reply(inode.check().map(|()| inode.record.links())),
        InodeCall::SetMode(call) => {
            let reply = match inode.admit(&call) {
                Ok(()) => inode.set_mode(call.entry().mode).await,
                Err(errno) => Err(errno),
            };
            call.reply(reply);
        }
        InodeCall::SetTimes(call) => {
            let reply = match inode.admit(&call) {
                Ok(()) => inode.set_times(call.entry().access_ns, call.entry().modify_ns).await,
                Err(errno) => Err(errno),
            };
            call.reply(reply);
        }
        InodeCall::SetOwner(call) => {
            let reply = match inode.admit(&call) {
                Ok(()) => inode.set_owner(call.entry().uid, call.entry().gid).await,
                Err(errno) => Err(errno),
            };
            call.reply(reply);
        }
        _ => unreachable!("served before"),
    }
}
