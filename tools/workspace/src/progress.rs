//! Progress of long work, on standard error.
//!
//! Invariant: nothing is said of work that takes no time to notice. On a terminal a step's line is
//! wiped when the next begins, so that only the program's output stays; elsewhere, steps that last
//! are lines.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(120);
/// Without a terminal, shorter steps are not worth a line.
const NOTICEABLE: Duration = Duration::from_millis(1500);

/// One line that says what is being done.
pub struct Progress {
    bar: Option<ProgressBar>,
    /// Counts the steps, so that a late line about an earlier one is not written.
    current: Arc<AtomicU64>,
}

impl Progress {
    /// On standard error.
    pub fn start() -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        Progress { bar, current: Arc::new(AtomicU64::new(0)) }
    }

    /// A new step begins.
    pub fn step(&self, what: &str) {
        let number = self.current.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(bar) = &self.bar {
            bar.reset_elapsed();
            bar.set_message(what.to_string());
            return;
        }
        let (current, line) = (self.current.clone(), format!("renga: {what} ..."));
        // It ends by itself, soon; a process that ends first takes it along.
        std::thread::spawn(move || {
            std::thread::sleep(NOTICEABLE);
            if current.load(Ordering::Relaxed) == number {
                eprintln!("{line}");
            }
        });
    }

    /// All steps are done; the line goes.
    pub fn finish(&self) {
        self.current.fetch_add(1, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
