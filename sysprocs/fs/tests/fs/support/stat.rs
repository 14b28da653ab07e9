//! `struct stat` as tests read it.

use renga_proto::inode::STAT_BYTES;

/// What `struct stat` says.
#[derive(Debug, PartialEq, Eq, Clone)]
pub struct Stat {
    pub ino: u64,
    pub mode: u32,
    pub links: u32,
    pub size: u64,
    pub sectors: u64,
    pub modify_ns: u64,
    pub rdev: u64,
}

pub fn stat_of(bytes: &[u8; STAT_BYTES]) -> Stat {
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    Stat {
        ino: u64_at(8),
        mode: u32_at(16),
        links: u32_at(20),
        size: u64_at(48),
        sectors: u64_at(64),
        modify_ns: u64_at(88) * 1_000_000_000 + u64_at(96),
        rdev: u64_at(32),
    }
}
