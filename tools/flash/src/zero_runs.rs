//! The parts of an image that are zeros, so that a card which is zero there already is not written.
//!
//! Invariant: the runs of a part are all of it, in order. Whether a card is zero somewhere is read from the card itself:
//! no card is believed to be zero because it was discarded. Not here: reading and writing (`copy`).

use std::ops::Range;

/// A run is made of such blocks: shorter requests cost a card more than the bytes that they save.
pub const ZERO_BLOCK_BYTES: usize = 64 << 10;

/// Neighbouring blocks that are all zero, or all not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZeroRun {
    /// Where in the part they are.
    pub bytes: Range<usize>,
    /// Whether they are zero.
    pub is_zero: bool,
}

/// The runs of `part`.
pub fn zero_runs(part: &[u8]) -> Vec<ZeroRun> {
    let mut runs: Vec<ZeroRun> = Vec::new();
    let mut at = 0;
    for block in part.chunks(ZERO_BLOCK_BYTES) {
        let (end, is_zero) = (at + block.len(), is_zero(block));
        match runs.last_mut() {
            Some(run) if run.is_zero == is_zero => run.bytes.end = end,
            _ => runs.push(ZeroRun { bytes: at..end, is_zero }),
        }
        at = end;
    }
    runs
}

/// Whether all of `bytes` are zero.
pub fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::{ZERO_BLOCK_BYTES, ZeroRun, zero_runs};

    #[test]
    fn zero_runs_cover_every_byte_in_order() {
        const BLOCK: usize = ZERO_BLOCK_BYTES;
        let mut part = vec![0; 5 * BLOCK + 512];
        part[2 * BLOCK - 1] = 1;
        part[2 * BLOCK] = 1;
        part[5 * BLOCK + 511] = 1;
        let run = |start: usize, end: usize, is_zero| ZeroRun { bytes: start..end, is_zero };
        let expected = [
            run(0, BLOCK, true),
            run(BLOCK, 3 * BLOCK, false),
            run(3 * BLOCK, 5 * BLOCK, true),
            run(5 * BLOCK, 5 * BLOCK + 512, false),
        ];
        assert_eq!(zero_runs(&part), expected);
        assert_eq!(zero_runs(&[]), []);
    }
}
