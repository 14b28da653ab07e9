//! Resource limits of a program.
//!
//! Invariant: a soft limit is at most its hard one. A program without a limit of processes (init, until it sets one)
//! may also take the slots that are kept in reserve. Not here: who enforces them (`facts/limits.rs`, `procs`).

use crate::user::state::descriptors::DESCRIPTORS_MAX;
use renga_proto::procs::{QUEUED_MAX, UNLIMITED};

/// Numbers of limits, as in Linux's `asm-generic/resource.h`.
pub const FSIZE: usize = 1;
pub const STACK: usize = 3;
pub const NPROC: usize = 6;
pub const NOFILE: usize = 7;
pub const SIGPENDING: usize = 11;
pub const AS: usize = 9;
pub const LIMITS: usize = renga_rt::proc_info::LIMITS;
pub const INFINITY: u64 = u64::MAX;
const STACK_BYTES: u64 = 8 << 20;
/// What programs start with: more than a board runs, yet not all of the reserve.
const PROCESSES: u64 = 4096;

/// A soft and a hard limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResourceLimit {
    /// The current limit.
    pub soft: u64,
    /// What the soft one can be.
    pub hard: u64,
}

/// The limits of one program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResourceLimits(pub [ResourceLimit; LIMITS]);

impl Default for ResourceLimits {
    fn default() -> Self {
        let mut limits = ResourceLimits([ResourceLimit { soft: INFINITY, hard: INFINITY }; LIMITS]);
        limits.0[STACK].soft = STACK_BYTES;
        limits.0[NPROC].soft = PROCESSES;
        limits.0[SIGPENDING] = ResourceLimit { soft: QUEUED_MAX as u64, hard: QUEUED_MAX as u64 };
        limits.0[NOFILE] = ResourceLimit { soft: DESCRIPTORS_MAX as u64, hard: DESCRIPTORS_MAX as u64 };
        limits
    }
}

impl ResourceLimits {
    /// Those of init: it may use the reserve.
    pub fn of_init() -> ResourceLimits {
        let mut limits = ResourceLimits::default();
        limits.0[NPROC].soft = INFINITY;
        limits
    }
    /// The current value of limit `which`.
    pub fn soft(&self, which: usize) -> u64 {
        self.0[which].soft
    }
    /// How many signals may wait with their causes.
    pub fn signals(&self) -> u32 {
        u32::try_from(self.soft(SIGPENDING)).unwrap_or(u32::MAX)
    }
    /// How many processes there may be, as `Spawn` takes it.
    pub fn processes(&self) -> u32 {
        match self.soft(NPROC) {
            INFINITY => UNLIMITED,
            most => u32::try_from(most).unwrap_or(UNLIMITED - 1).min(UNLIMITED - 1),
        }
    }
}
