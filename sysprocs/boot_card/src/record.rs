//! `KERNEL.TXT`: which kernel and tables a partition has, and their sums.
//!
//! ```text
//! # renga-kernel 1 00001000 00000080 89abcdef 01234567
//! 64 digits  kernel8.img
//! 64 digits  SYSTEM.BIN
//! ```
//!
//! The first line: sectors of both files, and the CRC-32C of each. The others are for `sha256sum -c` and for people who
//! read a card. Sums are of the whole files, which are padded with zeros. Invariant: every such file is equally long,
//! so that one replaces another without a change of its folder. Not here: the computation of SHA-256 (`tools/renga`).

use renga_hal::block::SECTOR_BYTES;

/// Its name.
pub const RECORD_FILE: &str = "KERNEL.TXT";
/// The kernel's name.
pub const KERNEL_FILE: &str = "kernel8.img";
/// The name of its system's tables.
pub const TABLES_FILE: &str = "SYSTEM.BIN";
/// Length of the file.
pub const RECORD_BYTES: usize =
    HEAD.len() + 4 * (DIGITS + 1) + 2 * (SUM_DIGITS + 3) + KERNEL_FILE.len() + TABLES_FILE.len();

const HEAD: &str = "# renga-kernel 1 ";
const DIGITS: usize = 8;
const SUM_DIGITS: usize = 64;
const _: () = assert!(RECORD_BYTES <= SECTOR_BYTES);

/// What its first line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Sectors of the kernel's file.
    pub kernel_sectors: u32,
    /// Of the tables' file.
    pub tables_sectors: u32,
    /// CRC-32C of the kernel's file.
    pub kernel_sum: u32,
    /// Of the tables' file.
    pub tables_sum: u32,
}

impl Record {
    /// Reads the file, of which a sector may be given; `None`: it is none, or says that something is being written.
    pub fn parse(bytes: &[u8]) -> Option<Record> {
        let line = bytes.get(..RECORD_BYTES)?.strip_prefix(HEAD.as_bytes())?;
        let mut numbers = [0; 4];
        for (number, field) in numbers.iter_mut().zip(line.chunks(DIGITS + 1)) {
            let (digits, end) = field.split_at_checked(DIGITS)?;
            let digits = core::str::from_utf8(digits).ok().filter(|_| matches!(end, b" " | b"\n"))?;
            *number = u32::from_str_radix(digits, 16).ok()?;
        }
        let [kernel_sectors, tables_sectors, kernel_sum, tables_sum] = numbers;
        Some(Record { kernel_sectors, tables_sectors, kernel_sum, tables_sum })
    }
}

impl core::fmt::Display for Record {
    /// The first line.
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Record { kernel_sectors, tables_sectors, kernel_sum, tables_sum } = self;
        writeln!(out, "{HEAD}{kernel_sectors:08x} {tables_sectors:08x} {kernel_sum:08x} {tables_sum:08x}")
    }
}
