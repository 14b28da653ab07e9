//! The callers that wait for a commit: one commit serves all that came before it began.
//!
//! Invariant: a call that comes while a commit is under way waits for the next, which surely has its changes. Only a
//! caller that wants it waits for inodes to be freed, and then only for those due at its call.

use heapless::Vec;
use renga_proto::inode::{CommitAll, CommitExtent, CommitWanted, NextCommit};
use renga_rt::account::AccountNumber;
use renga_rt::{Call, Errno};

/// Calls that wait for one commit; further ones wait at the port.
const CALLS_MAX: usize = 32;

/// A call, how many inodes were to be freed so far when it came, and whose it is.
type CommitRequest = (Call<CommitAll>, u32, AccountNumber);

#[derive(Default)]
pub(crate) struct CommitQueue {
    waiting: Vec<CommitRequest, CALLS_MAX>,
    /// Those whom the commit under way is for.
    served: Vec<Call<CommitAll>, CALLS_MAX>,
    committer: Option<Call<NextCommit>>,
}

impl CommitQueue {
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.is_full()
    }

    /// `to_free`: how many inodes were to be freed so far.
    pub(crate) fn ask(&mut self, call: Call<CommitAll>, to_free: u32, account: AccountNumber) {
        // The port is closed while it is full.
        if let Err((call, ..)) = self.waiting.push((call, to_free, account)) {
            call.reply(Err(Errno::EAGAIN));
        }
    }

    pub(crate) fn next(&mut self, call: Call<NextCommit>) {
        let ended = call.entry().ended;
        while let Some(call) = self.served.pop() {
            call.reply(if ended == 0 { Ok(()) } else { Err(Errno(ended)) });
        }
        self.committer = Some(call);
    }

    /// Begins a commit if a call waits for one and the committer is free; `freed`: how many inodes have been.
    pub(crate) fn begin(&mut self, freed: u32) {
        if self.waiting.is_empty() || self.committer.is_none() {
            return;
        }
        let (mut extent, mut first) = (CommitExtent::Journal, None);
        let mut at = 0;
        while let Some((call, to_free, account)) = self.waiting.get(at) {
            let wanted = call.entry().extent;
            if wanted != CommitExtent::Journal && freed.wrapping_sub(*to_free) > u32::MAX / 2 {
                at += 1;
                continue;
            }
            if wanted as u8 > extent as u8 {
                extent = wanted;
            }
            first = first.or(Some(*account));
            let (call, ..) = self.waiting.remove(at);
            // There is room for all that waited.
            if let Err(call) = self.served.push(call) {
                call.reply(Err(Errno::EAGAIN));
            }
        }
        if !self.served.is_empty()
            && let Some(committer) = self.committer.take()
        {
            // All who share it are served by it; the first has the bill, as the others would have had none alone.
            committer.reply(Ok(CommitWanted { extent, account: first.unwrap_or_default().0 }));
        }
    }
}
