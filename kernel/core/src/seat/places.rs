//! Where a process waits for its turns: of its program on one of the cores that this may use, of itself on its own.
//!
//! Invariant: it waits in the turns of one core only, and not where its program may not run, but for what it does itself. Not here: what
//! becomes of a turn on another core (`seat.rs`).

use super::Seat;
use crate::process::Process;
use crate::user::has_program;
use renga_sched::{Runner, Turns};

impl Process {
    /// Wants its turn. If it had the last one it has not waited.
    #[inline(always)]
    pub(crate) fn ask_turn(&'static self) {
        let turns = self.turns.get();
        if turns.is_last(self) {
            return;
        }
        match self.core.seats.get() {
            [] => turns.ask_after_wait(self, self.core.charged_until_ns()),
            _ => self.ask_among_seats(),
        }
    }

    #[inline(never)]
    fn ask_among_seats(&'static self) {
        if has_program(self) {
            self.choose_core();
        }
        self.turns.get().ask_after_wait(self, self.core.charged_until_ns());
        self.core.show_load();
        self.want_seat();
    }

    /// Its turn was asked for, or should come sooner.
    fn want_seat(&self) {
        if let Some(seat) = self.seat() {
            seat.want();
        }
    }

    /// What it does for its program it does on its own core, wherever that runs: before, so that it waits for its turn there; and after, so that
    /// the turn it had is not taken for its program's, which may have to be elsewhere.
    pub(crate) fn come_home(&'static self) {
        if !self.core.seats.get().is_empty() {
            self.turns.get().leave(self);
            self.move_to(&self.core.turns);
        }
    }

    /// Where it runs, if that is another core than its own.
    fn seat(&self) -> Option<&'static Seat> {
        self.core.seats.get().iter().find(|seat| core::ptr::eq(&raw const seat.turns, self.turns.get()))
    }

    /// It waits for its turn, or has it, and is to learn something as soon as it can.
    #[cold]
    pub(crate) fn hasten_turn(&'static self) {
        if self.runner_place.get() != renga_sched::NOWHERE {
            self.turns.get().queue_again(self);
        }
        self.want_seat();
    }

    /// It runs on the least loaded of its cores from now on; of several at home, or else where it ran before.
    fn choose_core(&'static self) {
        let core = self.core;
        let allowed = self.account.get().cores() & core.program_cores.get();
        let own = (core.number, &core.turns, core.turns.load());
        let seats = core.seats.get().iter().map(|seat| (seat.number, &seat.turns, seat.load()));
        let all = [own].into_iter().chain(seats).filter(|(number, ..)| allowed >> number & 1 != 0);
        let order = |turns| (!core::ptr::eq(turns, &raw const core.turns), !core::ptr::eq(turns, self.turns.get()));
        if let Some((_, turns, _)) = all.min_by_key(|&(_, turns, load)| (load, order(turns))) {
            self.move_to(turns);
        }
    }

    /// From now on it waits for its turns there.
    pub(crate) fn move_to(&'static self, turns: &'static Turns<Process>) {
        let from = self.turns.replace(turns);
        if !core::ptr::eq(from, turns) {
            from.hand_over(self, turns);
        }
    }

    /// Its program may run on these cores only, a bit each.
    pub(crate) fn set_cores(&'static self, cores: u8) {
        self.account.get().set_cores(cores);
        match self.seat() {
            Some(seat) if seat.out.get() && seat.turns.is_last(self) => seat.want(), // it moves when it is back
            _ => {
                self.turns.get().forget(self);
                if self.wants_turn() {
                    self.ask_turn();
                }
            }
        }
    }

    /// The core on which its program runs, or ran last.
    pub fn program_core(&self) -> u8 {
        self.seat().map_or(self.core.number, |seat| seat.number)
    }
}
