//! The path lookup worker: one path operation at a time, for any caller.
//!
//! Several lookup workers may look names up at once. A change of names happens under the exclusive lock of names,
//! which the directory of inodes keeps: so a change is visible whole or not at all, and two changes never meet. A
//! worker has the lock for the walk only. It leaves long work to others: truncation to the inode's process, commits
//! to its caller.
//!
//! Not here: how a path is walked (`path_resolution.rs`), changed (`open.rs`, `name_change.rs`, `rename.rs`).

use crate::format::inode_record::{DIRECTORY, TYPE_MASK};
use crate::names::path_lookup::FreeLookupWorkers;
use crate::names::worker_state::{InodeReference, LookupClients, LookupWorker, locked};
use renga_pages::{FlushSpares, flush_and_commit};
use renga_proto::allocator::FillStatus;
use renga_proto::inode::{
    CommitAll, CommitExtent, InodeFacts, OpenCut, OpenKnown, ReadLink, Retire, SetAccess, SetTimes, Status,
};
use renga_proto::path::{
    Access, ChangeMode, ChangeOwner, ChangeTimes, Cross, Link, Make, MakeDirectory, MakeNode, NO_FOLLOW, NameIn, Open,
    PathCall, Remove, Rename, StatusOf, SymbolicLink, Unlink, Walk,
};
use renga_rt::{Call, Errno, Never, Port, WatchFilters, reply};

/// `access(2)`'s bit for "may be executed", and the mode bits of which one is needed for it.
const MAY_EXECUTE: u32 = 1;
const EXECUTE_BITS: u16 = 0o111;

/// An entry of the inode at a path.
macro_rules! at_path {
    ($worker:expr, $at:expr, $path:expr, $follow:expr, $entry:expr, $lends:expr) => {
        at_path!($worker, $at, $path, ($follow, 0), $entry, $lends, expected)
    };
    ($worker:expr, $at:expr, $path:expr, ($follow:expr, $expected:expr), $entry:expr, $lends:expr, expected) => {{
        let node = $worker.lookup($at, $path, $follow).await;
        let wanted = |node: &InodeReference| $expected == 0 || node.ino == $expected;
        let node = node.and_then(|node| if wanted(&node) { Ok(node) } else { Err(Errno::EAGAIN) });
        let done = match node.and_then(|node| $worker.inode(node.slot)) {
            Ok(mut inode) => inode.call($entry, $lends).await,
            Err(errno) => Err(errno),
        };
        $worker.release_all().await;
        done
    }};
}

/// Serves a change of names that takes two paths.
macro_rules! two_paths {
    ($call:ident, ($first:ident, $second:ident) => $operation:expr) => {{
        let done = match two($call.lent()) {
            Ok(($first, $second)) => $operation,
            Err(errno) => Err(errno),
        };
        reply!($call, done);
    }};
}

/// Serves path operations, as lookup worker `number`; it is `free` while it does not.
pub async fn lookup_worker(
    mut port: Port<Walk>,
    clients: LookupClients,
    number: u16,
    free: &'static FreeLookupWorkers,
    watched: &'static WatchFilters,
) -> Never {
    let mut worker = LookupWorker::new(clients, watched);
    loop {
        free.add(number);
        serve(&mut worker, port.accept().await).await;
    }
}

fn follows(flags: u32) -> bool {
    flags & NO_FOLLOW == 0
}

async fn serve(worker: &mut LookupWorker, call: PathCall) {
    match call {
        PathCall::Open(call) => open(worker, call).await,
        PathCall::Access(call) => access(worker, call).await,
        PathCall::StatusOf(mut call) => {
            let (StatusOf { at, flags }, (path, out)) = (call.entry(), call.lent());
            reply!(call, at_path!(worker, at, path, follows(flags), Status {}, (&[][..], out)));
        }
        PathCall::ReadLinkOf(mut call) => {
            let (at, (path, out)) = (call.entry().at, call.lent());
            reply!(call, at_path!(worker, at, path, false, ReadLink {}, out), bytes);
        }
        PathCall::Cross(mut call) => {
            let (Cross { at, flags }, (path, out)) = (call.entry(), call.lent());
            reply!(call, worker.cross(at, path, follows(flags), out).await, bytes);
        }
        PathCall::Resolve(mut call) => {
            let (entry, board, (path, out)) = (call.entry(), call.board(), call.lent());
            reply!(call, worker.resolve_steps(entry, board, path, out).await, bytes);
        }
        PathCall::Make(call) => make(worker, call).await,
        PathCall::Remove(call) => remove(worker, call).await,
        PathCall::AbsolutePath(mut call) => {
            let at = call.entry().at;
            reply!(call, locked!(worker, false, worker.absolute_path(at, call.lent())), bytes);
        }
        PathCall::NameIn(mut call) => {
            let NameIn { directory, child } = call.entry();
            reply!(call, locked!(worker, false, worker.name_in(directory, child, call.lent())), bytes);
        }
        PathCall::FileSystemStatus(mut call) => reply!(call, worker.allocator.call(FillStatus {}, call.lent()).await),
        PathCall::Unmount(call) => reply!(call, worker.unmount().await),
        PathCall::ChangeMode(call) => change_mode(worker, call).await,
        PathCall::ChangeTimes(call) => change_times(worker, call).await,
        PathCall::ChangeOwner(call) => change_owner(worker, call).await,
        PathCall::MakeDirectory(mut call) => {
            let MakeDirectory { at, mode, owner } = call.entry();
            worker.owner = owner;
            reply!(call, locked!(worker, true, worker.make_directory(at, call.lent(), mode)));
        }
        PathCall::MakeNode(mut call) => {
            let MakeNode { at, mode, device, owner } = call.entry();
            worker.owner = owner;
            reply!(call, locked!(worker, true, worker.make_node(at, call.lent(), mode, device)));
        }
        PathCall::Unlink(mut call) => {
            let Unlink { at, directory, expected } = call.entry();
            reply!(call, locked!(worker, true, worker.unlink((at, expected), call.lent(), directory)));
        }
        PathCall::Rename(mut call) => {
            let Rename { from_at, to_at, flags } = call.entry();
            two_paths!(call, (from, to) => worker.rename((from_at, from), (to_at, to), flags).await);
        }
        PathCall::Link(mut call) => {
            let Link { from_at, to_at, flags } = call.entry();
            let follow = follows(flags);
            two_paths!(call, (from, to) => locked!(worker, true, worker.link((from_at, from), (to_at, to), follow)));
        }
        PathCall::SymbolicLink(mut call) => {
            let SymbolicLink { at, owner } = call.entry();
            worker.owner = owner;
            two_paths!(call, (target, path) => locked!(worker, true, worker.make_link(at, target, path)));
        }
    }
}

