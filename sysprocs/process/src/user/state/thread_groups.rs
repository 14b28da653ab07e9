//! Programs with several threads: each is one at a time that of one thread's slot.
//!
//! Invariant: what the threads of a program share is in the program's state, which either one of their slots has or
//! lies here. A slot gives it back before its thread runs, and before it waits for what another thread may have to do.
//! In exchange a slot has a state without a program, so that each has one always. Threads have their slots on one core,
//! so the lock needs no atomics. Waiting slots get it in cyclic order: each waits for each other thread at most once.
//! Not here: what a thread has for itself (`thread.rs`), which slots a program's threads are in (`procs`).

use crate::procs::slot_set::SlotSet;
use crate::signals::SignalSet;
use crate::user::state::program::ProgramState;
use core::cell::Cell;
use renga_rt::{Arena, Me, Notifier};

/// The threads of one program, by the slot of its first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadGroup {
    pub first_slot: u16,
}

/// The call of a further thread that runs another program: the first thread makes it, as nobody else has its number.
#[derive(Clone, Copy)]
pub struct Successor {
    /// The number of the call, and its arguments.
    pub number: u64,
    pub arguments: [u64; 5],
    /// What the thread blocked.
    pub blocked: SignalSet,
}

/// The programs of a core that have threads.
pub struct ThreadGroups {
    groups: &'static [StateLock],
    /// How the process of each slot is notified.
    notifiers: &'static [Cell<Option<Notifier>>],
}

/// Which slot has the state of one program.
struct StateLock {
    /// The program's state while no slot has it; else that which the slot has given for it.
    exchanged: Cell<Option<&'static mut ProgramState>>,
    is_free: Cell<bool>,
    waiting: Cell<SlotSet>,
    /// The slot that gets it next: it has been notified.
    next: Cell<Option<u16>>,
    threads: Cell<u16>,
    /// What the first thread is to run instead of itself, when the others have ended.
    successor: Cell<Option<Successor>>,
    /// The program goes on in the first slot, with that.
    goes_on: Cell<bool>,
}

