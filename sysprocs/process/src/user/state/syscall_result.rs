//! How a system call ends other than with a result.

use renga_proto::socket::INTERRUPTED_FOR_GOOD;
use renga_rt::Errno;

/// Why a call has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyscallEscape {
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
        SyscallEscape::Fail(if errno == INTERRUPTED_FOR_GOOD { Errno::EINTR } else { errno })
    }
}

/// What a system call ends with.
pub type SyscallResult<T = u64> = Result<T, SyscallEscape>;

/// What a system call returns, as its register has it: 0 where it returns nothing.
pub trait ReturnValue {
    fn to_register(self) -> u64;
}
impl ReturnValue for () {
    fn to_register(self) -> u64 {
        0
    }
}
impl ReturnValue for u32 {
    fn to_register(self) -> u64 {
        self.into()
    }
}
impl ReturnValue for u64 {
    fn to_register(self) -> u64 {
        self
    }
}

/// A system call's own result, in the form that all have.
#[inline(always)]
pub fn finish<T: ReturnValue>(result: Result<T, impl Into<SyscallEscape>>) -> SyscallResult {
    result.map(T::to_register).map_err(Into::into)
}

/// Makes an interruption of a call that did nothing yet a reason to make it again.
pub fn restartable<T>(result: Result<T, Errno>) -> Result<T, SyscallEscape> {
    restartable_as(SyscallEscape::Restart, result)
}

/// As [`restartable`], in the way that `restart` says.
pub fn restartable_as<T>(restart: SyscallEscape, result: Result<T, Errno>) -> Result<T, SyscallEscape> {
    result.map_err(|errno| if errno == Errno::EINTR { restart } else { errno.into() })
}
