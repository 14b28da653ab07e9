//! The generation of a slot: it waits for a program, runs it from trap to trap, and clears up behind it.

use crate::probes::{Fault, ProgramEnd};
use crate::signals::{SIGBUS, SIGILL, SIGKILL, SIGSEGV, SIGTRAP, killed};
use crate::user::files::one_page_transfer::{READ, READ_FROM, WRITE};
use crate::user::servers::services::{Services, UserClients};
use crate::user::signals::frame::SignalOrigin;
use crate::user::slot::{LOGGED_WORDS, PATHS_BYTES, Processor, User, pager};
use crate::user::state::limits::ResourceLimits;
use crate::user::state::{ProgramState, SyscallEscape, SyscallResult, ThreadGroup, ThreadState, UserFacts};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_hal::power::Power;
use renga_memory::FaultError;
use renga_proto::procs::{AwaitWork, ChildExited, Exit, INIT, MakeInit, TakenUp, VforkDone, board_of};
use renga_rt::account::Count;
use renga_rt::policy::Policy;
use renga_rt::user::{Trap, UserContext};
use renga_rt::{Errno, Me, Never, Retry, apart};

/// What the shell calls a program that could not be started.
const CANNOT_START: u32 = 127 << 8;
/// `si_code`s of faults, as in Linux's `siginfo.h`.
mod code {
    pub const SEGV_MAPERR: u32 = 1;
    pub const SEGV_ACCERR: u32 = 2;
    pub const BUS_ADRALN: u32 = 1;
    pub const BUS_ADRERR: u32 = 2;
    pub const ILL_ILLOPC: u32 = 1;
    pub const TRAP_BRKPT: u32 = 1;
}

/// Runs the programs of one slot, one after the other; their state is in `program`, and paths on their way in
/// `paths`.
///
/// Its variables live in this function: a future's own variables would be moved once, by way of the stack, of which
/// each poll would then need as much, and would occupy the room twice.
#[allow(clippy::too_many_arguments, reason = "boot hands each of them out by its type")]
pub fn user<M: UserMemory>(
    me: Me,
    clients: UserClients,
    machine: &'static M,
    power: &'static dyn Power,
    processor: &'static dyn Processor,
    context: &'static mut UserContext,
    facts: &'static UserFacts,
    program: &'static mut ProgramState,
    paths: &'static mut [u8; PATHS_BYTES],
) -> impl Future<Output = Never> + 'static {
    let services = Services::new(clients, me.id().board.0, facts);
    program.files.publish_in(facts.info);
    facts.groups.register(facts.slot, facts.notifier);
    let mut user = User {
        me,
        services,
        machine,
        power,
        processor,
        facts: *facts,
        context,
        program,
        thread: ThreadState::new(0),
        group: None,
        space_number: 0,
        check_signals: false,
        pages_moved: 0,
        interrupted_call: None,
        logged: [0; LOGGED_WORDS],
        paths,
        scratch: [0; PAGE_BYTES],
    };
    async move {
        let user = &mut user;
        let mut boots = !user.facts.boot_program.is_empty();
        loop {
            let status = match apart!(user.await_program(core::mem::take(&mut boots))) {
                Ok(()) => user.run().await,
                Err(status) => status,
            };
            apart!(user.end(status));
        }
    }
}

impl<M: UserMemory> User<M> {
    /// The slot is that of a new program from now on, which has one thread.
    fn renew(&mut self, pid: u32) {
        self.program.renew(pid, 0);
        self.thread = ThreadState::new(pid);
    }

    async fn start_init(&mut self) -> Result<(), Errno> {
        let slot = self.facts.slot;
        let pid = self.services.clients.procs.call(MakeInit { slot }, ()).await?;
        self.renew(pid);
        self.program.limits = ResourceLimits::of_init();
        self.me.begin_account(Policy::DEFAULT, false);
        let path = self.facts.boot_program.as_bytes();
        self.paths[..path.len()].copy_from_slice(path);
        self.execute_at_boot(path.len()).await
    }

