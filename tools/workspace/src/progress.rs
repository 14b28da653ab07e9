//! Progress of long work, on standard error.
//!
//! Invariant: nothing is said of work that takes no time to notice. On a terminal a step's line is
//! wiped when the next begins, so that only the program's output stays; elsewhere, steps that last
//! are lines.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(120);
/// Without a terminal, shorter steps are not worth a line.
const NOTICEABLE: Duration = Duration::from_secs(2);

/// One line that says what is being done.
pub struct ProgressLine {
    bar: Option<ProgressBar>,
    /// Counts the steps, so that a late line about an earlier one is not written.
    current: Arc<AtomicU64>,
}

impl ProgressLine {
    /// On standard error.
    pub fn start() -> ProgressLine {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        ProgressLine { bar, current: Arc::new(AtomicU64::new(0)) }
    }

    /// Shows `what` on a terminal; elsewhere nothing, since a script waits for its own output.
    pub fn on_terminal(what: &str) -> Option<ProgressLine> {
        std::io::stderr().is_terminal().then(|| {
            let progress = ProgressLine::start();
            progress.step(what);
            progress
        })
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

/// A writer whose first output ends the progress shown until then.
pub struct FirstOutput<W> {
    progress: Option<ProgressLine>,
    out: W,
}

impl<W: Write> FirstOutput<W> {
    /// Shows `what` on a terminal until something is written to `out`.
    pub fn after(what: &str, out: W) -> FirstOutput<W> {
        FirstOutput { progress: ProgressLine::on_terminal(what), out }
    }
}

impl<W: Write> Write for FirstOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
