//! What Linux writes, split into what the script wrote and all the rest.
//!
//! Invariant: every byte between the two lines of the first program (`init.sh`) is the script's, and no other. A line
//! of the first program begins with the ASCII character RS.

const RS: u8 = 0x1e;
const BEGIN: &[u8] = b"\x1ebegin\n";
const STATUS: &str = "\x1estatus ";
/// No line of the first program is longer; what is longer is the script's own.
const LINE_MAX: usize = 24;

/// Where the output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConsolePart {
    Starting,
    Script,
    Ended(u8),
}

/// The splitter.
#[derive(Debug)]
pub(super) struct ScriptConsole {
    part: ConsolePart,
    /// What might become a line of the first program.
    partial: Vec<u8>,
    /// What is not the script's.
    pub(super) log: Vec<u8>,
}

impl ScriptConsole {
    pub(super) fn new() -> ScriptConsole {
        ScriptConsole { part: ConsolePart::Starting, partial: Vec::new(), log: Vec::new() }
    }

    /// The script's exit status, if it has ended.
    pub(super) fn status(&self) -> Option<u8> {
        match self.part {
            ConsolePart::Ended(status) => Some(status),
            ConsolePart::Starting | ConsolePart::Script => None,
        }
    }

    /// Takes what was written; returns what the script wrote.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for &byte in bytes {
            if byte == RS {
                self.release(&mut out);
                self.partial.push(byte);
            } else if self.partial.is_empty() {
                self.put(byte, &mut out);
            } else {
                self.partial.push(byte);
                if byte == b'\n' {
                    self.line(&mut out);
                } else if self.partial.len() > LINE_MAX {
                    self.release(&mut out);
                }
            }
        }
        out
    }

    /// Checks a whole line that begins with RS.
    fn line(&mut self, out: &mut Vec<u8>) {
        let status = std::str::from_utf8(&self.partial).ok().and_then(|line| line.strip_prefix(STATUS));
        let next = match (self.part, status.and_then(|status| status.trim_end().parse().ok())) {
            (ConsolePart::Starting, _) if self.partial == BEGIN => ConsolePart::Script,
            (ConsolePart::Script, Some(status)) => ConsolePart::Ended(status),
            _ => return self.release(out),
        };
        self.partial.clear();
        self.part = next;
    }

    /// The buffered bytes are no line of the first program.
    fn release(&mut self, out: &mut Vec<u8>) {
        for byte in std::mem::take(&mut self.partial) {
            self.put(byte, out);
        }
    }

    fn put(&mut self, byte: u8, out: &mut Vec<u8>) {
        if self.part == ConsolePart::Script { out.push(byte) } else { self.log.push(byte) }
    }
}

#[cfg(test)]
mod tests {
    use super::ScriptConsole;

    fn split(pieces: &[&[u8]]) -> (Vec<u8>, Option<u8>, Vec<u8>) {
        let mut console = ScriptConsole::new();
        let out = pieces.iter().flat_map(|piece| console.take(piece)).collect();
        (out, console.status(), console.log)
    }

    #[test]
    fn script_console_output_between_marks_is_the_scripts() {
        let all = b"[0.1] Linux\n\x1ebegin\nhello\nno newline\x1estatus 3\n[9.9] restarting\n";
        let expected = (b"hello\nno newline".to_vec(), Some(3), b"[0.1] Linux\n[9.9] restarting\n".to_vec());
        assert_eq!(split(&[all]), expected);
        let bytes: Vec<&[u8]> = all.chunks(1).collect();
        assert_eq!(split(&bytes), expected, "byte by byte");
    }

    #[test]
    fn script_console_control_characters_are_kept() {
        let out = b"\x1e\x1ebegin\n\x1estatus x\n\x1ea rather long line of the script's own\n".to_vec();
        let all = [b"\x1ebegin\n".as_slice(), &out, b"\x1estatus 0\n"].concat();
        assert_eq!(split(&[&all]), (out, Some(0), Vec::new()));
    }

    #[test]
    fn script_console_without_end_has_no_status() {
        assert_eq!(split(&[b"panic\n"]), (Vec::new(), None, b"panic\n".to_vec()));
        assert_eq!(split(&[b"\x1ebegin\nhalf"]).1, None);
    }
}
