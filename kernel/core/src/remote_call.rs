//! What goes between the cores of a board: calls and their answers by message, notifications, interruptions and schedules by signal. (RunQueue of
//! programs, which go the same way: `remote_run_queue.rs`.)
//!
//! A call to a server of another core finds a *gate* in its place (`Process::handle_on`), which is never open. So the path
//! within a core has no test for cores; the one to a closed entry posts the call.
//!
//! C1 Who has a process's message has the right to its message: words and slices, the link that queues it, `server`,
//!    and the cells of [`RemoteCall`]. A core has it from the take that hands it out until it posts it.
//! C2 A process's `wait` and its other cells are its own core's. While it is `ReplyElsewhere` nobody writes `wait`, so the core
//!    that has the call may read it; of what never changes (`core`, `word`, `remote`, a user slot's `account`) all may read.
//! C3 Answers of a poll are posted when it is over, so that a server calls nobody to answer; between polls none is left.
//! C4 What is told by a signal is decided on the core of who is told.
//!
//! Not here: how messages cross (`kernel/sync`), how an IPI is pending (the image), which core has what (placement).

use crate::account::Account;
use crate::arena::Arena;
use crate::process::{Process, Wait};
use crate::ready::Core;
use crate::remote_run_queue::RemoteRunQueue;
use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering};
use renga_sync::{CallLocation, CoreMessage, EventFlags, Ipi, Mailbox, OwnedMessage};

/// Bits of a process's signal.
pub(crate) const NOTIFY: u32 = 1;
pub(crate) const CANCEL_WAIT: u32 = 2;
pub(crate) const SCHEDULE: u32 = 4;
/// The bit of the signal that goes after a call.
const CALLER_CANCELLED: u32 = 1;

