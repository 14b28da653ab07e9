//! What is done before a program runs, when there is something: signals, and the loops of programs with a pace or with
//! threads, for which others pay nothing.
//!
//! Invariant: a slot whose program has several threads is in the loop here, which leaves the program to the others
//! while this thread runs. Not here: the loop of all other programs (`slot_loop.rs`), what a pace is (`governed.rs`).

use crate::signals::{SIGKILL, killed};
use crate::user::files::one_page_transfer::{READ, READ_FROM, WRITE};
use crate::user::slot::{User, leaving};
use crate::user::state::{SyscallEscape, SyscallResult};
use renga_hal::memory::UserMemory;
use renga_rt::apart;
use renga_rt::pace::Pace;
use renga_rt::user::Trap;

impl<M: UserMemory> User<M> {
    /// Serves signals, and runs the program as long as it has a pace or threads; the error is its status when it ends.
    #[inline(never)]
    pub(crate) async fn attend(&mut self) -> Result<(), u32> {
        apart!(self.serve_signals())?;
        // Each pass ends when the pace changes, or the program has one thread again.
        loop {
            match self.pace() {
                Pace::Free if self.group.is_none() => return Ok(()),
                Pace::Free => apart!(self.run_as_thread())?,
                pace => apart!(self.run_governed(pace))?,
            }
        }
    }

    /// Runs a thread of a program, which its siblings have meanwhile, as long as it has no pace.
    async fn run_as_thread(&mut self) -> Result<(), u32> {
        while self.group.is_some() {
            if self.check_signals || self.me.wait_cancelled() {
                apart!(self.serve_signals())?;
                if self.pace() != Pace::Free {
                    break;
                }
                continue;
            }
            leaving!(self, self.me.run_user(self.context, self.space_number));
            if self.ends_threads() {
                return Err(killed(SIGKILL)); // and not what its call asked for
            }
            let outcome = match self.me.trap() {
                Trap::Syscall => apart!(self.carry_out(self.context.x[8])),
                Trap::Preempted => continue,
                _ => {
                    apart!(self.fault())?;
                    continue;
                }
            };
            self.take_outcome(outcome)?;
        }
        Ok(())
    }

    /// Gives the program the outcome of its system call; its status, if it ends by that.
    pub(super) fn take_outcome(&mut self, outcome: SyscallResult) -> Result<(), u32> {
        match outcome {
            Ok(value) => self.context.x[0] = value,
            Err(SyscallEscape::End(status)) => return Err(status),
            Err(escape) => self.escape(escape),
        }
        Ok(())
    }

    /// The pace of its I/O. A change of it interrupts this process.
    pub(super) fn pace(&self) -> Pace {
        self.me.policy_of(self.me.account()).pace
    }

    /// As for any program, by the same ways, so that what an I/O takes is the same too.
    pub(super) async fn carry_out(&mut self, number: u64) -> SyscallResult {
        if let Some(outcome) = self.quick(number) {
            return outcome;
        }
        let hot = match number {
            READ | READ_FROM => self.hot_read::<true>(number).await,
            WRITE => self.hot_write::<true>().await,
            _ => None,
        };
        match hot {
            Some(outcome) => outcome,
            None => apart!(self.slow(number)),
        }
    }
}
