//! The loop: keeps the event files of this board's programs, whoever holds them by now.
//!
//! Invariant: no entry waits; who finds nothing is woken when something has happened, and tries again, so that waiting
//! for one is as waiting for many. A timer is in the heap exactly while it is set and has not expired unread.
//! Not here: what a file is (`file.rs`), how programs wait (the clock).

use super::file::{EventPlace, Times};
use super::watches::{WatchPlace, Watches};
use crate::due::{Due, DuePlace};
use renga_proto::clock::Left;
use renga_proto::events::{
    AddCount, ChangeWatch, ClaimWatch, EventFile, EventKind, Events, EventsCall, HoldEvents, MakeEvents, NextWatch,
    PollEvents, SetTimerFile, WatchChange,
};
use renga_proto::pipe::{NOBODY, Polled};
use renga_rt::{Call, Entry, Errno, Generation, Held, Me, Never, Port, Protocol, Wakes};

struct State {
    me: Me,
    places: &'static mut [EventPlace],
    due: Due,
    /// No place below is free.
    taken_below: usize,
    epoch_ns: u64,
    boot: u8,
    wakes: &'static Wakes,
    watches: Watches,
}

/// Serves as many event files as there are `places`, each with a place in `due`; those that are sets share the `watches`. `boot` counts the board's starts;
/// `epoch_ns` is the calendar time at boot.
#[allow(clippy::too_many_arguments, reason = "boot hands each of them out by its type")]
pub async fn events(
    me: Me,
    mut port: Port<Events>,
    places: &'static mut [EventPlace],
    due: &'static mut [DuePlace],
    epoch_ns: u64,
    boot: u8,
    wakes: &'static Wakes,
    watches: &'static mut [WatchPlace],
) -> Never {
    assert!(due.len() == places.len(), "each event file may be a timer");
    let watches = Watches::new(watches);
    let mut state = State { me, places, due: Due::new(due), taken_below: 0, epoch_ns, boot, wakes, watches };
    loop {
        if let Some(call) = port.accept_or_notified(Events::ENTRIES).await {
            state.serve(call);
        }
        let now_ns = state.me.now_ns();
        while let Some(number) = state.due.take(now_ns) {
            state.places[number].timer.expired = true;
            state.happened(number);
        }
        state.me.notify_at(state.due.first_ns());
    }
}

impl State {
    fn serve(&mut self, call: EventsCall) {
        match call {
            EventsCall::MakeEvents(call) => {
                let made = self.make(call.entry(), call.board());
                call.reply(made);
            }
            EventsCall::HoldEvents(call) => {
                let held = self.hold(call.entry(), call.board());
                call.reply(held);
            }
            EventsCall::DropEvents(call) => {
                let found = self.find(&call, call.entry().number, call.entry().generation);
                let dropped = found.map(|number| {
                    self.places[number].held.remove(call.board());
                    self.end_unheld(number);
                });
                call.reply(dropped);
            }
            EventsCall::TakeCount(call) => {
                let found = self.find(&call, call.entry().number, call.entry().generation);
                let taken = found.and_then(|number| self.take(number));
                self.await_if_later(&call, taken.err(), found.unwrap_or(0), call.entry().slot);
                call.reply(taken);
            }
            EventsCall::AddCount(call) => {
                let AddCount { number, generation, add, slot } = call.entry();
                let found = self.find(&call, number, generation);
                let added = found.and_then(|number| self.add(number, add));
                self.await_if_later(&call, added.err(), found.unwrap_or(0), slot);
                call.reply(added);
            }
            EventsCall::PollEvents(call) => {
                let found = self.find_of_others(&call, call.entry().number, call.entry().generation);
                let polled = found.map(|number| self.poll(number, call.entry(), call.board()));
                call.reply(polled);
            }
            EventsCall::SetTimerFile(call) => {
                let found = self.find(&call, call.entry().number, call.entry().generation);
                let left = found.and_then(|number| self.set_timer(number, call.entry()));
                call.reply(left);
            }
            EventsCall::AskTimerFile(call) => {
                let found = self.find(&call, call.entry().number, call.entry().generation);
                let left = found.and_then(|number| self.left(number));
                call.reply(left);
            }
            EventsCall::FollowCalendar(call) => {
                self.epoch_ns = call.entry().now_ns.saturating_sub(self.me.now_ns());
                (0..self.places.len()).for_each(|number| self.follow_calendar(number));
                call.reply(Ok(()));
            }
            call @ (EventsCall::SetWaiting(_) | EventsCall::AskWaiting(_)) => self.serve_waiting(call),
            call @ (EventsCall::ChangeWatch(_) | EventsCall::NextWatch(_) | EventsCall::ClaimWatch(_)) => {
                self.serve_set(call)
            }
            EventsCall::BoardDied(call) => {
                for number in 0..self.places.len() {
                    if self.places[number].held.drop_board(call.entry().board) > 0 {
                        self.end_unheld(number);
                    }
                }
                call.reply(Ok(()));
            }
        }
    }

