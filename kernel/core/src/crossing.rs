//! What goes between the cores of a board: calls and their answers by letter, notifications, interruptions and schedules by signal. (Turns of
//! programs, which go the same way: `seat.rs`.)
//!
//! A call to a server of another core finds a *gate* in its place (`Process::seen_from`), which is never open. So the path
//! within a core has no test for cores; the one to a closed entry posts the call.
//!
//! C1 Who has a process's letter has the right to its message: words and slices, the link that queues it, `server`,
//!    and the cells of [`Crossing`]. A core has it from the take that hands it out until it posts it.
//! C2 A process's `wait` and its other cells are its own core's. While it is `ReplyElsewhere` nobody writes `wait`, so the core
//!    that has the call may read it; of what never changes (`core`, `word`, `crossing`, a user slot's `account`) all may read.
//! C3 Answers of a poll are posted when it is over, so that a server calls nobody to answer; between polls none is left.
//! C4 What is told by a signal is decided on the core of who is told.
//!
//! Not here: how letters cross (`kernel/sync`), how a bell is rung (the image), which core has what (placement).

use crate::account::Account;
use crate::arena::Arena;
use crate::process::{Process, Wait};
use crate::ready::Core;
use crate::seat::Seat;
use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering};
use renga_sync::{Bell, Held, Inbox, Letter, Signal, Whereabouts};

/// Bits of a process's signal.
pub(crate) const NOTIFY: u32 = 1;
pub(crate) const INTERRUPT: u32 = 2;
pub(crate) const SCHEDULE: u32 = 4;
/// The bit of the signal that goes after a call.
const CALLER_INTERRUPTED: u32 = 1;

