//! Regulation of background jobs: the samples of boards, the orders to them, and who may be one.
//!
//! Not here: the decision (`renga_regulator`), how a job is suspended (`renga_process`).

use crate::in_slice::in_slice;
use crate::procs::INIT;
use renga_abi::Errno;

/// Resources that jobs contend for.
pub const RESOURCES: usize = 3;
/// The processor of a board: in orders its bit, in counts its place.
pub const PROCESSOR: usize = 0;
/// The medium of the cluster.
pub const DISK: usize = 1;
/// The link of the cluster.
pub const LINK: usize = 2;

/// Bytes of a program's name in the list of those that are ignored, zero-padded.
pub const IGNORED_NAME_BYTES: usize = 16;
/// Names in that list, at most.
pub const IGNORED_MAX: usize = 16;

/// What programs used: time of their board's processor in ns, blocks of the medium, frames of the link.
pub type ResourceUse = [u64; RESOURCES];

in_slice! {
    /// The use of a board since its last sample.
    pub struct Sample {
        /// How long that is, ns.
        elapsed_ns: u64,
        /// Of this, how long the processor was idle, ns.
        idle_ns: u64,
        /// Used by programs of the foreground that are not ignored.
        foreground: ResourceUse,
        /// Used by background jobs.
        background: ResourceUse,
        /// Programs of background jobs.
        jobs: u64,
        /// The suspended ones of these.
        suspended: u64,
        /// How long ago a program of the foreground that is still there, and is not ignored, was last seen to use disk,
        /// link or much of the processor, ns; `u64::MAX`: none was.
        front_used_ago_ns: u64,
    }
}

/// Whether process `pid` may become a background job: `EPERM` for init.
pub fn may_be_background(pid: u32) -> Result<(), Errno> {
    if pid == INIT { Err(Errno::EPERM) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::Sample;

    #[test]
    fn samples_travel_as_bytes() {
        let sample = Sample {
            elapsed_ns: 1,
            idle_ns: 2,
            foreground: [3, 4, 5],
            background: [6, 7, 8],
            jobs: 9,
            suspended: u64::MAX,
            front_used_ago_ns: 10,
        };
        assert_eq!(Sample::from_bytes(&sample.to_bytes()), sample);
    }
}
