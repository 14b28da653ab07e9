//! The server of event files: counters, timers and sets of watches of this board's programs.
//!
//! Invariant: no entry waits. A caller that gets `EAGAIN` is woken after the next change and tries again, so one wait
//! serves one file and many. A timer is in the heap exactly while it is set and has no unread expiry. Calls: no
//! server. Not here: what a file is (`file.rs`), how programs wait (the clock).

use super::file::{EventPlace, Times};
use super::notices::{NoticeMemory, NoticeQueue, Notices};
use super::watches::{WatchPlace, Watches};
use crate::due::{Due, DuePlace};
use renga_proto::clock::Left;
use renga_proto::events::{
    AddCount, AskProcess, AskTimerFile, AskWaiting, BoardDied, ChangeWatch, ClaimWatch, CountNotices, DropEvents,
    EndProcess, EventFile, EventKind, Events, EventsServer, FollowCalendar, HoldEvents, MakeEvents, MakeNotices,
    MakeProcessFile, NameChild, NextUnnamed, NextWatch, NoteChange, PollEvents, SetProcess, SetTimerFile, SetWaiting,
    TakeCount, TakeNotices, UnnamedChild, UnwatchInode, WatchChange, WatchEntry, WatchInode, WatchedInode,
    WatchedProcess,
};
use renga_proto::pipe::{NO_PROGRAM, Polled};
use renga_rt::{BoardReferences, Call, Entry, Errno, Generation, Me, Never, Port, Protocol, Wakes, WatchFilters};

struct EventsState {
    me: Me,
    places: &'static mut [EventPlace],
    due: Due,
    /// No place below is free.
    taken_below: usize,
    epoch_ns: u64,
    boot: u8,
    wakes: &'static Wakes,
    watches: Watches,
    notices: Notices,
    watched: &'static WatchFilters,
}

/// Serves as many event files as there are `places`, each with a place in `due`; those that are sets share the
/// `watches`, those that hear of changed files `notices`; what these and processes' files watch is in `watched`.
/// `boot` counts the board's starts; `epoch_ns` is the calendar time at boot. Timers end at multiples of `tick_ns`,
/// or, if it is 0, when they are over.
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
    notices: &'static mut NoticeMemory,
    watched: &'static WatchFilters,
    tick_ns: u64,
) -> Never {
    assert!(due.len() == places.len(), "each event file may be a timer");
    let (watches, notices) = (Watches::new(watches), Notices::new(notices));
    let due = Due::new(due, tick_ns);
    let mut state = EventsState { me, places, due, taken_below: 0, epoch_ns, boot, wakes, watches, notices, watched };
    loop {
        if let Some(call) = port.accept_or_notified(Events::ENTRIES).await {
            call.serve(&mut state).await;
        }
        let now_ns = state.me.now_ns();
        while let Some(number) = state.due.take(now_ns) {
            state.places[number].timer.expired = true;
            state.happened(number);
        }
        state.me.notify_at(state.due.first_ns());
    }
}

