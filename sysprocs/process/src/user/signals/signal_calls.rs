//! The system calls about signals.

use crate::signals::{SIGKILL, SIGNALS, SignalSet, UNSTOPPABLE, bit, killed};
use crate::user::signals::frame::{SignalOrigin, signal_info};
use crate::user::slot::{User, leaving};
use crate::user::state::actions::{ACTION_BYTES, SignalAction};
use crate::user::state::fields::word_at;
use crate::user::state::{AlternateStack, SyscallEscape, SyscallResult, ThreadState, restartable_as};
use renga_hal::memory::UserMemory;
use renga_proto::clock::SleepUntil;
use renga_proto::procs::{AwaitSignal, INIT, SetIgnored, SignalKeeping};
use renga_rt::Errno;

/// Bytes of a signal set, which the calls want to hear.
const SET_BYTES: u64 = 8;
const SIG_BLOCK: u32 = 0;
const SIG_UNBLOCK: u32 = 1;
const SIG_SETMASK: u32 = 2;
const SS_ONSTACK: u32 = 1;
const SS_DISABLE: u32 = 2;
/// Least bytes of an alternate stack (MINSIGSTKSZ on AArch64).
const STACK_BYTES_MIN: u64 = 5120;

impl<M: UserMemory> User<M> {
    pub(crate) async fn set_action(&mut self) -> Result<(), Errno> {
        let (signal, new, old) = (self.int(0), self.argument(1), self.argument(2));
        if self.argument(3) != SET_BYTES || signal == 0 || signal > u32::from(SIGNALS) {
            return Err(Errno::EINVAL);
        }
        let signal = signal as u8;
        let before = self.program.actions.get(signal);
        if new != 0 {
            if bit(signal) & UNSTOPPABLE != 0 {
                return Err(Errno::EINVAL);
            }
            let mut bytes = [0; ACTION_BYTES];
            self.get(new, &mut bytes).await?;
            self.program.actions.set(signal, SignalAction::from_bytes(&bytes));
            self.publish_signals();
            self.report_ignored(0).await;
        }
        self.put_unless_null(old, &before.to_bytes()).await
    }

    pub(crate) async fn set_mask(&mut self) -> Result<(), Errno> {
        let (how, new, old) = (self.int(0), self.argument(1), self.argument(2));
        if self.argument(3) != SET_BYTES {
            return Err(Errno::EINVAL);
        }
        let before = self.thread.blocked;
        if new != 0 {
            let set = self.get_word(new).await?;
            let blocked = match how {
                SIG_BLOCK => before | set,
                SIG_UNBLOCK => before & !set,
                SIG_SETMASK => set,
                _ => return Err(Errno::EINVAL),
            };
            self.set_blocked(blocked).await;
        }
        self.put_unless_null(old, &before.to_le_bytes()).await
    }

    /// Blocks `blocked` from now on.
    pub(crate) async fn set_blocked(&mut self, blocked: SignalSet) {
        let blocked = blocked & !UNSTOPPABLE;
        let unblocked = self.thread.blocked & !blocked;
        self.thread.blocked = blocked;
        self.publish_signals();
        self.check_signals |= unblocked != 0 && self.thread.may_hold_signals;
        self.report_ignored(0).await;
    }

    /// Signals that lead to nothing and need not wait until they are unblocked.
    pub(crate) fn ignored(&self) -> SignalSet {
        self.program.actions.ignored() & !self.thread.blocked
    }

    /// Publishes the masks, for listings.
    pub(crate) fn publish_signals(&self) {
        let [ignored, handled] = self.program.actions.chosen();
        self.facts.info.signals.set([self.thread.blocked, ignored, handled]);
    }

    /// Reports to `procs` what it must know: of signals that are ignored no longer, or blocked now or `awaited`, so
    /// that they wait instead of getting lost. It need not know of others ignored in addition: at worst it interrupts
    /// for nothing, as it does for blocked ones.
    pub(crate) async fn report_ignored(&mut self, awaited: SignalSet) {
        let ignored = self.ignored() & !awaited;
        let ThreadState { reported_ignored, reported_children, reported_queued, reported_users, .. } = self.thread;
        let ids = self.program.credentials.users;
        let (children, queued) = (self.program.actions.children(), self.program.limits.signals());
        if reported_ignored & !ignored == 0
            && reported_children == children
            && reported_queued == queued
            && reported_users == ids
            && (self.group.is_none() || self.program.reported_by == self.thread.tid)
        {
            return;
        }
        self.program.reported_by = self.thread.tid;
        let (pid, [reaps, quiet]) = (self.thread.tid, children);
        let (users, saved) = (self.program.credentials.users(), ids.saved);
        let set = SetIgnored { pid, ignored, keeping: SignalKeeping { reaps, quiet, queued }, users, saved };
        if let Err(errno) = self.services.clients.procs.call(set, ()).await {
            self.me.log("the table does not know a running program", [u64::from(pid), u64::from(errno.0)]);
        }
        let thread = &mut self.thread;
        (thread.reported_ignored, thread.reported_children, thread.reported_queued) = (ignored, children, queued);
        thread.reported_users = ids;
    }

