//! Looking after the board while it runs: the watchdog, and how the board fares.
//!
//! Invariant: the watchdog is fed only while the link's process is served; a board that hangs, or that hangs its
//! neighbours, is reset. In the emulator nothing runs here: it starts dead boards itself. Not here: who calls this
//! (`executor.rs`).

use crate::{hardware, link_device};
use renga_arch_aarch64::mmio::Mmio;
use renga_board_rpi::power::Watchdog;

/// Between two looks, ns.
const LOOK_NS: u64 = 500_000_000;
/// A board that is not fed for so long is reset, s.
const WATCHDOG_S: u32 = 5;
/// The link looks at its lines at least every second; a board whose link does not for so long is not fed, ns.
const LINK_SILENCE_NS_MAX: u64 = 3_000_000_000;
/// Looks between two questions how the board fares.
const LOOKS_PER_QUESTION: u32 = 20;

/// The care of one board.
pub struct Care {
    watchdog: Option<Watchdog<Mmio>>,
    has_link: bool,
    look_ns: u64,
    /// When the board is to panic, if it was told so.
    panic_ns: Option<u64>,
    looks: u32,
    turns: u32,
    progress_ns: u64,
}

impl Care {
    /// Begins; a board of a system of one has no link to wait for.
    pub fn begin(has_link: bool, panic_ns: Option<u64>) -> Care {
        let watchdog = hardware::watched().then(hardware::watchdog);
        Care { watchdog, has_link, look_ns: 0, panic_ns, looks: 0, turns: 0, progress_ns: hardware::now_ns() }
    }

    /// When it wants to look next, ns.
    pub fn next_ns(&self) -> Option<u64> {
        let look_ns = self.watchdog.is_some().then_some(self.look_ns);
        look_ns.into_iter().chain(self.panic_ns).min()
    }

    /// Looks, if it is time.
    pub fn look(&mut self, now_ns: u64) {
        assert!(self.panic_ns.is_none_or(|at_ns| now_ns < at_ns), "told to panic by the board's arguments");
        let Some(watchdog) = &mut self.watchdog else { return };
        if now_ns < self.look_ns {
            return;
        }
        self.look_ns = now_ns + LOOK_NS;
        let turns = link_device::turns();
        if turns != self.turns || !self.has_link {
            (self.turns, self.progress_ns) = (turns, now_ns);
        }
        if now_ns - self.progress_ns < LINK_SILENCE_NS_MAX {
            watchdog.feed(WATCHDOG_S);
        }
        self.looks += 1;
        let _ = hardware::with_firmware(|firmware| match self.looks % LOOKS_PER_QUESTION {
            0 => firmware.ask(),
            1 => firmware.listen(),
            _ => {}
        });
    }
}
