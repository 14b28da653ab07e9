//! The loop around the table: accepts calls, defers those that must wait, replies when they may.
//!
//! Invariant: a slot's process has at most one deferred call. The loop replies to it when the table says that its
//! condition is true, when it is interrupted, or when its peer in a vfork comes. Not here: the rules (`table.rs`).

use super::queue::QueuedSignal;
use super::rows::ProcessRow;
use super::slot_set::SLOTS_MAX;
use super::state::{ProcsState, SlotUse, WaitingCall};
use super::table::ProcessTable;
use renga_abi::InWords;
use renga_proto::procs::{
    AddChild, AwaitContinue, AwaitSignal, AwaitVfork, AwaitWork, BeginFork, BoardDied, Cause, ChildExited, Describe,
    EndKill, EndedProcess, Exit, Kill, KillGroup, MakeInit, NewSession, PassOn, PendingSignals, PolicyOf, Procs,
    ProcsServer, Regulate, Relate, Relations, RelieveMemory, Rename, Sender, SetGroup, SetIgnored, SignalKeeping,
    Spawn, Stopped, TakeSignal, TakenSignal, TakenUp, UsageOf, VforkDone, WaitChild, board_of,
};
use renga_proto::used::Used;
use renga_rt::{Call, Entry, Errno, Me, Never, Port, Protocol, WaitCanceller, Watch, unless_cancelled};

/// Keeps the user processes of this board, whose slots are interrupted by `wait_cancellers`, in `rows`, and the causes
/// of their signals in `queued`, of their use in `seen`; init runs on `init_board`, and `boot` counts the board's
/// starts. Boards where children are, are watched.
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
    let table = ProcessTable::new(board, init_board, boot, rows, queued);
    let mut server = ProcsState::new(me, table, wait_cancellers, watch, seen);
    loop {
        match port.accept_or_notified(Procs::ENTRIES).await {
            Some(call) => call.serve(&mut server).await,
            None => {
                server.let_go_when_due();
                server.answer_interrupted();
            }
        }
        server.settle().await;
    }
}

