//! What Renga's own user programs stand on: start-up, arguments, system calls.
//!
//! They are ordinary static Linux/AArch64 executables without a C library. The one thing that no
//! Linux has are the system calls of [`cluster`]. Not here: Debian's programs (`tools/image`).
#![no_std]

pub mod arguments;
pub mod cluster;
pub mod process;
pub mod schedule;
pub mod setting;
pub mod signals;
pub mod start;
pub mod syscall;
pub mod text;

pub use arguments::ProgramArguments;
pub use renga_user_errno::Errno;

/// Errors as the kernel returns them.
mod renga_user_errno {
    /// A positive Linux error number.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Errno(pub u16);
}
