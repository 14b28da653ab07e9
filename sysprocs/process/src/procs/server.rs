//! The loop around the table: accepts calls, holds those that must wait, answers them when they may.
//!
//! Invariant: a slot's process has at most one held call, which is answered when the table says that
//! its condition holds, when it is interrupted, or when its peer in a vfork comes. Not here: the rules
//! (`table.rs`).

use super::home_cores::Homes;
use super::queue::QueuedSignal;
use super::rows::ProcessRow;
use super::slot_set::{SLOTS_MAX, SlotSet};
use super::state::{CreatedPrograms, JobSampling, ProcsServer, SlotUse, WaitingCall};
use super::table::ProcessTable;
use renga_proto::procs::{AddChild, AwaitContinue, AwaitSignal, Cause, Procs, ProcsCall, WaitChild, board_of};
use renga_proto::used::Used;
use renga_rt::{BoardReferences as Sent, Call, Errno, Me, Never, Port, Protocol, WaitCanceller, Watch};

/// Keeps the user processes of this board, whose slots are interrupted by `wait_cancellers`, in `rows`, and the causes of
/// their signals in `queued`, of their use in `seen`; init runs on `init_board`, and `boot` counts the board's starts. Boards where children are,
/// are watched.
#[allow(clippy::too_many_arguments, reason = "boot hands each of them out by its type")]
pub async fn procs(
    me: Me,
    mut port: Port<Procs>,
    wait_cancellers: &'static [WaitCanceller],
    rows: &'static mut [ProcessRow],
    queued: &'static mut [QueuedSignal],
    seen: &'static mut [SlotUse],
    init_board: u8,
    boot: u8,
    watch: &'static Watch,
) -> Never {
    assert!(wait_cancellers.len() <= SLOTS_MAX, "more user slots than the table can name");
    assert!(wait_cancellers.len() <= seen.len(), "a place for each user slot");
    let board = me.id().board.0;
    let mut server = ProcsServer {
        me,
        table: ProcessTable::new(board, init_board, boot, rows, queued),
        held: [const { WaitingCall::Nothing }; SLOTS_MAX],
        idle: SlotSet::NONE,
        interrupted: SlotSet::NONE,
        makers: [const { None }; SLOTS_MAX],
        wait_cancellers,
        homes: Homes::new(wait_cancellers),
        killing: Sent::NONE,
        dying: 0,
        in_want: SlotSet::NONE,
        watched: 0,
        watch,
        made: CreatedPrograms::default(),
        regulated: JobSampling::new(seen),
    };
    loop {
        match port.accept_or_notified(Procs::ENTRIES).await {
            Some(call) => server.serve(call),
            None => {
                server.let_go_when_due();
                server.answer_interrupted();
            }
        }
        server.settle();
    }
}

impl ProcsServer {
    fn serve(&mut self, call: ProcsCall) {
        let table = &mut self.table;
        match call {
            ProcsCall::AwaitWork(call) => {
                let slot = call.entry().slot;
                if self.table.is_taken(slot) {
                    call.reply(Err(Errno::EBUSY));
                } else if self.hold(Ok(slot), call, WaitingCall::Work, |call, errno| call.reply(Err(errno))) {
                    self.idle.insert(slot);
                    self.interrupted.remove(slot); // the interrupted program is gone
                }
            }
            ProcsCall::WaitChild(call) => self.wait(call),
            ProcsCall::AwaitSignal(call) => self.await_signal(call),
            ProcsCall::AwaitContinue(call) => self.await_continue(call),
            ProcsCall::AwaitVfork(call) => self.await_vfork(call),
            ProcsCall::VforkDone(call) => self.vfork_done(call),
            ProcsCall::RelieveMemory(call) => self.relieve(call),
            ProcsCall::Spawn(call) => self.spawn(call),
            ProcsCall::AddChild(call) => {
                let entry @ AddChild { parent, child, .. } = call.entry();
                call.reply(match child {
                    0 => table.cancel_fork(parent).map(|()| 0),
                    child => table.add_child(parent, child, entry.group, entry.deaths),
                });
            }
            ProcsCall::Exit(mut call) => {
                let entry = call.entry();
                self.let_maker_go(entry.pid);
                self.settle_use(entry.pid);
                self.table.note_used(entry.pid, Used::from_bytes(call.lent()));
                call.reply(self.table.exit(entry.pid, entry.status));
                self.note_end(entry.pid);
            }
            ProcsCall::Regulate(call) => self.regulate(call),
            ProcsCall::TakenUp(call) => {
                self.let_maker_go(call.entry().pid);
                call.reply(Ok(()));
            }
            ProcsCall::ChildExited(mut call) => {
                let entry = call.entry();
                // A board says it of its own processes: of those here it would make programs without a record.
                if call.board() == table.board || board_of(entry.child, table.init_board) != call.board() {
                    return call.reply(Err(Errno::EINVAL));
                }
                table.note_used(entry.child, Used::from_bytes(call.lent()));
                call.reply(table.child_exited(entry.parent, entry.child, entry.status));
            }
            ProcsCall::Stopped(call) => {
                let entry = call.entry();
                call.reply(table.stop(entry.pid, entry.signal));
            }
            other => self.serve_plain(other),
        }
    }