impl ProcsServer for ProcsState {
    async fn await_work(&mut self, call: Call<AwaitWork>) {
        let slot = call.entry().slot;
        if self.table.is_taken(slot) {
            call.reply(Err(Errno::EBUSY));
        } else if self.defer(Ok(slot), call, WaitingCall::Work) {
            self.idle.insert(slot);
            self.interrupted.remove(slot); // the interrupted program is gone
        }
    }
    async fn spawn(&mut self, call: Call<Spawn>) {
        self.spawn_in_slot(call);
    }
    async fn make_init(&mut self, call: &mut Call<MakeInit>) -> Result<u32, Errno> {
        let pid = self.table.make_init(call.entry().slot)?;
        self.note_start(pid);
        Ok(pid)
    }
    async fn taken_up(&mut self, call: &mut Call<TakenUp>) -> Result<(), Errno> {
        self.let_maker_go(call.entry().pid);
        Ok(())
    }
    async fn exit(&mut self, call: &mut Call<Exit>) -> Result<EndedProcess, Errno> {
        let Exit { pid, status } = call.entry();
        self.let_maker_go(pid);
        self.settle_use(pid);
        self.table.note_used(pid, Used::from_bytes(call.lent()));
        let ended = self.table.exit(pid, status);
        self.note_end(pid);
        ended
    }
    async fn stopped(&mut self, call: &mut Call<Stopped>) -> Result<u32, Errno> {
        self.table.stop(call.entry().pid, call.entry().signal)
    }
    async fn await_continue(&mut self, call: Call<AwaitContinue>) {
        let AwaitContinue { pid, suspended, blocked } = call.entry();
        let gone_on = match suspended {
            true => self.table.is_kept(pid, blocked).map(|kept| (!kept).then_some(0)),
            false => self.table.gone_on(pid),
        };
        match gone_on {
            Ok(Some(parent)) => call.reply(Ok(parent)),
            Err(errno) => call.reply(Err(errno)),
            Ok(None) => {
                self.defer(self.table.slot(pid), call, WaitingCall::Continue);
            }
        }
    }
    async fn wait_child(&mut self, mut call: Call<WaitChild>) {
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
                self.defer(self.table.slot(parent), call, WaitingCall::Child);
            }
        }
    }
    async fn await_vfork(&mut self, call: Call<AwaitVfork>) {
        self.hold_parent(call);
    }
    async fn vfork_done(&mut self, call: Call<VforkDone>) {
        self.hold_child(call);
    }
    async fn relieve_memory(&mut self, call: Call<RelieveMemory>) {
        self.relieve(call);
    }

    async fn kill(&mut self, call: &mut Call<Kill>) -> Result<bool, Errno> {
        let Kill { pid, signal, cause } = call.entry();
        // Only this board's clock waits to hear of its timers.
        let is_here = call.board() == self.table.board;
        let timer = if is_here { cause.timer } else { 0 };
        if cause.code == Cause::OF_SIBLING && !is_here {
            return Err(Errno::EINVAL);
        }
        self.table.kill(pid, signal, Cause { timer, ..cause })
    }
    async fn take_signal(&mut self, call: &mut Call<TakeSignal>) -> Result<TakenSignal, Errno> {
        self.table.take_signal(call.entry().pid, call.entry().blocked)
    }
    async fn pending_signals(&mut self, call: &mut Call<PendingSignals>) -> Result<u64, Errno> {
        self.table.pending(call.entry().pid)
    }
    async fn await_signal(&mut self, call: Call<AwaitSignal>) {
        let AwaitSignal { pid, blocked } = call.entry();
        match self.table.has_signal(pid, blocked) {
            Ok(true) => call.reply(Ok(())),
            Err(errno) => call.reply(Err(errno)),
            Ok(false) if call.wait_cancelled() => call.reply(Err(Errno::EINTR)),
            Ok(false) => {
                self.defer(self.table.slot(pid), call, WaitingCall::Signal);
            }
        }
    }
    async fn set_ignored(&mut self, call: &mut Call<SetIgnored>) -> Result<(), Errno> {
        let SetIgnored { pid, ignored, keeping: SignalKeeping { reaps, quiet, queued }, users, saved } = call.entry();
        self.table.set_ignored(pid, ignored)?;
        self.table.limit_queued(pid, queued)?;
        self.table.set_users(pid, users, saved)?;
        self.table.set_reaps(pid, reaps, quiet)
    }

    async fn relate(&mut self, call: &mut Call<Relate>) -> Result<Relations, Errno> {
        self.table.relate(call.entry().pid)
    }
    async fn set_group(&mut self, call: &mut Call<SetGroup>) -> Result<(), Errno> {
        self.table.set_group(call.entry())
    }
    async fn new_session(&mut self, call: &mut Call<NewSession>) -> Result<u32, Errno> {
        self.table.new_session(call.entry().pid)
    }
    async fn rename(&mut self, call: &mut Call<Rename>) -> Result<(), Errno> {
        self.table.rename(call.entry(), call.lent())
    }
    async fn describe(&mut self, call: &mut Call<Describe>) -> Result<u32, Errno> {
        let described = self.list(call.entry(), call.lent());
        call.set_taken_used(described.unwrap_or(0) as usize);
        described
    }
    async fn policy_of(&mut self, call: &mut Call<PolicyOf>) -> Result<u64, Errno> {
        self.change_policy(call.entry())
    }
    async fn usage_of(&mut self, call: &mut Call<UsageOf>) -> Result<u32, Errno> {
        let used = self.count(call.entry().pid, call.lent());
        call.set_taken_used(used.unwrap_or(0) as usize);
        used
    }
    async fn regulate(&mut self, call: &mut Call<Regulate>) -> Result<u32, Errno> {
        Ok(self.sample_and_suspend(call))
    }

    async fn begin_fork(&mut self, call: &mut Call<BeginFork>) -> Result<Relations, Errno> {
        self.table.begin_fork(call.entry().pid, call.entry().blocked)
    }
    async fn add_child(&mut self, call: &mut Call<AddChild>) -> Result<u64, Errno> {
        match call.entry() {
            AddChild { parent, child: 0, .. } => self.table.cancel_fork(parent).map(|()| 0),
            AddChild { parent, child, group, deaths } => self.table.add_child(parent, child, group, deaths),
        }
    }
    async fn child_exited(&mut self, call: &mut Call<ChildExited>) -> Result<(), Errno> {
        let ChildExited { parent, child, status } = call.entry();
        // A board says it of its own processes: of those here it would make programs without a record.
        if call.board() == self.table.board || board_of(child, self.table.init_board) != call.board() {
            return Err(Errno::EINVAL);
        }
        self.table.note_used(child, Used::from_bytes(call.lent()));
        self.table.child_exited(parent, child, status)
    }
    async fn kill_group(&mut self, call: &mut Call<KillGroup>) -> Result<u32, Errno> {
        let KillGroup { group, signal, except, hold, sender, users } = call.entry();
        let from = Sender { pid: sender, uid: users.real };
        let cause = if sender == 0 { Cause::KERNEL } else { Cause { sender: from, ..Cause::user(sender) } };
        let sent = self.table.kill_group((group, except), signal, cause, users)?;
        // One that cannot be counted is one of 65,535 of that board, whose ends let children come again.
        if !hold || self.killing.add(call.board()) { Ok(sent) } else { Err(Errno::EAGAIN) }
    }
    async fn end_kill(&mut self, call: &mut Call<EndKill>) -> Result<(), Errno> {
        if self.killing.remove(call.board()) { Ok(()) } else { Err(Errno::EINVAL) }
    }
    async fn pass_on(&mut self, call: &mut Call<PassOn>) -> Result<(), Errno> {
        self.table.pass_on(call.entry().pid, call.entry().signals)
    }
    async fn board_died(&mut self, call: &mut Call<BoardDied>) -> Result<(), Errno> {
        self.table.board_died(call.entry().board);
        self.killing.drop_board(call.entry().board);
        Ok(())
    }
}

