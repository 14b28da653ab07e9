//! The six words of a message, most of which are zero or small.
//!
//! A mask byte says in bits 0 to 5 which words are not zero; those follow, each as a number with the
//! sign folded into bit 0 (so that -1 is as short as 1), seven bits a byte. Bits 6 and 7 of the mask
//! are the message's own.

use crate::WireError;
use crate::cursor::{Reader, Writer};

/// Words of a message.
pub const WORDS: usize = 6;
/// The words of a message.
pub type Words = [u64; WORDS];

fn fold(word: u64) -> u64 {
    word << 1 ^ ((word as i64) >> 63) as u64
}

fn unfold(number: u64) -> u64 {
    number >> 1 ^ (number & 1).wrapping_neg()
}

#[inline]
pub(crate) fn put(words: &Words, flags: u8, out: &mut Writer<'_>) -> Result<(), WireError> {
    let mut mask = flags << WORDS;
    for (i, word) in words.iter().enumerate() {
        mask |= u8::from(*word != 0) << i;
    }
    out.byte(mask)?;
    words.iter().filter(|word| **word != 0).try_for_each(|word| out.varint(fold(*word)))
}

/// The words and the flags.
#[inline]
pub(crate) fn get(from: &mut Reader<'_>) -> Result<(Words, u8), WireError> {
    let mask = from.byte()?;
    let mut words = [0; WORDS];
    for (i, word) in words.iter_mut().enumerate() {
        if mask >> i & 1 != 0 {
            *word = unfold(from.varint()?);
        }
    }
    Ok((words, mask >> WORDS))
}
