//! The path lookup worker: one path operation at a time, for anybody.
//!
//! Several lookup workers may look things up at once. What changes names is done under the exclusive lock
//! of names, which the directory of inodes keeps: so a change is seen whole or not at all, and two
//! changes never meet. The lock is held for the walk only. What takes long is left to others: cutting content to
//! the inode's process, commits to who asked for them.
//!
//! Not here: how a path is walked (`walk.rs`), changed (`open.rs`, `names.rs`, `rename.rs`).

use crate::names::path_lookup::FreeLookupWorkers;
use crate::names::worker_state::{LookupClients, LookupWorker, locked};
use renga_pages::flush_and_commit;
use renga_proto::allocator::FillStatus;
use renga_proto::inode::{CommitAll, CommitExtent, OpenCut, OpenKnown, ReadLink, Retire, SetAccess, SetTimes, Status};
use renga_proto::path::{NO_FOLLOW, PathCall, Walk};
use renga_rt::{Errno, Never, Port};

/// `access(2)`'s bit for "may be executed", and the mode bits of which one is needed for it.
const MAY_EXECUTE: u32 = 1;
const EXECUTE_BITS: u16 = 0o111;

/// An entry of the inode at a path.
macro_rules! at_path {
    ($lookup_worker:expr, $at:expr, $path:expr, $follow:expr, $entry:expr, $lends:expr) => {
        match $lookup_worker.lookup($at, $path, $follow).await {
            Ok(node) => {
                let done = match $lookup_worker.inode(node.slot) {
                    Ok(mut inode) => inode.call($entry, $lends).await,
                    Err(errno) => Err(errno),
                };
                $lookup_worker.release(node).await;
                done
            }
            Err(errno) => Err(errno),
        }
    };
}

/// Serves path operations, as lookup worker `number`; it is `free` while it does not.
pub async fn lookup_worker(
    mut port: Port<Walk>,
    clients: LookupClients,
    number: u16,
    free: &'static FreeLookupWorkers,
) -> Never {
    let mut lookup_worker = LookupWorker::new(clients);
    loop {
        free.add(number);
        match port.accept().await {
            PathCall::Open(mut call) => {
                let (entry, board) = (call.entry(), call.board());
                let mut opened = lookup_worker.open(entry, call.lent()).await;
                if let Ok((facts, _)) = opened {
                    opened = lookup_worker.hand_over(facts.slot, board).await.and(opened);
                }
                // Cutting takes as long as the file is large: the inode's process answers.
                match opened.map(|(facts, cut)| (facts, lookup_worker.cutter(facts.slot).filter(|_| cut))) {
                    Ok((_, Some(inode))) => call.forward(&inode, OpenCut {}),
                    opened => call.reply(opened.map(|(facts, _)| facts)),
                }
            }
            PathCall::StatusOf(mut call) => {
                let entry = call.entry();
                let (path, out) = call.lent();
                let done =
                    at_path!(lookup_worker, entry.at, path, entry.flags & NO_FOLLOW == 0, Status {}, (&[][..], out));
                call.reply(done);
            }
            PathCall::ReadLinkOf(mut call) => {
                let at = call.entry().at;
                let (path, out) = call.lent();
                let bytes = at_path!(lookup_worker, at, path, false, ReadLink {}, out);
                call.set_taken_used(bytes.map_or(0, |bytes| bytes as usize));
                call.reply(bytes);
            }
            PathCall::Access(mut call) => {
                let entry = call.entry();
                let facts = at_path!(lookup_worker, entry.at, call.lent(), true, OpenKnown {}, &[][..]);
                let facts = facts.and_then(|facts| match facts.mode {
                    0 => Err(Errno(facts.birth.device as u16)),
                    _ => Ok(facts),
                });
                let allowed = |mode: u16| {
                    let directory =
                        mode & crate::format::inode_record::TYPE_MASK == crate::format::inode_record::DIRECTORY;
                    entry.mode & MAY_EXECUTE == 0 || directory || mode & EXECUTE_BITS != 0
                };
                call.reply(facts.and_then(|facts| if allowed(facts.mode) { Ok(()) } else { Err(Errno::EACCES) }));
            }
            PathCall::Cross(mut call) => {
                let entry = call.entry();
                let (path, out) = call.lent();
                let bytes = lookup_worker.cross(entry.at, path, entry.flags & NO_FOLLOW == 0, out).await;
                call.set_taken_used(bytes.map_or(0, |bytes| bytes as usize));
                call.reply(bytes);
            }
            PathCall::Resolve(mut call) => {
                let (entry, board) = (call.entry(), call.board());
                let (path, out) = call.lent();
                let bytes = lookup_worker.tell(entry, board, path, out).await;
                call.set_taken_used(bytes.map_or(0, |bytes| bytes as usize));
                call.reply(bytes);
            }
            PathCall::Make(mut call) => {
                let (entry, board) = (call.entry(), call.board());
                let (path, out) = call.lent();
                let bytes = lookup_worker.make(entry, board, path, out).await;
                call.set_taken_used(bytes.map_or(0, |bytes| bytes as usize));
                call.reply(bytes);
            }
            other => change_inode(&mut lookup_worker, other).await,
        }
    }
}

