//! The clock's server: sleepers and timers share one heap of times.
//!
//! Invariant: the first entries of the heap are the sleepers', the others the timers'. Calls: `procs` (signals of
//! timers).

use crate::due::{Due, DuePlace};
use crate::timers::{Next, Now, Timer, UNHEARD_NS_MIN};
use renga_proto::clock::{
    AskTimer, AwaitWake, BoardDied, CalendarTime, Clock, ClockCall, ClockServer, DropTimer, GoOn, Left, MakeTimer,
    Overruns, SetCalendarTime, SetTimer, SleepUntil, Wake,
};
use renga_proto::procs::{Kill, Procs};
use renga_rt::account::{AccountNumber, Count};
use renga_rt::{Call, Client, Errno, Me, Never, Port, Protocol, SLOT_WORDS, Watch};

/// A time that does not come.
const FOREVER_NS: u64 = u64::MAX;

/// A call that sleeps; or the next free place for one. Boot provides them.
pub enum Sleeper {
    /// Free, and which is the next one that is.
    Free(usize),
    /// A sleeping program.
    Asleep(Call<SleepUntil>),
    /// A program waits to be woken.
    Waiting(Call<AwaitWake>),
}
impl Sleeper {
    /// A free place.
    pub const NONE: Sleeper = Sleeper::Free(0);
}

/// How a program waits to be woken. Boot provides one for each slot.
#[derive(Clone, Copy, Debug)]
pub struct SlotWait {
    /// Woken since it last waited.
    woken: bool,
    /// The place of its call, or `NO_PLACE`.
    place: usize,
}
const NO_PLACE: usize = usize::MAX;
impl SlotWait {
    /// It does not wait.
    pub const NONE: SlotWait = SlotWait { woken: false, place: NO_PLACE };
}

struct ClockState {
    me: Me,
    procs: Client<Procs, { Kill::BIT }>,
    epoch_ns: u64,
    due: Due,
    sleepers: &'static mut [Sleeper],
    first_free: usize,
    /// Sleepers are below.
    end: usize,
    slots: &'static mut [SlotWait],
    /// Boards whose failure a program waits for.
    watch: &'static Watch,
    timers: &'static mut [Timer],
    /// No timer below is free.
    taken_below: usize,
}

/// Serves the clock; `epoch_ns` is the calendar time at boot, ns since 1970. There is room for so many `sleepers` and
/// `timers`, and for all of them in `due`. Programs that may wait to be woken have `slots`; the boards that these wait
/// for are watched. Sleeps and timers end at multiples of
/// `tick_ns`, or, if it is 0, when they are over.
#[allow(clippy::too_many_arguments, reason = "boot hands each of them out by its type")]
pub async fn clock(
    me: Me,
    mut port: Port<Clock>,
    procs: Client<Procs, { Kill::BIT }>,
    epoch_ns: u64,
    sleepers: &'static mut [Sleeper],
    timers: &'static mut [Timer],
    due: &'static mut [DuePlace],
    slots: &'static mut [SlotWait],
    watch: &'static Watch,
    tick_ns: u64,
) -> Never {
    assert!(due.len() == sleepers.len() + timers.len(), "each timer and sleeper has a place");
    for (place, sleeper) in sleepers.iter_mut().enumerate() {
        *sleeper = Sleeper::Free(place + 1);
    }
    let mut state = ClockState {
        me,
        procs,
        epoch_ns,
        due: Due::new(due, tick_ns),
        sleepers,
        first_free: 0,
        end: 0,
        slots,
        watch,
        timers,
        taken_below: 0,
    };
    loop {
        let call = port.accept_or_notified(Clock::ENTRIES).await;
        let asks_time = matches!(call, Some(ClockCall::CalendarTime(_)));
        if let Some(call) = call {
            call.serve(&mut state).await;
        }
        if asks_time {
            continue; // no alarm has changed
        }
        state.expire().await;
        state.answer_interrupted();
        state.me.notify_at(state.due.first_ns());
    }
}