impl ThreadGroups {
    /// None yet, for programs in so many `slots`.
    pub fn new(arena: &'static Arena, slots: usize) -> &'static ThreadGroups {
        let groups = arena.put_slice(slots, |_| StateLock {
            exchanged: Cell::new(Some(arena.put(ProgramState::unused))),
            is_free: Cell::new(false),
            waiting: Cell::new(SlotSet::NONE),
            next: Cell::new(None),
            threads: Cell::new(0),
            successor: Cell::new(None),
            goes_on: Cell::new(false),
        });
        let notifiers = arena.put_slice(slots, |_| Cell::new(None));
        arena.put(|| ThreadGroups { groups, notifiers })
    }

    /// The process of `slot` is notified so.
    pub fn register(&self, slot: u16, notifier: Notifier) {
        self.notifiers[usize::from(slot)].set(Some(notifier));
    }

    /// The program of the process in `slot`, which has its state, is to have more threads.
    pub fn begin(&self, slot: u16) -> ThreadGroup {
        self.groups[usize::from(slot)].threads.set(1);
        ThreadGroup { first_slot: slot }
    }

    /// Its first thread is to make the call of another, when it is the last.
    pub fn set_successor(&self, group: ThreadGroup, successor: Successor) {
        self.of(group).successor.set(Some(successor));
    }

    /// What the thread in `slot`, the first and last one, is to run.
    pub fn take_successor(&self, slot: u16) -> Option<Successor> {
        self.groups[usize::from(slot)].successor.take()
    }

    /// The program in `slot` goes on, with what another thread has wanted.
    pub fn go_on(&self, slot: u16) {
        self.groups[usize::from(slot)].goes_on.set(true);
    }
    /// Whether it does, which is said once.
    pub fn take_going_on(&self, slot: u16) -> bool {
        self.groups[usize::from(slot)].goes_on.take()
    }

    /// It has one thread more.
    pub fn add(&self, group: ThreadGroup) {
        let threads = &self.of(group).threads;
        threads.set(threads.get() + 1);
    }

    /// It has one thread less, of which the first slot hears.
    pub fn remove(&self, group: ThreadGroup) {
        let threads = &self.of(group).threads;
        threads.set(threads.get() - 1);
        self.notify(group.first_slot);
    }

    /// How many threads it has.
    pub fn count(&self, group: ThreadGroup) -> u16 {
        self.of(group).threads.get()
    }

    /// Gives the state back, which the process of `slot` has, for others.
    pub fn leave(&self, (group, slot): (ThreadGroup, u16), program: &mut &'static mut ProgramState) {
        let lock = self.of(group);
        lock.exchange(program);
        lock.is_free.set(true);
        lock.next.set(lock.take_waiting_behind(slot));
        if let Some(next) = lock.next.get() {
            self.notify(next);
        }
    }

    /// Takes the state for the process `me` of `slot`, when no slot before it waits.
    pub async fn enter(&self, me: &mut Me, (group, slot): (ThreadGroup, u16), program: &mut &'static mut ProgramState) {
        let lock = self.of(group);
        // Each pass waits for a notification, of which `leave` sends one.
        while !(lock.is_free.get() && lock.next.get().is_none_or(|next| next == slot)) {
            if lock.next.get() != Some(slot) {
                let mut waiting = lock.waiting.get();
                waiting.insert(slot);
                lock.waiting.set(waiting);
            }
            me.notified().await;
        }
        lock.is_free.set(false);
        lock.next.set(None);
        lock.exchange(program);
    }

    fn of(&self, group: ThreadGroup) -> &StateLock {
        &self.groups[usize::from(group.first_slot)]
    }

    fn notify(&self, slot: u16) {
        if let Some(notifier) = self.notifiers[usize::from(slot)].get() {
            notifier.notify();
        }
    }
}

impl StateLock {
    /// Takes out the first that waits behind `slot`, or else the first.
    fn take_waiting_behind(&self, slot: u16) -> Option<u16> {
        let waiting = self.waiting.get();
        let (mut rest, mut next) = (waiting, waiting.first());
        // Bounded by the slots.
        while let Some(number) = rest.take_first() {
            if number > slot {
                next = Some(number);
                break;
            }
        }
        self.waiting.set(next.map_or(waiting, |next| waiting.without(&SlotSet::of(next))));
        next
    }

    fn exchange(&self, program: &mut &'static mut ProgramState) {
        let Some(other) = self.exchanged.take() else { unreachable!("there is one always") };
        self.exchanged.set(Some(core::mem::replace(program, other)));
    }
}

#[cfg(test)]
mod tests {
    use super::{ProgramState, SlotSet, ThreadGroups};
    use renga_rt::host::HostBoard;
    use std::boxed::Box;

    /// Two threads that are always there again do not pass a third over.
    #[test]
    fn thread_state_lock_passes_no_slot_over() {
        let groups = ThreadGroups::new(HostBoard::new(0, 1 << 20).arena, 4);
        let group = groups.begin(0);
        let mut program: &'static mut ProgramState = Box::leak(Box::new(ProgramState::unused()));
        program.pid = 7;
        let lock = groups.of(group);
        let mut waiting = SlotSet::NONE;
        waiting.insert(1);
        waiting.insert(3);
        lock.waiting.set(waiting);
        let mut order = std::vec::Vec::new();
        let mut holder = 0;
        for _ in 0..6 {
            groups.leave((group, holder), &mut program);
            let next = lock.next.take().unwrap();
            order.push(next);
            // Who had it waits again at once.
            let mut waiting = lock.waiting.get();
            waiting.insert(holder);
            lock.waiting.set(waiting);
            lock.exchange(&mut program);
            assert_eq!(program.pid, 7, "who has the turn has the program");
            holder = next;
        }
        assert_eq!(order, [1, 3, 0, 1, 3, 0]);
    }
}
