//! The disk: its process, the model of its timing, the partition with the file system.

pub(crate) mod disk;
pub(crate) mod disk_runs;
pub(crate) mod parallel_disk;
pub(crate) mod partition;
pub(crate) mod timing;
pub(crate) mod transfers;
