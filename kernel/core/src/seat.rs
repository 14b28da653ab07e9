//! Seats: where programs of a core, their home, have turns on the board's other cores.
//!
//! A program's process, and all that serves it, stay on the process's own core, its home. What goes to another core is a turn:
//! the right to the program's registers, by letter, and comes back with the trap. The home decides whose turn it is
//! on each seat, by [`Turns`] of that seat, and calls a turn back by a signal when it is to be somebody else's.
//!
//! S1 Who has a seat's letter has the right to what travels with it ([`Trip`]) and to the registers of the program named there. The
//!    other cells of a seat are the home's. Of the process the other core reads what no one writes meanwhile: `word`, `user`.
//! S2 A turn that is out is the last one of its seat's `Turns`; nobody asks for that turn before it is back.
//!
//! Not here: how a program is entered, what makes its address space visible (the image, `arch-aarch64`); which cores a
//! program may use (`Account`), on which of them it waits for its turn (`places.rs`).

mod places;

use crate::account::{Count, settled};
use crate::arena::Arena;
use crate::crossing::{Door, Parcel};
use crate::probe;
use crate::process::{Me, Process};
use crate::ready::Core;
use crate::user::{UserTurn, end_elsewhere, has_program, registers};
use core::cell::Cell;
use core::sync::atomic::{AtomicU64, Ordering};
use renga_abi::user::{Exit, Trap, UserContext};
use renga_sched::{Runner, Turns};
use renga_sync::{Held, Letter, Signal};

/// A turn comes back after so long, ns, if only to be charged: so others learn what the program has used.
const TURN_NS_MAX: u64 = 10_000_000;
/// The bit of the signal that calls a turn back.
const BACK: u32 = 1;

/// What goes to the other core and back.
struct Trip {
    process: Cell<Option<&'static Process>>,
    /// What makes the program's address space visible, to the image.
    space: Cell<u64>,
    /// How long the turn may take yet, and how long it has taken, ns.
    left_ns: Cell<u64>,
    ran_ns: Cell<u64>,
    exit: Cell<Exit>,
}

/// The turns of programs on one other core.
pub struct Seat {
    turns: Turns<Process>,
    /// The core of all their processes, and the door of the one on which they run.
    home: &'static Core,
    door: &'static Door,
    number: u8,
    /// How long programs have run there, ns; any core reads it.
    used_ns: AtomicU64,
    /// Somebody wants a turn, or one has come back.
    wanted: Cell<bool>,
    out: Cell<bool>,
    letter: Cell<Option<Held<Parcel>>>,
    trip: Trip,
    recall: Cell<Option<&'static Signal<Parcel>>>,
}

impl Seat {
    /// Sends the turn of `process` there.
    fn send(&'static self, process: &'static Process, space: u64, left_ns: u64) {
        let Some(mut letter) = self.letter.take() else { unreachable!("a seat takes one turn at a time") };
        self.trip.process.set(Some(process));
        self.trip.space.set(space);
        self.trip.left_ns.set(left_ns.min(TURN_NS_MAX));
        self.trip.ran_ns.set(0);
        self.out.set(true);
        *letter.content() = Parcel::Turn(self);
        self.door.inbox.post(letter, self.door.bell);
    }

    /// On the home: the turn is back.
    fn take_back(&self, letter: Held<Parcel>) {
        self.letter.set(Some(letter));
        self.out.set(false);
        let Some(process) = self.trip.process.take() else { unreachable!("a turn is somebody's") };
        let ran_ns = self.trip.ran_ns.get();
        process.account().charge(Count::UserNs, ran_ns);
        self.used_ns.store(self.used_ns.load(Ordering::Relaxed) + ran_ns, Ordering::Relaxed); // the home alone writes
        self.want();
        if !self.home.may_run(process, self.number) {
            self.turns.forget(process);
            if let Exit::Interrupt = self.trip.exit.get() {
                return process.ask_turn();
            }
        }
        if let Exit::Trap(trap) = self.trip.exit.get() {
            if !self.home.turns.has_any() && self.home.may_run(process, self.home.number) {
                self.turns.forget(process); // nobody else wants its turn at home, where traps cost least
            }
            end_elsewhere(process, trap);
            self.home.resume(process, || self.home.now_ns());
        }
    }

    /// How many programs want a turn there as far as this home knows: its own, and those whose home that core is.
    fn load(&self) -> usize {
        self.turns.load() + self.door.load.load(Ordering::Relaxed) as usize
    }

    /// Has the home look at it as soon as no process is polled.
    fn want(&self) {
        self.wanted.set(true);
        self.home.seats_wanted.set(true);
    }

