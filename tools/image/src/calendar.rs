//! The calendar of emulated boards.

/// The calendar time at which every run starts, and of all files on images: 2026-01-01, seconds since 1970.
pub const EPOCH_S: u64 = 1_767_225_600;
