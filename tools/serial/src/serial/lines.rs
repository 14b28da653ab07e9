//! Several boards' output on one screen.
//!
//! Invariant: with more than one board, every line begins with its board's name, and no line has parts of two. A line
//! is shown as it comes, and interrupted only if its board then says nothing for [`QUIET`], as behind a prompt.

use std::time::{Duration, Instant};

/// What others say waits so long for the end of the line that is being shown.
const QUIET: Duration = Duration::from_millis(200);
/// Bytes that wait of one board; with more, the line is interrupted at once.
const WAITING_BYTES_MAX: usize = 64 * 1024;

/// Puts names before lines.
pub struct Interleaver {
    names: Vec<String>,
    /// What each board has said behind the unfinished line of another one.
    waiting: Vec<Vec<u8>>,
    /// Whose line is unfinished, and when its board last said something.
    open: Option<(usize, Instant)>,
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
        if self.open.is_some_and(|(open, _)| open == number) && !bytes.is_empty() {
            self.open = Some((number, now));
        }
        self.flush(now)
    }

    /// What to print at `now`, if no board says more.
    pub fn flush(&mut self, now: Instant) -> Vec<u8> {
        let mut out = Vec::new();
        // Each pass ends a line, or shows all that a board has said.
        while let Some(number) = self.next(now) {
            if self.open.is_some_and(|(open, _)| open != number) {
                out.push(b'\n');
                self.open = None;
            }
            if self.open.is_none() {
                out.extend(format!("[{}] ", self.names[number]).as_bytes());
            }
            let waiting = &mut self.waiting[number];
            let end = waiting.iter().position(|byte| *byte == b'\n').map_or(waiting.len(), |end| end + 1);
            out.extend(waiting.drain(..end));
            self.open = (!out.ends_with(b"\n")).then_some((number, now));
        }
        out
    }

    /// What still waits at the end.
    pub fn finish(&mut self) -> Vec<u8> {
        let end = Instant::now();
        (1..).take(self.names.len()).flat_map(|pass| self.flush(end + QUIET * pass)).collect()
    }

    /// The board whose output is next; none, while it waits for the end of a line.
    fn next(&self, now: Instant) -> Option<usize> {
        let waits = |number: &usize| !self.waiting[*number].is_empty();
        let Some((open, since)) = self.open else { return (0..self.names.len()).find(waits) };
        if waits(&open) {
            return Some(open);
        }
        let quiet = now.saturating_duration_since(since) >= QUIET;
        (0..self.names.len()).filter(waits).find(|number| quiet || self.waiting[*number].len() > WAITING_BYTES_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::{Interleaver, QUIET, WAITING_BYTES_MAX};
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
    fn interleaver_waiting_output_is_bounded() {
        let many = "x".repeat(WAITING_BYTES_MAX + 1);
        assert_eq!(output(&["a", "b"], &[(0, 0, "$ "), (0, 1, &many)]), format!("[a] $ \n[b] {many}"));
    }
}
