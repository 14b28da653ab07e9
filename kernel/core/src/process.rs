//! The header of a system process, and the right to act as one.
//!
//! Invariant: a header lives for ever (I1 of `rendezvous.rs`) and holds the one outstanding call of
//! its process, so a server's handle on that call never dangles. Not here: what a process does; its
//! future is only a pointer pair to the header.

use crate::account::{Account, Count};
use crate::arena::Arena;
use crate::queue::{Link, Queue};
use crate::ready::{Core, PRIORITIES};
use crate::remote_call::RemoteCall;
use core::cell::Cell;
use core::task::Context;
use renga_abi::ProcId;
use renga_abi::user::{Trap, UserContext};
use renga_sched::{NOWHERE, Placed};
use renga_sched::{RunQueue, Task, TaskKey};

/// What a process waits for; only the process itself and whoever completes the wait write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Wait {
    /// Not waiting: ready, or running.
    Nothing,
    /// Its message is written, not sent.
    Prepared,
    /// Its call is at the server.
    Reply,
    /// Its call has gone to a server of another core.
    ReplyElsewhere,
    /// The reply is in the header.
    Replied,
    /// A call to one of its open entries.
    Accept,
    /// An interrupt, an alarm or another notification.
    Notification,
    /// Its turn, after others of its priority.
    Turn,
    /// Its user program: ready to run, or running.
    User,
    /// It never runs: it stands for a process of another core.
    RemoteHandle,
    /// As `Reply`, and its poll is still on the stack below the server's.
    ReplyInPlace = IN_PLACE,
    /// As `ReplyInPlace`, and the server has passed the call on.
    Forwarded,
}

/// The bit of those whose poll is on the stack, which one instruction tests.
const IN_PLACE: u8 = 1 << 7;

impl Wait {
    #[inline(always)]
    pub(crate) fn is_in_place(self) -> bool {
        self as u8 & IN_PLACE != 0
    }
}

