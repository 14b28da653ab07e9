//! The inode process: serves one active inode at a time, as the directory of inodes says.
//!
//! Invariant: while it is frozen it changes nothing, so that a commit sees every change whole. A write
//! that finds no room waits for a commit, which frees blocks, without keeping that from coming; a truncation lets one
//! come between its pieces.
//!
//! Not here: what the entries do (`active_inode.rs`, `file_data.rs`, `directory.rs`, `status.rs`), calls that are kept
//! (`kept_call.rs`), leases (`lease_calls.rs`).

use crate::inode::active_inode::{ActiveInode, InodeClients};
use crate::inode::kept_call::{KeptCall, Pause, open_cut, thaw, truncate};
use crate::inode::lease_calls::{entries, prepare, refuse_lease, serve_lease};
use crate::inode::lease_push::serve_push;
use crate::leases::referrers::Referrers;
use renga_proto::inode::{AddLinks, Enter, FillPage, Frozen, Inode, InodeCall, Load, Repoint, ReserveAppend};
use renga_rt::{Call, Errno, Me, Never, Port, WatchFilters, reply};

/// Serves inode process `number`. `without_leases`: the boards that keep no pages, a bit each; `epoch_ns`: time of
/// boot, ns since 1970; `boot` counts the starts of this board.
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
    watched: &'static WatchFilters,
) -> Never {
    let inode = ActiveInode::new(me, parts, without_leases, (number, referrers, watched), (epoch_ns, boot));
    let pause = Pause::begin(&inode);
    let mut server = InodeServer { inode, pause, kept: None, resumed: None, frozen: false };
    loop {
        let InodeServer { inode, pause, kept, resumed, frozen } = &mut server;
        let (last, open) = (resumed.is_some(), entries(inode, *frozen, kept.is_some()));
        let incoming = match resumed.take() {
            Some(call) => Some(call),
            None if !*frozen && kept.as_ref().is_some_and(KeptCall::cuts) => {
                pause.next_call(&mut port, inode, open).await
            }
            None => Some(port.accept_only(open).await),
        };
        let Some(call) = incoming else {
            if let Some(cuts) = kept.take() {
                *kept = cuts.cut_on(inode).await;
                *pause = Pause::begin(inode);
            }
            continue;
        };
        let Some(call) = refuse_lease(inode, call, kept.is_some()) else { continue };
        let is_shared = inode.mapped || inode.leased.is_some();
        if inode.leased.is_some() && prepare(inode, &call, last).await == Err(Errno::EAGAIN) {
            *kept = Some(KeptCall::Home(call));
            continue;
        }
        match call {
            // The most frequent calls are not moved once more.
            InodeCall::Status(mut call) => reply!(call, inode.status(call.lent().1)),
            InodeCall::OpenKnown(call) => call.reply(Ok(inode.facts_or_why_not(None))),
            call => server.serve(call, is_shared).await,
        }
    }
}

struct InodeServer {
    inode: ActiveInode,
    /// When the next piece of a truncation is due.
    pause: Pause,
    kept: Option<KeptCall>,
    /// A kept call that is to be served from its beginning.
    resumed: Option<InodeCall>,
    frozen: bool,
}

