//! Serving signals: before the program goes on, what has come for it is carried out.
//!
//! Invariant: an interrupted system call whose registers say "make it again" is still that when no
//! handler ran; a handler sees `EINTR` instead unless it was set up with SA_RESTART.
//!
//! Not here: who may send (`procs`), the frame (`frame.rs`).

use crate::signals::{CONTINUED, SIGSEGV, STOPPING, SignalSet, bit, killed, stopped};
use crate::user::escape::{Escape, Outcome};
use crate::user::program::AlternateStack;
use crate::user::signals::actions::{Action, Effect, SA_NODEFER, SA_ONSTACK, SA_RESETHAND, SA_RESTART, SA_RESTORER};
use crate::user::signals::frame;
use crate::user::{INSTRUCTION_BYTES, User};
use renga_hal::memory::UserMemory;
use renga_memory::layout::TRAMPOLINE;
use renga_proto::clock::GoOn;
use renga_proto::procs::{AwaitContinue, Cause, INIT, Next, Stopped, TakeSignal};
use renga_rt::Errno;
use renga_rt::user::{FpPlace, PSTATE_USER};

/// Where a signal comes from, as `siginfo_t` tells it.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// A fault of the program itself.
    Fault {
        /// `si_code`.
        code: u32,
        /// Where.
        address: u64,
    },
    /// Somebody sent it, or something happened.
    Sent {
        /// Who or what.
        cause: Cause,
        /// Of a timer: how often it had expired by then, beyond the first time.
        overruns: u32,
    },
}

impl<M: UserMemory + ?Sized> User<M> {
    /// Serves what is pending; the error is the status with which the program ends.
    #[inline(never)]
    pub(in crate::user) async fn serve_signals(&mut self) -> Result<(), u32> {
        self.me.clear_cancellation();
        self.look_at_signals = false;
        let mut handled = false;
        // Each turn ends when a signal has come, or somebody lets the program go on.
        while self.serve_pending(&mut handled).await? {
            let wait = AwaitContinue { pid: self.program.pid, held: true, blocked: self.program.blocked };
            if self.services.clients.procs.call(wait, ()).await.is_err() {
                break;
            }
        }
        if !handled {
            self.interrupted_call = None;
            self.end_mask().await;
        }
        Ok(())
    }

    /// Serves what waits, and notes if a handler is to run; whether the program is held. Who interrupted it may have meant
    /// that, or that its parent is another: what is told with each signal, and without one.
    async fn serve_pending(&mut self, handled: &mut bool) -> Result<bool, u32> {
        let pid = self.program.pid;
        // Each turn takes a pending signal away.
        loop {
            let Ok((next, origin)) = self.take_signal(self.program.blocked).await else { return Ok(false) };
            if next.signal == 0 {
                return Ok(next.held);
            }
            let mut again = next.more;
            match self.program.actions.effect(next.signal) {
                // Init cannot be ended or stopped by what it does not handle.
                Effect::Stop | Effect::End if pid == INIT => {}
                Effect::Nothing => {}
                Effect::Stop => {
                    self.stop(next.signal).await;
                    again = true;
                }
                Effect::End => return Err(killed(next.signal)),
                Effect::Handle(action) => {
                    *handled = true;
                    self.deliver(next.signal, action, origin).await?;
                }
            }
            if !again {
                return Ok(next.held);
            }
        }
    }

    /// Takes a signal away that waits outside `blocked`, if there is one; a timer that sent it goes on.
    pub(in crate::user) async fn take_signal(&mut self, blocked: SignalSet) -> Result<(Next, Origin), Errno> {
        let pid = self.program.pid;
        let taken = self.services.clients.procs.call(TakeSignal { pid, blocked }, ()).await?;
        self.program.parent = taken.next.parent;
        self.program.may_hold_signals = taken.next.waits;
        let overruns = match taken.timer {
            0 => 0,
            // It may have been deleted since.
            timer => self.services.clients.clock.call(GoOn { pid, timer: timer - 1 }, ()).await.unwrap_or(0),
        };
        Ok((taken.next, Origin::Sent { cause: taken.cause(), overruns }))
    }

