//! How a system call ends other than with a result.

use renga_rt::Errno;

/// Why a call has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyscallEscape {
    /// It failed.
    Fail(Errno),
    /// A signal came before it did anything: it is made again, unless a handler without SA_RESTART ran.
    Restart,
    /// A signal came before it did anything: it is made again, whatever handlers ran.
    RestartAlways,
    /// As `Restart`, but any handler that ran makes it fail with `EINTR`.
    RestartUnlessHandled,
    /// The registers are as they should be (exec, return from a handler).
    Resumed,
    /// The program is over, with this status of `wait4`.
    End(u32),
}

impl From<Errno> for SyscallEscape {
    fn from(errno: Errno) -> Self {
        SyscallEscape::Fail(errno)
    }
}

/// What a system call ends with.
pub type SyscallResult = Result<u64, SyscallEscape>;

/// Makes an interruption of a call that did nothing yet a reason to make it again.
pub fn restartable<T>(result: Result<T, Errno>) -> Result<T, SyscallEscape> {
    result.map_err(|errno| if errno == Errno::EINTR { SyscallEscape::Restart } else { SyscallEscape::Fail(errno) })
}

/// As [`restartable`], for calls that any handler ends.
pub fn restartable_unless_handled<T>(result: Result<T, Errno>) -> Result<T, SyscallEscape> {
    result.map_err(
        |errno| if errno == Errno::EINTR { SyscallEscape::RestartUnlessHandled } else { SyscallEscape::Fail(errno) },
    )
}
