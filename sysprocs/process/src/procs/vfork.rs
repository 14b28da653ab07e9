//! Parent and child of a vfork wait for each other: the parent until the child needs its space no more, the child
//! until the parent has its reply.
//!
//! Invariant: the first of the two waits in its own slot, and the second ends both waits. Not here: the rules
//! (`table.rs`).

use super::state::{ProcsState, WaitingCall};
use renga_proto::procs::{AwaitVfork, VforkDone};
use renga_rt::{Call, Errno};

impl ProcsState {
    /// The slots of `child` and of its parent, both of this board.
    fn vfork_pair(&self, child: u32) -> Result<(usize, usize), Errno> {
        let record = self.table.get(child)?;
        let child = record.slot().ok_or(Errno::ESRCH)?;
        Ok((usize::from(child), usize::from(self.table.slot(record.parent)?)))
    }

    /// The parent waits, unless its child is done.
    pub(super) fn hold_parent(&mut self, call: Call<AwaitVfork>) {
        match self.vfork_pair(call.entry().child) {
            Err(errno) => call.reply(Err(errno)),
            Ok((child, parent)) => match self.take_waiting(child) {
                WaitingCall::Returned(done) => give_back(done, call),
                other => {
                    self.waiting[child] = other;
                    self.defer(Ok(parent as u16), call, WaitingCall::Vfork);
                }
            },
        }
    }

    /// The child is done: it waits until its parent does.
    pub(super) fn hold_child(&mut self, call: Call<VforkDone>) {
        match self.vfork_pair(call.entry().child) {
            Err(errno) => call.reply(Err(errno)),
            Ok((child, parent)) => match self.take_waiting(parent) {
                WaitingCall::Vfork(waiting) => give_back(call, waiting),
                other => {
                    self.waiting[parent] = other;
                    self.defer(Ok(child as u16), call, WaitingCall::Returned);
                }
            },
        }
    }
}

/// Ends a vfork: parent and child go on.
fn give_back(done: Call<VforkDone>, waiting: Call<AwaitVfork>) {
    waiting.reply(Ok(()));
    done.reply(Ok(()));
}