impl InodeServer {
    async fn serve(&mut self, call: InodeCall, is_shared: bool) {
        let inode = &mut self.inode;
        match call {
            InodeCall::FillPage(call) => fill_page(inode, call, is_shared).await,
            InodeCall::WriteAt(call) => self.kept = KeptCall::Write(call, 0).attempt(inode).await,
            InodeCall::Append(call) => {
                let offset = inode.append_at();
                self.kept = KeptCall::Append(call, offset, 0).attempt(inode).await;
            }
            InodeCall::DirtyPage(call) => self.kept = KeptCall::Dirty(call, 0).attempt(inode).await,
            InodeCall::Freeze(call) => {
                self.frozen = true;
                let waits = self.kept.as_ref().is_some_and(|kept| !kept.cuts());
                reply!(call, inode.freeze().await.map(|state| Frozen { waits, ..state }));
            }
            InodeCall::Thaw(call) => {
                self.frozen = false;
                (self.kept, self.resumed) = thaw(inode, call, self.kept.take()).await;
            }
            InodeCall::Truncate(call) => (self.kept, self.pause) = (truncate(inode, call).await, Pause::begin(inode)),
            InodeCall::OpenCut(call) => (self.kept, self.pause) = (open_cut(inode, call).await, Pause::begin(inode)),
            InodeCall::Find(mut call) => reply!(call, inode.find(call.lent()).await),
            InodeCall::Facts(call) => call.reply(inode.facts()),
            InodeCall::OpenKnown(call) => call.reply(Ok(inode.facts_or_why_not(None))),
            InodeCall::Status(mut call) => reply!(call, inode.status(call.lent().1)),
            InodeCall::LeaseStatus(mut call) => {
                // A call under way may change it without another check of the leases.
                let stands = !self.frozen && self.kept.is_none();
                reply!(call, inode.lease_status(call.entry().board, stands, call.lent()));
            }
            InodeCall::ReadLink(mut call) => reply!(call, inode.read_link(call.lent()).await, bytes),
            InodeCall::SetLink(mut call) => reply!(call, inode.set_link(call.lent()).await),
            InodeCall::Sync(call) => reply!(call, if inode.admit(&call) => inode.sync().await),
            InodeCall::ReportError(call) => reply!(call, if inode.admit(&call) => inode.report_error().await),
            InodeCall::Load(call) => load(inode, call).await,
            InodeCall::Unload(call) => reply!(call, inode.unload(call.entry().aware).await),
            InodeCall::ReadDirectory(mut call) => {
                reply!(call, inode.read_directory(call.entry().cursor, call.lent()).await, |read| read.bytes)
            }
            InodeCall::Enter(mut call) => {
                let Enter { ino, kind, aware } = call.entry();
                inode.leases.give_up_status(aware);
                reply!(call, inode.enter(call.lent(), ino, kind).await);
            }
            InodeCall::Repoint(mut call) => {
                let Repoint { ino, kind, aware } = call.entry();
                inode.leases.give_up_status(aware);
                reply!(call, inode.set_entry(call.lent(), ino, kind).await);
            }
            InodeCall::AddLinks(call) => {
                let AddLinks { add, aware } = call.entry();
                inode.leases.give_up_status(aware);
                reply!(call, inode.add_links(add).await);
            }
            InodeCall::NameOf(mut call) => reply!(call, inode.name_of(call.entry().ino, call.lent()).await, bytes),
            InodeCall::Size(call) => call.reply(inode.check().map(|()| inode.known_size())),
            InodeCall::Links(call) => call.reply(inode.check().map(|()| inode.record.links())),
            InodeCall::SetAccess(call) => {
                reply!(call, if inode.admit(&call) => inode.set_access(call.entry()).await)
            }
            InodeCall::SetTimes(call) => {
                reply!(call, if inode.admit(&call) => inode.set_times(call.entry()).await)
            }
            InodeCall::ReserveAppend(call) => {
                let ReserveAppend { from, bytes } = call.entry();
                reply!(call, if inode.admit(&call) => inode.reserve_append(call.board(), from, bytes))
            }
            InodeCall::LeaseWrite(call) => serve_lease(inode, call).await,
            InodeCall::PushPage(call) => serve_push(inode, call).await,
        }
    }
}

async fn load(inode: &mut ActiveInode, call: Call<Load>) {
    let Load { ino, mode, device, owner } = call.entry();
    // The next call waits until it is loaded; the directory of inodes does not.
    call.reply(Ok(()));
    match mode {
        0 => inode.load(ino).await,
        mode => inode.initialise(ino, (mode, owner), device).await,
    }
}

async fn fill_page(inode: &mut ActiveInode, mut call: Call<FillPage>, is_shared: bool) {
    let (entry, board) = (call.entry(), call.board());
    reply!(call, inode.fill_page(board, entry, is_shared, call.lent()).await, |filled| filled.bytes);
    if is_shared {
        inode.let_go_first().await;
    }
    inode.read_ahead().await;
}
