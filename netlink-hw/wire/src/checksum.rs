//! The checksums of frames, several bytes a step: CRC-16/IBM-3740 of a header, CRC-32C of a payload.
//!
//! Invariant: the tables are those of the two polynomials; a row says what a byte does so many bytes before the end of
//! a step. Not here: what is summed (`frame`).

use crate::HEADER_BYTES;

/// Bytes of a header that its checksum is of.
pub(crate) const SUMMED_BYTES: usize = HEADER_BYTES - 2;
/// Bytes of a payload that one step takes.
const STEP_BYTES: usize = 16;

const HEADER_POLYNOMIAL: u16 = 0x1021;
const HEADER_START: u16 = 0xffff;
/// Bits in the order of the wire: the lowest first.
const PAYLOAD_POLYNOMIAL: u32 = 0x82f6_3b78;

static HEADER_ROWS: [[u16; 256]; SUMMED_BYTES] = header_rows();
static PAYLOAD_ROWS: [[u32; 256]; STEP_BYTES] = payload_rows();

const fn header_rows() -> [[u16; 256]; SUMMED_BYTES] {
    let mut rows = [[0; 256]; SUMMED_BYTES];
    let mut byte = 0;
    while byte < 256 {
        let (mut sum, mut bit) = ((byte as u16) << 8, 0);
        while bit < 8 {
            sum = sum << 1 ^ if sum >> 15 == 1 { HEADER_POLYNOMIAL } else { 0 };
            bit += 1;
        }
        rows[0][byte] = sum;
        byte += 1;
    }
    let mut row = 1;
    while row < SUMMED_BYTES {
        byte = 0;
        while byte < 256 {
            let before = rows[row - 1][byte];
            rows[row][byte] = before << 8 ^ rows[0][(before >> 8) as usize];
            byte += 1;
        }
        row += 1;
    }
    rows
}

const fn payload_rows() -> [[u32; 256]; STEP_BYTES] {
    let mut rows = [[0; 256]; STEP_BYTES];
    let mut byte = 0;
    while byte < 256 {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = sum >> 1 ^ if sum & 1 == 1 { PAYLOAD_POLYNOMIAL } else { 0 };
            bit += 1;
        }
        rows[0][byte] = sum;
        byte += 1;
    }
    let mut row = 1;
    while row < STEP_BYTES {
        byte = 0;
        while byte < 256 {
            let before = rows[row - 1][byte];
            rows[row][byte] = before >> 8 ^ rows[0][(before & 0xff) as usize];
            byte += 1;
        }
        row += 1;
    }
    rows
}

/// CRC-16/IBM-3740.
#[inline]
pub(crate) fn of_header(bytes: &[u8; SUMMED_BYTES]) -> u16 {
    let [high, low] = HEADER_START.to_be_bytes();
    let [a, b, c, d, e, f] = *bytes;
    let row = |number: usize, byte: u8| HEADER_ROWS[number][usize::from(byte)];
    row(5, a ^ high) ^ row(4, b ^ low) ^ row(3, c) ^ row(2, d) ^ row(1, e) ^ row(0, f)
}

/// CRC-32C.
#[inline]
pub fn of_payload(bytes: &[u8]) -> u32 {
    let (steps, rest) = bytes.as_chunks::<STEP_BYTES>();
    let sum = steps.iter().fold(u32::MAX, step);
    let (halves, rest) = rest.as_chunks::<8>();
    let sum = halves.iter().fold(sum, step);
    let (words, rest) = rest.as_chunks::<4>();
    let sum = words.iter().fold(sum, step);
    !rest.iter().fold(sum, |sum, byte| sum >> 8 ^ PAYLOAD_ROWS[0][usize::from(sum as u8 ^ *byte)])
}

/// The sum behind `bytes`, whole words and at most [`STEP_BYTES`], if it is `sum` before them.
#[inline(always)]
fn step<const BYTES: usize>(sum: u32, bytes: &[u8; BYTES]) -> u32 {
    let (words, _) = bytes.as_chunks::<4>();
    let mut behind = 0;
    for (number, bytes) in words.iter().enumerate() {
        let word = u32::from_le_bytes(*bytes) ^ if number == 0 { sum } else { 0 };
        let last = BYTES - 4 * number - 4;
        let [a, b, c, d] = word.to_le_bytes().map(usize::from);
        behind ^=
            PAYLOAD_ROWS[last + 3][a] ^ PAYLOAD_ROWS[last + 2][b] ^ PAYLOAD_ROWS[last + 1][c] ^ PAYLOAD_ROWS[last][d];
    }
    behind
}

#[cfg(test)]
mod tests {
    use super::{SUMMED_BYTES, of_header, of_payload};
    use crc::{CRC_16_IBM_3740, CRC_32_ISCSI, Crc};

    #[test]
    fn checksum_matches_catalogue() {
        let (header, payload) = (Crc::<u16>::new(&CRC_16_IBM_3740), Crc::<u32>::new(&CRC_32_ISCSI));
        let mut state = 1u32;
        let bytes: [u8; 1100] = core::array::from_fn(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        for length in 0..bytes.len() {
            assert_eq!(of_payload(&bytes[..length]), payload.checksum(&bytes[..length]), "{length} bytes");
        }
        for head in bytes.windows(SUMMED_BYTES) {
            assert_eq!(of_header(head.try_into().unwrap()), header.checksum(head));
        }
    }
}
