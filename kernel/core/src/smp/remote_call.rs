//! Calls between the cores of a board: setup, and delivery of messages. Calls and answers travel as messages;
//! notifications, cancelled waits and schedules as event flags. (Programs travel the same way: `remote_run_queue.rs`.)
//!
//! A client of another core's server has a *remote handle* in its place (`Process::handle_on`), which is never open. So
//! the path within a core tests nothing for cores; the path to a closed entry posts the call.
//!
//! C1 The owner of a process's message owns its call: the header's [`MessagePart`] and the cells of [`RemoteCall`]. A
//!    core owns the message from the drain that returns it until it posts it.
//! C2 All other cells are for the process's own core; others receive views (`types/views.rs`). Of these cells they read
//!    `wait` alone, by [`WaitingProcess::local`], and the process's core does not write that before the reply.
//! C3 Replies to other cores are queued during a poll and posted when it returns; between polls the queue is empty.
//! C4 The core that receives event flags decides what they do.
//!
//! Called by: the core's loop (image). Not here: posting (`outbox.rs`), mailboxes (`kernel/sync`), IPIs (the image),
//! which core has which process (placement).

use crate::sched::{CANCEL_WAIT, NOTIFY, SCHEDULE};
use crate::types::arena::Arena;
use crate::types::state::{Core, CoreEndpoint, CorePayload, Process, ProcessRef, RemoteCall, SharedProcess, Wait};
use crate::types::state::{MessagePart, WaitingProcess};
use core::cell::Cell;
use core::sync::atomic::AtomicU32;
use renga_sync::{CallLocation, CoreMessage, EventFlags, OwnedMessage, SharedRef};

impl Process {
    /// Gives it its part in calls between cores, out of `arena`: once, before other cores know of it.
    ///
    /// # Panics
    /// If it has that already.
    pub fn enable_remote_calls(&'static self, arena: &Arena) {
        let message = arena.put(|| CoreMessage::new(CorePayload::Reply(self.any())));
        let shared = SharedProcess {
            home: self.core.number,
            endpoint: self.core.endpoint(),
            endpoints: self.core.endpoints,
            location: CallLocation::new(self.core.number),
            called: AtomicU32::new(0),
            schedule: SharedRef::new(self.account.get().schedule()),
            events: EventFlags::new(CorePayload::EventFlags(self.any())),
            cancellation: EventFlags::new(CorePayload::Cancellation(self.any())),
        };
        let remote = arena.put(|| RemoteCall {
            message: Cell::new(Some(message.own())),
            account: Cell::new(0),
            here: Cell::new(self.core),
            charged: Cell::new(&self.core.system),
            shared,
        });
        self.set_remote_part(remote);
    }
}

impl MessagePart {
    /// Its message has come to core `here`.
    fn receive(&self, message: OwnedMessage<CorePayload>, here: &Core) {
        let remote = self.remote_part();
        remote.message.set(Some(message));
        remote.shared.location.arrive(here.number);
    }
}

impl Core {
    /// Delivers the messages of other cores, if any; called before each dispatch. A process that becomes ready is
    /// polled at once if it would be the next.
    #[inline(always)]
    pub fn drain_mailbox(&self) {
        if let Some(endpoint) = self.endpoint
            && !endpoint.mailbox.is_empty()
        {
            self.take_all(endpoint);
        }
    }

    /// From now on a post sends an IPI; called before a program runs, and before the core sleeps. False
    /// if a message has come already: the core must do neither.
    #[inline(always)]
    pub fn stop_polling(&self) -> bool {
        self.endpoint.is_none_or(|endpoint| endpoint.mailbox.stop_polling())
    }

    /// The core polls again: acknowledges the IPI and delivers the messages.
    #[inline(always)]
    pub fn resume_polling(&self) {
        if let Some(endpoint) = self.endpoint {
            endpoint.ipi.acknowledge();
            self.take_all(endpoint);
        }
    }

    #[inline(never)]
    fn take_all(&self, endpoint: &CoreEndpoint) {
        endpoint.mailbox.drain(|mut message| match *message.payload() {
            CorePayload::Call(caller, server) => self.take_call(message, caller, server),
            CorePayload::Reply(caller) => {
                let caller = caller.arrived(self);
                caller.receive(message, self);
                caller.wait.set(Wait::Replied);
                self.resume(caller, || self.now_ns());
            }
            CorePayload::EventFlags(process) => {
                let process = process.arrived(self);
                let bits = process.shared().events.take(message);
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
            CorePayload::RemoteSlice(remote_queue) => remote_queue.receive(message, self),
            CorePayload::RevokeSlice(remote_queue) => remote_queue.take_revoke(message, self),
        });
    }

    fn take_call(&self, message: OwnedMessage<CorePayload>, caller: WaitingProcess, server: ProcessRef) {
        let server = server.arrived(self);
        caller.receive(message, self);
        if let Some(caller) = caller.any().on(self) {
            // A server elsewhere has forwarded it to here: from now on it is a call within this core.
            caller.wait.set(Wait::Reply);
        } else {
            let remote = caller.remote_part();
            remote.here.set(server.core);
            remote.charged.set(server.core.account_sent(remote.account.get()));
        }
        caller.server.set(Some(server));
        if server.open.get() >> caller.op.get() & 1 == 0 {
            server.callers.push(caller.any());
        } else {
            server.take(caller.any());
            server.work_for(caller);
            self.resume(server, || self.now_ns());
        }
    }

    /// The caller's wait was cancelled while its call was here. The call may have left since, or another one come.
    fn take_cancellation(&self, message: OwnedMessage<CorePayload>, caller: ProcessRef) {
        let shared = caller.shared();
        shared.cancellation.take(message);
        let core = shared.location.core();
        if core != Some(self.number) {
            return shared.forward_cancellation(core);
        }
        if let Some(server) = caller.calling().server.get() {
            server.notify();
        }
    }
}
