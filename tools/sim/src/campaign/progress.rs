//! Progress of a campaign: a bar on a terminal, otherwise a line now and then, so that a person who stops it knows how
//! much was done.
//!
//! Not here: what the seeds did (`summary.rs`).

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

/// Lines are so far apart at first; each pause is twice the one before.
const PAUSE_MIN: Duration = Duration::from_secs(5);
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// The pauses of lines.
struct Pulse {
    next: Duration,
    pause: Duration,
}

impl Pulse {
    /// Whether a line is due `since` the begin.
    fn is_due(&mut self, since: Duration) -> bool {
        let due = since >= self.next;
        if due {
            self.pause = (self.pause * 2).min(PAUSE_MAX);
            self.next = since + self.pause;
        }
        due
    }
}

/// The display on the standard error.
pub struct CampaignProgress {
    bar: ProgressBar,
    /// None on a terminal.
    pulse: Option<Mutex<Pulse>>,
}

impl CampaignProgress {
    /// Of so many seeds none is done.
    pub fn new(seeds: u64) -> CampaignProgress {
        let is_terminal = std::io::stderr().is_terminal();
        let target = if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(seeds), target);
        let style = ProgressStyle::with_template("{bar:30} {pos} of {len} seeds, {per_sec}, {eta} to go, {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let pulse = Pulse { next: PAUSE_MIN, pause: PAUSE_MIN };
        CampaignProgress { bar, pulse: (!is_terminal).then(|| Mutex::new(pulse)) }
    }

    /// One more seed is done.
    pub fn one_more(&self) {
        self.bar.inc(1);
        let Some(pulse) = &self.pulse else { return };
        if pulse.lock().unwrap_or_else(|error| error.into_inner()).is_due(self.bar.elapsed()) {
            eprintln!("{}", self.line());
        }
    }

    /// So many seeds have failed.
    pub fn failed(&self, failures: usize) {
        self.bar.set_message(format!("{failures} failures"));
    }

    /// Ends the display.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self) -> String {
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
        let elapsed = self.bar.elapsed();
        let rate = done as f64 / elapsed.as_secs_f64();
        let to_go = Duration::from_secs_f64(all.saturating_sub(done) as f64 / rate);
        let failures = self.bar.message();
        let failures = if failures.is_empty() { "0 failures" } else { &failures };
        format!("{done} of {all} seeds, {rate:.1}/s, {} to go, {failures}", HumanDuration(to_go))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_intervals_grow_to_a_minute() {
        let mut pulse = Pulse { next: PAUSE_MIN, pause: PAUSE_MIN };
        let due: Vec<u64> = (0..300).filter(|second| pulse.is_due(Duration::from_secs(*second))).collect();
        assert_eq!(due, [5, 15, 35, 75, 135, 195, 255]);
    }
}