impl ClockServer for ClockState {
    async fn calendar_time(&mut self, _: &mut Call<CalendarTime>) -> Result<u64, Errno> {
        Ok(self.epoch_ns.saturating_add(self.me.now_ns()))
    }
    async fn set_calendar_time(&mut self, call: &mut Call<SetCalendarTime>) -> Result<(), Errno> {
        self.set_calendar(call.entry().now_ns);
        Ok(())
    }
    async fn sleep_until(&mut self, call: Call<SleepUntil>) {
        let SleepUntil { until_ns, calendar } = call.entry();
        let Some(place) = self.take_place() else { return call.reply(Err(Errno::EAGAIN)) };
        self.sleepers[place] = Sleeper::Asleep(call);
        self.due.set(place, self.since_boot(until_ns, calendar));
    }
    async fn await_wake(&mut self, call: Call<AwaitWake>) {
        let AwaitWake { slot, until_ns, boards } = call.entry();
        let Some(wait) = self.slots.get_mut(usize::from(slot)) else { return call.reply(Err(Errno::EINVAL)) };
        if core::mem::take(&mut wait.woken) {
            return call.reply(Ok(()));
        }
        let Some(place) = self.take_place() else { return call.reply(Err(Errno::EAGAIN)) };
        self.slots[usize::from(slot)].place = place;
        self.watch.change(0, boards);
        self.sleepers[place] = Sleeper::Waiting(call);
        if until_ns != FOREVER_NS {
            self.due.set(place, until_ns);
        }
    }
    async fn wake(&mut self, call: &mut Call<Wake>) -> Result<(), Errno> {
        let Wake { first, second, third, fourth } = call.entry();
        self.wake_slots([first, second, third, fourth]);
        Ok(())
    }
    async fn board_died(&mut self, call: &mut Call<BoardDied>) -> Result<(), Errno> {
        self.wake_those_of(call.entry().board);
        Ok(())
    }
    async fn make_timer(&mut self, call: &mut Call<MakeTimer>) -> Result<u32, Errno> {
        let MakeTimer { pid, slot, counted, signal, id, value } = call.entry();
        let number = self.free_timer().ok_or(Errno::EAGAIN)?;
        self.timers[number] = Timer::new(pid, slot, counted, signal, id, value);
        Ok(number as u32)
    }
    async fn set_timer(&mut self, call: &mut Call<SetTimer>) -> Result<Left, Errno> {
        let SetTimer { pid, timer, at_ns, interval_ns, absolute } = call.entry();
        let number = self.timer(pid, timer)?;
        let now = self.now(number);
        let left = self.timers[number].left(now);
        let next = self.timers[number].set(now, at_ns, interval_ns, absolute);
        self.plan(number, next);
        Ok(left)
    }
    async fn ask_timer(&mut self, call: &mut Call<AskTimer>) -> Result<Left, Errno> {
        let number = self.timer(call.entry().pid, call.entry().timer)?;
        Ok(self.timers[number].left(self.now(number)))
    }
    async fn drop_timer(&mut self, call: &mut Call<DropTimer>) -> Result<(), Errno> {
        let number = self.timer(call.entry().pid, call.entry().timer)?;
        self.end_timer(number);
        Ok(())
    }
    async fn go_on(&mut self, call: &mut Call<GoOn>) -> Result<u32, Errno> {
        let number = self.timer(call.entry().pid, call.entry().timer)?;
        let next = self.timers[number].signal_taken(self.now(number));
        self.plan(number, next);
        Ok(self.timers[number].overruns())
    }
    async fn overruns(&mut self, call: &mut Call<Overruns>) -> Result<u32, Errno> {
        let number = self.timer(call.entry().pid, call.entry().timer)?;
        Ok(self.timers[number].overruns())
    }
}

impl ClockState {
    /// When `until_ns` comes, since boot.
    fn since_boot(&self, until_ns: u64, calendar: bool) -> u64 {
        if calendar { until_ns.saturating_sub(self.epoch_ns) } else { until_ns }
    }

    /// A free place for a sleeper.
    fn take_place(&mut self) -> Option<usize> {
        let place = self.first_free;
        let Some(Sleeper::Free(next)) = self.sleepers.get(place) else { return None };
        self.first_free = *next;
        self.end = self.end.max(place + 1);
        Some(place)
    }

    fn wake_slots(&mut self, words: [u64; SLOT_WORDS]) {
        for (index, mut word) in words.into_iter().enumerate() {
            // Bounded by its bits.
            while word != 0 {
                let slot = index * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                match self.slots.get_mut(slot) {
                    Some(wait) if wait.place == NO_PLACE => wait.woken = true,
                    Some(&mut SlotWait { place, .. }) => self.end_sleep(place, Ok(())),
                    None => {}
                }
            }
        }
    }

    fn wake_those_of(&mut self, board: u8) {
        // A program that has polled and does not wait yet would miss the failure, which is reported once.
        self.slots.iter_mut().filter(|wait| wait.place == NO_PLACE).for_each(|wait| wait.woken = true);
        for place in 0..self.end {
            if matches!(&self.sleepers[place], Sleeper::Waiting(call) if call.entry().boards >> board & 1 != 0) {
                self.end_sleep(place, Ok(()));
            }
        }
    }