async fn change_mode(worker: &mut LookupWorker, mut call: Call<ChangeMode>) {
    let ChangeMode { at, mode, expected } = call.entry();
    let access = SetAccess::mode(mode);
    reply!(call, at_path!(worker, at, call.lent(), (true, expected), access, (), expected));
}

async fn change_times(worker: &mut LookupWorker, mut call: Call<ChangeTimes>) {
    let ChangeTimes { at, access_ns, modify_ns, flags, expected } = call.entry();
    let times = SetTimes { access_ns, modify_ns };
    reply!(call, at_path!(worker, at, call.lent(), (follows(flags), expected), times, (), expected));
}

async fn change_owner(worker: &mut LookupWorker, mut call: Call<ChangeOwner>) {
    let ChangeOwner { at, uid, gid, flags, expected } = call.entry();
    let access = SetAccess::owner(uid, gid);
    reply!(call, at_path!(worker, at, call.lent(), (follows(flags), expected), access, (), expected));
}

async fn make(worker: &mut LookupWorker, mut call: Call<Make>) {
    let (entry, board, (path, out)) = (call.entry(), call.board(), call.lent());
    reply!(call, worker.make(entry, board, path, out).await, bytes);
}

async fn remove(worker: &mut LookupWorker, mut call: Call<Remove>) {
    let (entry, board, (path, out)) = (call.entry(), call.board(), call.lent());
    reply!(call, worker.remove_for(entry, board, path, out).await, bytes);
}

async fn open(worker: &mut LookupWorker, mut call: Call<Open>) {
    let (entry, board) = (call.entry(), call.board());
    let mut opened = worker.open(entry, call.lent()).await;
    if let Ok((facts, _)) = opened {
        opened = worker.hand_over(facts.slot, board).await.and(opened);
    }
    worker.release_all().await;
    // Cutting takes as long as the file is large: the inode's process answers.
    match opened.map(|(facts, cut)| (facts, worker.cutter(facts.slot).filter(|_| cut))) {
        Ok((_, Some(inode))) => call.forward(&inode, OpenCut {}),
        opened => call.reply(opened.map(|(facts, _)| facts)),
    }
}

async fn access(worker: &mut LookupWorker, mut call: Call<Access>) {
    let Access { at, mode: wanted } = call.entry();
    let facts = at_path!(worker, at, call.lent(), true, OpenKnown {}, &[][..]);
    call.reply(facts.and_then(|InodeFacts { mode, birth, .. }| match mode {
        0 => Err(Errno(birth.device as u16)),
        _ if wanted & MAY_EXECUTE == 0 || mode & TYPE_MASK == DIRECTORY || mode & EXECUTE_BITS != 0 => Ok(()),
        _ => Err(Errno::EACCES),
    }));
}

/// Two paths with a zero byte between them.
fn two(paths: &[u8]) -> Result<(&[u8], &[u8]), Errno> {
    let middle = paths.iter().position(|byte| *byte == 0).ok_or(Errno::EINVAL)?;
    Ok((&paths[..middle], &paths[middle + 1..]))
}

impl LookupWorker {
    async fn unmount(&mut self) -> Result<(), Errno> {
        flush_and_commit(&mut self.directory, &mut self.inodes, FlushSpares::Nothing).await?;
        // A caller that changes names does so in several calls, none of which is served when inodes have retired. What
        // the inode reclaimer has to do then may wait for a commit, which wants this lock.
        self.lock(true).await;
        let retired = self.directory.call(Retire { wait: false }, ()).await;
        self.unlock().await;
        retired?;
        self.directory.call(Retire { wait: true }, ()).await?;
        self.directory.call(CommitAll { extent: CommitExtent::Unmount }, ()).await
    }
}
