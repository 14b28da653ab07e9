//! Interval timers and POSIX timers (setitimer(2), timer_create(2)), as the program names them.
//!
//! Invariant: a timer of the program is one of the board's clock, until the program ends; an exec ends those that it
//! made itself. A child has none. Not here: when they expire (the clock), their signals (`user/signals`).

use crate::signals::{SIGALRM, SIGNALS, SIGPROF, SIGVTALRM};
use crate::user::facts::time::{CLOCK_BOOTTIME, CLOCK_MONOTONIC, CLOCK_REALTIME, NS_PER_S, NS_PER_US, Own, own_clock};
use crate::user::slot::User;
use crate::user::state::INTERVAL_TIMERS;
use crate::user::state::fields::{int_at, word_at};
use renga_hal::memory::UserMemory;
use renga_proto::clock::{
    AskTimer, Counted, DropTimer, INTERVAL_TIMER, Left, MakeTimer, Overruns, SetTimer, TimerSignal,
};
use renga_rt::Errno;

/// What an interval timer counts, and its signal.
const INTERVALS: [(Counted, u8); INTERVAL_TIMERS] =
    [(Counted::Time, SIGALRM), (Counted::OwnTime, SIGVTALRM), (Counted::UsedTime, SIGPROF)];
const SIGEV_SIGNAL: u32 = 0;
const SIGEV_NONE: u32 = 1;
/// To one thread of the program.
const SIGEV_THREAD_ID: u32 = 4;
const TIMER_ABSTIME: u32 = 1;
/// The bytes of a `struct sigevent` that have a meaning here.
const EVENT_BYTES: usize = 20;

impl<M: UserMemory> User<M> {
    /// The clock's number of the program's timer at `place`.
    fn timer_at(&self, place: usize) -> Result<u32, Errno> {
        self.program.timers.0.get(place).and_then(|number| number.checked_sub(1)).ok_or(Errno::EINVAL)
    }

    /// The place of the timer that an argument means.
    fn timer_argument(&self, index: usize) -> Result<usize, Errno> {
        let id = usize::try_from(self.int(index) as i32).map_err(|_| Errno::EINVAL)?;
        Ok(id.saturating_add(INTERVAL_TIMERS))
    }

    async fn make_timer_at(
        &mut self,
        place: usize,
        counted: Counted,
        signal: TimerSignal,
        (id, value): (u32, u64),
    ) -> Result<u32, Errno> {
        let (pid, slot) = (self.program.pid, self.facts.slot);
        let make = MakeTimer { pid, slot, counted, signal, id, value };
        let number = self.services.clients.clock.call(make, ()).await?;
        self.program.timers.0[place] = number + 1;
        Ok(number)
    }

    /// Ends the program's timers from place `first` on.
    pub(crate) async fn drop_timers(&mut self, first: usize) {
        // Each pass removes one; mostly there is none.
        while let Some(place) = self.program.timers.0[first..].iter().position(|&number| number != 0) {
            let _ = self.drop_timer(first + place).await; // the clock knows the timer
        }
    }

    async fn ask_timer(&mut self, place: usize) -> Result<Left, Errno> {
        let (pid, timer) = (self.program.pid, self.timer_at(place)?);
        self.services.clients.clock.call(AskTimer { pid, timer }, ()).await
    }

    /// A time and an interval of `unit_ns` at `address`: a `struct itimerspec` or `itimerval`, whose interval is first.
    pub(crate) async fn get_setting(&mut self, address: u64, unit_ns: u64) -> Result<Left, Errno> {
        let mut ns = [0; 2];
        for (index, ns) in ns.iter_mut().enumerate() {
            *ns = self.get_time_in(address.wrapping_add(16 * index as u64), unit_ns).await?;
        }
        Ok(Left { left_ns: ns[1], interval_ns: ns[0] })
    }

    pub(crate) async fn put_setting(
        &mut self,
        address: u64,
        Left { left_ns, interval_ns }: Left,
        unit_ns: u64,
    ) -> Result<(), Errno> {
        // Round up: a running timer never reports zero.
        let [interval_ns, left_ns] = [interval_ns, left_ns].map(|ns| ns.next_multiple_of(unit_ns));
        let parts = |ns: u64| ns % NS_PER_S / unit_ns;
        let words = [interval_ns / NS_PER_S, parts(interval_ns), left_ns / NS_PER_S, parts(left_ns)];
        self.put_words(address, words).await
    }

    /// As `put_setting`, unless the address is 0.
    pub(crate) async fn put_old_setting(&mut self, address: u64, old: Left, unit_ns: u64) -> Result<(), Errno> {
        if address != 0 { self.put_setting(address, old, unit_ns).await } else { Ok(()) }
    }

    pub(crate) async fn get_interval_timer(&mut self) -> Result<(), Errno> {
        let (which, place) = (self.int(0) as usize, self.argument(1));
        if which >= INTERVAL_TIMERS {
            return Err(Errno::EINVAL);
        }
        let left = match self.ask_timer(which).await {
            Err(Errno::EINVAL) => Left { left_ns: 0, interval_ns: 0 }, // it was never set
            left => left?,
        };
        self.put_setting(place, left, NS_PER_US).await
    }

