//! The system calls that only Renga has.

use crate::Errno;
use crate::syscall::plain;

const FORK_ON: usize = 1000;
const HALT: usize = 1002;

/// Forks onto `board`; 0 in the child, which runs there with everything that a fork shares.
pub fn fork_on(board: u32) -> Result<u32, Errno> {
    plain(FORK_ON, [board as isize, 0, 0]).map(|pid| pid as u32)
}

/// Stops the cluster: everything on the medium, then exit status `status`. Returns if not allowed.
pub fn halt(status: i32) -> Errno {
    match plain(HALT, [status as isize, 0, 0]) {
        Err(errno) => errno,
        Ok(_) => Errno(0),
    }
}