    /// Stops until the program is continued, or killed.
    pub(in crate::user) async fn stop(&mut self, signal: u8) {
        debug_assert!(bit(signal) & STOPPING != 0);
        let pid = self.program.pid;
        if let Ok(parent) = self.services.clients.procs.call(Stopped { pid, signal }, ()).await {
            self.tell_parent(parent, stopped(signal)).await;
            // Whatever ends the wait, the signals decide what comes next.
            let wait = AwaitContinue { pid, held: false, blocked: 0 };
            if let Ok(parent) = self.services.clients.procs.call(wait, ()).await {
                self.tell_parent(parent, CONTINUED).await;
            }
        }
    }

    /// A fault of the program itself: it cannot be put off.
    pub(in crate::user) async fn force_signal(&mut self, signal: u8, origin: Origin) -> Result<(), u32> {
        match self.program.actions.effect(signal) {
            Effect::Handle(action) if self.program.blocked & bit(signal) == 0 => {
                self.deliver(signal, action, origin).await
            }
            _ => Err(killed(signal)),
        }
    }

    /// Sets the program up to run a handler, and to come back to where it is now.
    async fn deliver(&mut self, signal: u8, action: Action, origin: Origin) -> Result<(), u32> {
        self.settle_interrupted_call(action);
        self.processor.flush(self.context);
        let AlternateStack { address, bytes } = self.program.alternate_stack;
        let on_alternate = bytes != 0 && self.context.sp.wrapping_sub(address) <= bytes;
        let mut top = self.context.sp;
        if action.flags & SA_ONSTACK != 0 && bytes != 0 && !on_alternate {
            top = address.wrapping_add(bytes);
        }
        let place = top.wrapping_sub(frame::FRAME_BYTES) & !(frame::ALIGNMENT - 1);
        let mask = self.program.saved_mask.take().unwrap_or(self.program.blocked);
        let stack = self.program.alternate_stack;
        let length = frame::write(&mut self.scratch, self.context, (signal, origin), mask, stack);
        let record = place.wrapping_add(frame::RECORD_OFFSET);
        let mut link = [0; 16];
        link[..8].copy_from_slice(&self.context.x[29].to_le_bytes());
        link[8..].copy_from_slice(&self.context.x[30].to_le_bytes());
        if self.put_scratch(place, length).await.is_err() || self.put(record, &link).await.is_err() {
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
            self.program.actions.set(signal, Action::default());
            self.show_signals();
        }
        let itself = if action.flags & SA_NODEFER != 0 { 0 } else { bit(signal) };
        self.set_blocked(self.program.blocked | action.mask | itself).await;
        Ok(())
    }

    /// A handler is about to run: an interrupted call fails, unless the handler lets it be made again.
    fn settle_interrupted_call(&mut self, action: Action) {
        match self.interrupted_call.take() {
            None => return,
            Some(Escape::Restart) if action.flags & SA_RESTART != 0 => {}
            Some(_) => {
                self.context.pc = self.context.pc.wrapping_add(INSTRUCTION_BYTES);
                self.context.x[0] = u64::from(Errno::EINTR.0).wrapping_neg();
            }
        }
        self.program.deadline_ns = None;
    }

    pub(in crate::user) async fn return_from_handler(&mut self) -> Outcome {
        let place = self.context.sp;
        let length = frame::WRITTEN_BYTES;
        let Some(space) = &mut self.space else { unreachable!("a program has a space while it runs") };
        let mut pager = crate::user::pager(self.machine, &mut self.services);
        if space.copy_in(&mut pager, place, &mut self.scratch[..length]).await.is_err() {
            return Err(Escape::End(killed(SIGSEGV)));
        }
        self.processor.flush(self.context);
        let Some(mask) = frame::read(&self.scratch, self.context) else {
            return Err(Escape::End(killed(SIGSEGV)));
        };
        debug_assert!(self.context.fp_place == FpPlace::Context && self.context.pstate & !PSTATE_USER == 0);
        self.set_blocked(mask).await;
        Err(Escape::Resumed)
    }
}
