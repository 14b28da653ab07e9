//! The inode process: serves one active inode at a time, as the directory of inodes says.
//!
//! Invariant: while it is frozen it changes nothing, so that a commit sees every change whole. A write
//! that finds no room waits for a commit, which frees blocks, without keeping that from coming; a truncation lets one
//! come between its pieces.
//!
//! Not here: what the entries do (`active_inode.rs`, `content.rs`, `truncate.rs`, `directory.rs`,
//! `status.rs`), calls that are kept (`held_call.rs`), inodes that are leased (`lending`).

use crate::inode::active_inode::{ActiveInode, InodeClients};
use crate::inode::kept_call::{KeptCall, Pause, append, dirty_page, open_cut, thaw, truncate, write};
use crate::inode::lease_calls::{entries, prepare, refuse_lease, serve_leases};
use crate::leases::referrers::Referrers;
use renga_proto::inode::{Enter, FillPage, Frozen, Inode, InodeCall, KEEP_MODE, Load, Repoint, SetAccess};
use renga_rt::{Call, Errno, Me, Never, Port};

/// Serves inode process `number`. `without_leases`: the boards that keep no pages, a bit each; `epoch_ns`: time of boot,
/// ns since 1970; `boot` counts the starts of this board.
#[allow(clippy::too_many_arguments, reason = "boot hands each of them out by its type")]
pub async fn inode(
    me: Me,
    mut port: Port<Inode>,
    parts: InodeClients,
    number: u16,
    referrers: &'static Referrers,
    without_leases: u8,
    epoch_ns: u64,
    boot: u8,
) -> Never {
    let mut inode = ActiveInode::new(me, parts, without_leases, (number, referrers), (epoch_ns, boot));
    let (mut frozen, mut held, mut pause, mut resumed) = (false, None::<KeptCall>, Pause::begin(&inode), None);
    loop {
        let (last, open) = (resumed.is_some(), entries(&inode, frozen, held.is_some()));
        let incoming = match resumed.take() {
            Some(call) => Some(call),
            None if !frozen && held.as_ref().is_some_and(KeptCall::cuts) => {
                pause.next_call(&mut port, &mut inode, open).await
            }
            None => Some(port.accept_only(open).await),
        };
        let Some(call) = incoming else {
            if let Some(cuts) = held.take() {
                held = cuts.cut_on(&mut inode).await;
                pause = Pause::begin(&inode);
            }
            continue;
        };
        let Some(call) = refuse_lease(&inode, call, held.is_some()) else { continue };
        let is_shared = inode.mapped || inode.leased.is_some();
        if inode.leased.is_some() && prepare(&mut inode, &call, last).await == Err(Errno::EAGAIN) {
            held = Some(KeptCall::Home(call));
            continue;
        }
        match call {
            InodeCall::FillPage(call) => {
                fill_page(&mut inode, call, is_shared).await;
                if is_shared {
                    inode.let_go_first().await;
                }
                inode.read_ahead().await;
            }
            InodeCall::WriteAt(call) => held = write(&mut inode, call).await,
            InodeCall::Append(call) => held = append(&mut inode, call).await,
            InodeCall::DirtyPage(call) => held = dirty_page(&mut inode, call).await,
            InodeCall::Freeze(call) => {
                frozen = true;
                let state = inode.freeze().await;
                let waits = held.as_ref().is_some_and(KeptCall::waits);
                call.reply(state.map(|state| Frozen { waits, ..state }));
            }
            InodeCall::Thaw(call) => {
                frozen = false;
                (held, resumed) = thaw(&mut inode, call, held).await;
            }
            InodeCall::Truncate(call) => (held, pause) = (truncate(&mut inode, call).await, Pause::begin(&inode)),
            InodeCall::OpenCut(call) => (held, pause) = (open_cut(&mut inode, call).await, Pause::begin(&inode)),
            InodeCall::Find(mut call) => {
                let found = inode.find(call.lent()).await;
                call.reply(found);
            }
            InodeCall::Facts(call) => call.reply(inode.facts()),
            InodeCall::OpenKnown(call) => call.reply(Ok(inode.facts_or_why_not(None))),
            InodeCall::Status(mut call) => {
                let done = inode.status(call.lent().1);
                call.reply(done);
            }
            InodeCall::LeaseStatus(mut call) => {
                // What is under way may go on to change it without a further look at the leases.
                let stands = !frozen && held.is_none() && inode.leased.is_none();
                let board = call.entry().board;
                let leased = inode.lease_status(board, stands, call.lent());
                call.reply(leased);
            }
            other => serve_content(&mut inode, other).await,
        }
    }
}

async fn serve_content(inode: &mut ActiveInode, call: InodeCall) {
    match call {
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
        InodeCall::ReportError(call) => {
            let done = match inode.admit(&call) {
                Ok(()) => inode.report_error().await,
                Err(errno) => Err(errno),
            };
            call.reply(done);
        }
        InodeCall::Load(call) => {
            let Load { ino, mode, device } = call.entry();
            // Whoever asks next waits until it is loaded; the directory of inodes does not.
            call.reply(Ok(()));
            match mode {
                0 => inode.load(ino).await,
                mode => inode.initialise(ino, mode, device).await,
            }
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
            let Enter { ino, kind, aware } = call.entry();
            inode.leases.give_up_status(aware);
            let done = inode.enter(call.lent(), ino, kind).await;
            call.reply(done);
        }
        InodeCall::Repoint(mut call) => {
            let Repoint { ino, kind } = call.entry();
            let former = match ino {
                0 => inode.remove(call.lent()).await,
                ino => inode.repoint(call.lent(), ino, kind).await,
            };
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
        InodeCall::Size(call) => call.reply(inode.check().map(|()| inode.known_size())),
        InodeCall::Links(call) => call.reply(inode.check().map(|()| inode.record.links())),
        InodeCall::SetAccess(call) => {
            let SetAccess { mode, uid, gid } = call.entry();
            let reply = match inode.admit(&call) {
                Ok(()) if mode != KEEP_MODE => inode.set_mode(mode).await,
                Ok(()) => inode.set_owner(uid, gid).await,
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
        other => serve_leases(inode, other).await,
    }
}

async fn fill_page(inode: &mut ActiveInode, mut call: Call<FillPage>, is_shared: bool) {
    let (FillPage { ino, page }, board) = (call.entry(), call.board());
    let filled = inode.fill_page(board, (ino, page), is_shared, call.lent()).await;
    call.set_taken_used(filled.map_or(0, |filled| filled.bytes as usize));
    call.reply(filled);
}
