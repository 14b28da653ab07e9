//! Progress of long work, on standard error.
//!
//! Invariant: nothing is said of work that takes no time to notice; a step's line is wiped when the
//! next begins, so that only the program's output stays. Without a terminal, steps are lines.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(120);

/// One line that says what is being done.
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// On standard error; without a terminal, silent unless `verbose`.
    pub fn start() -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        Progress { bar }
    }

    /// A new step begins.
    pub fn step(&self, what: &str) {
        match &self.bar {
            Some(bar) => {
                bar.reset_elapsed();
                bar.set_message(what.to_string());
            }
            None => eprintln!("renga: {what}"),
        }
    }

    /// All steps are done; the line goes.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