async fn change_inode(lookup_worker: &mut LookupWorker, call: PathCall) {
    match call {
        PathCall::ChangeMode(mut call) => {
            let entry = call.entry();
            let done = at_path!(lookup_worker, entry.at, call.lent(), true, SetAccess::mode(entry.mode), ());
            call.reply(done);
        }
        PathCall::ChangeTimes(mut call) => {
            let entry = call.entry();
            let times = SetTimes { access_ns: entry.access_ns, modify_ns: entry.modify_ns };
            let done = at_path!(lookup_worker, entry.at, call.lent(), entry.flags & NO_FOLLOW == 0, times, ());
            call.reply(done);
        }
        PathCall::ChangeOwner(mut call) => {
            let entry = call.entry();
            let owner = SetAccess::owner(entry.uid, entry.gid);
            let done = at_path!(lookup_worker, entry.at, call.lent(), entry.flags & NO_FOLLOW == 0, owner, ());
            call.reply(done);
        }
        other => change_names(lookup_worker, other).await,
    }
}

async fn change_names(lookup_worker: &mut LookupWorker, call: PathCall) {
    match call {
        PathCall::MakeDirectory(mut call) => {
            let entry = call.entry();
            let done = locked!(lookup_worker, true, lookup_worker.make_directory(entry.at, call.lent(), entry.mode));
            call.reply(done);
        }
        PathCall::MakeNode(mut call) => {
            let entry = call.entry();
            let done =
                locked!(lookup_worker, true, lookup_worker.make_node(entry.at, call.lent(), entry.mode, entry.device));
            call.reply(done);
        }
        PathCall::Unlink(mut call) => {
            let entry = call.entry();
            let done = locked!(lookup_worker, true, lookup_worker.unlink(entry.at, call.lent(), entry.directory));
            call.reply(done);
        }
        PathCall::Rename(mut call) => {
            let entry = call.entry();
            let done = match two(call.lent()) {
                Ok((from, to)) => {
                    locked!(lookup_worker, true, lookup_worker.rename((entry.from_at, from), (entry.to_at, to)))
                }
                Err(errno) => Err(errno),
            };
            call.reply(done);
        }
        PathCall::Link(mut call) => {
            let entry = call.entry();
            let follow = entry.flags & NO_FOLLOW == 0;
            let done = match two(call.lent()) {
                Ok((from, to)) => {
                    locked!(lookup_worker, true, lookup_worker.link((entry.from_at, from), (entry.to_at, to), follow))
                }
                Err(errno) => Err(errno),
            };
            call.reply(done);
        }
        PathCall::SymbolicLink(mut call) => {
            let at = call.entry().at;
            let done = match two(call.lent()) {
                Ok((target, path)) => locked!(lookup_worker, true, lookup_worker.make_link(at, target, path)),
                Err(errno) => Err(errno),
            };
            call.reply(done);
        }
        other => serve_whole(lookup_worker, other).await,
    }
}

/// What concerns the tree or the file system as a whole.
async fn serve_whole(lookup_worker: &mut LookupWorker, call: PathCall) {
    match call {
        PathCall::AbsolutePath(mut call) => {
            let at = call.entry().at;
            let bytes = locked!(lookup_worker, false, lookup_worker.absolute_path(at, call.lent()));
            call.set_taken_used(bytes.map_or(0, |bytes| bytes as usize));
            call.reply(bytes);
        }
        PathCall::FileSystemStatus(mut call) => {
            let done = lookup_worker.allocator.call(FillStatus {}, call.lent()).await;
            call.reply(done);
        }
        PathCall::Unmount(call) => {
            let done = lookup_worker.unmount().await;
            call.reply(done);
        }
        _ => unreachable!("served before"),
    }
}

/// Two paths with a zero byte between them.
fn two(paths: &[u8]) -> Result<(&[u8], &[u8]), Errno> {
    let middle = paths.iter().position(|byte| *byte == 0).ok_or(Errno::EINVAL)?;
    Ok((&paths[..middle], &paths[middle + 1..]))
}

impl LookupWorker {
    async fn unmount(&mut self) -> Result<(), Errno> {
        flush_and_commit(&mut self.directory, &mut self.inodes).await?;
        // Whoever changes names does so in several calls, none of which is served when inodes have retired. What the
        // inode reclaimer has to do then may wait for a commit, which wants this lock.
        self.lock(true).await;
        let retired = self.directory.call(Retire { wait: false }, ()).await;
        self.unlock().await;
        retired?;
        self.directory.call(Retire { wait: true }, ()).await?;
        self.directory.call(CommitAll { extent: CommitExtent::Unmount }, ()).await
    }
}
