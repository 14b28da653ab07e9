//! Threads: making one, taking it up in another slot, and ending one or all.
//!
//! Invariant: the first thread's slot ends the program, when no other thread is left. A thread that ends for all notes
//! the status and has the others killed; each of these ends alone. Not here: whose turn it is
//! (`state/thread_groups.rs`).

use crate::signals::{SIGKILL, killed};
use crate::user::lifecycle::fork::{SPACE_OF_THREAD, Wishes};
use crate::user::slot::{User, leaving, pager};
use crate::user::state::image_bytes::{ImageReader, ImageWriter};
use crate::user::state::process_image::{get_registers, put_registers};
use crate::user::state::{Successor, SyscallEscape, SyscallResult, ThreadGroup, ThreadState, restartable_as};
use renga_hal::memory::UserMemory;
use renga_proto::procs::{Cause, Exit, Kill, NEW_THREAD, Schedule, Spawn};
use renga_rt::{Errno, Me, apart};

/// Linux's number of `execveat`.
const EXECVEAT: u64 = 281;

impl<M: UserMemory> User<M> {
    /// A thread of the program in another slot, which `wishes` describe; its number also goes to `tid_at` (0: nowhere).
    pub(super) async fn make_thread(&mut self, wishes: Wishes, tid_at: u64) -> SyscallResult {
        if self.program.space.as_ref().is_none_or(|space| space.is_borrowed()) {
            return Err(Errno::EAGAIN.into()); // the lender waits, and its space is not this program's to share
        }
        let group = self.group.unwrap_or_else(|| self.facts.groups.begin(self.facts.slot));
        self.group = Some(group);
        self.check_signals = true; // the loop is another one from now on
        if let Some(space) = &mut self.program.space {
            space.share_all();
        }
        self.processor.flush(self.context);
        let mut writer = ImageWriter::new(&mut self.scratch);
        writer.put(&[SPACE_OF_THREAD])?;
        wishes.with_registers(self.context, |context| put_registers(&mut writer, context))?;
        let Wishes { set_tid, clear_tid, schedule, .. } = wishes;
        writer.words([group.first_slot.into(), self.thread.blocked, set_tid, clear_tid, schedule])?;
        writer.put(&self.thread.name)?;
        let bytes = writer.bytes();
        let (parent, blocked) = (self.program.pid, self.thread.blocked);
        let (most, ignored) = (self.program.limits.processes(), self.ignored());
        let spawn = Spawn { parent, group: NEW_THREAD, session: 0, blocked, most, ignored };
        self.facts.groups.add(group);
        match self.services.clients.procs.call(spawn, &self.scratch[..bytes]).await {
            Ok(tid) => {
                if tid_at != 0 {
                    // It cannot run before this slot leaves the program. A bad address only loses the number.
                    let _ = self.put(tid_at, &tid.to_le_bytes()).await;
                }
                Ok(tid.into())
            }
            refused => {
                self.facts.groups.remove(group);
                Ok(restartable_as(SyscallEscape::RestartAlways, refused)?.into())
            }
        }
    }

    /// Becomes thread `tid` of the program that the rest of its description names, of a slot of this core.
    pub(super) async fn take_up_thread(&mut self, tid: u32, bytes: usize) -> Result<(), Errno> {
        let mut reader = ImageReader::new(&self.scratch[1..bytes]);
        get_registers(&mut reader, self.facts.slot, self.context)?;
        let [first_slot, blocked, set_tid, clear_child_tid, schedule] = reader.words()?;
        self.thread = ThreadState { blocked, clear_child_tid, ..ThreadState::new(tid) };
        self.thread.name = reader.take()?;
        // From now on it is a thread, whatever fails.
        self.group = Some(ThreadGroup { first_slot: first_slot as u16 });
        self.enter_program().await;
        self.check_signals = true; // the loop of threads begins there
        let Schedule { policy, cores, .. } = Schedule::from_word(schedule).ok_or(Errno::EINVAL)?;
        self.begin_schedule(policy, cores, true);
        self.publish_info();
        self.thread.reported_ignored = self.ignored();
        self.thread.reported_children = self.program.actions.children();
        self.thread.reported_queued = self.program.limits.signals();
        if set_tid != 0 {
            let _ = self.put(set_tid, &tid.to_le_bytes()).await; // as on Linux, not worth a signal
        }
        Ok(())
    }