    /// Calls that neither wait nor make nor end a process.
    fn serve_plain(&mut self, call: ProcsCall) {
        let table = &mut self.table;
        match call {
            ProcsCall::Kill(call) => {
                let entry = call.entry();
                // Only this board's clock waits to hear of its timers.
                let timer = if call.board() == table.board { entry.timer } else { 0 };
                call.reply(table.kill(entry.pid, entry.signal, Cause { timer, ..entry.cause() }));
            }
            ProcsCall::TakeSignal(call) => {
                let entry = call.entry();
                call.reply(table.take_signal(entry.pid, entry.blocked));
            }
            ProcsCall::PendingSignals(call) => {
                let pid = call.entry().pid;
                call.reply(table.get(pid).map(|record| record.pending));
            }
            ProcsCall::Relate(call) => {
                let pid = call.entry().pid;
                call.reply(table.relate(pid));
            }
            ProcsCall::SetGroup(call) => {
                let entry = call.entry();
                call.reply(table.set_group(entry.pid, entry.group));
            }
            ProcsCall::NewSession(call) => {
                let pid = call.entry().pid;
                call.reply(table.new_session(pid));
            }
            ProcsCall::Describe(mut call) => {
                let described = self.describe(call.entry(), call.lent());
                call.set_taken_used(described.unwrap_or(0) as usize);
                call.reply(described);
            }
            ProcsCall::Rename(mut call) => {
                let renamed = table.rename(call.entry().pid, call.lent());
                call.reply(renamed);
            }
            ProcsCall::SetIgnored(call) => {
                let entry = call.entry();
                let ignored = table.set_ignored(entry.pid, entry.ignored);
                let limited = ignored.and_then(|()| table.limit_queued(entry.pid, entry.queued));
                call.reply(limited.and_then(|()| table.set_reaps(entry.pid, entry.reaps)));
            }
            ProcsCall::MakeInit(call) => {
                let slot = call.entry().slot;
                call.reply(table.make_init(slot).inspect(|&pid| self.note_start(pid)));
            }
            ProcsCall::PolicyOf(call) => {
                let policy = self.policy_of(call.entry());
                call.reply(policy);
            }
            ProcsCall::UsageOf(mut call) => {
                let used = self.usage_of(call.entry().pid, call.lent());
                call.set_taken_used(used.unwrap_or(0) as usize);
                call.reply(used);
            }
            other => self.serve_boards(other),
        }
    }

    /// Calls by which boards agree: on children elsewhere, and on signals to groups everywhere.
    fn serve_boards(&mut self, call: ProcsCall) {
        let table = &mut self.table;
        match call {
            ProcsCall::KillGroup(call) => {
                let entry = call.entry();
                let cause = if entry.sender == 0 { Cause::KERNEL } else { Cause::user(entry.sender) };
                let sent = table.kill_group(entry.group, entry.signal, entry.except, cause);
                // One that cannot be counted is one of 65,535 of that board, whose ends let children come again.
                let held = !entry.hold || sent.is_err() || self.killing.add(call.board());
                call.reply(if held { sent } else { Err(Errno::EAGAIN) });
            }
            ProcsCall::EndKill(call) => {
                let held = self.killing.remove(call.board());
                call.reply(if held { Ok(()) } else { Err(Errno::EINVAL) });
            }
            ProcsCall::PassOn(call) => {
                let entry = call.entry();
                call.reply(table.pass_on(entry.pid, entry.signals));
            }
            ProcsCall::BeginFork(call) => {
                let entry = call.entry();
                call.reply(table.begin_fork(entry.pid, entry.blocked));
            }
            ProcsCall::BoardDied(call) => {
                table.board_died(call.entry().board);
                self.killing.drop_board(call.entry().board);
                call.reply(Ok(()));
            }
            _ => unreachable!("served by `serve`"),
        }
    }

    /// Keeps `call` for the process in `slot`, unless there is no such slot or it waits already; whether it did.
    pub(super) fn hold<C>(
        &mut self,
        slot: Result<u16, Errno>,
        call: C,
        keep: fn(C) -> WaitingCall,
        refuse: fn(C, Errno),
    ) -> bool {
        let place = slot.and_then(|slot| {
            let known = usize::from(slot) < self.wait_cancellers.len();
            known.then(|| usize::from(slot)).ok_or(Errno::EINVAL)
        });
        match place {
            Ok(slot) if matches!(self.held[slot], WaitingCall::Nothing) => {
                self.held[slot] = keep(call);
                return true;
            }
            Ok(_) => refuse(call, Errno::EBUSY),
            Err(errno) => refuse(call, errno),
        }
        false
    }

