//! Views of a process: which of its data a core reaches, and the ways from a view back to the header.
//!
//! Invariant: a core has `&Process` only of its own processes. Other cores receive views, which lead to what travels
//! with a message ([`MessagePart`]) or is for all ([`SharedProcess`]); there a read of another cell does not compile
//! (`host/refusals.rs`).

use super::state::{Core, CoreEndpoint, MessagePart, OtherCore, Process, ProcessRef, SharedProcess, WaitingProcess};
use super::wait::Wait;
use core::ops::Deref;
use core::sync::atomic::Ordering;
use renga_abi::account::AccountNumber;
use renga_sched::Account;

impl Deref for Process {
    type Target = MessagePart;
    #[inline(always)]
    fn deref(&self) -> &MessagePart {
        &self.message
    }
}

impl Deref for WaitingProcess {
    type Target = MessagePart;
    #[inline(always)]
    fn deref(&self) -> &MessagePart {
        &self.0.message
    }
}

impl Process {
    /// For other cores.
    #[inline(always)]
    pub(crate) fn any(&'static self) -> ProcessRef {
        ProcessRef(self)
    }
}

impl ProcessRef {
    /// The header, if `here` is its own core, on which this runs.
    #[inline(always)]
    pub(crate) fn on(self, here: &Core) -> Option<&'static Process> {
        core::ptr::eq(self.0.core, here).then_some(self.0)
    }
    /// As above, of a message that goes to its own core only.
    #[inline(always)]
    pub(crate) fn arrived(self, here: &Core) -> &'static Process {
        debug_assert!(core::ptr::eq(self.0.core, here), "a message came to the wrong core");
        self.0
    }
    /// Its own core, to post to.
    #[inline(always)]
    pub(crate) fn home(self) -> &'static CoreEndpoint {
        self.0.core.endpoint()
    }
    /// Of a process whose call this core has.
    #[inline(always)]
    pub(crate) fn calling(self) -> WaitingProcess {
        WaitingProcess(self.0)
    }
    /// Of a process whose call or whose program's slice this core has.
    #[inline(always)]
    pub(crate) fn part(self) -> &'static MessagePart {
        &self.0.message
    }
    /// What all cores may see.
    pub(crate) fn shared(self) -> &'static SharedProcess {
        self.0.shared()
    }
    /// Records an event of the process, inside a host program.
    #[cfg(feature = "host")]
    pub(crate) fn record(self, event: impl FnOnce() -> super::events::Event) {
        self.0.core.recorder.record(|| self.0.core.now_ns(), event);
    }
}

impl Core {
    /// The cores of the board, this one included: once, before any other starts.
    pub(crate) fn set_all_cores(&self, cores: &'static [&'static Core]) {
        self.board.set(cores);
    }
    /// All cores of the board, this one first.
    pub(crate) fn all_cores(&'static self) -> impl Iterator<Item = OtherCore> {
        core::iter::once(OtherCore(self)).chain(self.others())
    }
    /// The other cores of the board.
    #[inline(always)]
    pub(crate) fn others(&self) -> impl Iterator<Item = OtherCore> {
        self.board.get().iter().filter(|core| core.number != self.number).map(|core| OtherCore(core))
    }
}

impl OtherCore {
    pub(crate) fn number(self) -> u8 {
        self.0.number
    }
    pub(crate) fn account(self, number: AccountNumber) -> &'static Account {
        self.0.account(number)
    }
    pub(crate) fn charged(self) -> [u64; 3] {
        self.0.charged()
    }
    /// How long its programs have run on each other core: the core's number, ns.
    pub(crate) fn ran_elsewhere(self) -> impl Iterator<Item = (u8, u64)> {
        self.0.remote_queues.get().iter().map(|queue| (queue.number, queue.used_ns.load(Ordering::Relaxed)))
    }
}

impl WaitingProcess {
    /// The header, if its call has not come from another core: so this is its own. No other core writes `wait`, nor
    /// does its own while the call is elsewhere.
    #[inline(always)]
    pub(crate) fn local(self) -> Option<&'static Process> {
        (self.0.wait.get() != Wait::ReplyElsewhere).then_some(self.0)
    }
    /// As above, if its poll is still on the stack.
    #[inline(always)]
    pub(crate) fn in_place(self) -> Option<&'static Process> {
        self.0.wait.get().is_in_place().then_some(self.0)
    }
    #[inline(always)]
    pub(crate) fn any(self) -> ProcessRef {
        ProcessRef(self.0)
    }
}