impl ProcsState {
    /// Keeps `call` for the process in `slot`, unless there is no such slot or it waits already; whether it did.
    pub(super) fn defer<T: InWords, E: Entry<Reply = Result<T, Errno>>>(
        &mut self,
        slot: Result<u16, Errno>,
        call: Call<E>,
        keep: fn(Call<E>) -> WaitingCall,
    ) -> bool {
        let free = slot.and_then(|slot| match self.waiting.get(usize::from(slot)) {
            Some(WaitingCall::Nothing) if usize::from(slot) < self.wait_cancellers.len() => Ok(usize::from(slot)),
            Some(_) if usize::from(slot) < self.wait_cancellers.len() => Err(Errno::EBUSY),
            _ => Err(Errno::EINVAL),
        });
        match free {
            Ok(slot) => self.waiting[slot] = keep(call),
            Err(errno) => call.reply(Err(errno)),
        }
        free.is_ok()
    }

    /// Does what the table noted: interrupts processes, and replies to deferred calls whose time has come.
    async fn settle(&mut self) {
        let far = self.table.far_boards();
        self.watch.change(core::mem::replace(&mut self.watched, far), far);
        let mut to_answer = core::mem::take(&mut self.table.to_answer);
        while let Some(slot) = to_answer.take_first() {
            let slot = usize::from(slot);
            match self.take_waiting(slot) {
                WaitingCall::Child(call) => self.wait_child(call).await,
                WaitingCall::Signal(call) => self.await_signal(call).await,
                WaitingCall::Continue(call) => self.await_continue(call).await,
                other => self.waiting[slot] = other,
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

    /// Some slots were interrupted: replies early to those that wait here. A slot of another core is interrupted when
    /// that core has polled, whether it waits here by then or not; that core notifies this process, too.
    fn answer_interrupted(&mut self) {
        let mut interrupted_slots = core::mem::take(&mut self.interrupted);
        while let Some(slot) = interrupted_slots.take_first() {
            if let Some(call) = self.take_waiting(usize::from(slot)).unless_cancelled() {
                self.waiting[usize::from(slot)] = call;
                if self.wait_cancellers[usize::from(slot)].is_elsewhere() {
                    self.interrupted.insert(slot);
                }
            } else {
                self.idle.remove(slot);
                self.in_want.remove(slot);
            }
        }
    }

    /// The call that waits for `slot`, which waits no more.
    pub(super) fn take_waiting(&mut self, slot: usize) -> WaitingCall {
        core::mem::replace(&mut self.waiting[slot], WaitingCall::Nothing)
    }
}

impl WaitingCall {
    /// The same, or none, if its caller's wait is cancelled. A vfork's waits and that of a stopped program never are.
    fn unless_cancelled(self) -> Option<WaitingCall> {
        match self {
            WaitingCall::Work(call) => unless_cancelled(call).map(WaitingCall::Work),
            WaitingCall::Child(call) => unless_cancelled(call).map(WaitingCall::Child),
            WaitingCall::Signal(call) => unless_cancelled(call).map(WaitingCall::Signal),
            WaitingCall::Memory(call) => unless_cancelled(call).map(WaitingCall::Memory),
            other => Some(other),
        }
    }
}
