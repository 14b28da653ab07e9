//! The lines: levels, their delays, and events.

use super::station::LoopbackStation;
use super::{BusEvent, WireModel};
use renga_wire::bus::{Answers, BusLines, Drive, WatchedLines};

/// How long a false level lasts, in delays of a line.
const FALSE_LINES: u64 = 10;

impl LoopbackStation {
    /// What others see of it.
    fn seen(&self, now_ns: u64) -> Drive {
        if now_ns >= self.seen_ns { self.drive } else { self.before }
    }

    fn watches(&self, watch: WatchedLines) -> bool {
        let ours = self.watch;
        self.listens
            && (ours.busy && watch.busy || ours.attention && watch.attention || ours.token_in && watch.token_in)
    }
}

impl WireModel {
    /// The lines as a station sees them.
    pub(super) fn lines(&self, place: usize) -> BusLines {
        let (me, now_ns) = (&self.stations[place], self.now_ns);
        let mut lines = BusLines { busy: now_ns < me.false_busy_ns, received: me.received, ..BusLines::default() };
        let mut talks = false;
        for (i, station) in self.stations.iter().enumerate().filter(|(_, station)| station.group == me.group) {
            let drive = if i == place { station.drive } else { station.seen(now_ns) };
            lines.busy |= drive.busy;
            lines.attention |= drive.attention;
            talks |= station.talk.is_some();
        }
        // The phys leave ATN# to the talker; a processor that hangs does not.
        lines.attention &= !talks;
        let before = &self.stations[(place + self.stations.len() - 1) % self.stations.len()];
        let handed = before.group == me.group && before.seen(now_ns).token_out && !me.blind_to_token;
        lines.token_in = handed && self.stations.len() > 1 || now_ns < me.false_token_ns;
        lines
    }

    pub(super) fn set(&mut self, place: usize, drive: Drive, watch: WatchedLines, answers: Answers) {
        let now_ns = self.now_ns;
        let station = &mut self.stations[place];
        let old = station.drive;
        (station.listens, station.answers) = (true, answers);
        let watches_more = station.watch != watch;
        station.watch = watch;
        if old != drive {
            station.before = station.seen(now_ns);
            (station.drive, station.seen_ns) = (drive, now_ns + self.timing.line_ns);
            // It knows what follows from its own doing.
            if old.busy != drive.busy {
                station.reported.busy = drive.busy;
            }
            if old.attention != drive.attention {
                station.reported.attention = drive.attention;
            }
            self.report_change(place, old, drive);
        }
        if watches_more {
            self.look_at(place);
            if self.stations.iter().any(|station| station.seen_ns > now_ns) {
                self.sample_after(self.timing.line_ns);
            }
        }
    }

    /// Schedules the events of a change in what a station pulls low.
    fn report_change(&mut self, place: usize, old: Drive, new: Drive) {
        let changed = WatchedLines {
            busy: old.busy != new.busy,
            attention: old.attention != new.attention,
            token_in: old.token_out != new.token_out,
        };
        if changed.token_in {
            let next = (place + 1) % self.stations.len();
            self.stations[next].blind_to_token = false;
            if new.token_out {
                self.hand_over(place, next);
            }
        }
        let watched = |(i, station): (usize, &LoopbackStation)| i != place && station.watches(changed);
        if self.stations.iter().enumerate().any(watched) {
            self.sample_after(self.timing.line_ns);
        }
    }

    /// A station hands the token on by wire; perhaps something goes wrong.
    fn hand_over(&mut self, place: usize, next: usize) {
        self.count.tokens += 1;
        let until_ns = self.now_ns + FALSE_LINES * self.timing.line_ns;
        if core::mem::take(&mut self.lose_next_token) || self.random.per_mille(self.faults.token_lost_per_mille) {
            self.count.token_faults += 1;
            self.stations[next].blind_to_token = true;
            self.stations[place].false_busy_ns = until_ns;
            self.sample_after(self.timing.line_ns);
        } else if self.random.per_mille(self.faults.token_doubled_per_mille) {
            let other = self.random.below(self.stations.len() as u64) as usize;
            if other != place && other != next {
                self.offer_token(other);
            }
        }
    }

    /// A station sees TOK_IN# low for a moment.
    pub(super) fn offer_token(&mut self, place: usize) {
        self.count.token_faults += 1;
        self.stations[place].false_token_ns = self.now_ns + FALSE_LINES * self.timing.line_ns;
        self.sample_after(self.timing.line_ns);
        self.sample_after(FALSE_LINES * self.timing.line_ns);
    }

    pub(super) fn sample_after(&mut self, after_ns: u64) {
        self.put(self.now_ns + after_ns, BusEvent::Sample);
    }

    /// Sends an event to every station whose watched lines have changed.
    pub(super) fn sample(&mut self) {
        (0..self.stations.len()).for_each(|place| self.look_at(place));
    }

    fn look_at(&mut self, place: usize) {
        let station = &self.stations[place];
        let (watch, reported) = (station.watch, station.reported);
        if !station.listens || watch == WatchedLines::default() {
            return;
        }
        let lines = self.lines(place);
        self.stations[place].lines_changed = watch.busy && lines.busy != reported.busy
            || watch.attention && lines.attention != reported.attention
            || watch.token_in && lines.token_in != reported.token_in;
    }
}
