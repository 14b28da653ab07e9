//! Numbers, a `struct stat`, and a page, in as few bytes as they need: each takes half a microsecond on the link.
//!
//! A number has seven bits a byte, the lowest first; bit 7 says that another byte follows. A `struct stat` is a mask
//! of its non-zero words, and these words; a later time is the difference to the one before. A page
//! goes without its trailing zeros. Not here: the contents ([`crate::steps`]), who fills in the zeros
//! (`Filled::clear_behind`).

use crate::inode::STAT_BYTES;

/// Bytes of the longest number.
pub const NUMBER_BYTES: usize = 10;
/// Bytes of the longest status: a bit for each word, and the words.
pub const STATUS_BYTES: usize = 3 + WORDS * NUMBER_BYTES;
const WORDS: usize = STAT_BYTES / 8;
/// The words of the second and third time; each time is two words.
const LATER_TIMES: core::ops::Range<usize> = 11..15;

/// Writes `number` to the beginning of `out`, which has room for it; how many bytes.
pub fn put_number(mut number: u64, out: &mut [u8]) -> usize {
    let mut bytes = 0;
    // Each iteration passes seven bits.
    while number >= 0x80 {
        out[bytes] = number as u8 | 0x80;
        (number, bytes) = (number >> 7, bytes + 1);
    }
    out[bytes] = number as u8;
    bytes + 1
}

/// The number at the beginning of `bytes`, and what follows it.
pub fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (at, byte) in bytes.iter().take(NUMBER_BYTES).enumerate() {
        number |= u64::from(byte & 0x7f).checked_shl(7 * at as u32)?;
        if byte & 0x80 == 0 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

fn words(status: &[u8; STAT_BYTES]) -> [u64; WORDS] {
    let words = status.as_chunks::<8>().0;
    core::array::from_fn(|at| u64::from_le_bytes(words[at]))
}

/// Writes `status` to the beginning of `out`, which has room for it; how many bytes.
pub fn put_status(status: &[u8; STAT_BYTES], out: &mut [u8]) -> usize {
    let mut words = words(status);
    for at in LATER_TIMES.rev() {
        words[at] ^= words[at - 2];
    }
    let set = words.iter().enumerate().filter(|(_, word)| **word != 0);
    let mut bytes = put_number(set.clone().fold(0, |mask, (at, _)| mask | 1 << at), out);
    for (_, word) in set {
        bytes += put_number(*word, &mut out[bytes..]);
    }
    bytes
}

/// The status at the beginning of `bytes`, and what follows it.
pub fn status(bytes: &[u8]) -> Option<([u8; STAT_BYTES], &[u8])> {
    let (mask, mut rest) = number(bytes)?;
    let mut words = [0; WORDS];
    for (_, word) in words.iter_mut().enumerate().filter(|(at, _)| mask >> at & 1 != 0) {
        (*word, rest) = number(rest)?;
    }
    for at in LATER_TIMES {
        words[at] ^= words[at - 2];
    }
    let mut status = [0; STAT_BYTES];
    for (place, word) in status.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
    Some((status, rest))
}

/// Bytes of `page` up to its last one other than zero.
pub fn sent_bytes(page: &[u8]) -> usize {
    let (words, rest) = page.as_chunks::<8>();
    if let Some(last) = rest.iter().rposition(|byte| *byte != 0) {
        return words.len() * 8 + last + 1;
    }
    let last = words.iter().rposition(|word| *word != [0; 8]);
    last.map_or(0, |at| (at + 1) * 8 - u64::from_le_bytes(words[at]).leading_zeros() as usize / 8)
}

/// Reads numbers, texts and status from bytes, one after the other; `None`: they end before, or are not of that type.
pub struct Unpack<'a>(pub &'a [u8]);

impl<'a> Unpack<'a> {
    /// The next number.
    pub fn number<T: TryFrom<u64>>(&mut self) -> Option<T> {
        let (value, rest) = number(self.0)?;
        self.0 = rest;
        T::try_from(value).ok()
    }
    /// The next text, which its length precedes.
    pub fn text(&mut self) -> Option<&'a [u8]> {
        let bytes: u16 = self.number()?;
        let (text, rest) = self.0.split_at_checked(bytes.into())?;
        self.0 = rest;
        Some(text)
    }
    /// The next status.
    pub fn status(&mut self) -> Option<[u8; STAT_BYTES]> {
        let (status, rest) = status(self.0)?;
        self.0 = rest;
        Some(status)
    }
}

#[cfg(test)]
mod tests {
    use super::{NUMBER_BYTES, STAT_BYTES, STATUS_BYTES, number, put_number, put_status, sent_bytes, status};

    #[test]
    fn numbers_come_back() {
        for wanted in [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 1 << 32, u64::MAX - 1, u64::MAX] {
            let mut bytes = [0xee; NUMBER_BYTES + 1];
            let used = put_number(wanted, &mut bytes);
            assert_eq!(number(&bytes), Some((wanted, &bytes[used..])));
            assert_eq!(number(&bytes[..used - 1]), None, "cut off");
        }
        assert_eq!(number(&[0xff; 20]), None, "longer than any");
    }

    #[test]
    fn any_status_comes_back_and_a_usual_one_is_short() {
        let mut bytes = [0; STATUS_BYTES];
        let longest: [u8; STAT_BYTES] = core::array::from_fn(|at| 0x80 | at as u8);
        for wanted in [[0; STAT_BYTES], [0xff; STAT_BYTES], longest, core::array::from_fn(|at| at as u8)] {
            let used = put_status(&wanted, &mut bytes);
            assert_eq!(status(&bytes[..used]), Some((wanted, &[][..])));
            assert_eq!(status(&bytes[..used - 1]), None, "cut off");
        }
        let mut usual = [0; STAT_BYTES];
        for (at, word) in [(0, 45825), (8, 77), (16, 2 << 32 | 0o040_755), (48, 4096), (56, 4096), (64, 8_u64)] {
            usual[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        for at in [72, 88, 104] {
            usual[at..at + 8].copy_from_slice(&1_700_000_000_u64.to_le_bytes());
            usual[at + 8..at + 16].copy_from_slice(&123_456_789_u64.to_le_bytes());
        }
        assert!(put_status(&usual, &mut bytes) <= 32);
    }

    #[test]
    fn trailing_zeros_page_sends_all_other_bytes() {
        for length in [0, 1, 7, 8, 9, 31] {
            let mut page = [0; 31];
            assert_eq!(sent_bytes(&page[..length]), 0, "{length}");
            for at in 0..length {
                page[0] = 1;
                page[at] = if at % 2 == 0 { 1 } else { 0x80 };
                assert_eq!(sent_bytes(&page[..length]), at + 1, "{length}, {at}");
                page[at] = 0;
            }
        }
    }
}