    /// Waits until this slot gets a program, or starts init, if this slot `boots`; or the status of one that did not
    /// come.
    async fn await_program(&mut self, boots: bool) -> Result<(), u32> {
        if self.facts.groups.take_going_on(self.facts.slot) {
            return Ok(());
        }
        if boots {
            return self.start_init().await.map_err(|errno| {
                self.me.log("init cannot be started", [u64::from(errno.0), 0]);
                CANNOT_START
            });
        }
        self.take_program().await.map_err(|errno| {
            self.me.log("a program did not arrive", [u64::from(self.program.pid), u64::from(errno.0)]);
            killed(SIGKILL)
        })
    }

    async fn take_program(&mut self) -> Result<(), Errno> {
        let slot = self.facts.slot;
        let work = loop {
            match self.services.clients.procs.call(AwaitWork { slot }, &mut self.scratch).await {
                Ok(work) => break work,
                // The interruption was for the program before this one.
                Err(Errno::EINTR) => self.me.clear_cancellation(),
                Err(errno) => panic!("slot {slot} is refused by the table of processes: {errno:?}"),
            }
        };
        if self.me.wait_cancelled() {
            // An interrupt from another core meant the previous program, and came late. Checks for a signal to this
            // one.
            self.me.clear_cancellation();
            self.check_signals = true;
        }
        self.renew(work.pid);
        self.me.begin_account(Policy::DEFAULT, false);
        let taken = self.take_up(work.pid, work.bytes as usize, work.maker).await;
        if work.maker != self.services.board {
            let _ = self.services.clients.procs.call(TakenUp { pid: work.pid }, ()).await; // it knows every pid
        }
        taken
    }

    /// Runs the program to its end; its status. The frequent calls are carried out here, not a future further in: each
    /// future on the way is entered and left again with each wait.
    #[inline(always)]
    async fn run(&mut self) -> u32 {
        loop {
            if (self.check_signals || self.me.wait_cancelled())
                && let Err(status) = apart!(self.attend())
            {
                return status;
            }
            self.me.run_user(self.context, self.space_number).await;
            let number = self.context.x[8];
            let outcome = match self.me.trap() {
                Trap::Syscall if let Some(outcome) = self.quick(number) => outcome,
                Trap::Syscall => {
                    let hot = match number {
                        READ | READ_FROM => self.hot_read::<false>(number).await,
                        WRITE => self.hot_write::<false>().await,
                        _ => None,
                    };
                    match hot {
                        Some(outcome) => outcome,
                        None => apart!(self.slow(number)),
                    }
                }
                Trap::Preempted => continue,
                _ => match apart!(self.fault()) {
                    Ok(()) => continue,
                    Err(status) => return status,
                },
            };
            match outcome {
                Ok(value) => self.context.x[0] = value,
                Err(SyscallEscape::End(status)) => return status,
                Err(escape) => self.escape(escape),
            }
        }
    }

    /// A system call ends without a result, but the program goes on.
    #[inline(never)]
    pub(crate) fn escape(&mut self, escape: SyscallEscape) {
        match escape {
            SyscallEscape::Fail(errno) => self.context.x[0] = u64::from(errno.0).wrapping_neg(),
            SyscallEscape::Resumed | SyscallEscape::End(_) => {}
            interrupted => {
                self.context.pc = self.context.pc.wrapping_sub(crate::user::slot::INSTRUCTION_BYTES);
                self.interrupted_call = Some(interrupted).filter(|escape| *escape != SyscallEscape::RestartAlways);
                self.check_signals = true;
            }
        }
    }

    /// Notes the page frames that the program's memory takes now.
    #[inline(always)]
    pub(crate) fn note_frames(&mut self) {
        if let Some(space) = &self.program.space
            && !self.is_further_thread()
        {
            // What is borrowed is its lender's.
            let pages = if space.is_borrowed() { 0 } else { self.machine.pages(space.root()) };
            self.me.set_count(Count::FramesResident, pages.into());
            self.program.frames_most = self.program.frames_most.max(space.pages_most(self.machine));
        }
    }

