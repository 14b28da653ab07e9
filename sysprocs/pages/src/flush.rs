//! Before a commit: other boards' dirty pages and attributes come to the board of the inodes.
//!
//! The committing caller does it itself: if a board does not answer, only that caller waits. Calls: inodes and their
//! directory. Not here: how an inode flushes (`renga_fs`).

use renga_proto::inode::{
    CommitAll, CommitExtent, Inode, InodeDirectory, LeaseWrite, NextLeased, ONLY_OLD, ONLY_WATCHED,
};
use renga_rt::{Client, Errno, Family, Retry};

/// Commits that are waited for, each of which may free blocks for what comes.
const COMMITS_MAX: u32 = 3;

/// Which leases stay while background jobs are stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FlushSpares {
    /// None.
    Nothing,
    /// What those jobs have written, and what was leased in the last 5 s: what they have changed makes a commit due
    /// sooner than others would have it.
    Young,
    /// What nobody watches.
    Unwatched,
}

/// Ends all write leases that there are now. A failure is reported to the file's next sync. `EAGAIN`: something is
/// still to come, after a commit.
///
/// # Errors
/// Of the medium.
pub async fn flush_all<const D: u32, const I: u32>(
    directory: &mut Client<InodeDirectory, D>,
    inodes: &mut Family<Inode, I>,
) -> Result<(), Errno> {
    flush_until(directory, inodes, FlushSpares::Nothing, || false).await.map(|_| ())
}

/// The same, until all is flushed but what it `spares`, or `is_over` says so, which it calls after each piece;
/// returns whether all may be flushed.
///
/// # Errors
/// As of [`flush_all`].
pub async fn flush_until<const D: u32, const I: u32>(
    directory: &mut Client<InodeDirectory, D>,
    inodes: &mut Family<Inode, I>,
    spares: FlushSpares,
    mut is_over: impl FnMut() -> bool,
) -> Result<bool, Errno> {
    let (mut from, mut reported, board) = (0, Ok(()), directory.server().board.0);
    let wanted = match spares {
        FlushSpares::Young => LeaseWrite::flush_only(ONLY_OLD),
        FlushSpares::Unwatched => LeaseWrite::flush_only(ONLY_WATCHED),
        FlushSpares::Nothing => LeaseWrite::flush(0),
    };
    // Each iteration passes an inode process.
    loop {
        let next = NextLeased { from, spares: spares == FlushSpares::Young };
        let slot = match directory.call_retrying(next, ()).await {
            Ok(slot) => slot,
            Err(Errno::ENOENT) => break,
            Err(errno) => return Err(errno),
        };
        if let Some(mut inode) = inodes.at(board, slot.into()) {
            let mut more = Ok(true);
            // Each iteration flushes pages, of which the lease covers a bounded number. Of whichever inode.
            while more == Ok(true) {
                more = inode.call(wanted, ()).await.map(|lease| lease.below > 0);
                if is_over() {
                    return Ok(false);
                }
            }
            // Pages on an unreachable board come when it is reachable again.
            reported = reported.and(if more == Err(Errno::EHOSTDOWN) { Ok(()) } else { more.map(|_| ()) });
        }
        let Some(next) = slot.checked_add(1) else { break };
        from = next;
    }
    reported.map(|()| true)
}

/// Ends all write leases but what it `spares`, with commits in between if there is room for something only after one.
///
/// # Errors
/// `EAGAIN`: not for all that, others took the room.
pub async fn flush_and_commit<const D: u32, const I: u32>(
    directory: &mut Client<InodeDirectory, D>,
    inodes: &mut Family<Inode, I>,
    spares: FlushSpares,
) -> Result<(), Errno> {
    for _ in 0..COMMITS_MAX {
        let reported = flush_until(directory, inodes, spares, || false).await.map(|_| ());
        if reported != Err(Errno::EAGAIN) {
            return reported;
        }
        directory.call(CommitAll { extent: CommitExtent::Journal }, ()).await?;
    }
    flush_until(directory, inodes, spares, || false).await.map(|_| ())
}
