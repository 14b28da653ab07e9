//! The `struct stat` of Linux/AArch64 (`asm-generic/stat.h`): where its fields are, and how many blocks a size stands
//! for.
//!
//! Not here: what they say of an inode (`renga_fs`).

use crate::inode::TIME_KEEP;
use core::ops::RangeInclusive;
use renga_abi::PAGE_BYTES;

/// The inode's number.
pub const INO_AT: usize = 8;
/// Type and permission bits, `u32`; behind them the number of links.
pub const MODE_AT: usize = 16;
/// Owner and group, `u32` each.
pub const OWNER_AT: usize = 24;
/// The size, bytes.
pub const SIZE_AT: usize = 48;
/// The preferred size of reads, bytes.
pub const BLOCK_AT: usize = 56;
/// Sectors of 512 bytes.
pub const SECTORS_AT: usize = 64;
/// The times: seconds, and nanoseconds.
pub const ACCESS_AT: usize = 72;
/// Of the last change of the data.
pub const MODIFY_AT: usize = 88;
/// Of the last change of anything.
pub const CHANGE_AT: usize = 104;

/// Pointers in an inode that point to blocks of the file itself.
pub const DIRECT: u64 = 12;
/// Pointers in an indirect block.
pub const PER_BLOCK: u64 = PAGE_BYTES as u64 / 4;

const NS_PER_S: u64 = 1_000_000_000;

/// The seconds since 1970 that a file's time can have: from 1901 to 2446, as the disk's format.
const SECONDS: RangeInclusive<i64> = i32::MIN as i64..=(1 << 34) + i32::MIN as i64 - 1;
/// More ns than any of those after 1970: from here on a word is a time before that, as a negative number.
const NS_END: u64 = ((1 << 34) + i32::MIN as i64) as u64 * NS_PER_S;

/// The word for a time of a file, ns since 1970: the nearest that there is. [`TIME_KEEP`] and what is behind it are
/// none.
pub fn ns_of(seconds: i64, part_ns: u32) -> u64 {
    let ns = seconds.clamp(*SECONDS.start(), *SECONDS.end()) as u64;
    let ns = ns.wrapping_mul(NS_PER_S).wrapping_add(part_ns.into());
    ns.min(TIME_KEEP - 1)
}

/// The seconds since 1970, and the rest in ns, of a word that is a time.
pub fn seconds_of(ns: u64) -> (i64, u32) {
    if ns < NS_END {
        return ((ns / NS_PER_S) as i64, (ns % NS_PER_S) as u32);
    }
    let (ns, per_s) = (ns as i64, NS_PER_S as i64);
    (ns.div_euclid(per_s), ns.rem_euclid(per_s) as u32)
}

/// The 64 bits there.
pub fn word(status: &[u8], at: usize) -> u64 {
    status[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The 32 bits there.
pub fn half(status: &[u8], at: usize) -> u32 {
    status[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The time there, ns since 1970.
pub fn time_ns(status: &[u8], at: usize) -> u64 {
    ns_of(word(status, at) as i64, word(status, at + 8) as u32)
}

/// Puts 64 bits there.
pub fn put_word(status: &mut [u8], at: usize, word: u64) {
    status[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

/// Puts 32 bits there.
pub fn put_half(status: &mut [u8], at: usize, half: u32) {
    status[at..at + 4].copy_from_slice(&half.to_le_bytes());
}

/// Puts a time there, ns since 1970.
pub fn put_time(status: &mut [u8], at: usize, ns: u64) {
    let (seconds, part_ns) = seconds_of(ns);
    put_word(status, at, seconds as u64);
    put_word(status, at + 8, part_ns.into());
}

/// Blocks of a file of so many pages without holes, with the indirect ones.
pub fn full_blocks(pages: u64) -> u64 {
    let single = pages.saturating_sub(DIRECT);
    if single == 0 {
        return pages;
    }
    let (double, mut indirect) = (single.saturating_sub(PER_BLOCK), 1);
    if double > 0 {
        indirect += 1 + double.min(PER_BLOCK * PER_BLOCK).div_ceil(PER_BLOCK);
    }
    let triple = double.saturating_sub(PER_BLOCK * PER_BLOCK);
    if triple > 0 {
        indirect += 1 + triple.div_ceil(PER_BLOCK) + triple.div_ceil(PER_BLOCK * PER_BLOCK);
    }
    pages + indirect
}

#[cfg(test)]
mod tests {
    use super::{full_blocks, ns_of, seconds_of};

    #[test]
    fn file_time_before_1970_and_after_2038_is_kept() {
        for (seconds, part_ns) in [
            (0, 0),
            (-1, 999_999_990),
            (-304_560_000, 5),
            (i64::from(i32::MIN), 0),
            (4_102_444_800, 7),
            (15_032_385_535, 999_999_999),
        ] {
            assert_eq!(seconds_of(ns_of(seconds, part_ns)), (seconds, part_ns));
        }
        assert_eq!(seconds_of(ns_of(i64::MAX, 0)).0, 15_032_385_535);
        assert_eq!(seconds_of(ns_of(i64::MIN, 0)).0, i64::from(i32::MIN));
    }

    #[test]
    fn stat_full_file_counts_indirect_blocks() {
        for (pages, blocks) in [(0, 0), (12, 12), (13, 14), (1036, 1037), (1037, 1040), (2060, 2063), (2061, 2065)] {
            assert_eq!(full_blocks(pages), blocks, "{pages} pages");
        }
    }
}
