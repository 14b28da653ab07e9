//! Text for people: short messages on standard error.

use crate::syscall::write;

/// Bytes of a message; the rest of a longer one is left out.
const LINE_BYTES_MAX: usize = 512;

/// Writes all parts to standard error; a failure to complain is not complained about.
pub fn complain(parts: &[&[u8]]) {
    let (mut line, mut length) = ([0; LINE_BYTES_MAX], 0);
    for part in parts {
        let fits = part.len().min(line.len() - length);
        line[length..length + fits].copy_from_slice(&part[..fits]);
        length += fits;
    }
    // One write, so that lines of several programs do not mix.
    let _ = write(2, &line[..length]);
}

/// A number in decimal.
pub fn parse(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    digits.iter().try_fold(0u32, |sum, &digit| digit.is_ascii_digit().then(|| sum * 10 + u32::from(digit - b'0')))
}

/// A number written out in decimal.
pub struct Decimal {
    digits: [u8; 20],
    first: usize,
}

impl Decimal {
    /// Writes `value` out.
    pub fn new(mut value: u64) -> Self {
        let mut decimal = Decimal { digits: [0; 20], first: 20 };
        loop {
            decimal.first -= 1;
            decimal.digits[decimal.first] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                return decimal;
            }
        }
    }
    /// Its digits.
    pub fn digits(&self) -> &[u8] {
        &self.digits[self.first..]
    }
}

/// A number that may be negative, written out in decimal.
pub struct Signed {
    text: [u8; 21],
    first: usize,
}

impl Signed {
    /// Writes `value` out.
    pub fn new(value: i32) -> Self {
        let size = Decimal::new(value.unsigned_abs().into());
        let mut text = [b'-'; 21];
        text[1 + size.first..].copy_from_slice(size.digits());
        Signed { text, first: if value < 0 { size.first } else { 1 + size.first } }
    }
    /// Its sign, if it has one, and its digits.
    pub fn digits(&self) -> &[u8] {
        &self.text[self.first..]
    }
    /// Reads one.
    pub fn parse(text: &[u8]) -> Option<i32> {
        match text.split_first() {
            Some((b'-', size)) => parse(size).map(|size| -(size as i32)),
            Some((b'+', size)) => parse(size).map(|size| size as i32),
            _ => parse(text).map(|size| size as i32),
        }
    }
}