/// What a message says.
#[derive(Clone, Copy)]
pub(crate) enum CorePayload {
    /// The call of the first one, for the second.
    Call(&'static Process, &'static Process),
    /// The answer to its call.
    Reply(&'static Process),
    /// Signals for it.
    EventFlags(&'static Process),
    /// Its call should be answered early.
    Cancellation(&'static Process),
    /// A turn of a program, on its way to another core or back.
    Turn(&'static RemoteRunQueue),
    /// That turn is wanted back.
    Recall(&'static RemoteRunQueue),
}

// SAFETY: of what is named only what C1, C2 and S1 (`remote_run_queue.rs`) allow is reached by the core that takes the message.
unsafe impl Send for CorePayload {}

/// A core as the others of its board see it: where messages for it go, and how it is woken.
pub struct CoreEndpoint {
    pub(crate) mailbox: Mailbox<CorePayload>,
    pub(crate) ipi: &'static (dyn Ipi + Sync),
    /// How many of its own programs wanted a turn on that core when one asked last, or it found none: a hint to other homes,
    /// which orders nothing and may be old.
    pub(crate) load: AtomicU32,
}

impl CoreEndpoint {
    /// The endpoint of a core that `IPI` wakes.
    pub const fn new(ipi: &'static (dyn Ipi + Sync)) -> CoreEndpoint {
        CoreEndpoint { mailbox: Mailbox::new(), ipi, load: AtomicU32::new(0) }
    }
}

/// What a process needs so that others of other cores reach it, and it them.
pub(crate) struct RemoteCall {
    /// The message of its call, where the call is.
    message: Cell<Option<OwnedMessage<CorePayload>>>,
    location: CallLocation,
    /// Whom it asked last of another core ([`ProcId::to_word`](renga_abi::ProcId::to_word)), for reports.
    asked: AtomicU32,
    /// For whom it calls ([`AccountNumber::to_wire`](crate::account::AccountNumber::to_wire)).
    account: Cell<u32>,
    /// The core that has the call, and its account of that number.
    here: Cell<&'static Core>,
    charged: Cell<&'static Account>,
    /// The account of its last caller, if that is of another core; the process's own core's.
    far_account: Cell<&'static Account>,
    signal: EventFlags<CorePayload>,
    cancellation: EventFlags<CorePayload>,
}

impl Process {
    /// Gives it what it needs between cores, out of `arena`: once, before anything is known of it elsewhere.
    ///
    /// # Panics
    /// If it has that already.
    pub fn enable_remote_calls(&'static self, arena: &Arena) {
        let message = arena.put(|| CoreMessage::new(CorePayload::Reply(self)));
        let remote = arena.put(|| RemoteCall {
            message: Cell::new(Some(message.into_owned())),
            location: CallLocation::new(self.core.number),
            asked: AtomicU32::new(0),
            account: Cell::new(0),
            here: Cell::new(self.core),
            charged: Cell::new(&self.core.system),
            far_account: Cell::new(&self.core.system),
            signal: EventFlags::new(CorePayload::EventFlags(self)),
            cancellation: EventFlags::new(CorePayload::Cancellation(self)),
        });
        assert!(self.remote.replace(Some(remote)).is_none(), "a process crosses by one message");
    }

    #[inline(always)]
    fn remote(&self) -> &'static RemoteCall {
        match self.remote.get() {
            Some(remote) => remote,
            None => panic!("a process of one core only is wanted on another one"),
        }
    }

    /// Of a process whose call has come from another core: for whom it is made, as one word.
    pub(crate) fn account_sent(&self) -> Option<u32> {
        (self.wait.get() == Wait::ReplyElsewhere).then(|| self.remote().account.get())
    }

    /// What it does from now on is done for `caller`, whose call it has.
    #[inline(always)]
    pub(crate) fn work_for(&self, caller: &Process) {
        if caller.wait.get() == Wait::ReplyElsewhere {
            self.remote().far_account.set(caller.remote().charged.get());
        }
    }

    /// The account of its last caller, which is of another core.
    pub(crate) fn far_account(&self) -> &'static Account {
        self.remote().far_account.get()
    }

    /// Of a process whose call is on another core than itself: whether it is cancelled.
    pub(crate) fn is_cancelled_elsewhere(&self) -> bool {
        self.remote().location.is_cancelled()
    }

    /// Of a process whose call is on another core than itself: who has it.
    pub(crate) fn asked_elsewhere(&self) -> u32 {
        self.remote().asked.load(Ordering::Relaxed)
    }

    /// Posts its call, which this core has, to the core of `server`.
    #[cold]
    pub(crate) fn send_call(&'static self, server: &'static Process) {
        let remote = self.remote();
        if self.wait.get() != Wait::ReplyElsewhere {
            // It is of this core, and so are the cells read here.
            self.wait.set(Wait::ReplyElsewhere);
            remote.account.set(self.core.account_word_of(self));
            remote.location.begin(self.cancelled.get());
        }
        remote.asked.store(self.destination.get(), Ordering::Relaxed);
        self.send(CorePayload::Call(self, server), server.core);
    }

    /// The answer to its call, which this core has, is written: it is posted when the poll is over (C3).
    #[inline(always)]
    pub(crate) fn leave_reply(&'static self) {
        self.remote().here.get().answered.push(self);
    }

    fn send(&'static self, parcel: CorePayload, to: &Core) {
        let remote = self.remote();
        let Some(mut message) = remote.message.take() else { unreachable!("who has a call has its message") };
        *message.payload() = parcel;
        remote.location.depart();
        let endpoint = to.endpoint();
        endpoint.mailbox.post(message, endpoint.ipi);
    }

    /// Its message has come to core `here`.
    fn receive(&self, message: OwnedMessage<CorePayload>, here: &Core) {
        let remote = self.remote();
        remote.message.set(Some(message));
        remote.location.arrive(here.number);
    }

    /// From another core: has its own core notify or interrupt it, or take its schedule.
    pub(crate) fn raise(&'static self, bits: u32) {
        let (remote, endpoint) = (self.remote(), self.core.endpoint());
        remote.signal.set(bits, &endpoint.mailbox, endpoint.ipi);
    }

    /// It is cancelled, and its call is on another core or on its way: whoever has it is told; a server
    /// that accepts it later looks.
    #[cold]
    pub(crate) fn cancel_remote_call(&'static self) {
        self.forward_cancellation(self.remote().location.cancel());
    }

    /// Tells `core`, which had the call a moment ago, if it is not the process's own, to which the answer has come then.
    fn forward_cancellation(&'static self, core: Option<u8>) {
        let Some(core) = core.filter(|&core| core != self.core.number) else { return };
        let endpoint = &self.core.endpoints[usize::from(core)];
        self.remote().cancellation.set(CALLER_CANCELLED, &endpoint.mailbox, endpoint.ipi);
    }
}

impl Core {
    #[inline(always)]
    pub(crate) fn endpoint(&self) -> &'static CoreEndpoint {
        match self.endpoint {
            Some(endpoint) => endpoint,
            None => unreachable!("whoever has a remote is behind a endpoint"),
        }
    }

    /// Takes in what other cores have posted, if anything; to be called before each dispatch. Whom it makes ready is polled
    /// at once if it would be the next.
    #[inline(always)]
    pub fn drain_mailbox(&self) {
        if let Some(endpoint) = self.endpoint
            && !endpoint.mailbox.is_empty()
        {
            self.take_all(endpoint);
        }
    }

    /// From now on whoever posts something rings: to be called before a program runs, and before the core sleeps. False
    /// if something is there already: it must do neither.
    #[inline(always)]
    pub fn mark_away(&self) -> bool {
        self.endpoint.is_none_or(|endpoint| endpoint.mailbox.mark_away())
    }

    /// The core looks again: silences the IPI and takes in what is there.
    #[inline(always)]
    pub fn resume_polling(&self) {
        if let Some(endpoint) = self.endpoint {
            endpoint.ipi.acknowledge();
            self.take_all(endpoint);
        }
    }

    /// Posts the answers that the last poll has left (C3).
    #[inline(never)]
    pub(crate) fn send_answers(&self) {
        while let Some(caller) = self.answered.pop() {
            caller.send(CorePayload::Reply(caller), caller.core);
        }
    }

    #[inline(never)]
    fn take_all(&self, endpoint: &CoreEndpoint) {
        endpoint.mailbox.drain(|mut message| match *message.payload() {
            CorePayload::Call(caller, server) => self.take_call(message, caller, server),
            CorePayload::Reply(caller) => {
                caller.receive(message, self);
                caller.wait.set(Wait::Replied);
                self.resume(caller, || self.now_ns());
            }
            CorePayload::EventFlags(process) => {
                let bits = process.remote().signal.take(message);
                if bits & NOTIFY != 0 {
                    process.notify();
                }
                if bits & SCHEDULE != 0 {
                    process.take_schedule();
                }
                if bits & CANCEL_WAIT != 0 {
                    process.cancel_wait();
                }
            }
            CorePayload::Cancellation(caller) => self.take_cancellation(message, caller),
            CorePayload::Turn(remote_queue) => remote_queue.receive(message, self),
            CorePayload::Recall(remote_queue) => remote_queue.take_recall(message, self),
        });
    }

    fn take_call(&self, message: OwnedMessage<CorePayload>, caller: &'static Process, server: &'static Process) {
        caller.receive(message, self);
        if core::ptr::eq(caller.core, self) {
            // Somebody elsewhere has passed it on to here: from now on it is a call within this core.
            caller.wait.set(Wait::Reply);
        } else {
            let remote = caller.remote();
            remote.here.set(server.core);
            remote.charged.set(server.core.account_sent(remote.account.get()));
        }
        caller.server.set(Some(server));
        if server.open.get() >> caller.op.get() & 1 == 0 {
            server.callers.push(caller);
        } else {
            server.take(caller);
            server.work_for(caller);
            self.resume(server, || self.now_ns());
        }
    }

    /// The caller was interrupted while its call was here. Meanwhile the call may have gone, or another one come.
    fn take_cancellation(&self, message: OwnedMessage<CorePayload>, caller: &'static Process) {
        let remote = caller.remote();
        remote.cancellation.take(message);
        let core = remote.location.core();
        if core != Some(self.number) {
            return caller.forward_cancellation(core);
        }
        if let Some(server) = caller.server.get() {
            server.notify();
        }
    }
}
