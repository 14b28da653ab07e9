//! What a header says of its process: identity, wait, task of the run queue, and its part of calls between cores.
//!
//! Not here: the fields (`state.rs`), what changes them (the layers above).

use crate::types::arena::Arena;
use crate::types::state::{Core, IN_PLACE, MessagePart, Process, RemoteCall, SharedProcess, Wait, WaitingProcess};
use core::cell::Cell;
use core::sync::atomic::Ordering;
use renga_abi::ProcId;
use renga_abi::account::Count;
use renga_sched::{Account, HeapItem, Task, TaskKey};

impl Wait {
    #[inline(always)]
    pub(crate) fn is_in_place(self) -> bool {
        self as u8 & IN_PLACE != 0
    }
}

impl HeapItem for Process {
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

impl Process {
    /// What `core` has for it: itself if it is there, else a remote handle, to which a call of an entry is posted.
    pub fn handle_on(&'static self, core: &'static Core, arena: &Arena, entries: u32) -> &'static Process {
        if core::ptr::eq(self.core, core) {
            return self;
        }
        let handle = arena.put(|| Process::new(core, self.priority, self.id()));
        handle.wait.set(Wait::RemoteHandle);
        handle.stands_for.set(Some(self.any()));
        handle.entries.set(entries);
        handle
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
            Wait::ReplyElsewhere => Some(ProcId::from_word(self.server_elsewhere())),
            _ => None,
        }
    }
    /// What it does from now on is done for `caller`, whose call it has.
    #[inline(always)]
    pub(crate) fn work_for(&self, caller: WaitingProcess) {
        if caller.local().is_none() {
            self.far_account.set(caller.remote_part().charged.get());
        }
    }

    /// Gives it its part in calls between cores, once.
    pub(crate) fn set_remote_part(&self, remote: &'static RemoteCall) {
        assert!(self.remote.replace(Some(remote)).is_none(), "a process has one message");
    }

    /// Other cores see the schedule of `account` from now on.
    pub(crate) fn share_schedule(&self, account: &'static Account) {
        if let Some(remote) = self.remote.get() {
            remote.shared.schedule.set(account.schedule());
        }
    }
}

impl MessagePart {
    /// The process's number.
    #[inline(always)]
    pub fn id(&self) -> ProcId {
        ProcId::from_word(self.word)
    }
    /// The operation of its outstanding or last call.
    pub fn op(&self) -> u32 {
        self.op.get()
    }
    #[inline(always)]
    pub(crate) fn remote_part(&self) -> &'static RemoteCall {
        match self.remote.get() {
            Some(remote) => remote,
            None => panic!("a process of one core only is wanted on another one"),
        }
    }
    /// What other cores may see of it.
    ///
    /// # Panics
    /// If it has no part in calls between cores ([`Process::enable_remote_calls`]).
    #[inline(always)]
    pub fn shared(&self) -> &'static SharedProcess {
        &self.remote_part().shared
    }

    /// Of a process whose call is on another core: the server that has the call.
    pub(crate) fn server_elsewhere(&self) -> u32 {
        self.shared().called.load(Ordering::Relaxed)
    }
}

/// Whether `process` has a program to run. Without one it lets programs go first, for what it does itself.
pub(crate) fn has_program(process: &Process) -> bool {
    !process.user.get().is_null()
}
