//! Serving signals: before the program goes on, what has come for it is carried out.
//!
//! Invariant: an interrupted system call whose registers say "make it again" is still that when no
//! handler ran; a handler sees `EINTR` instead unless it was set up with SA_RESTART.
//!
//! Not here: who may send (`procs`), the frame (`frame.rs`).

use crate::signals::{CONTINUED, SIGSEGV, STOPPING, SignalSet, bit, killed, stopped};
use crate::user::signals::frame::{self, SignalOrigin};
use crate::user::slot::{INSTRUCTION_BYTES, User, leaving, memory};
use crate::user::state::actions::{
    SA_NODEFER, SA_ONSTACK, SA_RESETHAND, SA_RESTART, SA_RESTORER, SIG_DFL, SignalAction, SignalEffect,
};
use crate::user::state::{AlternateStack, SyscallEscape, SyscallResult};
use renga_hal::memory::UserMemory;
use renga_memory::layout::TRAMPOLINE;
use renga_proto::clock::GoOn;
use renga_proto::procs::{AwaitContinue, Cause, INIT, Kill, SignalFacts, Stopped, TakeSignal};
use renga_rt::Errno;
use renga_rt::user::{FpPlace, PSTATE_USER};

impl<M: UserMemory> User<M> {
    /// Serves what is pending; the error is the status with which the program ends.
    #[inline(never)]
    pub(crate) async fn serve_signals(&mut self) -> Result<(), u32> {
        self.me.clear_cancellation();
        self.check_signals = false;
        let mut handled = false;
        // Each pass ends when a signal has come, or the regulator lets the program go on.
        while self.serve_pending(&mut handled).await? {
            let wait = AwaitContinue { pid: self.thread.tid, suspended: true, blocked: self.thread.blocked };
            if leaving!(self, self.services.clients.procs.call(wait, ())).is_err() {
                break;
            }
        }
        if !handled {
            self.interrupted_call = None;
            self.restore_mask().await;
        }
        Ok(())
    }

    /// Serves pending signals, and notes if a handler is to run; returns whether the program is suspended. An
    /// interrupt may also mean that, or that its parent is another: each reply carries both facts.
    async fn serve_pending(&mut self, handled: &mut bool) -> Result<bool, u32> {
        let pid = self.program.pid;
        // Each pass takes a pending signal.
        loop {
            let Ok((next, origin)) = self.take_signal(self.thread.blocked).await else { return Ok(false) };
            if next.signal == 0 && next.more {
                continue; // the parent's end was one more
            }
            if next.signal == 0 {
                return Ok(next.suspended);
            }
            let mut again = next.more;
            match self.program.actions.effect(next.signal) {
                // Init cannot be ended or stopped by what it does not handle.
                SignalEffect::Stop | SignalEffect::End if pid == INIT && !self.ends_threads() => {}
                SignalEffect::Nothing => {}
                SignalEffect::Stop => {
                    self.stop(next.signal).await;
                    again = true;
                }
                SignalEffect::End => return Err(killed(next.signal)),
                SignalEffect::Handle(action) => {
                    *handled = true;
                    self.deliver(next.signal, action, origin).await?;
                }
            }
            if !again {
                return Ok(next.suspended);
            }
        }
    }

    /// Notes who is the parent now. Another one means that the last has ended: the program gets the signal that it
    /// wished for then. Whether it did.
    async fn note_parent(&mut self, parent: u32) -> bool {
        let (pid, signal) = (self.program.pid, self.program.parent_death);
        if core::mem::replace(&mut self.program.parent, parent) == parent || signal == 0 {
            return false;
        }
        let kill = Kill { pid, signal, cause: Cause::KERNEL };
        self.services.clients.procs.call(kill, ()).await.is_ok()
    }

    /// Takes a pending signal outside `blocked`, if there is one; a timer that sent it goes on.
    pub(crate) async fn take_signal(&mut self, blocked: SignalSet) -> Result<(SignalFacts, SignalOrigin), Errno> {
        let (pid, tid) = (self.program.pid, self.thread.tid);
        let mut taken = self.services.clients.procs.call(TakeSignal { pid: tid, blocked }, ()).await?;
        taken.next.more |= self.note_parent(taken.next.parent).await;
        self.thread.may_hold_signals = taken.next.waits;
        let overruns = match taken.cause.timer {
            0 => 0,
            // It may have been deleted since.
            timer => {
                let timer = (timer & !Cause::TIMER_OF_THREAD) - 1;
                self.services.clients.clock.call(GoOn { pid, timer }, ()).await.unwrap_or(0)
            }
        };
        Ok((taken.next, SignalOrigin::Sent { cause: taken.cause, overruns }))
    }