    fn wait(&mut self, mut call: Call<WaitChild>) {
        let WaitChild { parent, which, options } = call.entry();
        match self.table.wait(parent, which, options) {
            Ok(Some(waited)) => {
                // The caller gives room for all; a child that stopped reports no use.
                call.lent().iter_mut().zip(self.table.waited.to_bytes()).for_each(|(place, byte)| *place = byte);
                call.reply(Ok(waited));
            }
            Err(errno) => call.reply(Err(errno)),
            Ok(None) if call.wait_cancelled() => call.reply(Err(Errno::EINTR)),
            Ok(None) => {
                self.hold(self.table.slot(parent), call, WaitingCall::Child, |call, errno| call.reply(Err(errno)));
            }
        }
    }

    fn await_signal(&mut self, call: Call<AwaitSignal>) {
        let AwaitSignal { pid, blocked } = call.entry();
        match self.table.has_signal(pid, blocked) {
            Ok(true) => call.reply(Ok(())),
            Err(errno) => call.reply(Err(errno)),
            Ok(false) if call.wait_cancelled() => call.reply(Err(Errno::EINTR)),
            Ok(false) => {
                self.hold(self.table.slot(pid), call, WaitingCall::Signal, |call, errno| call.reply(Err(errno)));
            }
        }
    }

    fn await_continue(&mut self, call: Call<AwaitContinue>) {
        let AwaitContinue { pid, held, blocked } = call.entry();
        let gone_on = match held {
            true => self.table.is_kept(pid, blocked).map(|kept| (!kept).then_some(0)),
            false => self.table.gone_on(pid),
        };
        match gone_on {
            Ok(Some(parent)) => call.reply(Ok(parent)),
            Err(errno) => call.reply(Err(errno)),
            Ok(None) => {
                self.hold(self.table.slot(pid), call, WaitingCall::Continue, |call, errno| call.reply(Err(errno)));
            }
        }
    }

    /// Does what the table noted: interrupts processes, and answers held calls whose time has come.
    fn settle(&mut self) {
        let far = self.table.far_boards();
        self.watch.change(core::mem::replace(&mut self.watched, far), far);
        let mut to_answer = core::mem::take(&mut self.table.to_answer);
        while let Some(slot) = to_answer.take_first() {
            let slot = usize::from(slot);
            match core::mem::replace(&mut self.held[slot], WaitingCall::Nothing) {
                WaitingCall::Child(call) => self.wait(call),
                WaitingCall::Signal(call) => self.await_signal(call),
                WaitingCall::Continue(call) => self.await_continue(call),
                other => self.held[slot] = other,
            }
        }
        let mut to_interrupt = core::mem::take(&mut self.table.to_interrupt);
        while let Some(slot) = to_interrupt.take_first() {
            if let Some(wait_canceller) = self.wait_cancellers.get(usize::from(slot)) {
                wait_canceller.cancel_wait();
                self.interrupted.insert(slot);
            }
        }
    }

    /// Some slots were interrupted: those of them that wait here are answered early. One of another core is so when that core has looked,
    /// whether it waits here by then or not: of that this process is notified, too.
    fn answer_interrupted(&mut self) {
        let mut interrupted_slots = core::mem::take(&mut self.interrupted);
        while let Some(slot) = interrupted_slots.take_first() {
            let held = &mut self.held[usize::from(slot)];
            let interrupted = match held {
                WaitingCall::Work(call) => call.wait_cancelled(),
                WaitingCall::Child(call) => call.wait_cancelled(),
                WaitingCall::Signal(call) => call.wait_cancelled(),
                WaitingCall::Memory(call) => call.wait_cancelled(),
                WaitingCall::Nothing | WaitingCall::Vfork(_) | WaitingCall::Returned(_) | WaitingCall::Continue(_) => {
                    false
                }
            };
            if !interrupted {
                if self.wait_cancellers[usize::from(slot)].is_elsewhere() {
                    self.interrupted.insert(slot);
                }
                continue;
            }
            match core::mem::replace(held, WaitingCall::Nothing) {
                WaitingCall::Work(call) => {
                    self.idle.remove(slot);
                    call.reply(Err(Errno::EINTR));
                }
                WaitingCall::Child(call) => call.reply(Err(Errno::EINTR)),
                WaitingCall::Signal(call) => call.reply(Err(Errno::EINTR)),
                WaitingCall::Memory(call) => {
                    self.in_want.remove(slot);
                    call.reply(Err(Errno::EINTR));
                }
                _ => unreachable!("not answered early"),
            }
        }
    }
}