    /// Calendar time is `now_ns`: calendar sleepers and timers move.
    fn set_calendar(&mut self, now_ns: u64) {
        self.epoch_ns = now_ns.saturating_sub(self.me.now_ns());
        for place in 0..self.end {
            if let Sleeper::Asleep(call) = &self.sleepers[place]
                && call.entry().calendar
            {
                self.due.set(place, self.since_boot(call.entry().until_ns, true));
            }
        }
        for number in 0..self.timers.len() {
            if self.timers[number].follows_calendar() {
                self.plan(number, self.timers[number].next(self.now(number)));
            }
        }
    }

    /// The place of `timer`, which is `pid`'s.
    fn timer(&self, pid: u32, timer: u32) -> Result<usize, Errno> {
        let known = self.timers.get(timer as usize).is_some_and(|timer| timer.pid == pid && pid != 0);
        if known { Ok(timer as usize) } else { Err(Errno::EINVAL) }
    }

    /// Where timer `number` is in the heap.
    fn place(&self, number: usize) -> usize {
        self.sleepers.len() + number
    }

    fn free_timer(&mut self) -> Option<usize> {
        let free = (self.taken_below..self.timers.len()).find(|&number| self.timers[number].pid == 0);
        self.taken_below = free.map_or(self.timers.len(), |number| number + 1);
        free
    }

    fn now(&self, number: usize) -> Now {
        let counts = self.me.counts(AccountNumber::of_slot(self.me.id().board.0, self.timers[number].slot));
        let of = |count: Count| counts[count as usize];
        let own_ns = of(Count::UserNs);
        let used_ns = own_ns + of(Count::SystemNs) + of(Count::BehalfNs) + of(Count::ElsewhereNs);
        Now { time_ns: self.me.now_ns(), epoch_ns: self.epoch_ns, own_ns, used_ns }
    }

    fn end_timer(&mut self, number: usize) {
        self.timers[number] = Timer::FREE;
        self.taken_below = self.taken_below.min(number);
        self.due.unset(self.place(number));
    }

    /// Sets the time of a timer's next action.
    fn plan(&mut self, number: usize, next: Next) {
        match next {
            Next::Nothing => self.due.unset(self.place(number)),
            Next::Check(at_ns) => self.due.set(self.place(number), at_ns),
            Next::Send => self.due.set(self.place(number), self.me.now_ns()),
        }
    }

    /// Answers the sleepers and sends the signals whose time has come. A timer is due again later, or not at all.
    async fn expire(&mut self) {
        let now_ns = self.me.now_ns();
        while let Some(place) = self.due.take(now_ns) {
            if let Some(number) = place.checked_sub(self.sleepers.len()) {
                self.expire_timer(number).await;
            } else {
                self.end_sleep(place, Ok(()));
            }
        }
    }

    async fn expire_timer(&mut self, number: usize) {
        let timer = self.timers[number];
        let mut next = timer.next(self.now(number));
        if next == Next::Send {
            let (pid, signal, cause) = timer.news(number);
            next = match self.procs.call(Kill { pid, signal, cause }, ()).await {
                Ok(kept) => self.timers[number].sent(self.now(number), kept),
                // The signal queue is full: the signal comes later.
                Err(Errno::EAGAIN) => Next::Check(self.me.now_ns() + UNHEARD_NS_MIN),
                Err(_) => return self.end_timer(number), // the process is gone
            };
        }
        // Never now again: else one whose interval passes meanwhile would never end.
        let later_ns = self.me.now_ns() + 1;
        self.plan(
            number,
            match next {
                Next::Send => Next::Check(later_ns),
                Next::Check(at_ns) => Next::Check(at_ns.max(later_ns)),
                Next::Nothing => Next::Nothing,
            },
        );
    }

    /// Answers the sleeper at `place`, which is free from now on.
    fn end_sleep(&mut self, place: usize, answer: Result<(), Errno>) {
        self.due.unset(place);
        match core::mem::replace(&mut self.sleepers[place], Sleeper::Free(self.first_free)) {
            Sleeper::Asleep(call) => call.reply(answer),
            Sleeper::Waiting(call) => {
                let AwaitWake { slot, boards, .. } = call.entry();
                self.slots[usize::from(slot)].place = NO_PLACE;
                self.watch.change(boards, 0);
                call.reply(answer);
            }
            free => {
                self.sleepers[place] = free;
                return;
            }
        }
        self.first_free = place;
    }

    /// Answers the sleepers that were interrupted.
    fn answer_interrupted(&mut self) {
        for place in 0..self.end {
            let interrupted = match &self.sleepers[place] {
                Sleeper::Asleep(call) => call.wait_cancelled(),
                Sleeper::Waiting(call) => call.wait_cancelled(),
                Sleeper::Free(_) => false,
            };
            if interrupted {
                self.end_sleep(place, Err(Errno::EINTR));
            }
        }
    }
}