    /// A letter of this seat has come to `core`: to the home, or to where programs have their turn.
    pub(crate) fn receive(&'static self, letter: Held<Parcel>, core: &Core) {
        if core::ptr::eq(core, self.home) {
            return self.take_back(letter);
        }
        self.letter.set(Some(letter));
        core.guests.come(self.home.number, self);
    }

    /// On the other core: the turn, if it is still there, is to go back.
    pub(crate) fn hear_recall(&'static self, letter: Held<Parcel>, core: &Core) {
        let Some(recall) = self.recall.get() else { unreachable!("its letter has come") };
        recall.lower(letter);
        if core.guests.has(self.home.number) {
            Guest(self).go_back(core, Exit::Interrupt); // at once, whoever goes before it
        }
    }
}

/// The turn of another core's program on this one.
pub struct Guest(pub(crate) &'static Seat);

impl Guest {
    /// How long it may run before `core` looks again whose turn it is, ns.
    pub fn left_ns(&self, core: &Core) -> u64 {
        core.guests.share_ns(core.own_home(), self.0.trip.left_ns.get())
    }
    /// What makes its address space visible.
    pub fn space(&self) -> u64 {
        self.0.trip.space.get()
    }
    /// The program's registers, to enter it with.
    pub fn context(&mut self) -> &mut UserContext {
        let Some(process) = self.0.trip.process.get() else { unreachable!("a turn is somebody's") };
        probe::enter_elsewhere(process);
        registers(process)
    }
    /// It has run for `ns`. It goes back with a trap, or when its time is over. Whether it stays.
    pub fn ran(self, core: &Core, ns: u64, exit: Exit) -> bool {
        let trip = &self.0.trip;
        core.guests.charge(self.0.home.number, ns);
        trip.ran_ns.set(trip.ran_ns.get() + ns);
        trip.left_ns.set(trip.left_ns.get().saturating_sub(ns));
        let goes = trip.left_ns.get() == 0 || matches!(exit, Exit::Trap(_));
        if goes {
            self.go_back(core, exit);
        }
        !goes
    }
    /// Sends it back.
    fn go_back(self, core: &Core, exit: Exit) {
        let seat = self.0;
        if let (Exit::Trap(_), Some(process)) = (exit, seat.trip.process.get()) {
            probe::trap_elsewhere(process);
        }
        let Some(mut letter) = seat.letter.take() else { unreachable!("who has a turn has its letter") };
        core.guests.go(seat.home.number);
        seat.trip.exit.set(exit);
        *letter.content() = Parcel::Turn(seat);
        let door = seat.home.door();
        door.inbox.post(letter, door.bell);
    }
}

impl Core {
    /// Lets programs of this core, their home, run on the `cores` of the board, a bit each, this one among them or not;
    /// none is this one alone. Once, before any program is made.
    pub fn run_programs_on(&'static self, cores: u8, arena: &Arena) {
        let elsewhere = |number: &u8| *number != self.number && cores >> number & 1 != 0;
        let mut others = (0..self.doors.len() as u8).filter(elsewhere);
        let seats = arena.put_slice(others.clone().count(), |_| self.seat(others.next().unwrap_or_default()));
        let seats: &'static [Seat] = seats;
        for seat in seats {
            seat.letter.set(Some(arena.put(|| Letter::new(Parcel::Turn(seat))).hold()));
            seat.recall.set(Some(arena.put(|| Signal::new(Parcel::Recall(seat)))));
        }
        self.seats.set(seats);
        self.program_cores.set(if cores == 0 { 1 << self.number } else { cores });
    }

    fn seat(&'static self, number: u8) -> Seat {
        let trip = Trip {
            process: Cell::new(None),
            space: Cell::new(0),
            left_ns: Cell::new(0),
            ran_ns: Cell::new(0),
            exit: Cell::new(Exit::Interrupt),
        };
        let door = &self.doors[usize::from(number)];
        let (used_ns, recall, letter) = (AtomicU64::new(0), Cell::new(None), Cell::new(None));
        let (wanted, out) = (Cell::new(false), Cell::new(false));
        Seat { turns: Turns::new(), home: self, door, number, used_ns, wanted, out, letter, trip, recall }
    }

    /// Whether [`Core::send_turns`] has something to do.
    #[inline(always)]
    pub fn has_turns_to_send(&self) -> bool {
        self.seats_wanted.get()
    }

    /// Gives turns on other cores to those who want them; between polls. `prepare` makes a program ready to go there, and
    /// says what makes its address space visible.
    pub fn send_turns(&'static self, mut prepare: impl FnMut(&mut UserContext, u32) -> u64) {
        self.seats_wanted.set(false);
        for seat in self.seats.get() {
            if !seat.wanted.replace(false) {
                continue;
            }
            if seat.out.get() {
                seat.recall.get().into_iter().for_each(|recall| recall.raise(BACK, &seat.door.inbox, seat.door.bell));
                continue;
            }
            let next = seat.turns.next(self.charged_until_ns());
            let fetch = || if seat.load() == 0 { self.fetch_runner(&seat.turns, seat.number) } else { None };
            let Some(process) = next.or_else(fetch) else { continue };
            let turn = UserTurn::of(process);
            if turn.interrupted() {
                seat.want(); // for what comes of it
                turn.resume(Trap::Preempted, || self.now_ns());
                continue;
            }
            let left_ns = turn.left_ns().unwrap_or(TURN_NS_MAX);
            seat.send(process, prepare(registers(process), turn.space()), left_ns);
        }
    }

    /// Somebody who waits while another one runs elsewhere, and may run on core `number`, whose `turns` nobody wants: from now on it
    /// has those.
    fn fetch_runner(&'static self, turns: &'static Turns<Process>, number: u8) -> Option<&'static Process> {
        let all = self.seats.get().iter().map(|seat| &seat.turns).chain([&self.turns]);
        let busy = all.filter(|turns| turns.load() > 1);
        let runner = busy.filter_map(|turns| turns.find(|process| self.may_run(process, number))).next()?;
        runner.move_to(turns);
        turns.ask_after_wait(runner, self.charged_until_ns());
        turns.next(self.charged_until_ns())
    }

    /// As above, for this core.
    #[inline(never)]
    pub(crate) fn fetch_user(&'static self) -> Option<&'static Process> {
        let fetched = self.fetch_runner(&self.turns, self.number);
        self.show_load();
        fetched
    }

    /// Tells other homes how many of this one's programs want a turn here.
    fn show_load(&self) {
        self.door().load.store(self.turns.load() as u32, Ordering::Relaxed);
    }

    /// Whether `process` wants a turn for its program, which may run on core `number`.
    fn may_run(&self, process: &Process, number: u8) -> bool {
        has_program(process) && process.account().cores() & self.program_cores.get() & 1 << number != 0
    }

    /// The turn of another core's program, if one is here and goes before this core's own programs.
    #[inline(always)]
    pub fn guest(&self) -> Option<Guest> {
        if self.guests.any() { self.guests.first(self.own_home()).map(Guest) } else { None }
    }

    /// Of what a program of its own has left, how much it may run before the core looks again whose turn it is, ns.
    #[inline(always)]
    pub fn own_left_ns(&self, left_ns: Option<u64>) -> Option<u64> {
        let share = || self.guests.share_ns(Some(self.number), left_ns.unwrap_or(TURN_NS_MAX));
        if self.guests.any() { Some(share()) } else { left_ns }
    }

    /// This core, if a program of its own wants a turn on it.
    fn own_home(&self) -> Option<u8> {
        self.turns.has_any().then_some(self.number)
    }
}

impl Me {
    /// The cores of this board on which programs run, a bit each.
    pub fn program_cores(&self) -> u8 {
        self.0.core.program_cores.get()
    }
    /// [`Process::program_core`].
    pub fn program_core(&self) -> u8 {
        self.0.program_core()
    }
    /// What ran on core `number` of the board, of programs and of system processes, ns; of a core without programs nothing. What other cores
    /// have there is charged when its turn is back.
    pub fn ran_on(&self, number: u8) -> [u64; 2] {
        let core = self.0.core;
        let counts = (core.program_cores.get() | core.homes.get()) >> number & 1 != 0;
        let Some(at) = core.all_cores().find(|at| at.number == number && counts) else { return [0; 2] };
        let [own_ns, system_ns, _] = at.charged();
        let seats = || core.all_cores().flat_map(|home| home.seats.get());
        let ran_ns = |seat: &Seat| seat.used_ns.load(Ordering::Relaxed);
        let here_ns: u64 = seats().filter(|seat| seat.number == number).map(ran_ns).sum();
        let away_ns: u64 = seats().filter(|seat| seat.home.number == number).map(ran_ns).sum();
        [own_ns.wrapping_add(here_ns).wrapping_sub(away_ns), system_ns].map(settled)
    }
    /// The cores on which this process's program may run, a bit each.
    pub fn cores(&self) -> u8 {
        self.0.account.get().cores()
    }
    /// Lets this process's program run on these only, one of [`Me::program_cores`] at least.
    pub fn set_cores(&mut self, cores: u8) {
        let account = self.0.account.get();
        account.tell(account.told().0, cores);
        self.0.set_cores(cores);
    }
}
