//! The person at the terminal, and what they see of the progress.

use crate::{CopyObserver, FlashError, Person, Phase};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::io::{BufRead, IsTerminal, Write};
use std::time::Instant;

/// Without a terminal, a line for each such part of the whole.
const PERCENT_STEP: u64 = 25;

/// A person at a terminal.
pub struct Keyboard(());

impl Keyboard {
    /// # Errors
    /// If there is no terminal.
    pub fn new() -> Result<Keyboard, FlashError> {
        if std::io::stdin().is_terminal() {
            return Ok(Keyboard(()));
        }
        Err(FlashError::NotConfirmed("there is no terminal to ask on; scripts say --yes --serial=TEXT".into()))
    }
}

impl Person for Keyboard {
    fn ask(&mut self, text: &str) -> Option<String> {
        let mut out = std::io::stderr();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).ok()?;
        let mut line = String::new();
        let count = std::io::stdin().lock().read_line(&mut line).ok()?;
        (count > 0).then_some(line)
    }
}

/// The progress of cards that are written at once: a bar each on a terminal, lines elsewhere.
#[derive(Default)]
pub struct Bars(MultiProgress);

impl Bars {
    /// That of the card of `name`; an only one has no name.
    pub fn of(&self, name: &str) -> Bar {
        let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
        Bar { all: self.0.clone(), name, bar: None, phase: None, said_percent: 0 }
    }
}

/// Progress, with speed and time left.
pub struct Bar {
    all: MultiProgress,
    name: String,
    bar: Option<ProgressBar>,
    phase: Option<(Phase, Instant)>,
    said_percent: u64,
}

impl CopyObserver for Bar {
    fn progress(&mut self, phase: Phase, done_bytes: u64, all_bytes: u64) {
        if self.phase.is_none_or(|(known, _)| known != phase) {
            self.begin(phase, all_bytes);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done_bytes);
            if done_bytes == all_bytes {
                bar.finish_and_clear();
            }
            return;
        }
        let percent = done_bytes * 100 / all_bytes.max(1);
        if percent < self.said_percent + PERCENT_STEP && done_bytes != all_bytes {
            return;
        }
        self.said_percent = percent;
        let elapsed_s = self.phase.map_or(0.0, |(_, begun)| begun.elapsed().as_secs_f64()).max(1e-6);
        let rate_bps = done_bytes as f64 / elapsed_s;
        let left_s = (all_bytes - done_bytes) as f64 / rate_bps.max(1.0);
        let (name, word) = (&self.name, word(phase));
        eprintln!("{name}{word}: {percent} %, {:.1} MB/s, {left_s:.0} s left", rate_bps / 1e6);
    }
}

impl Bar {
    fn begin(&mut self, phase: Phase, all_bytes: u64) {
        self.phase = Some((phase, Instant::now()));
        self.said_percent = 0;
        self.bar = std::io::stderr().is_terminal().then(|| {
            let message = format!("{}{}", self.name, word(phase));
            let bar = self.all.add(ProgressBar::new(all_bytes)).with_message(message);
            let form = "{msg} {bar:30} {percent} %  {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left";
            if let Ok(style) = ProgressStyle::with_template(form) {
                bar.set_style(style);
            }
            bar
        });
    }
}

fn word(phase: Phase) -> &'static str {
    match phase {
        Phase::Write => "writing",
        Phase::Verify => "reading back",
    }
}
