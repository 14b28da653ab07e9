//! Errors as the Linux/AArch64 system-call interface numbers them.
//!
//! Invariant: the value is positive and below 4096, so that a caller can distinguish `-errno` from a result.

use core::fmt;

/// An expected failure, in Linux's numbering.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(pub u16);

macro_rules! errnos { ($($name:ident = $value:literal $text:literal;)*) => {
    impl Errno {
        $(#[doc = $text] pub const $name: Errno = Errno($value);)*
        /// The symbolic name, or `E?` for a number that this system never returns.
        pub const fn name(self) -> &'static str {
            match self.0 { $($value => stringify!($name),)* _ => "E?" }
        }
    }
} }
errnos! {
    EPERM = 1 "Operation not permitted";
    ENOENT = 2 "No such file or directory";
    ESRCH = 3 "No such process";
    EINTR = 4 "Interrupted by a signal";
    EIO = 5 "Input or output failed";
    ENXIO = 6 "No such device";
    E2BIG = 7 "Argument list too long";
    ENOEXEC = 8 "Not an executable format";
    EBADF = 9 "Bad file descriptor";
    ECHILD = 10 "No child processes";
    EAGAIN = 11 "Try again";
    ENOMEM = 12 "Out of memory";
    EACCES = 13 "Permission denied";
    EFAULT = 14 "Bad address";
    EBUSY = 16 "Device or resource busy";
    EEXIST = 17 "File exists";
    EXDEV = 18 "Link across file systems";
    ENODEV = 19 "No such device";
    ENOTDIR = 20 "Not a directory";
    EISDIR = 21 "Is a directory";
    EINVAL = 22 "Invalid argument";
    ENFILE = 23 "Too many open files in the system";
    EMFILE = 24 "Too many open files";
    ENOTTY = 25 "Not a terminal";
    ETXTBSY = 26 "Text file busy";
    EFBIG = 27 "File too large";
    ENOSPC = 28 "No space left on device";
    ESPIPE = 29 "Illegal seek";
    EROFS = 30 "Read-only file system";
    EMLINK = 31 "Too many links";
    EPIPE = 32 "Broken pipe";
    EDOM = 33 "Argument out of domain";
    ERANGE = 34 "Result out of range";
    EDEADLK = 35 "Waiting for each other";
    ENAMETOOLONG = 36 "File name too long";
    ENOLCK = 37 "No locks available";
    ENOSYS = 38 "Function not implemented";
    ENOTEMPTY = 39 "Directory not empty";
    ELOOP = 40 "Too many symbolic links";
    EOVERFLOW = 75 "Value too large";
    ENOTSOCK = 88 "Not a socket";
    EDESTADDRREQ = 89 "Destination address required";
    EMSGSIZE = 90 "Message too long";
    EPROTOTYPE = 91 "Protocol wrong type for socket";
    ENOPROTOOPT = 92 "Protocol not available";
    EPROTONOSUPPORT = 93 "Protocol not supported";
    ESOCKTNOSUPPORT = 94 "Socket type not supported";
    EOPNOTSUPP = 95 "Operation not supported";
    EAFNOSUPPORT = 97 "Address family not supported";
    EADDRINUSE = 98 "Address already in use";
    EADDRNOTAVAIL = 99 "Cannot assign requested address";
    ENETUNREACH = 101 "Network is unreachable";
    ECONNRESET = 104 "Connection reset by peer";
    EISCONN = 106 "Already connected";
    ENOTCONN = 107 "Not connected";
    ETOOMANYREFS = 109 "Too many references";
    ETIMEDOUT = 110 "Connection timed out";
    ECONNREFUSED = 111 "Connection refused";
    EHOSTDOWN = 112 "The board is down";
    EHOSTUNREACH = 113 "No route to host";
    ESTALE = 116 "Stale file handle";
    ECANCELED = 125 "Operation canceled";
    ECROSSED = 1024 "The path leads into another file system: ours, which no program sees";
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name(), self.0)
    }
}
