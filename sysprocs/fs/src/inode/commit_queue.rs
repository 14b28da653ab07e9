//! Who waits for a commit: all who asked before one begins are answered by it.
//!
//! Invariant: whoever asks while a commit is under way waits for the next, as his changes may not be in that. Only who
//! wants it waits for inodes to be freed, and then only for those that were to be freed when he asked.

use heapless::Vec;
use renga_proto::inode::{CommitAll, CommitWanted, Extent, NextCommit};
use renga_rt::{Call, Errno};

/// Calls that wait for one commit; further ones wait at the port.
const CALLS_MAX: usize = 32;

/// A call, and how many inodes were to be freed so far when it came.
type Asked = (Call<CommitAll>, u32);

#[derive(Default)]
pub(crate) struct CommitQueue {
    waiting: Vec<Asked, CALLS_MAX>,
    /// Those whom the commit under way is for.
    served: Vec<Call<CommitAll>, CALLS_MAX>,
    committer: Option<Call<NextCommit>>,
}

impl CommitQueue {
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.is_full()
    }

    /// `to_free`: how many inodes were to be freed so far.
    pub(crate) fn ask(&mut self, call: Call<CommitAll>, to_free: u32) {
        // The port is closed while it is full.
        if let Err((call, _)) = self.waiting.push((call, to_free)) {
            call.reply(Err(Errno::EAGAIN));
        }
    }

    /// The committer has ended one, and is free.
    pub(crate) fn next(&mut self, call: Call<NextCommit>) {
        let ended = call.entry().ended;
        while let Some(asked) = self.served.pop() {
            asked.reply(if ended == 0 { Ok(()) } else { Err(Errno(ended)) });
        }
        self.committer = Some(call);
    }

    /// Begins a commit if somebody waits for one and the committer is free; `freed`: how many inodes have been.
    pub(crate) fn begin(&mut self, freed: u32) {
        if self.waiting.is_empty() || self.committer.is_none() {
            return;
        }
        let mut extent = Extent::Journal;
        let mut at = 0;
        while let Some((call, to_free)) = self.waiting.get(at) {
            let wanted = call.entry().extent;
            if wanted != Extent::Journal && freed.wrapping_sub(*to_free) > u32::MAX / 2 {
                at += 1;
                continue;
            }
            if wanted as u8 > extent as u8 {
                extent = wanted;
            }
            let (call, _) = self.waiting.remove(at);
            // There is room for all that waited.
            if let Err(call) = self.served.push(call) {
                call.reply(Err(Errno::EAGAIN));
            }
        }
        if !self.served.is_empty()
            && let Some(committer) = self.committer.take()
        {
            committer.reply(Ok(CommitWanted { extent }));
        }
    }
}