impl EventsServer for EventsState {
    async fn make_events(&mut self, call: &mut Call<MakeEvents>) -> Result<EventFile, Errno> {
        let MakeEvents { kind, count } = call.entry();
        if matches!(kind, EventKind::Notices | EventKind::Process) {
            return Err(Errno::EINVAL);
        }
        self.create(call.board(), EventPlace { kind, count, ..EventPlace::FREE })
    }
    async fn hold_events(&mut self, call: &mut Call<HoldEvents>) -> Result<(), Errno> {
        let HoldEvents { number, generation } = call.entry();
        let place = self.places.get_mut(usize::from(number)).ok_or(Errno::ESTALE)?;
        if place.references.is_empty() || !place.is(generation) {
            return Err(Errno::ESTALE);
        }
        if place.references.add(call.board()) { Ok(()) } else { Err(Errno::ENFILE) }
    }
    async fn drop_events(&mut self, call: &mut Call<DropEvents>) -> Result<(), Errno> {
        let number = self.find(call, call.entry().number, call.entry().generation)?;
        self.places[number].references.remove(call.board());
        self.end_unreferenced(number);
        Ok(())
    }
    async fn take_count(&mut self, call: &mut Call<TakeCount>) -> Result<u64, Errno> {
        let number = self.find(call, call.entry().number, call.entry().generation)?;
        let now_ns = self.now_ns(number);
        let taken = self.places[number].take(now_ns);
        match taken {
            Ok(_) if self.places[number].is_timer() => self.plan(number),
            Ok(_) => self.happened(number), // the count has room for more
            Err(errno) => self.await_if_later(call, errno, number, call.entry().slot),
        }
        taken
    }
    async fn add_count(&mut self, call: &mut Call<AddCount>) -> Result<(), Errno> {
        let AddCount { number, generation, add, slot } = call.entry();
        let number = self.find(call, number, generation)?;
        let added = self.places[number].add(add);
        match added {
            Ok(()) => self.happened(number),
            Err(errno) => self.await_if_later(call, errno, number, slot),
        }
        added
    }
    async fn poll_events(&mut self, call: &mut Call<PollEvents>) -> Result<Polled, Errno> {
        let number = self.find_of_others(call, call.entry().number, call.entry().generation)?;
        let PollEvents { events, slot, seen, .. } = call.entry();
        let place = &mut self.places[number];
        let edges = place.edges;
        let events = if seen == edges { 0 } else { place.events() & events };
        if events == 0 && slot != NO_PROGRAM {
            place.waiters.add(call.board(), slot);
        }
        Ok(Polled { events, edges })
    }
    async fn set_timer_file(&mut self, call: &mut Call<SetTimerFile>) -> Result<Left, Errno> {
        let number = self.find(call, call.entry().number, call.entry().generation)?;
        let SetTimerFile { at_ns, interval_ns, absolute, cancel_on_set, .. } = call.entry();
        let (left, now_ns) = (self.left(number)?, self.me.now_ns());
        let follows = self.places[number].kind == EventKind::CalendarTimer;
        let times: &mut Times = &mut self.places[number].timer;
        match at_ns {
            0 => times.set(0, interval_ns, false, false),
            _ if absolute => times.set(at_ns, interval_ns, follows, cancel_on_set && follows),
            // The timer runs for so long from now, however the calendar is set meanwhile.
            _ => times.set(now_ns.saturating_add(at_ns), interval_ns, false, false),
        }
        self.plan(number);
        Ok(left)
    }
    async fn ask_timer_file(&mut self, call: &mut Call<AskTimerFile>) -> Result<Left, Errno> {
        let number = self.find(call, call.entry().number, call.entry().generation)?;
        self.left(number)
    }
    async fn follow_calendar(&mut self, call: &mut Call<FollowCalendar>) -> Result<(), Errno> {
        self.epoch_ns = call.entry().now_ns.saturating_sub(self.me.now_ns());
        for number in 0..self.places.len() {
            if self.places[number].timer.follows && !self.places[number].references.is_empty() {
                self.plan(number);
                if self.places[number].timer.cancel() {
                    self.happened(number);
                }
            }
        }
        Ok(())
    }
    async fn set_waiting(&mut self, call: &mut Call<SetWaiting>) -> Result<(), Errno> {
        let number = self.find(call, call.entry().number, call.entry().generation)?;
        self.places[number].nonblocking = call.entry().nonblocking;
        Ok(())
    }
    async fn ask_waiting(&mut self, call: &mut Call<AskWaiting>) -> Result<bool, Errno> {
        let number = self.find(call, call.entry().number, call.entry().generation)?;
        Ok(self.places[number].nonblocking)
    }
    async fn change_watch(&mut self, call: &mut Call<ChangeWatch>) -> Result<(), Errno> {
        let ChangeWatch { number, generation, wish, data, object, more } = call.entry();
        let set = self.find_set(call, number, generation)?;
        self.watches.change(number, wish, data, [object, more])?;
        // A program that waits for the set polls what the set watches now.
        if wish.change != WatchChange::Remove {
            self.happened(set);
        }
        Ok(())
    }
    async fn next_watch(&mut self, call: &mut Call<NextWatch>) -> Result<WatchEntry, Errno> {
        let NextWatch { number, generation, from, slot } = call.entry();
        let set = self.find_set(call, number, generation)?;
        if slot != NO_PROGRAM {
            self.places[set].waiters.add(call.board(), slot);
        }
        self.watches.next(number, from)
    }
    async fn claim_watch(&mut self, call: &mut Call<ClaimWatch>) -> Result<(), Errno> {
        let ClaimWatch { number, generation, place, stamp, edges } = call.entry();
        self.find_set(call, number, generation)?;
        self.watches.claim(number, place, stamp, edges)
    }
    async fn make_notices(&mut self, call: &mut Call<MakeNotices>) -> Result<EventFile, Errno> {
        let notices = NoticeQueue::new(call.entry().for_root);
        self.create(call.board(), EventPlace { kind: EventKind::Notices, notices, ..EventPlace::FREE })
    }
    async fn watch_inode(&mut self, call: &mut Call<WatchInode>) -> Result<WatchedInode, Errno> {
        let wanted = call.entry();
        let number = self.find_kind(call, wanted.number, wanted.generation, EventKind::Notices)?;
        let watch = self.notices.watch(&mut self.places[number].notices, wanted);
        self.watched.inodes.set(self.notices.inodes());
        watch
    }
    async fn unwatch_inode(&mut self, call: &mut Call<UnwatchInode>) -> Result<(), Errno> {
        let ended = call.entry();
        let place = self.find_kind(call, ended.number, ended.generation, EventKind::Notices)?;
        self.notices.unwatch(&mut self.places[place].notices, ended)?;
        self.watched.inodes.set(self.notices.inodes());
        self.happened(place);
        Ok(())
    }
    async fn note_change(&mut self, call: &mut Call<NoteChange>) -> Result<(), Errno> {
        let change = call.entry();
        // As on Linux, the directory's watches first.
        for by_directory in [true, false] {
            let mut from = 0;
            // Bounded by the watches.
            while let Some((at, queue)) = self.notices.next_match(from, change, by_directory) {
                let queue = usize::from(queue);
                self.notices.report(at, &mut self.places[queue].notices, (change, by_directory), call.lent());
                self.happened(queue);
                from = at + 1;
            }
        }
        self.watched.inodes.set(self.notices.inodes());
        Ok(())
    }
    async fn next_unnamed(&mut self, call: &mut Call<NextUnnamed>) -> Result<UnnamedChild, Errno> {
        let NextUnnamed { number, generation } = call.entry();
        let number = self.find_kind(call, number, generation, EventKind::Notices)?;
        self.notices.next_unnamed(&self.places[number].notices)
    }
    async fn name_child(&mut self, call: &mut Call<NameChild>) -> Result<(), Errno> {
        let NameChild { number, generation, directory, child } = call.entry();
        let number = self.find_kind(call, number, generation, EventKind::Notices)?;
        self.notices.name_child(&mut self.places[number].notices, UnnamedChild { directory, child }, call.lent());
        Ok(())
    }
    async fn take_notices(&mut self, call: &mut Call<TakeNotices>) -> Result<u32, Errno> {
        let TakeNotices { number, generation, slot } = call.entry();
        let number = self.find_kind(call, number, generation, EventKind::Notices)?;
        let taken = self.notices.take(&mut self.places[number].notices, call.lent());
        if let Err(errno) = taken {
            self.await_if_later(call, errno, number, slot);
        }
        taken
    }
    async fn count_notices(&mut self, call: &mut Call<CountNotices>) -> Result<u32, Errno> {
        let CountNotices { number, generation } = call.entry();
        let number = self.find_kind(call, number, generation, EventKind::Notices)?;
        Ok(self.notices.count(&self.places[number].notices))
    }
    async fn make_process_file(&mut self, call: &mut Call<MakeProcessFile>) -> Result<EventFile, Errno> {
        self.create(call.board(), EventPlace { kind: EventKind::Process, ..EventPlace::FREE })
    }
    async fn set_process(&mut self, call: &mut Call<SetProcess>) -> Result<(), Errno> {
        let SetProcess { number, generation, pid, ended } = call.entry();
        let number = self.find_kind(call, number, generation, EventKind::Process)?;
        self.places[number].process = WatchedProcess { pid, ended };
        self.publish_processes();
        self.happened(number);
        Ok(())
    }
    async fn end_process(&mut self, call: &mut Call<EndProcess>) -> Result<(), Errno> {
        let going_on = WatchedProcess { pid: call.entry().pid, ended: false };
        for number in 0..self.places.len() {
            let place = &mut self.places[number];
            if place.kind == EventKind::Process && place.process == going_on && !place.references.is_empty() {
                place.process.ended = true;
                self.happened(number);
            }
        }
        self.publish_processes();
        Ok(())
    }
    async fn ask_process(&mut self, call: &mut Call<AskProcess>) -> Result<WatchedProcess, Errno> {
        let AskProcess { number, generation } = call.entry();
        let number = self.find_kind(call, number, generation, EventKind::Process)?;
        Ok(self.places[number].process)
    }
    async fn board_died(&mut self, call: &mut Call<BoardDied>) -> Result<(), Errno> {
        for number in 0..self.places.len() {
            if self.places[number].references.drop_board(call.entry().board) > 0 {
                self.end_unreferenced(number);
            }
        }
        Ok(())
    }
}

