//! Several boards' output on one screen.
//!
//! Invariant: with more than one board, every line begins with its board's name, and no line has parts of two.

/// Puts names before lines.
pub struct Interleaver {
    names: Vec<String>,
    /// Whose line is unfinished.
    open: Option<usize>,
}

impl Interleaver {
    /// For boards of these names.
    pub fn new(names: Vec<String>) -> Interleaver {
        Interleaver { names, open: None }
    }

    /// What to print when board `number` has said `bytes`.
    pub fn take(&mut self, number: usize, bytes: &[u8]) -> Vec<u8> {
        if self.names.len() < 2 {
            return bytes.to_vec();
        }
        let mut out = Vec::new();
        if self.open.is_some_and(|open| open != number) && !bytes.is_empty() {
            out.extend(b"\n");
            self.open = None;
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.open.is_none() {
                out.extend(format!("[{}] ", self.names[number]).as_bytes());
            }
            out.extend(part);
            self.open = (!part.ends_with(b"\n")).then_some(number);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Interleaver;

    fn output(names: &[&str], said: &[(usize, &str)]) -> String {
        let mut lines = Interleaver::new(names.iter().map(ToString::to_string).collect());
        let bytes = said.iter().flat_map(|(number, text)| lines.take(*number, text.as_bytes())).collect();
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn interleaver_one_board_is_unchanged() {
        assert_eq!(output(&["a"], &[(0, "x\ny"), (0, "z\n")]), "x\nyz\n");
    }

    #[test]
    fn interleaver_lines_of_two_boards_do_not_mix() {
        assert_eq!(
            output(&["a", "b"], &[(0, "one\ntw"), (0, "o"), (1, "other\n"), (0, "!\n")]),
            "[a] one\n[a] two\n[b] other\n[a] !\n"
        );
        assert_eq!(output(&["a", "b"], &[(0, ""), (1, "\n"), (0, "$ ")]), "[b] \n[a] $ ");
    }
}