/// Words that a message carries beside its slices.
pub const WORDS: usize = 6;
/// The words of a message.
pub type Words = [Cell<u64>; WORDS];
pub(crate) type Body = (unsafe fn(*mut (), &mut Context<'_>), *mut ());

impl Placed for Process {
    type Order = TaskKey;
    #[inline(always)]
    fn order(&self) -> TaskKey {
        self.order.get()
    }
    #[inline(always)]
    fn place(&self) -> &Cell<u16> {
        &self.heap_place
    }
}

impl Task for Process {
    #[inline(always)]
    fn account(&self) -> &'static Account {
        self.account.get()
    }
    #[inline(always)]
    fn set_order(&self, order: TaskKey) {
        self.order.set(order);
    }
    #[inline(always)]
    fn is_runnable(&self) -> bool {
        self.wait.get() == Wait::User
    }
    #[inline(always)]
    fn is_wait_cancelled(&self) -> bool {
        self.cancelled.get()
    }
    #[inline(always)]
    fn is_program(&self) -> bool {
        self.charged_as.get() == Count::SystemNs
    }
}

/// Header of a process. In the order written: what each call reads and writes is where one instruction reaches it.
#[repr(C)]
pub struct Process {
    pub(crate) core: &'static Core,
    pub(crate) link: Link,
    /// Whose call it took last; kept, since what it does next is done for that caller.
    pub(crate) accepted: Link,
    /// Entries that its waiting accept takes; 0 when it does not wait in accept.
    pub(crate) open: Cell<u32>,
    pub(crate) op: Cell<u32>,
    /// Whom it called last ([`ProcId::to_word`]): the process that was handed the call, or one of another board.
    pub(crate) destination: Cell<u32>,
    pub(crate) wait: Cell<Wait>,
    pub(crate) priority: u8,
    pub(crate) notified: Cell<bool>,
    pub(crate) cancelled: Cell<bool>,
    pub(crate) body: Cell<Body>,
    pub(crate) callers: Queue,
    pub(crate) words: Words,
    /// The slice given and the slice taken; of one not lent only the length, 0, is written.
    pub(crate) given: Cell<*const u8>,
    pub(crate) given_bytes: Cell<usize>,
    pub(crate) taken: Cell<*mut u8>,
    pub(crate) taken_bytes: Cell<usize>,
    /// Bytes of the taken slice that the server says it wrote; only proxies read it.
    pub(crate) taken_used: Cell<usize>,
    /// Who has its call, if it was not answered in place: of calls to other boards the router. Of a gate: for whom it
    /// stands.
    pub(crate) server: Link,
    pub(crate) alarm_ns: Cell<u64>,
    pub(crate) alarm_link: Link,
    /// Where it waits for its run queue: its core's, or those of another core on which its program runs.
    pub(crate) run_queue: Cell<&'static RunQueue<Process>>,
    pub(crate) user: Cell<*mut UserContext>,
    pub(crate) trap: Cell<Trap>,
    /// The account that it works for; the system's: that of its last caller.
    pub(crate) account: Cell<&'static Account>,
    /// While it waits for a turn: when it is due, and where in the heap it stands.
    pub(crate) order: Cell<TaskKey>,
    /// What it needs between cores; never changed once others know of it.
    pub(crate) remote: Cell<Option<&'static RemoteCall>>,
    /// The entries of the protocol that it serves; a call from another board is checked against it.
    pub(crate) entries: Cell<u32>,
    pub(crate) user_space: Cell<u32>,
    /// Who it is ([`ProcId::to_word`]).
    pub(crate) word: u32,
    pub(crate) heap_place: Cell<u16>,
    /// The board for which it calls: its own, but for a proxy.
    pub(crate) calls_for: Cell<u8>,
    /// Boards that have begun anew, a bit each, of which the process was told since it asked last.
    pub(crate) rebooted: Cell<u8>,
    /// As what its dispatches are charged.
    pub(crate) charged_as: Cell<Count>,
}

impl Process {
    /// A header for the process `id` on `core`; it runs once it is started.
    ///
    /// # Panics
    /// If `priority` is not below [`PRIORITIES`].
    pub const fn new(core: &'static Core, priority: u8, id: ProcId) -> Process {
        assert!((priority as usize) < PRIORITIES);
        Process {
            link: Cell::new(None),
            open: Cell::new(0),
            wait: Cell::new(Wait::Nothing),
            priority,
            notified: Cell::new(false),
            cancelled: Cell::new(false),
            accepted: Cell::new(None),
            core,
            body: Cell::new((crate::rendezvous::not_started, core::ptr::null_mut())),
            callers: Queue::new(),
            op: Cell::new(0),
            destination: Cell::new(0),
            words: [const { Cell::new(0) }; WORDS],
            given: Cell::new(core::ptr::dangling()),
            given_bytes: Cell::new(0),
            taken: Cell::new(core::ptr::dangling_mut()),
            taken_bytes: Cell::new(0),
            taken_used: Cell::new(0),
            server: Cell::new(None),
            entries: Cell::new(0),
            calls_for: Cell::new(id.board.0),
            rebooted: Cell::new(0),
            alarm_ns: Cell::new(u64::MAX),
            alarm_link: Cell::new(None),
            run_queue: Cell::new(&core.run_queue),
            user: Cell::new(core::ptr::null_mut()),
            user_space: Cell::new(0),
            trap: Cell::new(Trap::Preempted),
            account: Cell::new(&core.system),
            charged_as: Cell::new(Count::BehalfNs),
            order: Cell::new(TaskKey::NONE),
            heap_place: Cell::new(NOWHERE),
            remote: Cell::new(None),
            word: id.to_word(),
        }
    }

    /// What `core` has for it: itself if it is there, else a gate, which is never open, so that a call to it, one of
    /// `entries`, is posted.
    pub fn handle_on(&'static self, core: &'static Core, arena: &Arena, entries: u32) -> &'static Process {
        if core::ptr::eq(self.core, core) {
            return self;
        }
        let (wait, server, entries) = (Cell::new(Wait::RemoteHandle), Cell::new(Some(self)), Cell::new(entries));
        arena.put(|| Process { wait, server, entries, ..Process::new(core, self.priority, self.id()) })
    }
    /// Of a gate: the server of another core for which it stands.
    #[inline(always)]
    pub(crate) fn remote_server(&self) -> Option<&'static Process> {
        if self.wait.get() == Wait::RemoteHandle { self.server.get() } else { None }
    }

    /// Who this is.
    #[inline(always)]
    pub fn id(&self) -> ProcId {
        ProcId::from_word(self.word)
    }
    /// Where it runs.
    pub fn core(&self) -> &'static Core {
        self.core
    }
    /// What it waits for now; for wait-for graphs and panic reports.
    pub fn wait(&self) -> Wait {
        self.wait.get()
    }
    /// The process whose reply it waits for, if it does and the call was not answered in place.
    pub fn waits_for(&self) -> Option<ProcId> {
        match self.wait.get() {
            Wait::Reply => Some(ProcId::from_word(self.destination.get())),
            Wait::ReplyElsewhere => Some(ProcId::from_word(self.asked_elsewhere())),
            _ => None,
        }
    }
    /// The operation of its outstanding or last call.
    pub fn op(&self) -> u32 {
        self.op.get()
    }
}

/// The right to act as one process. Not `Clone`.
pub struct Me(pub(crate) &'static Process);

impl Me {
    /// Who this is.
    pub fn id(&self) -> ProcId {
        self.0.id()
    }
    /// One line in the kernel's log, with two figures.
    pub fn log(&self, text: &'static str, figures: [u64; 2]) {
        self.0.core.log(self.0.id(), text, figures);
    }
    /// Virtual or real time since boot, ns.
    pub fn now_ns(&self) -> u64 {
        self.0.core.now_ns()
    }
}