    pub(crate) async fn pending_signals(&mut self) -> Result<(), Errno> {
        let set = self.waiting_of(self.thread.blocked).await?;
        self.put(self.argument(0), &set.to_le_bytes()).await
    }

    pub(crate) async fn suspend(&mut self) -> SyscallResult {
        let (mask, bytes) = (self.argument(0), self.argument(1));
        if bytes != SET_BYTES {
            return Err(Errno::EINVAL.into());
        }
        if mask == 0 {
            return Err(Errno::EFAULT.into());
        }
        self.set_call_mask(mask).await?;
        let (pid, blocked) = (self.thread.tid, self.thread.blocked);
        let waited = leaving!(self, self.services.clients.procs.call(AwaitSignal { pid, blocked }, ()));
        restartable_as(SyscallEscape::RestartUnlessHandled, waited)?;
        Err(SyscallEscape::RestartUnlessHandled)
    }

    pub(crate) async fn await_signal(&mut self) -> SyscallResult {
        let (place, info, time) = (self.argument(0), self.argument(1), self.argument(2));
        if self.argument(3) != SET_BYTES {
            return Err(Errno::EINVAL.into());
        }
        let wanted = self.get_word(place).await? & !UNSTOPPABLE;
        let until_ns = match time {
            0 => None,
            time => Some(self.me.now_ns().saturating_add(self.get_time(time).await?)),
        };
        let (signal, origin) = self.take_or_await(wanted, until_ns).await?;
        self.put_unless_null(info, &signal_info(signal, origin)).await?;
        Ok(u64::from(signal))
    }

    /// Takes one of `wanted`, when there is one. `EAGAIN`: none came until then; `EINTR`: another came first.
    pub(crate) async fn take_or_await(
        &mut self,
        wanted: SignalSet,
        until_ns: Option<u64>,
    ) -> Result<(u8, SignalOrigin), SyscallEscape> {
        // While it waits, what it waits for may interrupt it, ignored or not.
        self.report_ignored(wanted).await;
        // The wait may swallow the interruption by another signal.
        self.check_signals = true;
        let until_ns = until_ns.unwrap_or(u64::MAX);
        // Each pass waits for an interruption or the end of the time.
        loop {
            self.me.clear_cancellation();
            if let Some(taken) = self.take_wanted(wanted).await? {
                return Ok(taken);
            }
            // First, as on Linux: a call that does not wait is not interrupted.
            if until_ns <= self.me.now_ns() {
                return Err(Errno::EAGAIN.into());
            }
            let unwanted = self.thread.blocked | self.program.actions.ignored() | wanted;
            if self.waiting_of(!unwanted).await? != 0 {
                return Err(Errno::EINTR.into());
            }
            match leaving!(self, self.services.clients.clock.call(SleepUntil { until_ns, calendar: false }, ())) {
                Ok(()) | Err(Errno::EINTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Takes one of `wanted`. The unstoppable ones come through any mask: they are served here.
    pub(crate) async fn take_wanted(&mut self, wanted: SignalSet) -> Result<Option<(u8, SignalOrigin)>, SyscallEscape> {
        let (next, origin) = self.take_signal(!wanted).await?;
        match next.signal {
            0 => {}
            signal if bit(signal) & wanted != 0 => return Ok(Some((signal, origin))),
            _ if self.program.pid == INIT => {}
            SIGKILL => return Err(SyscallEscape::End(killed(SIGKILL))),
            signal => self.stop(signal).await,
        }
        Ok(None)
    }

    pub(crate) async fn set_alternate_stack(&mut self) -> Result<(), Errno> {
        let (new, old) = (self.argument(0), self.argument(1));
        let AlternateStack { address, bytes } = self.thread.alternate_stack;
        let sp = self.context.sp;
        let in_use = bytes != 0 && sp.wrapping_sub(address) <= bytes;
        if new != 0 {
            let mut stack = [0; 24];
            self.get(new, &mut stack).await?;
            let (address, flags, bytes) = (word_at(&stack, 0), word_at(&stack, 8) as u32, word_at(&stack, 16));
            if in_use {
                return Err(Errno::EPERM);
            }
            if !matches!(flags, 0 | SS_ONSTACK | SS_DISABLE) {
                return Err(Errno::EINVAL);
            }
            if flags & SS_DISABLE != 0 {
                self.thread.alternate_stack = AlternateStack::default();
            } else if bytes < STACK_BYTES_MIN {
                return Err(Errno::ENOMEM);
            } else {
                self.thread.alternate_stack = AlternateStack { address, bytes };
            }
        }
        if old != 0 {
            let flags = if bytes == 0 { u64::from(SS_DISABLE) } else { u64::from(in_use) };
            self.put_words(old, [address, flags, bytes]).await?;
        }
        Ok(())
    }
}
