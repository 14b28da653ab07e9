//! Linux's open flags, as `fcntl.h` of AArch64 numbers them, and which of them a descriptor keeps; and types of files.
//!
//! Called by: calls that open files or read flags of descriptors. Not here: what the flags do.

pub const O_ACCMODE: u32 = 3;
pub const O_RDONLY: u32 = 0;
pub const O_WRONLY: u32 = 1;
pub const O_RDWR: u32 = 2;
pub const O_CREAT: u32 = 0o100;
pub const O_EXCL: u32 = 0o200;
pub const O_NOCTTY: u32 = 0o400;
pub const O_TRUNC: u32 = 0o1000;
pub const O_APPEND: u32 = 0o2000;
pub const O_NONBLOCK: u32 = 0o4000;
pub const O_DSYNC: u32 = 0o10_000;
/// As `O_DSYNC`, which it contains, with the file's metadata, which the system writes with the data anyway.
pub const O_SYNC: u32 = 0o4_010_000;
/// A file without a name in the directory at the path; contains `O_DIRECTORY`.
pub const O_TMPFILE: u32 = 0o20_040_000;
pub const O_DIRECTORY: u32 = 0o40_000;
pub const O_NOFOLLOW: u32 = 0o100_000;
/// Packets instead of bytes in a pipe; accepted and ignored.
pub const O_DIRECT: u32 = 0o200_000;
/// Needs the file's owner, and has no other effect.
pub const O_NOATIME: u32 = 0o1_000_000;
pub const O_CLOEXEC: u32 = 0o2_000_000;
pub const O_PATH: u32 = 0o10_000_000;
/// The flags of such a descriptor, which neither reads nor writes.
pub const NO_ACCESS: u32 = O_PATH | O_ACCMODE;

/// Any permission to execute.
pub const EXECUTABLE: u16 = 0o111;
/// The type bits of a mode, and what they can be.
pub const S_IFMT: u16 = 0o170_000;
pub const S_IFIFO: u16 = 0o010_000;
pub const S_IFCHR: u16 = 0o020_000;
pub const S_IFDIR: u16 = 0o040_000;
pub const S_IFLNK: u16 = 0o120_000;
pub const S_IFBLK: u16 = 0o060_000;
pub const S_IFSOCK: u16 = 0o140_000;
pub const S_IFREG: u16 = 0o100_000;

/// Kept with the flags of the terminal: init opened it, and every other program inherited it from there.
pub const FROM_INIT: u32 = 1 << 31;

/// Kept with the flags of a file that another user than root opened for writing while its program ran as its owner or
/// group: a write takes that right away. Beside O_DSYNC, so that writes ask for both at once; no descriptor keeps the
/// flag of Linux that has this bit.
pub const STRIPS: u32 = 1 << 13;

/// The open flags that stay with the file.
pub const LASTING: u32 = O_ACCMODE | O_APPEND | O_NONBLOCK | O_SYNC;

/// The open flags that a descriptor keeps.
pub fn kept_flags(flags: u32) -> u32 {
    if is_path_only(flags) { NO_ACCESS } else { flags & LASTING }
}

/// The flags that `F_GETFL` reports to a program.
pub fn reported_flags(flags: u32) -> u32 {
    if is_path_only(flags) { O_PATH } else { flags & !(FROM_INIT | STRIPS) }
}

/// Whether the descriptor only names the file.
pub fn is_path_only(flags: u32) -> bool {
    flags & O_PATH != 0
}
