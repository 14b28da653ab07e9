//! The endless loop of the devices' core, the first home of programs: system processes first, then user programs, then
//! sleep.
//!
//! Invariant: interrupts are polled whenever the core is idle, when one stopped a user program, and at least every
//! `DISPATCHES_PER_POLL` dispatches. The hardware alarm is set for the first of the processes' alarms and the running
//! program's time slice. A program's time is charged when it leaves the core. Before the core runs a program or sleeps
//! it stops polling, so that other cores send IPIs. Not here: the order of processes and slices (`core`), other cores
//! (`secondary_core.rs`).

use crate::hardware::InterruptLines;
use crate::logger;
use crate::remote_task;
use crate::watchdog::BoardWatchdog;
use renga_arch_aarch64::cpu::ThisCore;
use renga_arch_aarch64::memory::FrameMemory;
use renga_arch_aarch64::timer::GenericTimer;
use renga_core::probe;
use renga_core::remote_run_queue::RemoteTask;
use renga_core::user_slice::UserSlice;
use renga_core::{Core, Process};
use renga_hal::irq::IrqSource;
use renga_hal::memory::Frame;
use renga_hal::timer::HardwareTimer;
use renga_rt::user::{Exit, Trap};

/// An alarm for the end of a slice may come so early, ns: then it is set again, which is rarer than moving it.
const SLICE_SLACK_NS: u64 = 100_000;
/// The time of an alarm that is not set.
pub const NEVER_NS: u64 = u64::MAX;
/// The alarm time of a due alarm. The alarm stays due until it is set again, before the core waits or runs a program.
const GONE_OFF_NS: u64 = 0;
/// Dispatches between two polls of the interrupts.
const DISPATCHES_PER_POLL: u32 = 32;

/// What the loop needs, of a board that has `SEVERAL` cores or one.
pub struct Executor<const SEVERAL: bool> {
    /// The core's processes.
    pub core: &'static Core,
    /// Its interrupts.
    pub interrupts: InterruptLines,
    /// Its clock and alarm.
    pub timer: GenericTimer,
    /// Address spaces.
    pub memory: &'static FrameMemory,
    /// The way into user programs.
    pub programs: &'static crate::programs::Programs,
    /// The process that the console's line wakes, if this board has the console.
    pub uart_owner: Option<&'static Process>,
    /// The process that the link wakes, if this board has one.
    pub link_owner: Option<&'static Process>,
    /// When the hardware alarm is set for; or `NEVER_NS`, or `GONE_OFF_NS`.
    pub armed_ns: u64,
    /// The board's watchdog.
    pub watchdog: BoardWatchdog,
}

impl<const SEVERAL: bool> Executor<SEVERAL> {
    /// Runs the board, for ever.
    pub fn run(&mut self) -> ! {
        if SEVERAL {
            self.interrupts.come_to(self.core.number());
        }
        self.interrupts.enable(IrqSource::Timer);
        self.interrupts.enable(IrqSource::Uart);
        self.interrupts.enable(IrqSource::Link);
        loop {
            let idle = self.run_processes();
            if !idle {
                // However busy the processes are, no device waits longer than this.
                self.take_alarms(self.timer.now_ns());
                self.take_devices();
                continue;
            }
            if SEVERAL && let Some(remote_task) = self.core.remote_task() {
                self.run_remote_task(remote_task);
            } else if let Some(slice) = self.core.next_user() {
                self.run_program(slice);
            } else {
                self.sleep();
            }
        }
    }

    /// Runs ready system processes; true if none is left.
    fn run_processes(&mut self) -> bool {
        for _ in 0..DISPATCHES_PER_POLL {
            if SEVERAL {
                self.core.drain_mailbox();
                if self.core.has_remote_slices() {
                    self.programs.send_remote_slices(self.core, self.memory);
                }
            }
            if !self.core.dispatch_by(|| self.timer.now_ns()) {
                return !SEVERAL || !self.core.has_remote_slices();
            }
        }
        !self.core.has_ready()
    }

    /// Runs a program of another home until its trap, an interrupt or the end of its slice.
    #[inline(never)]
    fn run_remote_task(&mut self, remote_task: RemoteTask) {
        if self.core.stop_polling() {
            let begin_ns = self.timer.now_ns();
            self.core.stamp(begin_ns);
            self.arm(Some(remote_task.left_ns(self.core)));
            self.programs.make_room();
            if let Exit::Interrupt = remote_task::run(self.core, remote_task, begin_ns, || self.timer.now_ns()) {
                self.take_interrupt(self.timer.now_ns());
            }
        }
        self.core.resume_polling();
    }