    pub(crate) async fn set_interval_timer(&mut self) -> Result<(), Errno> {
        let (which, new, old) = (self.int(0) as usize, self.argument(1), self.argument(2));
        let &(counted, signal) = INTERVALS.get(which).ok_or(Errno::EINVAL)?;
        // As on Linux, no new setting is one of zero.
        let setting = match new {
            0 => Left { left_ns: 0, interval_ns: 0 },
            new => self.get_setting(new, NS_PER_US).await?,
        };
        let pid = self.program.pid;
        let timer = match self.timer_at(which) {
            Ok(timer) => timer,
            Err(_) => {
                self.make_timer_at(which, counted, TimerSignal { signal, thread: 0 }, (INTERVAL_TIMER, 0)).await?
            }
        };
        let Left { left_ns: at_ns, interval_ns } = setting;
        let set = SetTimer { pid, timer, at_ns, interval_ns, absolute: false };
        let left = self.services.clients.clock.call(set, ()).await?;
        self.put_old_setting(old, left, NS_PER_US).await
    }

    /// What a timer of a clock counts.
    fn counted_by(&self, clock: u32) -> Result<Counted, Errno> {
        match clock {
            CLOCK_REALTIME => Ok(Counted::Calendar),
            CLOCK_MONOTONIC | CLOCK_BOOTTIME => Ok(Counted::Time),
            clock => match own_clock(clock, self.program.pid).ok_or(Errno::EINVAL)? {
                Own::Instructions => Ok(Counted::OwnTime),
                Own::All => Ok(Counted::UsedTime),
            },
        }
    }

    pub(crate) async fn make_timer(&mut self) -> Result<(), Errno> {
        let (clock, event, place) = (self.int(0), self.argument(1), self.argument(2));
        let counted = self.counted_by(clock)?;
        let free = self.program.timers.0[INTERVAL_TIMERS..].iter().position(|&number| number == 0);
        let id = free.ok_or(Errno::EAGAIN)?;
        let (mut sends, mut value) = (TimerSignal { signal: SIGALRM, thread: 0 }, id as u64);
        if event != 0 {
            let mut bytes = [0; EVENT_BYTES];
            self.get(event, &mut bytes).await?;
            let word = |at: usize| int_at(&bytes, at);
            value = word_at(&bytes, 0);
            let (how, signal) = (word(12), word(8));
            if how != SIGEV_NONE && !(1..=u32::from(SIGNALS)).contains(&signal) {
                return Err(Errno::EINVAL);
            }
            sends = match how {
                SIGEV_NONE => TimerSignal { signal: 0, thread: 0 },
                SIGEV_SIGNAL => TimerSignal { signal: signal as u8, thread: 0 },
                SIGEV_THREAD_ID => {
                    let thread = word(16);
                    self.check_thread(self.program.pid, thread).await.map_err(|_| Errno::EINVAL)?;
                    TimerSignal { signal: signal as u8, thread }
                }
                _ => return Err(Errno::EINVAL),
            };
        }
        self.make_timer_at(id + INTERVAL_TIMERS, counted, sends, (id as u32, value)).await?;
        if let Err(errno) = self.put(place, &(id as u32).to_le_bytes()).await {
            self.drop_timer(id + INTERVAL_TIMERS).await?;
            return Err(errno);
        }
        Ok(())
    }

    async fn drop_timer(&mut self, place: usize) -> Result<(), Errno> {
        let (pid, timer) = (self.program.pid, self.timer_at(place)?);
        self.program.timers.0[place] = 0;
        self.services.clients.clock.call(DropTimer { pid, timer }, ()).await
    }

    pub(crate) async fn set_timer(&mut self) -> Result<(), Errno> {
        let (flags, new, old) = (self.int(1), self.argument(2), self.argument(3));
        let (pid, timer) = (self.program.pid, self.timer_at(self.timer_argument(0)?)?);
        let Left { left_ns: at_ns, interval_ns } = self.get_setting(new, 1).await?;
        let set = SetTimer { pid, timer, at_ns, interval_ns, absolute: flags & TIMER_ABSTIME != 0 };
        let left = self.services.clients.clock.call(set, ()).await?;
        self.put_old_setting(old, left, 1).await
    }

    pub(crate) async fn get_timer(&mut self) -> Result<(), Errno> {
        let left = self.ask_timer(self.timer_argument(0)?).await?;
        self.put_setting(self.argument(1), left, 1).await
    }

    pub(crate) async fn get_overruns(&mut self) -> Result<u32, Errno> {
        let (pid, timer) = (self.program.pid, self.timer_at(self.timer_argument(0)?)?);
        self.services.clients.clock.call(Overruns { pid, timer }, ()).await
    }

    pub(crate) async fn delete_timer(&mut self) -> Result<(), Errno> {
        self.drop_timer(self.timer_argument(0)?).await
    }
}
