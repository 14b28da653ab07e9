//! A line of output, written at once: several processes write.

use renga_userland::syscall::write;
use renga_userland::text::Decimal;

const BYTES_MAX: usize = 256;

/// The line; what does not fit is left out.
pub struct OutputLine {
    text: [u8; BYTES_MAX],
    length: usize,
}

impl OutputLine {
    /// A line with this first word.
    pub fn new(word: &[u8]) -> OutputLine {
        let mut line = OutputLine { text: [0; BYTES_MAX], length: 0 };
        line.push(word);
        line
    }

    /// A further word.
    pub fn word(&mut self, word: &[u8]) -> &mut OutputLine {
        self.push(b" ");
        self.push(word);
        self
    }

    /// A further number.
    pub fn number(&mut self, number: u64) -> &mut OutputLine {
        self.word(Decimal::new(number).digits())
    }

    /// Writes it.
    pub fn say(&mut self) {
        self.push(b"\n");
        // The reader of the output notices missing lines.
        let _ = write(1, &self.text[..self.length]);
    }

    fn push(&mut self, bytes: &[u8]) {
        let fits = bytes.len().min(BYTES_MAX - self.length);
        self.text[self.length..self.length + fits].copy_from_slice(&bytes[..fits]);
        self.length += fits;
    }
}
