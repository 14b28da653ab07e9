//! Clocks and sleeping.

use crate::user::User;
use crate::user::escape::{Outcome, restartable_unless_handled};
use renga_hal::memory::UserMemory;
use renga_proto::clock::{CalendarTime, SetCalendarTime, SleepUntil};
use renga_rt::Errno;

const CLOCK_REALTIME: u32 = 0;
/// What the program has used; it has one thread.
const CLOCK_PROCESS: u32 = 2;
const CLOCK_THREAD: u32 = 3;
const CLOCK_REALTIME_COARSE: u32 = 5;
/// Clocks from 1 (monotonic) to 7 (since boot) count from boot, but for the coarse calendar clock.
const CLOCK_BOOTTIME: u32 = 7;
const TIMER_ABSTIME: u32 = 1;
const NS_PER_S: u64 = 1_000_000_000;
const NS_PER_US: u64 = 1_000;

/// A `struct timespec`.
fn time_bytes(ns: u64) -> [u8; 16] {
    pair(ns / NS_PER_S, ns % NS_PER_S)
}

fn pair(first: u64, second: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&first.to_le_bytes());
    bytes[8..].copy_from_slice(&second.to_le_bytes());
    bytes
}

impl<M: UserMemory + ?Sized> User<M> {
    /// The time of a clock, ns.
    async fn clock_ns(&mut self, clock: u32) -> Result<u64, Errno> {
        match clock {
            CLOCK_REALTIME | CLOCK_REALTIME_COARSE => self.services.clients.clock.call(CalendarTime {}, ()).await,
            CLOCK_PROCESS | CLOCK_THREAD => {
                let used = self.usage();
                Ok(used.user_ns + used.system_ns)
            }
            0..=CLOCK_BOOTTIME => Ok(self.me.now_ns()),
            _ => Err(Errno::EINVAL),
        }
    }

    /// The `struct timespec` at `address`, ns.
    pub(in crate::user) async fn get_time(&mut self, address: u64) -> Result<u64, Errno> {
        let seconds = self.get_word(address).await?;
        let ns = self.get_word(address.wrapping_add(8)).await?;
        if ns >= NS_PER_S || (seconds as i64) < 0 {
            return Err(Errno::EINVAL);
        }
        Ok(seconds.saturating_mul(NS_PER_S).saturating_add(ns))
    }

    pub(in crate::user) async fn get_clock(&mut self) -> Outcome {
        let ns = self.clock_ns(self.int(0)).await?;
        self.put(self.argument(1), &time_bytes(ns)).await?;
        Ok(0)
    }

    pub(in crate::user) async fn set_clock(&mut self) -> Outcome {
        if self.int(0) != CLOCK_REALTIME {
            return Err(Errno::EINVAL.into());
        }
        let now_ns = self.get_time(self.argument(1)).await?;
        self.services.clients.clock.call(SetCalendarTime { now_ns }, ()).await?;
        Ok(0)
    }

    pub(in crate::user) async fn get_clock_resolution(&mut self) -> Outcome {
        if self.int(0) > CLOCK_BOOTTIME {
            return Err(Errno::EINVAL.into());
        }
        if self.argument(1) != 0 {
            self.put(self.argument(1), &time_bytes(1)).await?;
        }
        Ok(0)
    }

    pub(in crate::user) async fn get_time_of_day(&mut self) -> Outcome {
        let ns = self.clock_ns(CLOCK_REALTIME).await?;
        if self.argument(0) != 0 {
            self.put(self.argument(0), &pair(ns / NS_PER_S, ns % NS_PER_S / NS_PER_US)).await?;
        }
        if self.argument(1) != 0 {
            self.put(self.argument(1), &[0; 8]).await?;
        }
        Ok(0)
    }

    pub(in crate::user) async fn sleep(&mut self) -> Outcome {
        let (time, rest) = (self.argument(0), self.argument(1));
        let ns = self.get_time(time).await?;
        self.sleep_until(self.me.now_ns().saturating_add(ns), rest).await
    }

    pub(in crate::user) async fn sleep_by_clock(&mut self) -> Outcome {
        let (clock, flags, time, rest) = (self.int(0), self.int(1), self.argument(2), self.argument(3));
        let ns = self.get_time(time).await?;
        let now = self.me.now_ns();
        if flags & TIMER_ABSTIME != 0 {
            let from_now = ns.saturating_sub(self.clock_ns(clock).await?);
            return self.sleep_until(now.saturating_add(from_now), 0).await;
        }
        if clock > CLOCK_BOOTTIME {
            return Err(Errno::EINVAL.into());
        }
        self.sleep_until(now.saturating_add(ns), rest).await
    }

    /// Sleeps until `until_ns`, or until the time that an interrupted sleep was to end at.
    async fn sleep_until(&mut self, until_ns: u64, rest: u64) -> Outcome {
        let until_ns = self.program.deadline_ns.take().unwrap_or(until_ns);
        let slept = self.services.clients.clock.call(SleepUntil { until_ns }, ()).await;
        if slept == Err(Errno::EINTR) {
            if rest != 0 {
                let left = until_ns.saturating_sub(self.me.now_ns());
                self.put(rest, &time_bytes(left)).await?;
            }
            self.program.deadline_ns = Some(until_ns);
        }
        restartable_unless_handled(slept)?;
        Ok(0)
    }
}
