//! Clocks and sleeping.

use crate::user::slot::{User, leaving};
use crate::user::state::fields::{put_ints, put_words};
use crate::user::state::{SyscallEscape, SyscallResult, restartable_as};
use renga_hal::memory::UserMemory;
use renga_proto::clock::{CalendarTime, SetCalendarTime, SleepUntil};
use renga_proto::events::FollowCalendar;
use renga_rt::Errno;

pub const CLOCK_REALTIME: u32 = 0;
pub const CLOCK_MONOTONIC: u32 = 1;
/// What the program has used, and what this thread has.
const CLOCK_PROCESS: u32 = 2;
const CLOCK_THREAD: u32 = 3;
const CLOCK_MONOTONIC_RAW: u32 = 4;
const CLOCK_REALTIME_COARSE: u32 = 5;
/// Time since boot. Clocks from 1 (monotonic) to this one count from boot, but for the coarse calendar clock.
pub const CLOCK_BOOTTIME: u32 = 7;
const TIMER_ABSTIME: u32 = 1;
pub const NS_PER_S: u64 = 1_000_000_000;
pub const NS_PER_US: u64 = 1_000;
/// In the numbers of processes' clocks: of one thread, and what is counted (all, own instructions, all as scheduled).
const CLOCK_PER_THREAD: u32 = 4;
const CLOCK_KIND: u32 = 3;
const CPUCLOCK_PROF: u32 = 0;
const CPUCLOCK_VIRT: u32 = 1;
const CPUCLOCK_SCHED: u32 = 2;

/// What a clock counts of a process's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Own {
    /// Its own instructions.
    Instructions,
    /// All that it used.
    All,
}

/// The process whose time clock number `clock` counts (`clock_getcpuclockid`), `pid` being the caller's, and what of
/// it.
pub fn process_clock(clock: u32, pid: u32) -> Option<(u32, Own)> {
    match clock {
        CLOCK_PROCESS | CLOCK_THREAD => Some((pid, Own::All)),
        clock if (clock as i32) < 0 => {
            let of = match !((clock as i32) >> 3) as u32 {
                0 => pid,
                of => of,
            };
            match clock & CLOCK_KIND {
                CPUCLOCK_VIRT => Some((of, Own::Instructions)),
                CPUCLOCK_PROF | CPUCLOCK_SCHED => Some((of, Own::All)),
                _ => None,
            }
            .filter(|_| clock & CLOCK_PER_THREAD == 0 || of == pid)
        }
        _ => None,
    }
}

/// As [`process_clock`], of the caller's own time only.
pub fn own_clock(clock: u32, pid: u32) -> Option<Own> {
    process_clock(clock, pid).filter(|&(of, _)| of == pid).map(|(_, own)| own)
}

/// Bytes of `struct timex`, and what it says of a clock that nobody has set by another.
const TIMEX_BYTES: usize = 208;
const ADJ_OFFSET_SS_READ: u32 = 0xa001;
const STA_UNSYNC: u32 = 64;
const ERROR_US: u64 = 16_000_000;
const TOLERANCE: u64 = 32_768_000;
const TICK_US: u64 = 10_000;
const TIME_ERROR: u64 = 5;

/// A `struct timespec`.
pub fn time_words(ns: u64) -> [u64; 2] {
    [ns / NS_PER_S, ns % NS_PER_S]
}

impl<M: UserMemory> User<M> {
    /// The time of a clock, ns.
    async fn clock_ns(&mut self, clock: u32) -> Result<u64, Errno> {
        match clock {
            CLOCK_REALTIME | CLOCK_REALTIME_COARSE => self.services.clients.clock.call(CalendarTime {}, ()).await,
            CLOCK_MONOTONIC | CLOCK_MONOTONIC_RAW..=CLOCK_BOOTTIME => Ok(self.me.now_ns()),
            _ => self.process_ns(clock).await,
        }
    }

    /// The time of a process of any board by its clock, ns.
    async fn process_ns(&mut self, clock: u32) -> Result<u64, Errno> {
        let (pid, own) = process_clock(clock, self.program.pid).ok_or(Errno::EINVAL)?;
        let used = match clock {
            CLOCK_THREAD => self.usage_of_thread(),
            _ if pid == self.program.pid => self.usage(),
            _ => self.usage_of(pid).await?,
        };
        Ok(used.user_ns + if own == Own::All { used.system_ns } else { 0 })
    }

    /// The `struct timespec` at `address`, ns.
    pub(crate) async fn get_time(&mut self, address: u64) -> Result<u64, Errno> {
        self.get_time_in(address, 1).await
    }

    /// Seconds and parts of `unit_ns` at `address`: a `struct timespec` or `timeval`, ns.
    pub(crate) async fn get_time_in(&mut self, address: u64, unit_ns: u64) -> Result<u64, Errno> {
        let (seconds, parts) = (self.get_word(address).await?, self.get_word(address.wrapping_add(8)).await?);
        if parts >= NS_PER_S / unit_ns || (seconds as i64) < 0 {
            return Err(Errno::EINVAL);
        }
        Ok(seconds.saturating_mul(NS_PER_S).saturating_add(parts * unit_ns))
    }

