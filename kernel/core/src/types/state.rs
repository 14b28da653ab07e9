//! The state of the kernel on one board: the headers of processes, the executors, and what cores share.
//! Invariant: data and constructors only; these types refer to each other, so they are one file. A header lives for
//! ever (I1 of `rendezvous.rs`) and contains the one outstanding call of its process, so a server's handle on that call
//! never dangles. Called by: every other file of the kernel. Not here: any operation on the state.

pub(crate) use super::wait::IN_PLACE;
pub use super::wait::Wait;
use core::cell::{Cell, RefCell};
use core::sync::atomic::{AtomicU32, AtomicU64};
use core::task::Context;
use heapless::HistoryBuf;
use renga_abi::ProcId;
use renga_abi::account::Count;
use renga_abi::log::LogLine;
use renga_abi::user::{Exit, Trap, UserContext};
use renga_sched::{Account, AccountSchedule, NOWHERE, RemoteTasks, RunQueue, TaskKey};
use renga_sync::{CallLocation, EventFlags, Ipi, Mailbox, OwnedMessage, SharedRef};

/// Priorities; 7 is served first.
pub const PRIORITIES: usize = 8;
/// Words that a message carries beside its slices.
pub const WORDS: usize = 6;
/// The words of a message.
pub type MessageCells = [Cell<u64>; WORDS];
pub(crate) type Body = (unsafe fn(*mut (), &mut Context<'_>), *mut ());
pub(crate) type ProcessLink = Cell<Option<ProcessRef>>;
/// Lines of the log that are kept.
pub const LINES: usize = 128;
pub(crate) type Lines = RefCell<HistoryBuf<LogLine, LINES>>;
/// A sink of log lines: process, text, two figures.
pub type Log = fn(ProcId, &'static str, [u64; 2]);

/// Processes linked through their headers: a process is in at most one queue (I3 of `rendezvous.rs`).
#[derive(Default)]
pub(crate) struct Queue {
    pub(crate) head: ProcessLink,
    pub(crate) tail: ProcessLink,
}

impl Queue {
    pub(crate) const fn new() -> Queue {
        Queue { head: Cell::new(None), tail: Cell::new(None) }
    }
}

/// The part of a header that travels: the core that has the process's call, or its program's slice, reaches it (C1 of
/// `remote_call.rs`, S1 of `remote_run_queue.rs`). In the order written, as [`Process`].
#[repr(C)]
pub struct MessagePart {
    pub(crate) link: ProcessLink,
    pub(crate) op: Cell<u32>,
    /// The server that it called last ([`ProcId::to_word`]): the process that took the call, or one of another board.
    pub(crate) destination: Cell<u32>,
    pub(crate) words: MessageCells,
    /// The slice given and the slice taken; of an absent slice only the length, 0, is written.
    pub(crate) given: Cell<*const u8>,
    pub(crate) given_bytes: Cell<usize>,
    pub(crate) taken: Cell<*mut u8>,
    pub(crate) taken_bytes: Cell<usize>,
    /// Bytes of the taken slice that the server says it wrote; only proxies read it.
    pub(crate) taken_used: Cell<usize>,
    /// The server that has its call, if it was not answered in place; of calls to other boards the router.
    pub(crate) server: Cell<Option<&'static Process>>,
    pub(crate) user: Cell<*mut UserContext>,
    /// Its part in calls between cores; never changed once other cores know of it.
    pub(crate) remote: Cell<Option<&'static RemoteCall>>,
    /// Its identity ([`ProcId::to_word`]).
    pub(crate) word: u32,
    pub(crate) priority: u8,
    /// The board for which it calls: its own, but for a proxy.
    pub(crate) calls_for: Cell<u8>,
    /// Boards that have rebooted since it last read this, a bit each, as the router has reported.
    pub(crate) rebooted: Cell<u8>,
    /// What the server that keeps its call notes about that.
    pub(crate) note: Cell<u64>,
}

/// Header of a process: the part that travels with its message, and the cells that only its own core reaches. In the
/// order written: the fields of each call are where one instruction reaches them.
///
/// Its own core has `&'static Process`; others have a [`ProcessRef`], a [`WaitingProcess`] or a [`SharedProcess`].
#[repr(C)]
pub struct Process {
    pub(super) message: MessagePart,
    pub(crate) core: &'static Core,
    /// The caller whose call it accepted last; kept, since its next work is for that caller.
    pub(crate) accepted: ProcessLink,
    /// Entries that its waiting accept takes; 0 when it does not wait in accept.
    pub(crate) open: Cell<u32>,
    pub(crate) wait: Cell<Wait>,
    pub(crate) notified: Cell<bool>,
    pub(crate) cancelled: Cell<bool>,
    pub(crate) body: Cell<Body>,
    pub(crate) callers: Queue,
    pub(crate) alarm_ns: Cell<u64>,
    pub(crate) alarm_link: Cell<Option<&'static Process>>,
    /// The run queue of its program: its core's, or that of another core.
    pub(crate) run_queue: Cell<&'static RunQueue<Process>>,
    pub(crate) trap: Cell<Trap>,
    /// The account that it works for; the system's: that of its last caller.
    pub(crate) account: Cell<&'static Account>,
    /// The account of its last caller, if that is of another core.
    pub(crate) far_account: Cell<&'static Account>,
    /// Of a remote handle: the server on another core.
    pub(crate) stands_for: ProcessLink,
    /// While it is queued: its key, and its place in the heap.
    pub(crate) order: Cell<TaskKey>,
    /// The entries of the protocol that it serves; a call from another board is checked against it.
    pub(crate) entries: Cell<u32>,
    pub(crate) user_space: Cell<u32>,
    pub(crate) heap_place: Cell<u16>,
    /// The count that its dispatches are charged to.
    pub(crate) charged_as: Cell<Count>,
}

impl Process {
    /// A header for the process `id` on `core`; it runs once it is started.
    ///
    /// # Panics
    /// If `priority` is not below [`PRIORITIES`].
    pub const fn new(core: &'static Core, priority: u8, id: ProcId) -> Process {
        assert!((priority as usize) < PRIORITIES);
        let message = MessagePart {
            link: Cell::new(None),
            op: Cell::new(0),
            destination: Cell::new(0),
            words: [const { Cell::new(0) }; WORDS],
            given: Cell::new(core::ptr::dangling()),
            given_bytes: Cell::new(0),
            taken: Cell::new(core::ptr::dangling_mut()),
            taken_bytes: Cell::new(0),
            taken_used: Cell::new(0),
            server: Cell::new(None),
            user: Cell::new(core::ptr::null_mut()),
            remote: Cell::new(None),
            word: id.to_word(),
            priority,
            calls_for: Cell::new(id.board.0),
            rebooted: Cell::new(0),
            note: Cell::new(0),
        };
        Process {
            message,
            core,
            accepted: Cell::new(None),
            open: Cell::new(0),
            wait: Cell::new(Wait::Nothing),
            notified: Cell::new(false),
            cancelled: Cell::new(false),
            body: Cell::new((not_started, core::ptr::null_mut())),
            callers: Queue::new(),
            alarm_ns: Cell::new(u64::MAX),
            alarm_link: Cell::new(None),
            run_queue: Cell::new(&core.run_queue),
            trap: Cell::new(Trap::Preempted),
            account: Cell::new(&core.system),
            far_account: Cell::new(&core.system),
            stands_for: Cell::new(None),
            order: Cell::new(TaskKey::NONE),
            entries: Cell::new(0),
            user_space: Cell::new(0),
            heap_place: Cell::new(NOWHERE),
            charged_as: Cell::new(Count::BehalfNs),
        }
    }
}

pub(crate) unsafe fn not_started(_: *mut (), _: &mut Context<'_>) {
    panic!("process polled before it was started")
}

/// The right to act as one process. Not `Clone`.
pub struct Me(pub(crate) &'static Process);

/// The executor of one processor core, its alarms and its run queue. In the order written: the fields of each call are
/// where one instruction reaches it, before the large tables.
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
    pub(crate) ready: [Queue; PRIORITIES],
    /// Callers of other cores whose answers are written and not yet posted.
    pub(crate) answered: Queue,
    /// A process panicked and unwound (host tests only).
    pub(crate) failed: Cell<bool>,
    pub(crate) alarms: Cell<Option<&'static Process>>,
    /// Run queues of its programs on other cores.
    pub(crate) remote_queues: Cell<&'static [RemoteRunQueue]>,
    /// All cores on which programs of the board have run queues, a bit each.
    pub(crate) program_cores: Cell<u8>,
    /// A task of one of them is runnable.
    pub(crate) remote_requested: Cell<bool>,
    pub(crate) accounts: Cell<&'static [Account]>,
    pub(crate) system: Account,
    /// Until when time has been charged, ns.
    pub(crate) charged_ns: Cell<u64>,
    pub(crate) clock: fn(&Core) -> u64,
    pub(crate) now_ns: Cell<u64>,
    pub(crate) log: Cell<Log>,
    /// Whose program runs when no process is ready.
    pub(crate) run_queue: RunQueue<Process>,
    /// Programs of other home cores are queued on this core.
    pub(crate) remote_tasks: RemoteTasks<RemoteRunQueue>,
    /// All cores of the board, and those of programs' processes, a bit each. Of others this one reads their accounts'
    /// counts, and how long their programs ran elsewhere.
    pub(super) board: Cell<&'static [&'static Core]>,
    pub(crate) homes: Cell<u8>,
    /// Counts of accounts that were reset since ([`Core::charged`]).
    pub(crate) past: [AtomicU64; 3],
    /// The last lines of the log.
    pub(crate) lines: Lines,
    /// Events, inside a host program.
    #[cfg(feature = "host")]
    pub(crate) recorder: super::recorder::Recorder,
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
            lines: RefCell::new(HistoryBuf::new()),
            #[cfg(feature = "host")]
            recorder: super::recorder::Recorder::new(),
        }
    }
}

