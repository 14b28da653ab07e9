//! Text into a slice, without allocation: what does not fit is cut off.

/// Text being written.
pub struct Text<'a> {
    out: &'a mut [u8],
    bytes: usize,
}

impl<'a> Text<'a> {
    /// Nothing yet, in `out`.
    pub fn new(out: &'a mut [u8]) -> Self {
        Text { out, bytes: 0 }
    }

    /// Appends.
    pub fn push(&mut self, text: &[u8]) {
        let bytes = text.len().min(self.out.len() - self.bytes);
        self.out[self.bytes..self.bytes + bytes].copy_from_slice(&text[..bytes]);
        self.bytes += bytes;
    }

    /// Appends a number in decimal.
    pub fn number(&mut self, mut number: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.push(&digits[at..]);
    }

    /// How much there is, bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