    /// Whether who takes or adds waits.
    fn serve_waiting(&mut self, call: EventsCall) {
        match call {
            EventsCall::SetWaiting(call) => {
                let found = self.find(&call, call.entry().number, call.entry().generation);
                let set = found.map(|number| self.places[number].nonblocking = call.entry().nonblocking);
                call.reply(set);
            }
            EventsCall::AskWaiting(call) => {
                let found = self.find(&call, call.entry().number, call.entry().generation);
                call.reply(found.map(|number| self.places[number].nonblocking));
            }
            _ => unreachable!("served by `serve`"),
        }
    }

    fn serve_set(&mut self, call: EventsCall) {
        match call {
            EventsCall::ChangeWatch(call) => {
                let found = self.find_set(&call, call.entry().number, call.entry().generation);
                let changed = found.and_then(|number| self.change_watch(number, call.entry()));
                call.reply(changed);
            }
            EventsCall::NextWatch(call) => {
                let NextWatch { number, generation, from, slot } = call.entry();
                let found = self.find_set(&call, number, generation);
                let next = found.and_then(|set| {
                    if slot != NOBODY {
                        self.places[set].waiters.add(call.board(), slot);
                    }
                    self.watches.next(number, from)
                });
                call.reply(next);
            }
            EventsCall::ClaimWatch(call) => {
                let ClaimWatch { number, generation, place, stamp, edges } = call.entry();
                let found = self.find_set(&call, number, generation);
                let claimed = found.and_then(|_| self.watches.claim(number, place, stamp, edges));
                call.reply(claimed);
            }
            _ => unreachable!("what is no set is served by `serve`"),
        }
    }

    /// The place of file `number`, if it is in this generation and the caller's board holds it.
    fn find<E: Entry>(&self, call: &Call<E>, number: u16, generation: u32) -> Result<usize, Errno> {
        let place = self.places.get(usize::from(number)).ok_or(Errno::ESTALE)?;
        let held = place.generation.is_some_and(|is| is.number() == generation) && place.held.holds(call.board());
        if held { Ok(number.into()) } else { Err(Errno::ESTALE) }
    }

    /// As `find`, but that says of what only other boards hold that it is there.
    fn find_of_others<E: Entry>(&self, call: &Call<E>, number: u16, generation: u32) -> Result<usize, Errno> {
        let others = self.places.get(usize::from(number)).is_some_and(|place| {
            place.generation.is_some_and(|is| is.number() == generation) && !place.held.is_empty()
        });
        self.find(call, number, generation).map_err(|errno| if others { Errno::EPERM } else { errno })
    }

    /// As `find`, of a set of watches.
    fn find_set<E: Entry>(&self, call: &Call<E>, number: u16, generation: u32) -> Result<usize, Errno> {
        let number = self.find(call, number, generation)?;
        if self.places[number].kind == EventKind::Watches { Ok(number) } else { Err(Errno::EINVAL) }
    }

    /// Who waits for the set looks at what is watched now.
    fn change_watch(&mut self, set: usize, change: ChangeWatch) -> Result<(), Errno> {
        let ChangeWatch { number, wish, data, object, more, .. } = change;
        self.watches.change(number, wish, data, [object, more])?;
        if wish.change != WatchChange::Remove {
            self.happened(set);
        }
        Ok(())
    }

    /// One reference more for `board`, which may have none yet.
    fn hold(&mut self, hold: HoldEvents, board: u8) -> Result<(), Errno> {
        let place = self.places.get_mut(usize::from(hold.number)).ok_or(Errno::ESTALE)?;
        if place.held.is_empty() || place.generation.is_none_or(|is| is.number() != hold.generation) {
            return Err(Errno::ESTALE);
        }
        if place.held.add(board) { Ok(()) } else { Err(Errno::ENFILE) }
    }

