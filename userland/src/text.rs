//! Text for people: short messages on standard error.

use crate::syscall::write;

/// Writes all parts to standard error; a failure to complain is not complained about.
pub fn complain(parts: &[&[u8]]) {
    for part in parts {
        let _ = write(2, part);
    }
}

/// A number in decimal.
pub fn parse(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    digits.iter().try_fold(0u32, |sum, &digit| digit.is_ascii_digit().then(|| sum * 10 + u32::from(digit - b'0')))
}