/// The payload of a message between cores.
#[derive(Clone, Copy)]
pub(crate) enum CorePayload {
    /// The call of the first one, for the second.
    Call(WaitingProcess, ProcessRef),
    /// The answer to its call.
    Reply(ProcessRef),
    /// Event flags for it.
    EventFlags(ProcessRef),
    /// Its call should be answered early.
    Cancellation(ProcessRef),
    /// A program's slice, on its way to another core or back.
    RemoteSlice(&'static RemoteRunQueue),
    /// That slice is to come back.
    RevokeSlice(&'static RemoteRunQueue),
}

// SAFETY: these views lead to what the core that takes the message may reach (`views.rs`, S1 of `remote_run_queue.rs`).
unsafe impl Send for CorePayload {}

/// A core as the others of its board see it: where messages for it go, and how it is woken.
pub struct CoreEndpoint {
    pub(crate) mailbox: Mailbox<CorePayload>,
    pub(crate) ipi: &'static (dyn Ipi + Sync),
    /// Runnable programs of its own at the last change: a hint to other home cores, unordered and perhaps old.
    pub(crate) load: AtomicU32,
}

impl CoreEndpoint {
    /// The endpoint of a core that `IPI` wakes.
    pub const fn new(ipi: &'static (dyn Ipi + Sync)) -> CoreEndpoint {
        CoreEndpoint { mailbox: Mailbox::new(), ipi, load: AtomicU32::new(0) }
    }
}

/// A process of any core: only that core opens it (`views.rs`).
#[derive(Clone, Copy)]
pub struct ProcessRef(pub(super) &'static Process);

/// A process whose call this core has: leads to the [`MessagePart`] only.
#[derive(Clone, Copy)]
pub struct WaitingProcess(pub(super) &'static Process);

/// A core of the board as the others see it: what it counts, which each core alone writes.
#[derive(Clone, Copy)]
pub(crate) struct OtherCore(pub(super) &'static Core);

/// A process as every core of the board may see it: ids, atomics, and where to post.
pub struct SharedProcess {
    /// Its own core, by number and endpoint, and the endpoints of all.
    pub(crate) home: u8,
    pub(crate) endpoint: &'static CoreEndpoint,
    pub(crate) endpoints: &'static [CoreEndpoint],
    /// The core that has its call.
    pub(crate) location: CallLocation,
    /// The server on another core that it called last ([`ProcId::to_word`]), for reports.
    pub(crate) called: AtomicU32,
    /// How its program shares the cores, once it has one.
    pub(crate) schedule: SharedRef<AccountSchedule>,
    pub(crate) events: EventFlags<CorePayload>,
    pub(crate) cancellation: EventFlags<CorePayload>,
}

/// What a process needs to call servers on other cores. The owner of the message reaches the cells (C1).
pub(crate) struct RemoteCall {
    /// The message of its call, on the core that has the call.
    pub(crate) message: Cell<Option<OwnedMessage<CorePayload>>>,
    /// The account that the call works for ([`AccountNumber::to_wire`](renga_abi::account::AccountNumber::to_wire)).
    pub(crate) account: Cell<u32>,
    /// The core that has the call, and its account of that number.
    pub(crate) here: Cell<&'static Core>,
    pub(crate) charged: Cell<&'static Account>,
    pub(crate) shared: SharedProcess,
}

/// The part of a slice that goes to the other core and back.
pub(crate) struct RemoteSlice {
    pub(crate) process: ProcessLink,
    /// The program's address space, as the image enters it.
    pub(crate) space: Cell<u64>,
    /// How long the slice may take yet, and how long it has taken, ns.
    pub(crate) left_ns: Cell<u64>,
    pub(crate) ran_ns: Cell<u64>,
    pub(crate) exit: Cell<Exit>,
}

/// The run queue of programs on one other core.
pub struct RemoteRunQueue {
    pub(crate) run_queue: RunQueue<Process>,
    /// The core of all their processes, and the endpoint of the one on which they run.
    pub(crate) home: &'static Core,
    pub(crate) endpoint: &'static CoreEndpoint,
    pub(crate) number: u8,
    /// How long programs have run there, ns; any core reads it.
    pub(crate) used_ns: AtomicU64,
    /// A task was enqueued, or a slice has come back.
    pub(crate) wanted: Cell<bool>,
    pub(crate) out: Cell<bool>,
    pub(crate) message: Cell<Option<OwnedMessage<CorePayload>>>,
    pub(crate) slice: RemoteSlice,
    pub(crate) revoke: Cell<Option<&'static EventFlags<CorePayload>>>,
}

/// The taker of a call, and the server that it names: one process, or the router and a process of another board.
#[derive(Clone, Copy)]
pub(crate) struct CallTarget {
    pub(crate) process: &'static Process,
    /// The server ([`ProcId::to_word`]).
    pub(crate) word: u32,
}

impl CallTarget {
    #[inline(always)]
    pub(crate) fn here(process: &'static Process) -> CallTarget {
        CallTarget { process, word: process.word }
    }
    pub(crate) fn id(self) -> ProcId {
        ProcId::from_word(self.word)
    }
}