    fn make(&mut self, make: MakeEvents, board: u8) -> Result<EventFile, Errno> {
        let free = (self.taken_below..self.places.len()).find(|&number| self.places[number].held.is_empty());
        self.taken_below = free.map_or(self.places.len(), |number| number + 1);
        let number = free.ok_or(Errno::ENFILE)?;
        let mut generation = self.places[number].generation.unwrap_or(Generation::before_first(self.boot));
        generation.next();
        let mut held = Held::NONE;
        held.add(board);
        self.places[number] =
            EventPlace { generation: Some(generation), held, kind: make.kind, count: make.count, ..EventPlace::FREE };
        Ok(EventFile { number: number as u16, generation: generation.number() })
    }

    /// A file that nobody holds is no more. Who waits for it looks again, and finds that.
    fn end_unheld(&mut self, number: usize) {
        if self.places[number].held.is_empty() {
            self.due.unset(number);
            if self.places[number].kind == EventKind::Watches {
                self.watches.end_set(number as u16);
            }
            self.wakes.wake(&mut self.places[number].waiters);
            self.taken_below = self.taken_below.min(number);
        }
    }

    /// Something has happened to file `number`: who waits for it looks again.
    fn happened(&mut self, number: usize) {
        let place = &mut self.places[number];
        place.note_edge();
        self.wakes.wake(&mut place.waiters);
    }

    /// The caller is woken when it is to be tried again, if it is.
    fn await_if_later<E: Entry>(&mut self, call: &Call<E>, errno: Option<Errno>, number: usize, slot: u16) {
        if errno == Some(Errno::EAGAIN) && slot != NOBODY {
            self.places[number].waiters.add(call.board(), slot);
        }
    }

    /// By how much the time that file `number` counts is ahead of that since boot.
    fn ahead_ns(&self, number: usize) -> u64 {
        if self.places[number].timer.follows { self.epoch_ns } else { 0 }
    }

    /// Now, of the time that file `number` counts.
    fn now_ns(&self, number: usize) -> u64 {
        self.ahead_ns(number).saturating_add(self.me.now_ns())
    }

    /// Has the heap know when timer `number` expires.
    fn plan(&mut self, number: usize) {
        let ahead_ns = self.ahead_ns(number);
        match self.places[number].timer.due_ns() {
            Some(at_ns) => self.due.set(number, at_ns.saturating_sub(ahead_ns)),
            None => self.due.unset(number),
        }
    }

    fn take(&mut self, number: usize) -> Result<u64, Errno> {
        let now_ns = self.now_ns(number);
        let taken = self.places[number].take(now_ns)?;
        if self.places[number].is_timer() {
            self.plan(number);
        } else {
            self.happened(number); // there is room for more
        }
        Ok(taken)
    }

    fn add(&mut self, number: usize, add: u64) -> Result<(), Errno> {
        self.places[number].add(add)?;
        self.happened(number);
        Ok(())
    }

    fn poll(&mut self, number: usize, poll: PollEvents, board: u8) -> Polled {
        let PollEvents { events, slot, seen, .. } = poll;
        let place = &mut self.places[number];
        let edges = place.edges;
        let events = if seen == edges { 0 } else { place.events() & events };
        if events == 0 && slot != NOBODY {
            place.waiters.add(board, slot);
        }
        Polled { events, edges }
    }

    fn left(&self, number: usize) -> Result<Left, Errno> {
        let place = &self.places[number];
        if place.is_timer() { Ok(place.timer.left(self.now_ns(number))) } else { Err(Errno::EINVAL) }
    }

    fn set_timer(&mut self, number: usize, set: SetTimerFile) -> Result<Left, Errno> {
        let SetTimerFile { at_ns, interval_ns, absolute, told, .. } = set;
        let (left, now_ns) = (self.left(number)?, self.me.now_ns());
        let follows = self.places[number].kind == EventKind::CalendarTimer;
        let times: &mut Times = &mut self.places[number].timer;
        match at_ns {
            0 => times.set(0, interval_ns, false, false),
            _ if absolute => times.set(at_ns, interval_ns, follows, told && follows),
            // So long from now, however the calendar is set meanwhile.
            _ => times.set(now_ns.saturating_add(at_ns), interval_ns, false, false),
        }
        self.plan(number);
        Ok(left)
    }

    fn follow_calendar(&mut self, number: usize) {
        if self.places[number].timer.follows && !self.places[number].held.is_empty() {
            self.plan(number);
            if self.places[number].timer.cancel() {
                self.happened(number);
            }
        }
    }
}