    /// A system call that calls other processes: again if a board has rebooted (`ESTALE`), or if there was no
    /// memory for it and now is.
    pub(crate) async fn slow(&mut self, number: u64) -> SyscallResult {
        let mut stale = false;
        self.pages_moved = 0;
        if matches!(number, READ | WRITE)
            && let Some(outcome) = self.hot_socket(number).await
        {
            return outcome;
        }
        // Bounded: a stale handle is taken once, and each time that memory is short a program ends.
        loop {
            let renewed = self.me.take_rebooted();
            if renewed != 0 {
                self.find_losses(renewed).await;
            }
            let outcome = self.dispatch(number).await;
            self.note_frames();
            match outcome {
                Err(SyscallEscape::Fail(Errno::ESTALE)) if !stale => stale = true,
                // Calls without another reply: no program may change names under /proc.
                Err(SyscallEscape::Fail(Errno::ECROSSED)) => return Err(SyscallEscape::Fail(Errno::EPERM)),
                Err(SyscallEscape::Fail(Errno::ENOMEM)) if self.relieve_memory().await => {}
                outcome => return outcome,
            }
        }
    }

    pub(crate) async fn fault(&mut self) -> Result<(), u32> {
        let trap = self.me.trap();
        let pc = self.context.pc;
        let (signal, code, address) = match trap {
            Trap::PageFault { address, kind, .. } => {
                self.me.probe(Fault, [address, kind as u64]);
                // What is not a file's is fetched from nowhere, and to add up all cores' counts takes longer than such
                // a fault.
                let may_fetch =
                    self.program.space.as_ref().is_some_and(|space| space.lacks_file_page(self.machine, address));
                let before = if may_fetch { self.fetched() } else { 0 };
                let (space, mut pager) = self.memory();
                let served = pager.fault(space, address, kind).await;
                self.note_frames();
                match served {
                    Ok(()) => {
                        let waited = may_fetch && self.fetched() != before;
                        self.me.count(if waited { Count::FaultsMajor } else { Count::FaultsMinor }, 1);
                        return Ok(());
                    }
                    Err(FaultError::NoArea) => (SIGSEGV, code::SEGV_MAPERR, address),
                    Err(FaultError::Forbidden) => (SIGSEGV, code::SEGV_ACCERR, address),
                    Err(FaultError::Io | FaultError::BehindEnd) => (SIGBUS, code::BUS_ADRERR, address),
                    // It faults again when there is memory, unless it is the one that has to end.
                    Err(FaultError::OutOfMemory) => return self.await_memory().await,
                }
            }
            Trap::Breakpoint => (SIGTRAP, code::TRAP_BRKPT, pc),
            Trap::Alignment { address } => (SIGBUS, code::BUS_ADRALN, address),
            Trap::Undefined => (SIGILL, code::ILL_ILLOPC, pc),
            Trap::OtherFault { syndrome } => {
                self.me.log("a program's fault has no name", [syndrome, pc]);
                (SIGILL, code::ILL_ILLOPC, pc)
            }
            Trap::Syscall | Trap::Preempted => return Ok(()),
        };
        self.force_signal(signal, SignalOrigin::Fault { code, address }).await
    }

    /// Publishes the program as it is now, for listings.
    pub(crate) fn publish_info(&mut self) {
        let info = self.facts.info;
        info.pid.set(self.thread.tid);
        info.origin.set(self.program.origin);
        info.directory.set(self.program.directory.ino);
        info.root.set(self.program.root.ino);
        info.umask.set(self.program.umask);
        info.terminal.set(self.program.terminal.listed());
        self.publish_signals();
        self.publish_credentials();
        info.limits.set(self.program.limits.0.map(|limit| [limit.soft, limit.hard]));
        self.publish_areas();
        let number = self.program.space.as_ref().map(|space| space.number());
        self.space_number = number.unwrap_or(self.space_number);
        info.space.set(number);
    }

