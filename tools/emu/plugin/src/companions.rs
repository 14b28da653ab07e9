//! Boards that run side by side exchange their positions, without the coordinator.
//!
//! A board's grant ends at what the coordinator knew when it gave it: the others' time then, and the link's least
//! latency. Those that it let run together (a *round*) write their time into a shared page at every step, and each goes
//! on as far as that of the others allows, up to the round's ceiling. So two busy boards need no message and no system
//! call while they do not talk. A board that has sent something writes nothing more, since the others must not
//! pass what comes of it; who waits, has sent, or has reached the ceiling leaves the round and reports. When all
//! have left, the coordinator goes on.
//!
//! Invariant: positions never go back within a round, and a board neither acts before its own position nor sends
//! anything that arrives sooner than `lookahead_ns` behind it. So the host only decides which board waits for which,
//! not the results.
//!
//! Not here: the page (`shared`), the choice of boards that run together (`renga_emu::horizon`).

use crate::shared::{self, SharedSlot, Slots};
use renga_emu_device::messages::Together;
use std::hint;
use std::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use std::time::Duration;

/// Reads of another board's time, at most, before this thread sleeps: some 30 us of the host.
const SPINS_MAX: u32 = 1 << 10;
/// After spinning in vain, not less.
const SPINS_MIN: u32 = 1 << 3;
/// A board that does not move for so long is the coordinator's matter.
const PATIENCE: Duration = Duration::from_millis(100);

/// This board among those that run. All times in here are the cluster's.
pub struct Companions {
    slots: &'static Slots,
    own: usize,
    lookahead_ns: u64,
    origin_ns: u64,
    /// The present round, with the board's first grant in it.
    round: Option<(Together, u64)>,
    /// Where the board may be by what it knows of the others, in its own time, ns.
    end_ns: u64,
    spins: u32,
}

/// The board that another waits for.
struct Last {
    board: usize,
    /// Nothing of its arrives before, ns.
    past_ns: u64,
    has_left: bool,
    /// Its news before its time was read.
    seen: u32,
}

impl Companions {
    /// Board `own`, whose clock began at `origin_ns`.
    pub fn new(slots: &'static Slots, own: u8, lookahead_ns: u64, origin_ns: u64) -> Self {
        Self { slots, own: own.into(), lookahead_ns, origin_ns, round: None, end_ns: 0, spins: SPINS_MAX }
    }

    /// A grant has come at `now_ns`, until `until_ns`.
    pub fn join(&mut self, together: Option<Together>, now_ns: u64, until_ns: u64) {
        let origin_ns = self.origin_ns;
        self.end_ns = until_ns;
        self.round = together.map(|together| (together, until_ns + origin_ns));
        let Some((together, _)) = &self.round else { return };
        let slot = &self.slots[self.own];
        slot.past_ns.store(now_ns + origin_ns, Release);
        slot.round.store(together.round, Release);
        announce(slot);
    }

    /// The board does nothing before `past_ns`, and writes nothing more in this round: how far it may go now by what it
    /// knew of the others when it stopped last, ns. Nothing if it is in none.
    pub fn leave(&mut self, past_ns: u64) -> Option<u64> {
        let (together, _) = self.round.take()?;
        let slot = &self.slots[self.own];
        slot.past_ns.store(past_ns.saturating_add(self.origin_ns).min(together.ceiling_ns), Release);
        slot.left.store(together.round, Release);
        announce(slot);
        Some(self.end_ns)
    }

    /// The board is busy at `now_ns`: where it is to stop next, if it need not report.
    pub fn go_on(&mut self, now_ns: u64) -> Option<u64> {
        let now_ns = now_ns + self.origin_ns;
        let ceiling_ns = self.round.as_ref()?.0.ceiling_ns;
        let slot = &self.slots[self.own];
        slot.past_ns.store(now_ns.min(ceiling_ns), Release);
        announce(slot);
        if now_ns >= ceiling_ns {
            return None;
        }
        // Bounded: each iteration but the last waits for news, of which there is an end before the ceiling.
        loop {
            let (last, another_runs) = self.last()?;
            let end_ns = last.past_ns.min(ceiling_ns);
            if end_ns > now_ns {
                // More stops, so that no board ever waits, cost more than the waiting
                // (docs/design/emulator-and-virtual-time.md).
                let step_ns = if another_runs { self.lookahead_ns } else { u64::MAX };
                self.end_ns = end_ns - self.origin_ns;
                return Some(end_ns.min(now_ns.saturating_add(step_ns)) - self.origin_ns);
            }
            if last.has_left || !self.wait(&last) {
                return None;
            }
        }
    }

    /// The board of the round that is furthest behind, and whether any other is still in the round.
    fn last(&self) -> Option<(Last, bool)> {
        let (together, until_ns) = self.round.as_ref()?;
        let others = (0..self.slots.len()).filter(|board| *board != self.own && together.boards >> board & 1 != 0);
        let others: Vec<Last> = others.map(|board| self.progress(board, together, *until_ns)).collect();
        let another_runs = others.iter().any(|other| !other.has_left);
        Some((others.into_iter().min_by_key(|other| other.past_ns)?, another_runs))
    }

    fn progress(&self, board: usize, together: &Together, until_ns: u64) -> Last {
        let slot = &self.slots[board];
        // In this order: a writer counts news after the news itself, and a board that has left writes no more.
        let seen = slot.news.load(SeqCst);
        let has_left = slot.left.load(Acquire) == together.round;
        let takes_part = slot.round.load(Acquire) == together.round;
        let reported_ns = if takes_part { slot.past_ns.load(Acquire).saturating_add(self.lookahead_ns) } else { 0 };
        Last { board, past_ns: reported_ns.max(until_ns).max(together.quiet_ns), has_left, seen }
    }

    /// Waits for news of `last`; false if there are none for too long.
    fn wait(&mut self, last: &Last) -> bool {
        let slot = &self.slots[last.board];
        let has_news = || slot.news.load(SeqCst) != last.seen;
        if (0..self.spins).any(|_| {
            hint::spin_loop();
            has_news()
        }) {
            self.spins = (self.spins * 2).min(SPINS_MAX);
            return true;
        }
        // On a loaded host spinning only delays the other boards.
        self.spins = (self.spins / 2).max(SPINS_MIN);
        slot.waiting.fetch_add(1, SeqCst);
        if !has_news() {
            shared::wait(&slot.news, last.seen, PATIENCE);
        }
        slot.waiting.fetch_sub(1, SeqCst);
        has_news()
    }
}

/// Wakes boards that wait for a change of `slot`.
fn announce(slot: &SharedSlot) {
    slot.news.fetch_add(1, SeqCst);
    if slot.waiting.load(SeqCst) != 0 {
        shared::wake(&slot.news);
    }
}
