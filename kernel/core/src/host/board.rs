//! Processes inside a host program: the harness of tests and of the simulator.
//!
//! Invariant: its parts are leaked, as a board never frees them ([`HostBoard::within`]: they end with its memory). Its
//! functions are safe to call under one condition that a test keeps: only a process's own future uses its `Me`, ports
//! and clients. Not here: time and interrupts; the test drives them through the core.

use crate::ipc::address::{Address, Members};
use crate::ipc::protocol::Protocol;
use crate::ipc::typed::Port;
use crate::types::arena::Arena;
use crate::types::events::Events;
use crate::types::state::{Core, Me, Process};
use core::convert::Infallible as Never;
use core::future::Future;
use renga_abi::ProcId;
use std::boxed::Box;
use std::cell::RefCell;
use std::vec;
use std::vec::Vec;

/// One board: core, arena, a counter of processes.
#[derive(Clone, Copy)]
pub struct HostBoard {
    /// Its core.
    pub core: &'static Core,
    /// Its boot memory.
    pub arena: &'static Arena,
    pub(crate) number: u8,
    pub(crate) processes: &'static RefCell<Vec<&'static Process>>,
}

/// Dispatches after which a test that does not come to rest is called endless.
const DISPATCHES_MAX: u64 = 50_000_000;

/// The arena's own share of a borrowed memory, in words of 16 bytes.
const ARENA_WORDS: usize = size_of::<Arena>().div_ceil(16) + 1;

/// An arena over memory that lives as long as the objects in it, and has no other use.
fn arena(memory: &mut [u128]) -> Arena {
    // SAFETY: one valid object; that no object in it outlives it is the harness's condition, which `HostBoard::new`
    // keeps by leaking it, and the body of `HostBoard::within` by keeping nothing.
    unsafe { Arena::new(memory.as_mut_ptr().cast(), size_of_val(memory)) }
}

impl HostBoard {
    /// Board `number` with `memory_bytes` of boot memory.
    pub fn new(number: u8, memory_bytes: usize) -> HostBoard {
        let memory = Box::leak(vec![0u128; memory_bytes.div_ceil(16)].into_boxed_slice());
        let arena = arena(memory);
        HostBoard {
            core: Box::leak(Box::new(Core::new())),
            arena: Box::leak(Box::new(arena)),
            number,
            processes: Box::leak(Box::new(RefCell::new(Vec::new()))),
        }
    }

    /// Runs `body` on board `number`, whose boot memory is `memory`; then all objects of the board are gone, undropped.
    /// For programs that make millions of boards. `body` must keep nothing of the board, and its objects must own
    /// nothing outside.
    ///
    /// # Panics
    /// If `memory` is too small.
    pub fn within<R>(number: u8, memory: &mut [u128], body: impl FnOnce(HostBoard) -> R) -> R {
        let (head, rest) = memory.split_at_mut(ARENA_WORDS.min(memory.len()));
        let arena: &'static Arena = arena(head).put(|| arena(rest));
        let processes: &'static RefCell<Vec<_>> = arena.put(RefCell::default);
        let done = body(HostBoard { core: arena.put(Core::new), arena, number, processes });
        drop(processes.take());
        done
    }

    /// A header, not started, of the next identity.
    pub fn declare(self, priority: u8) -> &'static Process {
        let mut processes = self.processes.borrow_mut();
        let id = ProcId::new(self.number, processes.len() as u16);
        let process: &'static Process = self.arena.put(|| Process::new(self.core, priority, id));
        if self.core.endpoint.is_some() {
            process.enable_remote_calls(self.arena);
        }
        processes.push(process);
        process
    }

    /// All processes declared so far, by index, as a proxy's directory.
    pub fn directory(self) -> Members {
        Members::Here(Vec::leak(self.processes.borrow().clone()))
    }

    /// The family of these servers, of this only board.
    pub fn family<P: Protocol>(self, servers: &[Address<P>]) -> &'static [Members] {
        let members = Members::Here(self.arena.put_slice(servers.len(), |number| servers[number].0.process));
        self.arena.put_slice(1, |_| members)
    }

    /// Notifies the first process declared.
    pub fn notify_first(self) {
        self.processes.borrow()[0].notify();
    }

    /// Starts `process` with the future that `make` returns.
    pub fn start<F: Future<Output = Never> + 'static>(self, process: &'static Process, make: impl FnOnce(Me) -> F) {
        // SAFETY: `start` below panics if the process was started before, so this is the only `Me`
        // that lives; that its use stays inside the future is the harness's condition.
        let me = unsafe { Me::new(process) };
        let future = make(me);
        process.start(self.arena.put(|| future));
    }

    /// A process with the future that `make` returns.
    pub fn spawn<F: Future<Output = Never> + 'static>(self, make: impl FnOnce(Me) -> F) -> &'static Process {
        let process = self.declare(1);
        self.start(process, make);
        process
    }

    /// A server of `P`.
    pub fn server<P: Protocol, F: Future<Output = Never> + 'static>(
        self,
        make: impl FnOnce(Me, Port<P>) -> F,
    ) -> Address<P> {
        let mut address = None;
        self.spawn(|me| {
            let (port, at) = Port::new(&me);
            address = Some(at);
            make(me, port)
        });
        match address {
            Some(address) => address,
            None => unreachable!("spawn runs its closure"),
        }
    }

    /// Runs `body` as a process, which then waits for ever.
    pub fn client<F: Future<Output = ()> + 'static>(self, body: impl FnOnce(Me) -> F) -> &'static Process {
        self.spawn(|me| {
            let future = body(me);
            async move {
                future.await;
                core::future::pending().await
            }
        })
    }

    /// From a process: its work takes `ns`, charged to the account that it works for.
    pub fn take_time(self, ns: u64) {
        self.core.now_ns.set(self.core.now_ns.get() + ns);
    }

    /// Dispatches until nothing is ready.
    ///
    /// # Panics
    /// If that does not come within a very large number of dispatches.
    pub fn run(self) {
        for _ in 0..DISPATCHES_MAX {
            if !self.core.dispatch() {
                return;
            }
        }
        panic!("the processes never come to rest");
    }

    /// Runs until nothing is ready and no alarm is set, skipping idle time.
    pub fn run_through_alarms(self) {
        self.run();
        while let Some(at_ns) = self.core.next_alarm_ns() {
            self.core.set_now_ns(at_ns.max(self.core.now_ns()));
            self.core.expire_alarms(self.core.now_ns());
            self.run();
        }
    }
}

impl Core {
    /// Keeps events from now on, for [`Core::take_events`].
    pub fn record_events(&self) {
        self.recorder.start();
    }
    /// The events since the last time.
    pub fn take_events(&self) -> Events {
        self.recorder.take()
    }
}
