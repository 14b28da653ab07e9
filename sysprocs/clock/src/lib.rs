//! The clock of a board: calendar time, and sleeping that a signal can end.
//!
//! Invariant: a sleeper is answered at its time or when interrupted, whichever is first. Time comes
//! from the board's own timer; calendar time is that plus an offset, which starts at a value that
//! the system's configuration fixes, so that runs repeat. Not here: time slices of user programs.
#![no_std]
#![forbid(unsafe_code)]

use heapless::Vec;
use renga_proto::clock::{Clock, ClockCall, SleepUntil};
use renga_rt::{Call, Errno, Me, Never, Port, Protocol};

/// User processes of a board, each of which may sleep.
const SLEEPERS_MAX: usize = 256;

/// Serves the clock; `epoch_ns` is the calendar time at boot, ns since 1970.
pub async fn clock(mut me: Me, mut port: Port<Clock>, epoch_ns: u64) -> Never {
    let mut epoch_ns = epoch_ns;
    let mut sleepers: Vec<Call<SleepUntil>, SLEEPERS_MAX> = Vec::new();
    loop {
        match port.accept_or_notified(Clock::ENTRIES).await {
            Some(ClockCall::CalendarTime(call)) => {
                call.reply(Ok(epoch_ns.saturating_add(me.now_ns())));
                continue; // nobody sleeps another time for that
            }
            Some(ClockCall::SetCalendarTime(call)) => {
                let wanted_ns = call.entry().now_ns;
                epoch_ns = wanted_ns.saturating_sub(me.now_ns());
                call.reply(Ok(()));
            }
            Some(ClockCall::SleepUntil(call)) => {
                if let Err(call) = sleepers.push(call) {
                    call.reply(Err(Errno::EAGAIN));
                }
            }
            None => {}
        }
        wake(&mut sleepers, me.now_ns());
        me.notify_at(sleepers.iter().map(|call| call.entry().until_ns).min());
    }
}

/// Answers the sleepers whose time has come and those who were interrupted.
fn wake(sleepers: &mut Vec<Call<SleepUntil>, SLEEPERS_MAX>, now_ns: u64) {
    let mut at = 0;
    while at < sleepers.len() {
        let call = &sleepers[at];
        if call.entry().until_ns <= now_ns {
            sleepers.swap_remove(at).reply(Ok(()));
        } else if call.interrupted() {
            sleepers.swap_remove(at).reply(Err(Errno::EINTR));
        } else {
            at += 1;
        }
    }
}
