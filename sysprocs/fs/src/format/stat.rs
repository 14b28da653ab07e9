//! Times in a `struct stat` as `asm-generic/stat.h` lays it out for 64 bits.
//!
//! Not here: the other fields (`inode/status.rs`).

use crate::format::bytes::put_u64;
use renga_proto::inode::STAT_BYTES;

const NS_PER_S: u64 = 1_000_000_000;
/// Where the time of the last access is in a `struct stat`.
pub(crate) const ACCESS_AT: usize = 72;

pub(crate) fn put_time(status: &mut [u8], at: usize, ns: u64) {
    put_u64(status, at, ns / NS_PER_S);
    put_u64(status, at + 8, ns % NS_PER_S);
}

/// What is notified of the inode from then on, if it was read last at `access_ns`.
pub(crate) fn put_access(status: &mut [u8; STAT_BYTES], access_ns: u64) {
    put_time(status, ACCESS_AT, access_ns);
}
