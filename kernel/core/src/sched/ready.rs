//! The ready queue of one core: a FIFO per priority and a bitmap of those that are not empty.
//!
//! Invariant: a bit of `bitmap` is set exactly when its queue is not empty, so a thousand ready processes cost what one
//! costs. Processes of one core never preempt each other.

use crate::types::probe;
use crate::types::state::{Core, CoreEndpoint, Log, PRIORITIES, Process};
use core::cell::Cell;
use core::mem::forget;
use core::task::{Context, Waker};
use renga_abi::log::LogLine;
use renga_abi::{OsTimes, ProcId};

/// Rendezvous that one dispatch completes in place before a caller passes the ready queue.
pub const IN_PLACE_PER_DISPATCH: u32 = 64;

/// Whether a process that panics comes back as one that failed: on a board it ends all.
const CAN_UNWIND: bool = cfg!(panic = "unwind");

impl Core {
    /// Gives its programs other times: before it has any.
    pub fn set_times(&self, times: &OsTimes) {
        self.run_queue.set_wakeup_granularity_ns(times.wakeup_granularity_ns);
        self.remote_tasks.set_slice_ns(times.slice_ns);
    }

    /// The slice of a fair program, ns.
    pub fn slice_ns(&self) -> u64 {
        self.remote_tasks.slice_ns()
    }

    /// Makes it core `number` of those behind `endpoints`: before it has processes.
    pub fn set_endpoints(&mut self, number: u8, endpoints: &'static [CoreEndpoint]) {
        (self.number, self.endpoint, self.endpoints) = (number, Some(&endpoints[usize::from(number)]), endpoints);
    }
    /// Which of the board's cores it is.
    pub fn number(&self) -> u8 {
        self.number
    }
    /// Time since boot, ns.
    #[inline(always)]
    pub fn now_ns(&self) -> u64 {
        (self.clock)(self)
    }
    /// Sets the time of a core without a clock of its own (simulated time).
    pub fn set_now_ns(&self, now_ns: u64) {
        self.now_ns.set(now_ns);
        self.charged_ns.set(now_ns);
    }
    /// Sends the log lines of this core's processes to `log`.
    pub fn set_log(&self, log: Log) {
        self.log.set(log);
    }
    #[inline(never)]
    pub(crate) fn log(&self, who: ProcId, text: &'static str, figures: [u64; 2]) {
        self.lines.borrow_mut().write(LogLine { at_ns: self.now_ns(), who: Some(who), text, figures });
        (self.log.get())(who, text, figures);
    }

    #[inline(always)]
    pub(crate) fn make_ready(&self, process: &'static Process) {
        self.ready[process.priority as usize % PRIORITIES].push(process.any());
        self.bitmap.set(self.bitmap.get() | 1 << process.priority);
    }

    /// Whether any process is ready.
    #[inline(always)]
    pub fn has_ready(&self) -> bool {
        self.bitmap.get() != 0
    }

    /// Polls the first ready process of the highest priority. False: none is ready.
    ///
    /// # Panics
    /// If a process of this core has panicked before.
    pub fn dispatch(&self) -> bool {
        self.dispatch_by(|| self.now_ns())
    }

    /// As [`Core::dispatch`], for a caller that has the clock at hand.
    ///
    /// # Panics
    /// As [`Core::dispatch`].
    #[inline(always)]
    pub fn dispatch_by(&self, now_ns: impl FnOnce() -> u64) -> bool {
        assert!(!CAN_UNWIND || !self.failed.get(), "a process of this core has panicked");
        let bits = self.bitmap.get();
        if bits == 0 {
            return false;
        }
        let priority = 31 - bits.leading_zeros();
        let queue = &self.ready[priority as usize % PRIORITIES];
        let Some(process) = queue.pop() else { unreachable!("the bitmap names an empty queue") };
        let process = process.arrived(self);
        if queue.is_empty() {
            self.bitmap.set(bits & !(1 << priority));
        }
        self.poll(process, now_ns);
        true
    }

    /// Makes `process` ready and, if it would be the next, polls it at once, past the queue.
    #[inline(always)]
    pub(crate) fn resume(&self, process: &'static Process, now_ns: impl FnOnce() -> u64) {
        if self.bitmap.get() >> process.priority != 0 {
            return self.make_ready(process);
        }
        self.poll(process, now_ns);
    }

    #[inline(always)]
    fn poll(&self, process: &'static Process, now_ns: impl FnOnce() -> u64) {
        self.in_place_left.set(IN_PLACE_PER_DISPATCH);
        probe::dispatch(process);
        process.poll(&mut Context::from_waker(Waker::noop()));
        if !self.answered.is_empty() {
            self.send_answers();
        }
        self.charge_dispatch(process, now_ns());
    }
}

impl Process {
    #[inline(always)]
    pub(crate) fn poll(&self, cx: &mut Context<'_>) {
        struct OnUnwind<'a>(&'a Cell<bool>);
        impl Drop for OnUnwind<'_> {
            fn drop(&mut self) {
                self.0.set(true)
            }
        }
        let (guard, body) = (OnUnwind(&self.core.failed), self.body.get());
        // SAFETY: the pair comes from `start`, or is `not_started`, which ignores the pointer.
        unsafe { (body.0)(body.1, cx) };
        forget(guard);
    }
}
