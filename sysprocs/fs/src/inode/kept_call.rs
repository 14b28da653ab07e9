//! The call that an inode's process keeps while it serves who only reads: a write that waits for room, a call before
//! which the inode is to be flushed and finds no room, or a truncation that goes on in pieces.
//!
//! Invariant: while there is one nothing else changes the inode, but for its count of links. Between two pieces of a
//! truncation the process serves other calls, and programs run for a while; each piece is charged to the truncation's
//! caller. Not here: a piece (`truncate.rs`), the calls allowed meanwhile (`server.rs`).

use crate::inode::active_inode::{ActiveInode, no_room};
use renga_proto::inode::{Append, DirtyPage, Inode, InodeCall, OpenCut, Thaw, Truncate, WriteAt};
use renga_proto::notices::MODIFIED;
use renga_rt::{Call, Errno, Port, apart};

/// How long programs that are ready run before the next piece, ns: one slice. A piece takes a quarter of that.
const PAUSE_NS: u64 = renga_abi::policy::SLICE_NS;
/// Most calls served between two pieces: a busy caller does not keep a truncation from going on.
const CALLS_MAX: u32 = 32;

/// Commits for which a call without room waits. The first may come before the other boards' pages have been flushed,
/// which frees more, and one may have been requested before that.
const COMMITS_MAX: u8 = 3;

/// A call that is kept; a write, with the number of commits that it has waited for.
pub(super) enum KeptCall {
    Write(Call<WriteAt>, u8),
    /// With the offset where it began.
    Append(Call<Append>, u64, u8),
    Dirty(Call<DirtyPage>, u8),
    Truncate(Call<Truncate>),
    Open(Call<OpenCut>),
    /// Any call, served from its beginning after the lease is flushed.
    Home(InodeCall),
}

impl KeptCall {
    pub(super) fn cuts(&self) -> bool {
        matches!(self, KeptCall::Truncate(_) | KeptCall::Open(_))
    }

    /// Tries a write, which waits for a commit while it finds no room. Others stay as they are.
    pub(super) async fn attempt(self, inode: &mut ActiveInode) -> Option<KeptCall> {
        match self {
            KeptCall::Write(mut call, commits) => {
                let written = match inode.admit_attempt(&call, commits) {
                    Ok(()) => inode.write_at(call.entry().offset, call.lent()).await,
                    Err(errno) => Err(errno),
                };
                if is_to_wait(&written, commits) {
                    return Some(KeptCall::Write(call, commits + 1));
                }
                if written.is_ok() && inode.is_watched() {
                    apart!(inode.report_write(call.lent().len()));
                }
                call.reply(inode.keep_refusal(written, commits));
            }
            KeptCall::Append(mut call, offset, commits) => {
                let written = match inode.admit_attempt(&call, commits) {
                    Ok(()) => inode.write_at(offset, call.lent()).await,
                    Err(errno) => Err(errno),
                };
                if is_to_wait(&written, commits) {
                    return Some(KeptCall::Append(call, offset, commits + 1));
                }
                if written.is_ok() && inode.is_watched() {
                    apart!(inode.report_write(call.lent().len()));
                }
                let end = offset + call.lent().len() as u64;
                call.reply(inode.keep_refusal(written, commits).map(|()| end));
            }
            KeptCall::Dirty(mut call, commits) => {
                let (DirtyPage { ino, page }, board) = (call.entry(), call.board());
                let dirtied = match inode.admit_attempt(&call, commits) {
                    Ok(()) => inode.dirty_page(board, ino, page, call.lent()).await,
                    Err(errno) => Err(errno),
                };
                if is_to_wait(&dirtied, commits) {
                    return Some(KeptCall::Dirty(call, commits + 1));
                }
                call.reply(dirtied.map_err(no_room));
                inode.let_go_first().await;
            }
            other => return Some(other),
        }
        None
    }

    /// Cuts a piece off; answers after the last.
    pub(super) async fn cut_on(self, inode: &mut ActiveInode) -> Option<KeptCall> {
        match &self {
            KeptCall::Truncate(call) => inode.me.take_up(call),
            KeptCall::Open(call) => inode.me.take_up(call),
            _ => return Some(self),
        }
        let done = inode.cut_on().await;
        match self {
            kept if done == Ok(true) => return Some(kept),
            KeptCall::Truncate(call) => call.reply(done.map(|_| ())),
            KeptCall::Open(call) => call.reply(Ok(inode.facts_or_why_not(done.err()))),
            _ => {}
        }
        None
    }
}

/// After a commit: goes on with the call that was kept, which is kept on, or is to be served from its beginning.
pub(super) async fn thaw(
    inode: &mut ActiveInode,
    call: Call<Thaw>,
    kept: Option<KeptCall>,
) -> (Option<KeptCall>, Option<InodeCall>) {
    let committed = call.entry().committed;
    call.reply(Ok(()));
    match kept {
        Some(KeptCall::Home(call)) if committed => {
            call.take_up(&mut inode.me);
            (None, Some(call))
        }
        Some(waits) if committed => (waits.attempt(inode).await, None),
        kept => (kept, None),
    }
}

/// Whether a call that was `done` so waits for one commit more, after so many.
fn is_to_wait<T>(done: &Result<T, Errno>, commits: u8) -> bool {
    matches!(done, Err(Errno::EAGAIN)) && commits < COMMITS_MAX
}

pub(super) async fn truncate(inode: &mut ActiveInode, call: Call<Truncate>) -> Option<KeptCall> {
    let begun = match inode.admit(&call) {
        Ok(()) => inode.begin_truncate(call.entry().bytes).await,
        Err(errno) => Err(errno),
    };
    if begun.is_ok() {
        inode.report(MODIFIED).await;
        return KeptCall::Truncate(call).cut_on(inode).await;
    }
    call.reply(begun);
    None
}

pub(super) async fn open_cut(inode: &mut ActiveInode, call: Call<OpenCut>) -> Option<KeptCall> {
    if let Err(errno) = inode.begin_truncate(0).await {
        call.reply(Ok(inode.facts_or_why_not(Some(errno))));
        return None;
    }
    inode.report(MODIFIED).await;
    KeptCall::Open(call).cut_on(inode).await
}

pub(super) struct Pause {
    until_ns: u64,
    calls_left: u32,
}

impl Pause {
    /// After a piece that has ended now.
    pub(super) fn begin(inode: &ActiveInode) -> Pause {
        Pause { until_ns: inode.me.now_ns() + PAUSE_NS, calls_left: CALLS_MAX }
    }

    /// A call to one of the entries `open` that is to be served before the next piece; `None`: that is due.
    pub(super) async fn next_call(
        &mut self,
        port: &mut Port<Inode>,
        inode: &mut ActiveInode,
        open: u32,
    ) -> Option<InodeCall> {
        self.calls_left = self.calls_left.checked_sub(1)?;
        if let Some(call) = port.accept_waiting(open) {
            return Some(call);
        }
        if !inode.me.programs_wait() || inode.me.now_ns() >= self.until_ns {
            inode.me.yield_now().await;
            return port.accept_waiting(open);
        }
        inode.me.notify_at(Some(self.until_ns));
        let call = port.accept_or_notified(open).await;
        inode.me.notify_at(None);
        call
    }
}
