//! The consoles of several boards on one screen: lines of different boards stay whole, though boards print letter by
//! letter at the same time.
//!
//! What the console board prints goes on at once, because a person may answer it. Lines of the others go on when they
//! are whole, and when the console board has ended its own line, or printed nothing for [`QUIET_NS`], as behind a
//! prompt. Time shows in output alone, so a line that comes right behind a prompt waits for the next output. That is
//! why only bare boards ask for whole lines: all of them report at once on their consoles when they start.
//!
//! Invariant: no byte is lost, and those of one board keep their order. Not here: the console of real boards
//! (`renga-serial`), which goes by the host's time.

use std::collections::BTreeMap;

/// The silence after which an unfinished line of the console board is interrupted, in virtual time.
const QUIET_NS: u64 = 20_000_000;
/// A line that is longer is no line: it goes on in parts.
const LINE_BYTES_MAX: usize = 4096;

/// A part of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScreenPart {
    /// Of the console board.
    Own(Vec<u8>),
    /// Whole lines of the others.
    Others(Vec<u8>),
}

/// Puts the output of several boards into an order in which lines are whole.
pub struct ConsoleLines {
    console_board: u8,
    /// Or else all goes on as it comes.
    are_whole: bool,
    /// The unfinished line of each other board.
    unfinished: BTreeMap<u8, Vec<u8>>,
    /// Whole lines of other boards that wait for the end of the console board's line.
    waiting: Vec<u8>,
    /// When the console board last added to its unfinished line, if it has one.
    open_ns: Option<u64>,
}

impl ConsoleLines {
    /// Nothing printed yet.
    pub fn new(console_board: u8, are_whole: bool) -> ConsoleLines {
        ConsoleLines { console_board, are_whole, unfinished: BTreeMap::new(), waiting: Vec::new(), open_ns: None }
    }

    /// What to print, in this order, when `board` has printed `bytes` at `time_ns`.
    pub fn take(&mut self, board: u8, time_ns: u64, bytes: &[u8]) -> Vec<ScreenPart> {
        if !self.are_whole {
            let part = if board == self.console_board { ScreenPart::Own } else { ScreenPart::Others };
            return vec![part(bytes.to_vec())];
        }
        let mut parts = Vec::new();
        if board != self.console_board {
            self.add(board, bytes);
        }
        if self.open_ns.is_none_or(|open_ns| time_ns >= open_ns + QUIET_NS) {
            self.release(&mut parts);
        }
        if board == self.console_board && !bytes.is_empty() {
            let (lines, rest) = split_behind_last_line(bytes);
            let is_ended = !lines.is_empty();
            parts.extend(is_ended.then(|| ScreenPart::Own(lines.to_vec())));
            if is_ended {
                self.release(&mut parts);
            }
            parts.extend((!rest.is_empty()).then(|| ScreenPart::Own(rest.to_vec())));
            self.open_ns = (!rest.is_empty()).then_some(time_ns);
        }
        parts
    }

    /// What still waits at the end.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut rest = std::mem::take(&mut self.waiting);
        rest.extend(std::mem::take(&mut self.unfinished).into_values().flatten());
        rest
    }

    /// Adds to the line of another board; what is whole then waits.
    fn add(&mut self, board: u8, bytes: &[u8]) {
        let line = self.unfinished.entry(board).or_default();
        line.extend(bytes);
        let end = if line.len() > LINE_BYTES_MAX { line.len() } else { split_behind_last_line(line).0.len() };
        self.waiting.extend(line.drain(..end));
    }

    fn release(&mut self, parts: &mut Vec<ScreenPart>) {
        if !self.waiting.is_empty() {
            parts.push(ScreenPart::Others(std::mem::take(&mut self.waiting)));
        }
    }
}

/// The whole lines at the beginning, and the rest.
fn split_behind_last_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes.split_at(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1))
}

#[cfg(test)]
mod tests {
    use super::{ConsoleLines, LINE_BYTES_MAX, QUIET_NS, ScreenPart};

    /// What is on the screen when board 0 is the console board, with what is left at the end behind a bar.
    fn screen(said: &[(u64, u8, &str)]) -> String {
        let mut lines = ConsoleLines::new(0, true);
        let mut parts: Vec<ScreenPart> =
            said.iter().flat_map(|(time_ns, board, text)| lines.take(*board, *time_ns, text.as_bytes())).collect();
        parts.push(ScreenPart::Others([b"|".to_vec(), lines.finish()].concat()));
        let bytes = parts.into_iter().flat_map(|part| match part {
            ScreenPart::Own(bytes) | ScreenPart::Others(bytes) => bytes,
        });
        String::from_utf8(bytes.collect()).expect("text")
    }

    /// As boards without the emulator's devices print: a letter of each at a time.
    #[test]
    fn console_letters_of_boards_that_print_at_once_give_whole_lines() {
        let texts = ["renga: boot 2\nready\n", "renga: board b\n", "renga: board c\n"];
        let letters = (0..20).flat_map(|at| {
            let letter = move |board: usize| Some((at as u64 * 87_000, board as u8, texts[board].get(at..=at)?));
            (0..3).filter_map(letter).collect::<Vec<_>>()
        });
        let screen = screen(&letters.collect::<Vec<_>>());
        assert_eq!(screen, "renga: boot 2\nready\nrenga: board b\nrenga: board c\n|");
    }

    #[test]
    fn console_line_waits_for_end_of_own_line_or_for_silence() {
        assert_eq!(screen(&[(0, 0, "$ "), (1, 1, "other\n"), (2, 0, "ls\nfile\n$ ")]), "$ ls\nfile\nother\n$ |");
        assert_eq!(screen(&[(0, 0, "$ "), (QUIET_NS, 1, "other\n"), (QUIET_NS, 0, "x")]), "$ other\nx|");
        assert_eq!(screen(&[(0, 0, "$ "), (1, 1, "other\n"), (QUIET_NS, 2, "c")]), "$ other\n|c");
        assert_eq!(screen(&[(0, 1, "at once\n"), (0, 0, "$ ")]), "at once\n$ |");
    }

    #[test]
    fn console_output_that_need_not_be_whole_goes_on_at_once() {
        let mut lines = ConsoleLines::new(0, false);
        assert_eq!(lines.take(0, 0, b"$ "), [ScreenPart::Own(b"$ ".to_vec())]);
        assert_eq!(lines.take(1, 1, b"ha"), [ScreenPart::Others(b"ha".to_vec())]);
        assert!(lines.finish().is_empty());
    }

    #[test]
    fn console_end_of_run_loses_nothing() {
        assert_eq!(screen(&[(0, 0, "a"), (0, 1, "whole\nhalf"), (0, 2, "c")]), "a|whole\nhalfc");
        let long = "x".repeat(LINE_BYTES_MAX + 1);
        assert_eq!(screen(&[(0, 1, &long)]), format!("{long}|"));
    }
}