/// What a letter says.
#[derive(Clone, Copy)]
pub(crate) enum Parcel {
    /// The call of the first one, for the second.
    Call(&'static Process, &'static Process),
    /// The answer to its call.
    Reply(&'static Process),
    /// Signals for it.
    Signal(&'static Process),
    /// Its call should be answered early.
    Pursuit(&'static Process),
    /// A turn of a program, on its way to another core or back.
    Turn(&'static Seat),
    /// That turn is wanted back.
    Recall(&'static Seat),
}

// SAFETY: of what is named only what C1, C2 and S1 (`seat.rs`) allow is reached by the core that takes the letter.
unsafe impl Send for Parcel {}

/// A core as the others of its board see it: where letters for it go, and how it is woken.
pub struct Door {
    pub(crate) inbox: Inbox<Parcel>,
    pub(crate) bell: &'static (dyn Bell + Sync),
    /// How many of its own programs wanted a turn on that core when one asked last, or it found none: a hint to other homes,
    /// which orders nothing and may be old.
    pub(crate) load: AtomicU32,
}

impl Door {
    /// The door of a core that `bell` wakes.
    pub const fn new(bell: &'static (dyn Bell + Sync)) -> Door {
        Door { inbox: Inbox::new(), bell, load: AtomicU32::new(0) }
    }
}

/// What a process needs so that others of other cores reach it, and it them.
pub(crate) struct Crossing {
    /// The letter of its call, where the call is.
    letter: Cell<Option<Held<Parcel>>>,
    whereabouts: Whereabouts,
    /// Whom it asked last of another core ([`ProcId::to_word`](renga_abi::ProcId::to_word)), for reports.
    asked: AtomicU32,
    /// For whom it calls ([`AccountNumber::to_wire`](crate::account::AccountNumber::to_wire)).
    account: Cell<u32>,
    /// The core that has the call, and its account of that number.
    here: Cell<&'static Core>,
    charged: Cell<&'static Account>,
    /// The account of its last caller, if that is of another core; the process's own core's.
    far_account: Cell<&'static Account>,
    signal: Signal<Parcel>,
    pursuit: Signal<Parcel>,
}

impl Process {
    /// Gives it what it needs between cores, out of `arena`: once, before anything is known of it elsewhere.
    ///
    /// # Panics
    /// If it has that already.
    pub fn give_crossing(&'static self, arena: &Arena) {
        let letter = arena.put(|| Letter::new(Parcel::Reply(self)));
        let crossing = arena.put(|| Crossing {
            letter: Cell::new(Some(letter.hold())),
            whereabouts: Whereabouts::new(self.core.number),
            asked: AtomicU32::new(0),
            account: Cell::new(0),
            here: Cell::new(self.core),
            charged: Cell::new(&self.core.system),
            far_account: Cell::new(&self.core.system),
            signal: Signal::new(Parcel::Signal(self)),
            pursuit: Signal::new(Parcel::Pursuit(self)),
        });
        assert!(self.crossing.replace(Some(crossing)).is_none(), "a process crosses by one letter");
    }

    #[inline(always)]
    fn crossing(&self) -> &'static Crossing {
        match self.crossing.get() {
            Some(crossing) => crossing,
            None => panic!("a process of one core only is wanted on another one"),
        }
    }

    /// Of a process whose call has come from another core: for whom it is made, as one word.
    pub(crate) fn account_sent(&self) -> Option<u32> {
        (self.wait.get() == Wait::ReplyElsewhere).then(|| self.crossing().account.get())
    }

    /// What it does from now on is done for `caller`, whose call it has.
    #[inline(always)]
    pub(crate) fn work_for(&self, caller: &Process) {
        if caller.wait.get() == Wait::ReplyElsewhere {
            self.crossing().far_account.set(caller.crossing().charged.get());
        }
    }

    /// The account of its last caller, which is of another core.
    pub(crate) fn far_account(&self) -> &'static Account {
        self.crossing().far_account.get()
    }

    /// Of a process whose call is on another core than itself: whether it is interrupted.
    pub(crate) fn is_interrupted_elsewhere(&self) -> bool {
        self.crossing().whereabouts.is_interrupted()
    }

    /// Of a process whose call is on another core than itself: who has it.
    pub(crate) fn asked_elsewhere(&self) -> u32 {
        self.crossing().asked.load(Ordering::Relaxed)
    }

    /// Posts its call, which this core has, to the core of `server`.
    #[cold]
    pub(crate) fn send_call(&'static self, server: &'static Process) {
        let crossing = self.crossing();
        if self.wait.get() != Wait::ReplyElsewhere {
            // It is of this core, and so are the cells read here.
            self.wait.set(Wait::ReplyElsewhere);
            crossing.account.set(self.core.account_word_of(self));
            crossing.whereabouts.begin(self.interrupted.get());
        }
        crossing.asked.store(self.destination.get(), Ordering::Relaxed);
        self.send(Parcel::Call(self, server), server.core);
    }

    /// The answer to its call, which this core has, is written: it is posted when the poll is over (C3).
    #[inline(always)]
    pub(crate) fn leave_reply(&'static self) {
        self.crossing().here.get().answered.push(self);
    }

    fn send(&'static self, parcel: Parcel, to: &Core) {
        let crossing = self.crossing();
        let Some(mut letter) = crossing.letter.take() else { unreachable!("who has a call has its letter") };
        *letter.content() = parcel;
        crossing.whereabouts.depart();
        let door = to.door();
        door.inbox.post(letter, door.bell);
    }

    /// Its letter has come to core `here`.
    fn receive(&self, letter: Held<Parcel>, here: &Core) {
        let crossing = self.crossing();
        crossing.letter.set(Some(letter));
        crossing.whereabouts.arrive(here.number);
    }

    /// From another core: has its own core notify or interrupt it, or take its schedule.
    pub(crate) fn raise(&'static self, bits: u32) {
        let (crossing, door) = (self.crossing(), self.core.door());
        crossing.signal.raise(bits, &door.inbox, door.bell);
    }

    /// It is interrupted, and its call is on another core or on its way: whoever has it is told; a server
    /// that accepts it later looks.
    #[cold]
    pub(crate) fn pursue_call(&'static self) {
        self.pursue(self.crossing().whereabouts.interrupt());
    }

    /// Tells `core`, which had the call a moment ago, if it is not the process's own, to which the answer has come then.
    fn pursue(&'static self, core: Option<u8>) {
        let Some(core) = core.filter(|&core| core != self.core.number) else { return };
        let door = &self.core.doors[usize::from(core)];
        self.crossing().pursuit.raise(CALLER_INTERRUPTED, &door.inbox, door.bell);
    }
}

impl Core {
    #[inline(always)]
    pub(crate) fn door(&self) -> &'static Door {
        match self.door {
            Some(door) => door,
            None => unreachable!("whoever has a crossing is behind a door"),
        }
    }

    /// Takes in what other cores have posted, if anything; to be called before each dispatch. Whom it makes ready is polled
    /// at once if it would be the next.
    #[inline(always)]
    pub fn take_letters(&self) {
        if let Some(door) = self.door
            && !door.inbox.is_empty()
        {
            self.take_all(door);
        }
    }

    /// From now on whoever posts something rings: to be called before a program runs, and before the core sleeps. False
    /// if something is there already: it must do neither.
    #[inline(always)]
    pub fn leave(&self) -> bool {
        self.door.is_none_or(|door| door.inbox.leave())
    }

    /// The core looks again: silences the bell and takes in what is there.
    #[inline(always)]
    pub fn look_again(&self) {
        if let Some(door) = self.door {
            door.bell.silence();
            self.take_all(door);
        }
    }

    /// Posts the answers that the last poll has left (C3).
    #[inline(never)]
    pub(crate) fn send_answers(&self) {
        while let Some(caller) = self.answered.pop() {
            caller.send(Parcel::Reply(caller), caller.core);
        }
    }

    #[inline(never)]
    fn take_all(&self, door: &Door) {
        door.inbox.take(|mut letter| match *letter.content() {
            Parcel::Call(caller, server) => self.take_call(letter, caller, server),
            Parcel::Reply(caller) => {
                caller.receive(letter, self);
                caller.wait.set(Wait::Replied);
                self.resume(caller, || self.now_ns());
            }
            Parcel::Signal(process) => {
                let bits = process.crossing().signal.lower(letter);
                if bits & NOTIFY != 0 {
                    process.notify();
                }
                if bits & SCHEDULE != 0 {
                    process.take_schedule();
                }
                if bits & INTERRUPT != 0 {
                    process.interrupt();
                }
            }
            Parcel::Pursuit(caller) => self.take_pursuit(letter, caller),
            Parcel::Turn(seat) => seat.receive(letter, self),
            Parcel::Recall(seat) => seat.hear_recall(letter, self),
        });
    }

    fn take_call(&self, letter: Held<Parcel>, caller: &'static Process, server: &'static Process) {
        caller.receive(letter, self);
        if core::ptr::eq(caller.core, self) {
            // Somebody elsewhere has passed it on to here: from now on it is a call within this core.
            caller.wait.set(Wait::Reply);
        } else {
            let crossing = caller.crossing();
            crossing.here.set(server.core);
            crossing.charged.set(server.core.account_sent(crossing.account.get()));
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
    fn take_pursuit(&self, letter: Held<Parcel>, caller: &'static Process) {
        let crossing = caller.crossing();
        crossing.pursuit.lower(letter);
        let core = crossing.whereabouts.core();
        if core != Some(self.number) {
            return caller.pursue(core);
        }
        if let Some(server) = caller.server.get() {
            server.notify();
        }
    }
}