impl EventsState {
    /// Makes a free place the event file `made`, of which `board` has a reference.
    fn create(&mut self, board: u8, made: EventPlace) -> Result<EventFile, Errno> {
        let free = (self.taken_below..self.places.len()).find(|&number| self.places[number].references.is_empty());
        self.taken_below = free.map_or(self.places.len(), |number| number + 1);
        let number = free.ok_or(Errno::ENFILE)?;
        let mut generation = self.places[number].generation.unwrap_or(Generation::before_first(self.boot));
        generation.next();
        let mut references = BoardReferences::NONE;
        references.add(board);
        self.places[number] = EventPlace { generation: Some(generation), references, ..made };
        Ok(EventFile { number: number as u16, generation: generation.number() })
    }

    /// The processes with an event file that have not ended are those that are watched.
    fn publish_processes(&self) {
        let is_watched = |place: &&EventPlace| {
            place.kind == EventKind::Process && !place.process.ended && !place.references.is_empty()
        };
        self.watched.processes.set(self.places.iter().filter(is_watched).map(|place| place.process.pid));
    }

    /// The place of file `number`, if it is in this generation and the caller's board has a reference.
    fn find<E: Entry>(&self, call: &Call<E>, number: u16, generation: u32) -> Result<usize, Errno> {
        let place = self.places.get(usize::from(number)).ok_or(Errno::ESTALE)?;
        let found = place.is(generation) && place.references.contains(call.board());
        if found { Ok(number.into()) } else { Err(Errno::ESTALE) }
    }