    /// Ends this thread, and unless it ends alone all others. The program's status, if this is the first thread, which
    /// waits until no other is left.
    pub(crate) async fn end_thread(&mut self, group: ThreadGroup, status: u32) -> Option<u32> {
        if !self.thread.ends_alone && !self.ends_threads() {
            self.program.ending = Some(status);
            self.end_siblings().await;
        }
        self.leave_words().await;
        if !self.is_further_thread() {
            self.await_siblings(group).await;
            return Some(self.program.ending.take().unwrap_or(status));
        }
        let used = self.usage_of_thread();
        self.program.past_threads = self.program.past_threads.plus(used);
        pager(self.machine, &mut self.services).free_cached().await;
        self.facts.info.space.set(None);
        self.facts.info.pid.set(0);
        self.leave_program();
        self.group = None;
        (self.check_signals, self.interrupted_call) = (false, None);
        let pid = self.thread.tid;
        if let Err(errno) = self.services.clients.procs.call(Exit { pid, status }, &used.to_bytes()).await {
            self.me.log("the table does not know a thread that ends", [u64::from(pid), errno.0.into()]);
        }
        self.facts.groups.remove(group);
        None
    }

    /// Has the first thread make this thread's call when all others have ended, as this one is about to.
    pub(super) async fn leave_to_first(&mut self) -> Result<(), Errno> {
        if self.ends_threads() {
            return Err(Errno::EINTR); // another thread was faster
        }
        let arguments = core::array::from_fn(|index| self.argument(index));
        let successor = Successor { number: self.context.x[8], arguments, blocked: self.thread.blocked };
        if let Some(group) = self.group {
            self.facts.groups.set_successor(group, successor);
        }
        self.program.sheds_threads = true;
        self.end_siblings().await;
        Ok(())
    }

    /// The first thread, now the only one, becomes the one that made the call, whose program it runs from here on; the
    /// error is its status if that cannot be.
    pub(crate) async fn succeed(&mut self, successor: Successor) -> Result<(), u32> {
        let pid = self.program.pid;
        self.me.clear_cancellation();
        self.program.sheds_threads = false;
        // What ended this thread was not for the program.
        let of_itself = Kill { pid, signal: 0, cause: Cause::siblings_of(pid) };
        let _ = self.services.clients.procs.call(of_itself, ()).await;
        let thread = &mut self.thread;
        (thread.ends_alone, thread.saved_mask, thread.deadline_ns) = (false, None, None);
        self.interrupted_call = None;
        self.thread.blocked = successor.blocked;
        self.context.x[8] = successor.number;
        self.context.x[..successor.arguments.len()].copy_from_slice(&successor.arguments);
        self.check_signals = true;
        match apart!(self.execute(successor.number == EXECVEAT)) {
            Err(SyscallEscape::Resumed) => Ok(()),
            _ => Err(killed(SIGKILL)), // the old program is no more
        }
    }

    /// Has all other threads of the program killed.
    async fn end_siblings(&mut self) {
        let (pid, cause) = (self.program.pid, Cause::siblings_of(self.thread.tid));
        let killed = self.services.clients.procs.call(Kill { pid, signal: SIGKILL, cause }, ()).await;
        if let Err(errno) = killed {
            self.me.log("the table does not know a program with threads", [u64::from(pid), errno.0.into()]);
        }
    }

    /// Waits until the program has this thread alone, its first one.
    async fn await_siblings(&mut self, group: ThreadGroup) {
        // Each pass waits for the end of a thread; all have been killed, or end as they like.
        while self.facts.groups.count(group) > 1 {
            leaving!(self, Me::notified(&mut self.me));
        }
        self.group = None;
    }

    /// Ends all threads but this one, before it runs another program.
    pub(super) async fn shed_threads(&mut self) {
        let Some(group) = self.group else { return };
        self.program.sheds_threads = true;
        self.end_siblings().await;
        self.await_siblings(group).await;
        self.program.sheds_threads = false;
    }

    /// Whether the program has its threads killed: each ends alone.
    pub(crate) fn ends_threads(&self) -> bool {
        self.program.sheds_threads || self.program.ending.is_some()
    }

    /// Whether this is not the program's first thread.
    pub(crate) fn is_further_thread(&self) -> bool {
        self.group.is_some_and(|group| group.first_slot != self.facts.slot)
    }
}