    /// The status of a program that ends with this thread; none of one that has other threads, or goes on.
    async fn end_last_thread(&mut self, group: ThreadGroup, status: u32) -> Option<u32> {
        let Some(status) = self.end_thread(group, status).await else {
            self.me.probe(ProgramEnd, []);
            return None;
        };
        let Some(successor) = self.facts.groups.take_successor(self.facts.slot) else { return Some(status) };
        let succeeded = apart!(self.succeed(successor));
        if succeeded.is_ok() {
            self.facts.groups.go_on(self.facts.slot);
        }
        succeeded.err()
    }

    /// Releases all that the program had, and notifies its parent; unless this was a thread, which leaves the program
    /// to the others, or the program goes on in it with what another thread wanted to run.
    async fn end(&mut self, status: u32) {
        let status = match self.group {
            None => status,
            Some(group) => match apart!(self.end_last_thread(group, status)) {
                Some(status) => status,
                None => return,
            },
        };
        let pid = self.program.pid;
        if self.thread.robust_list != 0 || self.thread.clear_child_tid != 0 {
            apart!(self.leave_words());
        }
        if self.program.locks {
            self.release_locks(0).await;
        }
        // Bounded by the descriptors.
        while let Some(number) = self.program.files.any() {
            let object = self.program.files.remove(number).ok().flatten();
            // No program is left to learn of a failed write-behind.
            let _ = self.services.release(object).await;
        }
        self.drop_timers(0).await;
        self.note_frames();
        self.facts.info.space.set(None);
        if let Some(space) = &mut self.program.space {
            let borrowed = space.is_borrowed();
            pager(self.machine, &mut self.services).end_space(space).await;
            self.program.space = None;
            if borrowed {
                self.give_space_back().await;
            }
        } else {
            // It did not arrive; what it took for that may be in its frame cache.
            pager(self.machine, &mut self.services).free_cached().await;
        }
        self.me.set_count(Count::FramesResident, 0);
        self.check_signals = false;
        self.interrupted_call = None;
        let used = self.usage().plus(self.program.children).to_bytes();
        match self.services.clients.procs.call(Exit { pid, status }, &used).await {
            Ok(ended) => {
                if ended.leads || ended.orphaned != 0 {
                    apart!(self.hang_up(ended));
                }
                self.notify_parent(ended.parent, status).await;
                if self.facts.watched.processes.has(pid) {
                    apart!(self.report_end(pid));
                }
            }
            Err(errno) => self.me.log("the table does not know a program that ends", [u64::from(pid), errno.0.into()]),
        }
        if pid == INIT {
            self.me.log("init has ended", [u64::from(status), 0]);
            self.power.stop((status >> 8) as u8 | (status as u8 & 0x7f));
        }
        self.me.probe(ProgramEnd, []);
    }

    /// The space of the parent, which waits for it, is needed no more.
    pub(crate) async fn give_space_back(&mut self) {
        let child = self.program.pid;
        if let Err(errno) = self.services.clients.procs.call(VforkDone { child }, ()).await {
            self.me.log("a vfork has no parent", [u64::from(child), u64::from(errno.0)]);
        }
    }

    /// Notifies a parent on another board of this program's state.
    pub(crate) async fn notify_parent(&mut self, parent: u32, status: u32) {
        let (child, used) = (self.program.pid, self.usage().plus(self.program.children).to_bytes());
        if parent == 0 || board_of(parent, self.services.file_board) == self.services.board {
            return;
        }
        if let Ok(mut procs) = self.services.procs_of(parent) {
            // A dead board has no parent. A rebooted one may have: this process may never have called it since; a pid
            // of an earlier generation is void there.
            let _ = procs.call_retrying(ChildExited { parent, child, status }, &used[..]).await;
        }
    }
}
