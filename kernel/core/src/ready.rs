//! The ready queue of one core: a FIFO per priority and a bitmap of those that are not empty.
//!
//! Invariant: a bit of `bitmap` is set exactly when its queue is not empty, so that a thousand ready
//! processes cost what one costs. Processes of one core never preempt each other.

use crate::account::Account;
use crate::log::{Line, Lines};
use crate::probe;
use crate::process::Process;
use crate::queue::{Link, Queue};
use crate::remote_call::CoreEndpoint;
use crate::remote_run_queue::RemoteRunQueue;
use core::cell::Cell;
use core::sync::atomic::AtomicU64;
use core::task::{Context, Waker};
use renga_abi::ProcId;
use renga_sched::{RemoteTasks, RunQueue};

/// Priorities; 7 is served first.
pub const PRIORITIES: usize = 8;
/// Rendezvous that one dispatch completes in place before a caller passes the ready queue.
pub const IN_PLACE_PER_DISPATCH: u32 = 64;

/// Whether a process that panics comes back as one that failed: on a board it ends all.
const CAN_UNWIND: bool = cfg!(panic = "unwind");

/// Takes a log line: who says it, the text, two figures that go with it.
pub type Log = fn(ProcId, &'static str, [u64; 2]);

/// The executor of one processor core, its alarms and its users' run_queue. In the order written: what each call reads is where one
/// instruction reaches it, before the large tables.
#[repr(C)]
pub struct Core {
    pub(crate) bitmap: Cell<u32>,
    pub(crate) in_place_left: Cell<u32>,
    /// Its own endpoint, if there are other cores.
    pub(crate) endpoint: Option<&'static CoreEndpoint>,
    /// Those of all cores of the board, likewise.
    pub(crate) endpoints: &'static [CoreEndpoint],
    /// Which of the cores behind `endpoints` it is; there are none on a board of one core.
    pub(crate) number: u8,
    ready: [Queue; PRIORITIES],
    /// Callers of other cores whose answers are written and not yet posted.
    pub(crate) answered: Queue,
    /// A process panicked and unwound (host tests only).
    pub(crate) failed: Cell<bool>,
    pub(crate) alarms: Link,
    /// Other cores on which its programs have run_queue.
    pub(crate) remote_queues: Cell<&'static [RemoteRunQueue]>,
    /// All cores on which programs of the board have run queue, a bit each.
    pub(crate) program_cores: Cell<u8>,
    /// Of one of them somebody wants a turn.
    pub(crate) remote_requested: Cell<bool>,
    pub(crate) accounts: Cell<&'static [Account]>,
    pub(crate) system: Account,
    /// Until when time has been charged, ns.
    pub(crate) charged_ns: Cell<u64>,
    clock: fn(&Core) -> u64,
    pub(crate) now_ns: Cell<u64>,
    log: Cell<Log>,
    /// Whose program runs when no process is ready.
    pub(crate) run_queue: RunQueue<Process>,
    /// On this core programs of other homes have their run_queue.
    pub(crate) remote_tasks: RemoteTasks<RemoteRunQueue>,
    /// All cores of the board, and those of programs' processes, a bit each. Of others this one reads their accounts' counts, and how long
    /// their programs ran elsewhere.
    pub(crate) board: Cell<&'static [&'static Core]>,
    pub(crate) homes: Cell<u8>,
    /// What accounts had counted that were begun anew since ([`Core::charged`]).
    pub(crate) past: [AtomicU64; 3],
    /// The last lines of the log.
    pub(crate) lines: Lines,
    /// What has happened, inside a host program.
    #[cfg(feature = "host")]
    pub(crate) recorder: crate::events::Recorder,
}

impl Default for Core {
    fn default() -> Self {
        Core::new()
    }
}

impl Core {
    /// An idle core whose time is what [`Core::set_now_ns`] last said.
    pub const fn new() -> Core {
        Core::with_clock(|core| core.now_ns.get())
    }

    /// An idle core that reads its time, in ns since boot, from `clock`.
    pub const fn with_clock(clock: fn(&Core) -> u64) -> Core {
        Core {
            number: 0,
            endpoint: None,
            endpoints: &[],
            bitmap: Cell::new(0),
            in_place_left: Cell::new(0),
            ready: [const { Queue::new() }; PRIORITIES],
            answered: Queue::new(),
            failed: Cell::new(false),
            alarms: Cell::new(None),
            remote_queues: Cell::new(&[]),
            program_cores: Cell::new(1),
            homes: Cell::new(1),
            remote_requested: Cell::new(false),
            remote_tasks: RemoteTasks::new(),
            run_queue: RunQueue::new(),
            accounts: Cell::new(&[]),
            system: Account::new(),
            charged_ns: Cell::new(0),
            past: [const { AtomicU64::new(0) }; 3],
            board: Cell::new(&[]),
            clock,
            now_ns: Cell::new(0),
            log: Cell::new(|_, _, _| ()),
            lines: Lines::new(),
            #[cfg(feature = "host")]
            recorder: crate::events::Recorder::new(),
        }
    }

    /// Makes it core `number` of those behind `endpoints`: before it has processes.
    pub fn with_endpoints(self, number: u8, endpoints: &'static [CoreEndpoint]) -> Core {
        Core { number, endpoint: Some(&endpoints[usize::from(number)]), endpoints, ..self }
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
        self.lines.push(Line { at_ns: self.now_ns(), who: Some(who), text, figures });
        (self.log.get())(who, text, figures);
    }

    #[inline(always)]
    pub(crate) fn make_ready(&self, process: &'static Process) {
        self.ready[process.priority as usize % PRIORITIES].push(process);
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

    /// As [`Core::dispatch`], for whoever has the clock at hand.
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
