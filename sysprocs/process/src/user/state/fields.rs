//! Fields of C structures in the memory of programs, little-endian, each at its offset in bytes.

/// Where the size is in a `struct stat`.
pub const STAT_SIZE_AT: usize = 48;

/// The `unsigned short` at `at`.
pub fn half_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// The `unsigned int` at `at`.
pub fn int_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The `unsigned long` at `at`.
pub fn word_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

/// Writes each `unsigned int` to its offset.
pub fn put_ints<const N: usize>(bytes: &mut [u8], fields: [(usize, u32); N]) {
    for (at, int) in fields {
        bytes[at..at + 4].copy_from_slice(&int.to_le_bytes());
    }
}

/// Writes each `unsigned long` to its offset.
pub fn put_words<const N: usize>(bytes: &mut [u8], fields: [(usize, u64); N]) {
    for (at, word) in fields {
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }
}
