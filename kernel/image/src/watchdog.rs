//! The watchdog and the board's health, checked while it runs.
//!
//! Invariant: the watchdog is fed only while the link's process is served; a board that hangs, or that hangs its
//! neighbours, is reset. In the emulator none of this runs: the emulator restarts failed boards itself. Not here: the
//! caller (`executor.rs`).

use crate::executor::NEVER_NS;
use crate::{hardware, link_device, own_card};
use renga_arch_aarch64::mmio::Mmio;
use renga_board_rpi::power::Watchdog;

/// Between two checks, ns.
const POLL_NS: u64 = 500_000_000;
/// A board that is not fed for so long is reset, s.
const WATCHDOG_S: u32 = 5;
/// The link samples its lines at least every second; a board whose link has not for so long is not fed, ns.
const LINK_SILENCE_NS_MAX: u64 = 3_000_000_000;
/// Checks between two requests to the firmware.
const CHECKS_PER_REQUEST: u32 = 20;

/// The watchdog of one board.
pub struct BoardWatchdog {
    watchdog: Option<Watchdog<Mmio>>,
    has_link: bool,
    check_ns: u64,
    /// When there is something to do; `NEVER_NS`: never.
    next_ns: u64,
    /// When the board is to panic, if the command line says so.
    panic_ns: Option<u64>,
    checks: u32,
    link_polls: u32,
    progress_ns: u64,
}

impl BoardWatchdog {
    /// Starts; the board of a system of one has no link to wait for.
    pub fn begin(has_link: bool, panic_ns: Option<u64>) -> BoardWatchdog {
        let watchdog = hardware::watched().then(hardware::watchdog);
        let progress_ns = hardware::now_ns();
        let next_ns = if watchdog.is_some() { 0 } else { first_ns(panic_ns) };
        BoardWatchdog { watchdog, has_link, check_ns: 0, next_ns, panic_ns, checks: 0, link_polls: 0, progress_ns }
    }

    /// When the next check is due, ns; `NEVER_NS`: never.
    #[inline(always)]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Checks, now that it is due.
    #[cold]
    pub fn check(&mut self, now_ns: u64) {
        assert!(self.panic_ns.is_none_or(|at_ns| now_ns < at_ns), "the board's arguments order a panic");
        own_card::end_trial(now_ns);
        let Some(watchdog) = &mut self.watchdog else {
            self.next_ns = first_ns(self.panic_ns);
            return;
        };
        if now_ns < self.check_ns {
            return;
        }
        self.check_ns = now_ns + POLL_NS;
        self.next_ns = self.check_ns.min(first_ns(self.panic_ns));
        let link_polls = link_device::polls();
        if link_polls != self.link_polls || !self.has_link {
            (self.link_polls, self.progress_ns) = (link_polls, now_ns);
        }
        if now_ns - self.progress_ns < LINK_SILENCE_NS_MAX {
            watchdog.feed(WATCHDOG_S);
        }
        self.checks += 1;
        let _ = hardware::with_firmware(|firmware| match self.checks % CHECKS_PER_REQUEST {
            0 => firmware.ask(),
            1 => firmware.listen(),
            _ => {}
        });
    }
}

/// When the first of what is to end the board does so, ns: an order to panic, or a trial.
fn first_ns(panic_ns: Option<u64>) -> u64 {
    panic_ns.into_iter().chain(own_card::trial_ends_ns()).min().unwrap_or(NEVER_NS)
}
