//! Making processes: a free slot takes up the descriptor of a new one.
//!
//! Invariant: who makes a process from another board is answered when that has taken up everything, or has ended. Not
//! here: pids and records (`table.rs`), what a slot does with its work (`user/lifecycle`).

use super::slot_set::SLOTS_MAX;
use super::state::{ProcsState, WaitingCall};
use core::iter;
use renga_proto::procs::{NEW_THREAD, SlotWork, Spawn, UNLIMITED, board_of};
use renga_rt::{Call, Errno};

/// Slots that only init and those without a limit on processes may take, so that a shell can come in and kill.
pub const RESERVED_SLOTS: u32 = 4;

impl ProcsState {
    /// A slot for a child that a process of `board` makes.
    fn slot_for(&self, board: u8, Spawn { parent, group, blocked, most, .. }: Spawn) -> Result<u16, Errno> {
        if board == self.table.board {
            self.table.may_fork(parent, blocked)?;
        } else if group == 0 || group == NEW_THREAD || board_of(parent, self.table.init_board) != board {
            return Err(Errno::EINVAL); // a board makes children of its own processes only
        } else if !self.killing.is_empty() {
            return Err(Errno::EINTR);
        }
        let (free, all) = (self.idle.len(), self.wait_cancellers.len() as u32);
        let reserved = if most == UNLIMITED { 0 } else { RESERVED_SLOTS };
        let refused = free <= reserved || all - free >= most;
        let maker = self.table.slot(parent).ok().filter(|_| board == self.table.board);
        if group == NEW_THREAD {
            let beside = maker.filter(|_| !refused).and_then(|maker| self.homes.beside(&self.idle, maker));
            return beside.ok_or(Errno::EAGAIN);
        }
        let waits = |slot: u16| matches!(self.waiting.get(usize::from(slot)), Some(WaitingCall::Child(_)));
        self.homes.choose(&self.idle, maker, self.ancestors(parent), waits).filter(|_| !refused).ok_or(Errno::EAGAIN)
    }

    /// The slots of those who made process `pid`, and of who made these, as far as they are of this board.
    fn ancestors(&self, pid: u32) -> impl Iterator<Item = u16> {
        let parent = |&pid: &u32| self.table.get(pid).ok().map(|record| record.parent);
        iter::successors(Some(pid), parent).skip(1).take(SLOTS_MAX).filter_map(|pid| self.table.slot(pid).ok())
    }

    pub(super) fn spawn_in_slot(&mut self, mut call: Call<Spawn>) {
        let entry @ Spawn { parent, group, session, ignored, .. } = call.entry();
        let slot = self.slot_for(call.board(), entry);
        let made = slot.and_then(|slot| match group {
            NEW_THREAD => Ok((slot, self.table.spawn_thread(slot, parent)?)),
            _ => Ok((slot, self.table.spawn(slot, parent, group, session)?)),
        });
        let (slot, pid) = match made {
            Ok(made) => made,
            Err(errno) => return call.reply(Err(errno)),
        };
        let _ = self.table.set_ignored(pid, ignored); // it is here by now
        self.note_start(pid);
        self.note_fresh(parent, pid, slot);
        self.idle.remove(slot);
        let slot = usize::from(slot);
        let WaitingCall::Work(mut work) = self.take_waiting(slot) else { unreachable!("idle slots wait for work") };
        let bytes = call.lent().len().min(work.lent().len());
        work.lent()[..bytes].copy_from_slice(&call.lent()[..bytes]);
        work.reply(Ok(SlotWork { pid, bytes: bytes as u32, maker: call.board() }));
        if call.board() == self.table.board {
            call.reply(Ok(pid));
        } else {
            self.makers[slot] = Some(call); // that of the slot's last process has gone on at its end
        }
    }

    /// Answers who made `pid` from another board.
    pub(super) fn let_maker_go(&mut self, pid: u32) {
        let slot = self.table.slot(pid).map_or(SLOTS_MAX, usize::from);
        if let Some(call) = self.makers.get_mut(slot).and_then(Option::take) {
            call.reply(Ok(pid));
        }
    }
}
