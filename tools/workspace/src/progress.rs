//! Progress of long work, on standard error.
//!
//! Invariant: nothing is said of work that takes no time to notice. On a terminal a step's line is
//! wiped when the next begins, so that only the program's output stays. Elsewhere a step that lasts is a line, with
//! another every ten seconds, so that the log of a script shows that it goes on.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The period of the spinner.
const TICK: Duration = Duration::from_millis(120);
/// Of lines without a terminal: shorter steps are not worth one.
const PACE: LinePace = LinePace { first: Duration::from_secs(2), next: Duration::from_secs(10) };

/// When lines about one step are written.
#[derive(Clone, Copy)]
struct LinePace {
    /// After its beginning.
    first: Duration,
    /// After the line before.
    next: Duration,
}

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

    /// On standard error, with its first step.
    pub fn of(what: &str) -> ProgressLine {
        let progress = ProgressLine::start();
        progress.step(what);
        progress
    }

    /// A new step begins.
    pub fn step(&self, what: &str) {
        let number = self.current.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(bar) = &self.bar {
            bar.reset_elapsed();
            bar.set_message(what.to_string());
            return;
        }
        let (current, what) = (self.current.clone(), what.to_string());
        // It ends by itself; a process that ends first takes it along.
        std::thread::spawn(move || {
            write_lines(&what, PACE, || current.load(Ordering::Relaxed) == number, |line| eprintln!("{line}"));
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

/// Writes a line about the step `what` after each pause, as long as it `lasts`.
fn write_lines(what: &str, pace: LinePace, lasts: impl Fn() -> bool, mut write: impl FnMut(&str)) {
    let begin = Instant::now();
    std::thread::sleep(pace.first);
    if !what.is_empty() && lasts() {
        write(&format!("renga: {what} ..."));
        std::thread::sleep(pace.next);
        while lasts() {
            write(&format!("renga: {what} ... {} s", begin.elapsed().as_secs()));
            std::thread::sleep(pace.next);
        }
    }
}

/// A writer whose first output ends the display of progress.
pub struct FirstOutput<W> {
    progress: Option<ProgressLine>,
    out: W,
}

impl<W: Write> FirstOutput<W> {
    /// Shows `what` until something is written to `out`.
    pub fn after(what: &str, out: W) -> FirstOutput<W> {
        FirstOutput { progress: Some(ProgressLine::of(what)), out }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Lines about a step that ends after so many of them.
    fn lines(most: usize) -> Vec<String> {
        let (pace, written, mut lines) =
            (LinePace { first: Duration::ZERO, next: Duration::ZERO }, Cell::new(0), Vec::new());
        write_lines(
            "building",
            pace,
            || written.get() < most,
            |line| {
                written.set(written.get() + 1);
                lines.push(line.to_string());
            },
        );
        lines
    }

    #[test]
    fn progress_line_of_short_step_is_not_written() {
        assert!(lines(0).is_empty());
    }

    #[test]
    fn progress_line_of_long_step_is_repeated_with_its_time() {
        assert_eq!(lines(3), ["renga: building ...", "renga: building ... 0 s", "renga: building ... 0 s"]);
    }
}