    /// Stops until the program is continued, or killed.
    pub(crate) async fn stop(&mut self, signal: u8) {
        debug_assert!(bit(signal) & STOPPING != 0);
        let pid = self.thread.tid;
        if let Ok(parent) = self.services.clients.procs.call(Stopped { pid, signal }, ()).await {
            self.notify_parent(parent, stopped(signal)).await;
            // Whatever ends the wait, the signals decide what comes next.
            let wait = AwaitContinue { pid, suspended: false, blocked: 0 };
            if let Ok(parent) = leaving!(self, self.services.clients.procs.call(wait, ())) {
                self.notify_parent(parent, CONTINUED).await;
            }
        }
    }

    /// A fault of the program itself: it cannot be put off.
    pub(crate) async fn force_signal(&mut self, signal: u8, origin: SignalOrigin) -> Result<(), u32> {
        match self.program.actions.effect(signal) {
            SignalEffect::Handle(action) if self.thread.blocked & bit(signal) == 0 => {
                self.deliver(signal, action, origin).await
            }
            _ => Err(killed(signal)),
        }
    }

    /// Sets the program up to run a handler, and to come back to where it is now.
    async fn deliver(&mut self, signal: u8, action: SignalAction, origin: SignalOrigin) -> Result<(), u32> {
        self.settle_interrupted_call(action);
        self.processor.flush(self.context);
        let AlternateStack { address, bytes } = self.thread.alternate_stack;
        let on_alternate = bytes != 0 && self.context.sp.wrapping_sub(address) <= bytes;
        let mut top = self.context.sp;
        if action.flags & SA_ONSTACK != 0 && bytes != 0 && !on_alternate {
            top = address.wrapping_add(bytes);
        }
        let place = top.wrapping_sub(frame::FRAME_BYTES) & !(frame::ALIGNMENT - 1);
        let mask = self.thread.saved_mask.take().unwrap_or(self.thread.blocked);
        let stack = self.thread.alternate_stack;
        let length = frame::write(&mut self.scratch, self.context, (signal, origin), mask, stack);
        let record = place.wrapping_add(frame::RECORD_OFFSET);
        let link = [self.context.x[29], self.context.x[30]];
        if self.put_scratch(place, length).await.is_err() || self.put_words(record, link).await.is_err() {
            return Err(killed(SIGSEGV));
        }
        let context = &mut *self.context;
        context.x[0] = u64::from(signal);
        context.x[1] = place;
        context.x[2] = place.wrapping_add(frame::UCONTEXT_OFFSET);
        context.x[29] = record;
        context.x[30] = if action.flags & SA_RESTORER != 0 { action.restorer } else { TRAMPOLINE };
        context.sp = place;
        context.pc = action.handler;
        if action.flags & SA_RESETHAND != 0 {
            self.program.actions.set(signal, SignalAction { handler: SIG_DFL, ..action });
            self.publish_signals();
        }
        let itself = if action.flags & SA_NODEFER != 0 { 0 } else { bit(signal) };
        self.set_blocked(self.thread.blocked | action.mask | itself).await;
        Ok(())
    }

    /// A handler is about to run: an interrupted call fails, unless the handler lets it be made again.
    fn settle_interrupted_call(&mut self, action: SignalAction) {
        match self.interrupted_call.take() {
            None => return,
            Some(SyscallEscape::Restart) if action.flags & SA_RESTART != 0 => {}
            Some(_) => {
                self.context.pc = self.context.pc.wrapping_add(INSTRUCTION_BYTES);
                self.context.x[0] = u64::from(Errno::EINTR.0).wrapping_neg();
            }
        }
        self.thread.deadline_ns = None;
    }

    pub(crate) async fn return_from_handler(&mut self) -> SyscallResult {
        let place = self.context.sp;
        let length = frame::WRITTEN_BYTES;
        let (space, mut pager) = memory!(self);
        if pager.copy_in(space, place, &mut self.scratch[..length]).await.is_err() {
            return Err(SyscallEscape::End(killed(SIGSEGV)));
        }
        self.processor.flush(self.context);
        let Some(mask) = frame::read(&self.scratch, self.context) else {
            return Err(SyscallEscape::End(killed(SIGSEGV)));
        };
        debug_assert!(self.context.fp_place == FpPlace::Context && self.context.pstate & !PSTATE_USER == 0);
        self.set_blocked(mask).await;
        Err(SyscallEscape::Resumed)
    }
}