    /// As `find`, with `EPERM` for a file to which only other boards have references.
    fn find_of_others<E: Entry>(&self, call: &Call<E>, number: u16, generation: u32) -> Result<usize, Errno> {
        let is_there = |place: &EventPlace| place.is(generation) && !place.references.is_empty();
        let others = self.places.get(usize::from(number)).is_some_and(is_there);
        self.find(call, number, generation).map_err(|errno| if others { Errno::EPERM } else { errno })
    }

    /// As `find`, of a set of watches.
    fn find_set<E: Entry>(&self, call: &Call<E>, number: u16, generation: u32) -> Result<usize, Errno> {
        self.find_kind(call, number, generation, EventKind::Watches)
    }

    /// As `find`, of a file of `kind`.
    fn find_kind<E: Entry>(
        &self,
        call: &Call<E>,
        number: u16,
        generation: u32,
        kind: EventKind,
    ) -> Result<usize, Errno> {
        let number = self.find(call, number, generation)?;
        if self.places[number].kind == kind { Ok(number) } else { Err(Errno::EINVAL) }
    }

    /// Ends a file without references. Its waiters poll again, and find that.
    fn end_unreferenced(&mut self, number: usize) {
        if self.places[number].references.is_empty() {
            self.due.unset(number);
            match self.places[number].kind {
                EventKind::Watches => self.watches.end_set(number as u16),
                EventKind::Notices => {
                    self.notices.end_queue(number as u16, &mut self.places[number].notices);
                    self.watched.inodes.set(self.notices.inodes());
                }
                EventKind::Process => self.publish_processes(),
                _ => {}
            }
            self.wakes.wake(&mut self.places[number].waiters);
            self.taken_below = self.taken_below.min(number);
        }
    }

    /// File `number` has changed: its waiters poll again.
    fn happened(&mut self, number: usize) {
        let place = &mut self.places[number];
        place.note_edge();
        self.wakes.wake(&mut place.waiters);
    }

    /// The caller is woken when it is to be tried again, if it is.
    fn await_if_later<E: Entry>(&mut self, call: &Call<E>, errno: Errno, number: usize, slot: u16) {
        if errno == Errno::EAGAIN && slot != NO_PROGRAM {
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

    fn left(&self, number: usize) -> Result<Left, Errno> {
        let place = &self.places[number];
        if place.is_timer() { Ok(place.timer.left(self.now_ns(number))) } else { Err(Errno::EINVAL) }
    }
}
