//! The system calls that only Renga has.

use crate::Errno;
use crate::syscall::{plain, read_facts};

const FORK_ON: usize = 1000;
const INFO: usize = 1001;
const HALT: usize = 1002;
/// In `INFO`: the counters of a board's link; that board answers.
const LINK_COUNTERS: isize = 2;
/// In `INFO`: how many boards there are, and which one this is.
const BOARDS: isize = 0;
/// In `INFO`, as an index: this board.
const OWN_BOARD: isize = 0xff;
/// Counters that a link has, at most.
pub const COUNTERS_MAX: usize = 32;

/// Forks onto `board`; 0 in the child, which runs there with everything that a fork shares.
pub fn fork_on(board: u32) -> Result<u32, Errno> {
    plain(FORK_ON, [board as isize, 0, 0]).map(|pid| pid as u32)
}

/// How many boards there are, and which one this is.
pub fn boards() -> (u32, u32) {
    let mut facts = [0];
    // A kernel that does not know has one board.
    match read_facts(INFO, [BOARDS, 0], &mut facts) {
        Ok(_) => (facts[0] as u32 & 0xff, facts[0] as u32 >> 8 & 0xff),
        Err(_) => (1, 0),
    }
}

/// Whether `board` is dead now.
pub fn is_down(board: u32) -> bool {
    const EHOSTDOWN: Errno = Errno(112);
    read_facts(INFO, [LINK_COUNTERS, board as isize], &mut [0; COUNTERS_MAX]) == Err(EHOSTDOWN)
}

/// Stops the cluster: everything on the medium, then exit status `status`. Returns if not allowed.
pub fn halt(status: i32) -> Errno {
    match plain(HALT, [status as isize, 0, 0]) {
        Err(errno) => errno,
        Ok(_) => Errno(0),
    }
}

/// What this board's link has counted since boot; zeros where there is no link.
pub fn link_counters() -> [u64; COUNTERS_MAX] {
    let mut counters = [0; COUNTERS_MAX];
    // Without a link the call fails and the counters stay zero.
    let _ = read_facts(INFO, [LINK_COUNTERS, OWN_BOARD], &mut counters);
    counters
}
