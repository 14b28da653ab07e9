//! The out-of-memory killer of a board: it kills the process with most page frames.
//!
//! Invariant: one program dies at a time, and programs that want memory meanwhile wait for its end; init is never
//! chosen, nor a program whose memory its child has borrowed, which could not end before that child. Not here: when
//! there is no frame (the memory process, and `user/memory/out_of_memory.rs`). See
//! docs/design/memory-and-page-cache.md.

use super::state::{ProcsState, WaitingCall};
use crate::signals::SIGKILL;
use renga_proto::procs::{Cause, INIT, RelieveMemory};
use renga_rt::account::{AccountNumber, Count};
use renga_rt::{Call, Errno, unless_cancelled};

impl ProcsState {
    /// Kills the program with most frames, and defers `call` until it has ended.
    pub(super) fn relieve(&mut self, call: Call<RelieveMemory>) {
        let caller = call.entry().pid;
        if self.dying == 0 {
            let Some((pid, frames)) = self.largest() else { return call.reply(Err(Errno::ENOMEM)) };
            // It is in a slot.
            let _ = self.table.kill(pid, SIGKILL, Cause::KERNEL);
            self.me.log("killed for want of memory: pid, its page frames", [pid.into(), frames]);
            self.dying = pid;
        }
        if self.table.process_of(caller) == Ok(self.dying) {
            return call.reply(Ok(caller));
        }
        let Some(call) = unless_cancelled(call) else { return };
        let slot = self.table.slot(caller);
        if self.defer(slot, call, WaitingCall::Memory)
            && let Ok(slot) = slot
        {
            self.in_want.insert(slot);
        }
    }

    /// The killable process with most frames, and their number; among equals, the youngest.
    fn largest(&self) -> Option<(u32, u64)> {
        let board = self.table.board;
        let candidate = |(pid, slot): (u32, u16)| {
            let is_lender = matches!(self.waiting[usize::from(slot)], WaitingCall::Vfork(_));
            let frames = self.me.counts(AccountNumber::of_slot(board, slot))[Count::FramesResident as usize];
            (pid != INIT && !is_lender && frames > 0).then_some((pid, frames))
        };
        self.table.in_slots().filter_map(candidate).max_by_key(|&(_, frames)| frames)
    }

    /// `pid` has ended: if that was waited for, there may be memory now.
    pub(super) fn note_end(&mut self, pid: u32) {
        if self.dying != pid {
            return;
        }
        self.dying = 0;
        let mut in_want = core::mem::take(&mut self.in_want);
        while let Some(slot) = in_want.take_first() {
            match self.take_waiting(usize::from(slot)) {
                WaitingCall::Memory(call) => call.reply(Ok(pid)),
                other => self.waiting[usize::from(slot)] = other,
            }
        }
    }
}