    pub(crate) async fn get_clock(&mut self) -> Result<(), Errno> {
        let ns = self.clock_ns(self.int(0)).await?;
        self.put_words(self.argument(1), time_words(ns)).await
    }

    pub(crate) async fn set_clock(&mut self) -> Result<(), Errno> {
        if self.int(0) != CLOCK_REALTIME {
            return Err(Errno::EINVAL);
        }
        let now_ns = self.get_time(self.argument(1)).await?;
        if !self.program.credentials.is_root() {
            return Err(Errno::EPERM);
        }
        self.services.clients.clock.call(SetCalendarTime { now_ns }, ()).await?;
        if let Some(mut events) = self.services.clients.own_events.at(0) {
            events.call(FollowCalendar { now_ns }, ()).await?;
        }
        Ok(())
    }

    pub(crate) async fn get_clock_resolution(&mut self) -> Result<(), Errno> {
        if self.int(0) > CLOCK_BOOTTIME {
            self.process_ns(self.int(0)).await?; // there is such a process
        }
        if self.argument(1) != 0 {
            self.put_words(self.argument(1), time_words(1)).await?;
        }
        Ok(())
    }

    pub(crate) async fn get_time_of_day(&mut self) -> Result<(), Errno> {
        let ns = self.clock_ns(CLOCK_REALTIME).await?;
        if self.argument(0) != 0 {
            self.put_words(self.argument(0), [ns / NS_PER_S, ns % NS_PER_S / NS_PER_US]).await?;
        }
        self.put_unless_null(self.argument(1), &[0; 8]).await
    }

    /// `adjtimex` that asks: the clock is not synchronised. Changes are refused.
    pub(crate) async fn adjust_clock(&mut self) -> Result<u64, Errno> {
        let (place, now_ns) = (self.argument(0), self.clock_ns(CLOCK_REALTIME).await?);
        match self.get_int(place).await? {
            0 | ADJ_OFFSET_SS_READ => {}
            _ => return Err(Errno::EPERM),
        }
        let mut bytes = [0; TIMEX_BYTES];
        put_ints(&mut bytes, [(40, STA_UNSYNC)]);
        // Greatest and estimated error, time constant, precision, tolerance; the time; the length of a tick.
        put_words(&mut bytes, [(24, ERROR_US), (32, ERROR_US), (48, 2), (56, 1), (64, TOLERANCE)]);
        put_words(&mut bytes, [(72, now_ns / NS_PER_S), (80, now_ns % NS_PER_S / NS_PER_US), (88, TICK_US)]);
        self.put(place, &bytes).await?;
        Ok(TIME_ERROR)
    }

    pub(crate) async fn sleep(&mut self) -> SyscallResult<()> {
        let (time, rest) = (self.argument(0), self.argument(1));
        let ns = self.get_time(time).await?;
        self.sleep_until(self.me.now_ns().saturating_add(ns), rest).await
    }

    pub(crate) async fn sleep_by_clock(&mut self) -> SyscallResult<()> {
        let (clock, flags, time, rest) = (self.int(0), self.int(1), self.argument(2), self.argument(3));
        let ns = self.get_time(time).await?;
        match clock {
            CLOCK_THREAD => return Err(Errno::EINVAL.into()),
            // A sleeping program uses no time.
            CLOCK_PROCESS => return Err(Errno::EOPNOTSUPP.into()),
            0..=CLOCK_BOOTTIME => {}
            _ => return Err(Errno::EINVAL.into()),
        }
        if flags & TIMER_ABSTIME == 0 {
            return self.sleep_until(self.me.now_ns().saturating_add(ns), rest).await;
        }
        let calendar = matches!(clock, CLOCK_REALTIME | CLOCK_REALTIME_COARSE);
        let slept = leaving!(self, self.services.clients.clock.call(SleepUntil { until_ns: ns, calendar }, ()));
        restartable_as(SyscallEscape::RestartUnlessHandled, slept)
    }

    /// Sleeps until `until_ns`, or until the time that an interrupted sleep was to end at.
    async fn sleep_until(&mut self, until_ns: u64, rest: u64) -> SyscallResult<()> {
        let until_ns = self.thread.deadline_ns.take().unwrap_or(until_ns);
        let slept = leaving!(self, self.services.clients.clock.call(SleepUntil { until_ns, calendar: false }, ()));
        if slept == Err(Errno::EINTR) {
            if rest != 0 {
                let left = until_ns.saturating_sub(self.me.now_ns());
                self.put_words(rest, time_words(left)).await?;
            }
            self.thread.deadline_ns = Some(until_ns);
        }
        restartable_as(SyscallEscape::RestartUnlessHandled, slept)
    }
}
