//! The endless loop of a core without devices: its system processes, then a program's slice, its own or a remote one,
//! then sleep.
//!
//! Invariant: it drains its mailbox before each dispatch, and runs a program or sleeps only when the mailbox is empty
//! and no process is ready. It checks alarms whenever it is idle and at least every `DISPATCHES_PER_POLL` dispatches.
//! Not here: the core of the devices (`executor.rs`), the order of slices (`kernel/sched`).

use crate::programs::Programs;
use crate::remote_task;
use renga_arch_aarch64::cpu::ThisCore;
use renga_arch_aarch64::memory::FrameMemory;
use renga_arch_aarch64::timer::GenericTimer;
use renga_core::Core;
use renga_core::probe;
use renga_core::remote_run_queue::RemoteTask;
use renga_core::user_slice::UserSlice;
use renga_hal::memory::Frame;
use renga_hal::timer::HardwareTimer;
use renga_rt::user::{Exit, Trap};

/// Dispatches between two checks of the alarms.
const DISPATCHES_PER_POLL: u32 = 32;

/// What the loop needs.
pub struct SecondaryCore {
    /// The core's processes.
    pub core: &'static Core,
    /// Its clock and alarm.
    pub timer: GenericTimer,
    /// Address spaces.
    pub memory: &'static FrameMemory,
    /// The way into the programs whose home it is.
    pub programs: &'static Programs,
}

impl SecondaryCore {
    /// Runs the core, for ever.
    pub fn run(&mut self) -> ! {
        self.core.stamp(self.timer.now_ns());
        loop {
            self.run_processes();
            self.core.expire_alarms(self.timer.now_ns());
            if self.core.has_ready() || self.core.has_remote_slices() {
                continue;
            }
            if let Some(remote_task) = self.core.remote_task() {
                self.run_remote_task(remote_task);
            } else if let Some(slice) = self.core.next_user() {
                self.run_program(slice);
            } else {
                self.sleep();
            }
        }
    }

    /// Runs ready system processes, and sends slices to other cores.
    fn run_processes(&mut self) {
        for _ in 0..DISPATCHES_PER_POLL {
            self.core.drain_mailbox();
            if self.core.has_remote_slices() {
                self.programs.send_remote_slices(self.core, self.memory);
            }
            if !self.core.dispatch_by(|| self.timer.now_ns()) {
                return;
            }
        }
    }

    fn sleep(&mut self) {
        if self.core.stop_polling() {
            probe::idle();
            self.timer.set_alarm_ns(self.core.next_alarm_ns());
            ThisCore.wait_for_interrupt();
            self.core.stamp(self.timer.now_ns());
        }
        self.core.resume_polling();
    }

    /// Runs a program of another home until its trap, an interrupt or the end of its slice.
    fn run_remote_task(&mut self, remote_task: RemoteTask) {
        if self.core.stop_polling() {
            let begin_ns = self.timer.now_ns();
            self.arm(Some(begin_ns + remote_task.left_ns(self.core)));
            self.programs.make_room();
            remote_task::run(self.core, remote_task, begin_ns, || self.timer.now_ns());
        }
        self.core.resume_polling();
    }

    /// As above, a program whose home this is.
    fn run_program(&mut self, mut slice: UserSlice) {
        if slice.wait_cancelled() {
            return slice.resume(Trap::Preempted, || self.timer.now_ns());
        }
        if !self.core.stop_polling() {
            drop(slice);
            return self.core.resume_polling();
        }
        let left_ns = self.core.own_left_ns(slice.left_ns());
        self.arm(left_ns.map(|left_ns| self.timer.now_ns().saturating_add(left_ns)));
        let space = Frame(slice.space());
        let exit = self.programs.enter(self.memory, slice.context_behind_branch(), space);
        slice.charge_beside_remote_tasks_until(self.timer.now_ns());
        match exit {
            Exit::Trap(trap) => slice.resume(trap, || self.timer.now_ns()),
            Exit::Interrupt => drop(slice), // it continues, unless another task is to run first
        }
        self.core.resume_polling();
    }

    /// Sets the alarm for a process's, or for the end of a slice.
    fn arm(&mut self, end_ns: Option<u64>) {
        self.timer.set_alarm_ns([self.core.next_alarm_ns(), end_ns].into_iter().flatten().min());
    }
}
