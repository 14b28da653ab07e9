//! Several boards' output on one screen.
//!
//! Invariant: with more than one board, every line begins with its board's name, and no line has parts of two. A line
//! is shown as it comes. Another board interrupts it when its board has printed nothing for [`QUIET`], as behind a
//! prompt, or has not ended it for [`LINE_MAX`].

use std::time::{Duration, Instant};

/// The silence after which an unfinished line is interrupted.
const QUIET: Duration = Duration::from_millis(200);
/// The time after which a line is interrupted in any case, as one that a program writes over and over.
const LINE_MAX: Duration = Duration::from_secs(2);

/// An unfinished line.
#[derive(Clone, Copy)]
struct OpenLine {
    board: usize,
    since: Instant,
    /// When its board last printed something.
    printed: Instant,
}

/// Puts names before lines.
pub struct Interleaver {
    names: Vec<String>,
    /// What each board has said behind the unfinished line of another one.
    waiting: Vec<Vec<u8>>,
    open: Option<OpenLine>,
}

impl Interleaver {
    /// For boards of these names.
    pub fn new(names: Vec<String>) -> Interleaver {
        Interleaver { waiting: vec![Vec::new(); names.len()], names, open: None }
    }

    /// What to print when board `number` has said `bytes` at `now`.
    pub fn take(&mut self, number: usize, bytes: &[u8], now: Instant) -> Vec<u8> {
        if self.names.len() < 2 {
            return bytes.to_vec();
        }
        self.waiting[number].extend(bytes);
        if let Some(open) = self.open.as_mut().filter(|open| open.board == number && !bytes.is_empty()) {
            open.printed = now;
        }
        self.flush(now)
    }

    /// What to print at `now`, if no board says more.
    pub fn flush(&mut self, now: Instant) -> Vec<u8> {
        let mut out = Vec::new();
        // Each pass ends a line, or shows all that a board has said.
        while let Some(number) = self.next(now) {
            if self.open.is_some_and(|open| open.board != number) {
                out.push(b'\n');
                self.open = None;
            }
            let since = self.open.map_or(now, |open| open.since);
            if self.open.is_none() {
                out.extend(format!("[{}] ", self.names[number]).as_bytes());
            }
            let waiting = &mut self.waiting[number];
            let end = waiting.iter().position(|byte| *byte == b'\n').map_or(waiting.len(), |end| end + 1);
            out.extend(waiting.drain(..end));
            self.open = (!out.ends_with(b"\n")).then_some(OpenLine { board: number, since, printed: now });
        }
        out
    }

    /// What still waits at the end.
    pub fn finish(&mut self) -> Vec<u8> {
        let end = Instant::now();
        (1..).take(self.names.len()).flat_map(|pass| self.flush(end + LINE_MAX * pass)).collect()
    }

    /// The board whose output is next; none, while it waits for the end of a line.
    fn next(&self, now: Instant) -> Option<usize> {
        let waits = |number: &usize| !self.waiting[*number].is_empty();
        let Some(open) = self.open else { return (0..self.names.len()).find(waits) };
        let lasts = |since: Instant, most: Duration| now.saturating_duration_since(since) >= most;
        let others = || (0..self.names.len()).find(|number| *number != open.board && waits(number));
        let other = if lasts(open.since, LINE_MAX) || lasts(open.printed, QUIET) { others() } else { None };
        other.or(Some(open.board).filter(waits))
    }
}

#[cfg(test)]
mod tests {
    use super::{Interleaver, LINE_MAX, QUIET};
    use std::time::{Duration, Instant};

    /// What boards say, each at so many milliseconds.
    fn output(names: &[&str], said: &[(u64, usize, &str)]) -> String {
        let mut lines = Interleaver::new(names.iter().map(ToString::to_string).collect());
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let bytes = said.iter().flat_map(|(ms, number, text)| lines.take(*number, text.as_bytes(), at(*ms))).collect();
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn interleaver_one_board_is_unchanged() {
        assert_eq!(output(&["a"], &[(0, 0, "x\ny"), (0, 0, "z\n")]), "x\nyz\n");
    }

    #[test]
    fn interleaver_lines_of_boards_that_speak_at_once_stay_whole() {
        let said = [(0, 0, "one\ntw"), (1, 1, "oth"), (2, 0, "o"), (3, 1, "er\n"), (4, 0, "!\n"), (5, 1, "more\n")];
        assert_eq!(output(&["a", "b"], &said), "[a] one\n[a] two!\n[b] other\n[b] more\n");
    }

    #[test]
    fn interleaver_prompt_is_interrupted_after_quiet_time() {
        let quiet = u64::try_from(QUIET.as_millis()).expect("short");
        let said = [(0, 0, "$ "), (quiet, 1, "other\n"), (quiet + 1, 0, "ls\n")];
        assert_eq!(output(&["a", "b"], &said), "[a] $ \n[b] other\n[a] ls\n");
        assert_eq!(
            output(&["a", "b"], &[(0, 0, "$ "), (quiet - 1, 1, "other\n"), (quiet, 0, "")]),
            "[a] $ \n[b] other\n"
        );
        assert_eq!(output(&["a", "b"], &[(0, 0, ""), (0, 1, "\n"), (0, 0, "$ ")]), "[b] \n[a] $ ");
    }

    #[test]
    fn interleaver_end_shows_what_waits() {
        let mut lines = Interleaver::new(["a", "b", "c"].map(String::from).to_vec());
        let now = Instant::now();
        assert_eq!(lines.take(0, b"$ ", now), b"[a] $ ");
        assert!(lines.take(1, b"one", now).is_empty() && lines.take(2, b"two\n", now).is_empty());
        assert_eq!(String::from_utf8_lossy(&lines.finish()), "\n[b] one\n[c] two\n");
    }

    #[test]
    fn interleaver_line_that_never_ends_is_interrupted() {
        let most = u64::try_from(LINE_MAX.as_millis()).expect("short");
        let step = u64::try_from(QUIET.as_millis()).expect("short") / 2;
        let mut said: Vec<_> = (0..=most / step).map(|number| (number * step, 0, ".")).collect();
        said.insert(1, (1, 1, "other\n"));
        let dots = ".".repeat((most / step) as usize);
        assert_eq!(output(&["a", "b"], &said), format!("[a] {dots}\n[b] other\n[a] ."));
    }
}