    /// Runs a program until its trap or an interrupt.
    fn run_program(&mut self, mut slice: UserSlice) {
        if slice.wait_cancelled() {
            slice.resume(Trap::Preempted, || self.timer.now_ns());
            // A process that only lets programs go first would keep the devices waiting.
            self.take_alarms(self.timer.now_ns());
            self.take_devices();
            return;
        }
        if SEVERAL && !self.core.stop_polling() {
            drop(slice);
            return self.core.resume_polling();
        }
        let left_ns = slice.left_ns();
        self.arm(if SEVERAL { self.core.own_left_ns(left_ns) } else { left_ns });
        let space = Frame(slice.space());
        let exit = self.programs.enter(self.memory, slice.context(), space);
        let now_ns = self.timer.now_ns();
        if SEVERAL {
            slice.charge_beside_remote_tasks_until(now_ns);
        } else {
            slice.charge_until(now_ns);
        }
        match exit {
            Exit::Trap(trap) => slice.resume(trap, || self.timer.now_ns()),
            Exit::Interrupt => {
                drop(slice); // it continues, unless another task is to run first
                self.take_interrupt(now_ns);
            }
        }
        if SEVERAL {
            self.core.resume_polling();
        }
    }

    fn sleep(&mut self) {
        if logger::has_more() {
            self.interrupts.enable(IrqSource::Log);
        }
        self.set_alarm(self.first_alarm_ns());
        if SEVERAL && !self.core.stop_polling() {
            return self.core.resume_polling();
        }
        probe::idle();
        ThisCore.wait_for_interrupt();
        let now_ns = self.timer.now_ns();
        self.core.stamp(now_ns);
        self.take_interrupt(now_ns);
        if SEVERAL {
            self.core.resume_polling();
        }
    }

    /// Sets the hardware alarm for the earlier of an alarm of a process and the end of a slice, so far away.
    #[inline(always)]
    fn arm(&mut self, slice_left_ns: Option<u64>) {
        let alarm_ns = self.first_alarm_ns();
        let Some(left_ns) = slice_left_ns else {
            // One that is set already and comes sooner does no harm, and is there when others want the core again.
            if self.armed_ns == GONE_OFF_NS || self.armed_ns > alarm_ns {
                self.set_alarm(alarm_ns);
            }
            return;
        };
        let end_ns = self.core.charged_until_ns() + left_ns;
        if alarm_ns <= end_ns {
            return self.set_alarm(alarm_ns);
        }
        let early = self.armed_ns <= end_ns && self.armed_ns != GONE_OFF_NS && self.armed_ns + SLICE_SLACK_NS > end_ns;
        if !early {
            self.set_alarm(end_ns);
        }
    }

    #[inline(always)]
    fn first_alarm_ns(&self) -> u64 {
        self.core.next_alarm_ns().unwrap_or(NEVER_NS).min(self.watchdog.next_ns())
    }

    #[inline(always)]
    fn set_alarm(&mut self, wanted_ns: u64) {
        if wanted_ns != self.armed_ns {
            self.armed_ns = wanted_ns;
            self.timer.set_alarm_ns((wanted_ns != NEVER_NS).then_some(wanted_ns));
        }
    }

    /// After an interrupt: due alarms first; if they make no process ready, a device is pending.
    #[inline(always)]
    fn take_interrupt(&mut self, now_ns: u64) {
        self.take_alarms(now_ns);
        if !self.core.has_ready() {
            self.take_devices();
        }
    }

    #[inline(always)]
    fn take_alarms(&mut self, now_ns: u64) {
        if self.armed_ns <= now_ns {
            probe::interrupt_alarm();
            self.armed_ns = GONE_OFF_NS;
        }
        if self.watchdog.next_ns() <= now_ns {
            self.watchdog.check(now_ns);
        }
        self.core.expire_alarms(now_ns);
    }

    /// Notifies the owner of each pending device; it runs before the next poll.
    #[inline(never)]
    fn take_devices(&mut self) {
        let pending = self.interrupts.pending();
        probe::interrupt_devices(pending.uart, pending.log, pending.link);
        if pending.uart {
            notify_or_silence(self.uart_owner, &mut self.interrupts, IrqSource::Uart);
        }
        if pending.log && !logger::send() {
            self.interrupts.disable(IrqSource::Log);
        }
        if pending.link {
            match self.link_owner {
                Some(owner) => owner.notify_now(|| self.timer.now_ns()),
                None => self.interrupts.disable(IrqSource::Link),
            }
        }
    }
}

fn notify_or_silence(owner: Option<&'static Process>, interrupts: &mut InterruptLines, source: IrqSource) {
    match owner {
        Some(owner) => owner.notify(),
        None => interrupts.disable(source),
    }
}
