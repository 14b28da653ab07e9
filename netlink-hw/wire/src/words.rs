//! The six words of a message, most of which are zero or small.
//!
//! A mask byte says in bits 0 to 5 which words are not zero; those follow, each as a number with the
//! sign folded into bit 0 (so that -1 is as short as 1), seven bits a byte. Bits 6 and 7 of the mask
//! are the message's own.

use crate::WireError;
use crate::cursor::{FrameReader, FrameWriter};

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
pub(crate) fn put(words: &Words, flags: u8, out: &mut FrameWriter<'_>) -> Result<(), WireError> {
    let mut mask = 0;
    for (i, word) in words.iter().enumerate() {
        mask |= u8::from(*word != 0) << i;
    }
    out.byte(flags << WORDS | mask)?;
    // Each iteration writes a word.
    while mask != 0 {
        out.varint(fold(words[mask.trailing_zeros() as usize]))?;
        mask &= mask - 1;
    }
    Ok(())
}

/// The words and the flags.
#[inline]
pub(crate) fn get(from: &mut FrameReader<'_>) -> Result<(Words, u8), WireError> {
    let mask = from.byte()?;
    let (mut words, mut left) = ([0; WORDS], mask & ((1 << WORDS) - 1));
    // Each iteration reads a word.
    while left != 0 {
        words[left.trailing_zeros() as usize] = unfold(from.varint()?);
        left &= left - 1;
    }
    Ok((words, mask >> WORDS))
}
