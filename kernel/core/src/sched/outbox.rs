//! Messages from this core to others: calls, replies, notifications and cancellations.
//!
//! Invariant: C1 to C4 of `remote_call.rs`. A core posts a call only while it owns the call's message; replies wait for
//! the end of the poll.
//! Called by: the ready queue, the rendezvous, rights to notify. Not here: what a core does with a message
//! (`remote_call.rs`), mailboxes (`kernel/sync`).

use crate::types::state::{Core, CoreEndpoint, CorePayload, Process, ProcessRef, SharedProcess, Wait, WaitingProcess};
use core::sync::atomic::Ordering;

/// Event flags of a process.
pub(crate) const NOTIFY: u32 = 1;
pub(crate) const CANCEL_WAIT: u32 = 2;
pub(crate) const SCHEDULE: u32 = 4;
/// The flag that follows a call.
const CALLER_CANCELLED: u32 = 1;

impl Process {
    /// Its wait is cancelled while its call is on another core or on its way: notifies the core that owns the call. A
    /// server that accepts the call later reads the flag.
    #[cold]
    pub(crate) fn cancel_remote_call(&'static self) {
        let shared = self.shared();
        shared.forward_cancellation(shared.location.cancel());
    }
}

impl WaitingProcess {
    /// Posts its call, which this core owns, to the core of `server`.
    #[cold]
    pub(crate) fn send_call(self, server: ProcessRef) {
        let remote = self.remote_part();
        if let Some(caller) = self.local() {
            caller.wait.set(Wait::ReplyElsewhere);
            remote.account.set(caller.core.account_word_of(caller));
            remote.shared.location.begin(caller.cancelled.get());
        }
        remote.shared.called.store(self.destination.get(), Ordering::Relaxed);
        self.send(CorePayload::Call(self, server), server);
    }

    /// The reply to its call, which this core owns, is written; the core posts it when the poll returns (C3).
    #[inline(always)]
    pub(crate) fn leave_reply(self) {
        self.remote_part().here.get().answered.push(self.any());
    }

    fn send(self, payload: CorePayload, to: ProcessRef) {
        let remote = self.remote_part();
        let Some(mut message) = remote.message.take() else { unreachable!("the owner of a call owns its message") };
        *message.payload() = payload;
        remote.shared.location.depart();
        let endpoint = to.home();
        endpoint.mailbox.post(message, endpoint.ipi);
    }
}

impl SharedProcess {
    /// From another core: has its own core notify it, cancel its wait, or take its schedule.
    pub(crate) fn set_events(&'static self, flags: u32) {
        self.events.set(flags, &self.endpoint.mailbox, self.endpoint.ipi);
    }

    /// Notifies `core`, which owned the call a moment ago, unless it is the process's own: the reply has come there.
    pub(crate) fn forward_cancellation(&'static self, core: Option<u8>) {
        let Some(core) = core.filter(|&core| core != self.home) else { return };
        let endpoint = &self.endpoints[usize::from(core)];
        self.cancellation.set(CALLER_CANCELLED, &endpoint.mailbox, endpoint.ipi);
    }
}

impl Core {
    #[inline(always)]
    pub(crate) fn endpoint(&self) -> &'static CoreEndpoint {
        match self.endpoint {
            Some(endpoint) => endpoint,
            None => unreachable!("a core of several has an endpoint"),
        }
    }

    /// Posts the replies of the last poll (C3).
    #[inline(never)]
    pub(crate) fn send_answers(&self) {
        while let Some(caller) = self.answered.pop() {
            caller.calling().send(CorePayload::Reply(caller), caller);
        }
    }
}
