//! Path lookup workers: whole path operations in one rendezvous, so that they cross the link once.
//!
//! A path in a slice is without a terminating zero; it starts at `at`. Where two
//! paths are needed they stand in one slice with one zero byte between them. Processes on the disk
//! board; the caller resolves device inodes by `InodeFacts::device`.

use crate::inode::{InodeFacts, InodeOwner};
use crate::pages::FileId;
use renga_abi::Errno;
use renga_core::{in_words, protocol};

/// The disk's root directory.
pub const ROOT_INO: u32 = 2;
/// The same, which is never another.
pub const ROOT: FileId = FileId::whichever(ROOT_INO);
/// Longest path, bytes; as in Linux with the zero that programs end it with.
pub const PATH_BYTES_MAX: usize = 4096;
/// In `Rename`, as Linux has it: `EEXIST` if the new name stands for something.
pub const RENAME_NOREPLACE: u32 = 1;
/// Likewise: both stand for something, and are exchanged.
pub const RENAME_EXCHANGE: u32 = 2;
/// Open for writing: refuses directories, and truncation takes effect.
pub const OPEN_WRITE: u32 = 1;
/// Create if missing.
pub const OPEN_CREATE: u32 = 2;
/// With `OPEN_CREATE`: fail if it exists.
pub const OPEN_EXCLUSIVE: u32 = 4;
/// Cut to nothing.
pub const OPEN_TRUNCATE: u32 = 8;
/// Refuse what is not a directory.
pub const OPEN_DIRECTORY: u32 = 16;
/// The permission bits have to be current: to execute it.
pub const OPEN_EXECUTE: u32 = 64;
/// Do not follow a symbolic link in the last component (`ELOOP` on open; itself on status).
pub const NO_FOLLOW: u32 = 32;

/// What stands before the path of a directory that is not below the root, as Linux has it.
pub const UNREACHABLE: &[u8] = b"(unreachable)";

/// Removes [`UNREACHABLE`] from the path in the first `bytes` of `path`, as the text of a link requires; returns the
/// bytes left.
pub fn drop_unreachable(path: &mut [u8], bytes: usize) -> usize {
    let before = if path.starts_with(UNREACHABLE) { UNREACHABLE.len() } else { 0 };
    path.copy_within(before..bytes.clamp(before, path.len()), 0);
    bytes.saturating_sub(before)
}

in_words! {
    /// Where paths start: relative ones in a directory, absolute ones in the root, above which `..` does not lead. If
    /// the inode of one of these numbers is another by now, paths that start there are `ENOENT`.
    pub struct PathStart {
        /// The directory.
        directory: FileId,
        /// The root: the disk's, or another (`chroot`).
        root: FileId,
    }
}
impl PathStart {
    /// Whether the root is not the disk's, so that cached facts about absolute paths and `..` do not apply.
    #[inline]
    pub fn is_confined(self) -> bool {
        self.root.ino != ROOT_INO
    }
}
/// In that directory, with the disk's root.
impl From<FileId> for PathStart {
    fn from(directory: FileId) -> Self {
        PathStart { directory, root: ROOT }
    }
}
/// In whichever directory has that number.
impl From<u32> for PathStart {
    fn from(directory: u32) -> Self {
        FileId::whichever(directory).into()
    }
}

renga_core::protocol_as! {
    /// A path lookup worker, to whom calls are passed on.
    pub Walk = 31 as Path
}

protocol! {
    /// Operations on paths.
    pub Path = 8, PathCall {
        /// Resolves, creates and truncates as `flags` say; the inode comes with one reference, which
        /// the caller releases at the inode directory. Mode 0: as in `KnownOpen`. What is created is the `owner`'s.
        0 Open { at: PathStart, flags: u32, mode: u16, owner: InodeOwner } (&'a [u8]) -> Result<InodeFacts, Errno>;
        /// Fills a `struct stat`.
        1 StatusOf { at: PathStart, flags: u32 } ((&'a [u8], &'a mut [u8])) -> Result<(), Errno>;
        /// Makes a directory.
        2 MakeDirectory { at: PathStart, mode: u16, owner: InodeOwner } (&'a [u8]) -> Result<(), Errno>;
        /// Removes a name; `directory`: of an empty directory; of inode `expected` (0: of any). `ESTALE`: of another.
        3 Unlink { at: PathStart, directory: bool, expected: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Renames across directories, replacing what POSIX lets it replace; with `RENAME_NOREPLACE` nothing, with
        /// `RENAME_EXCHANGE` both names stand for the other's. Two paths.
        4 Rename { from_at: PathStart, to_at: PathStart, flags: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Gives a file a further name. Two paths; `flags` may cache `NO_FOLLOW`.
        5 Link { from_at: PathStart, to_at: PathStart, flags: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Makes a symbolic link: first the target, then the link's path.
        6 SymbolicLink { at: PathStart, owner: InodeOwner } (&'a [u8]) -> Result<(), Errno>;
        /// A symbolic link's target; how many bytes.
        7 ReadLinkOf { at: PathStart } ((&'a [u8], &'a mut [u8])) -> Result<u32, Errno>;
        /// Sets permission bits: of inode `expected` (0: of any), if the path leads there; `EAGAIN`: it does not.
        8 ChangeMode { at: PathStart, mode: u16, expected: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Sets times as `SetTimes` does; `expected` as above.
        9 ChangeTimes { at: PathStart, access_ns: u64, modify_ns: u64, flags: u32, expected: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Sets owner and group; likewise.
        10 ChangeOwner { at: PathStart, uid: u32, gid: u32, flags: u32, expected: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Whether it exists and `mode` (R 4, W 2, X 1) is allowed to root.
        11 Access { at: PathStart, mode: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Makes a device node, fifo or regular file without opening it.
        12 MakeNode { at: PathStart, mode: u16, device: u32, owner: InodeOwner } (&'a [u8]) -> Result<(), Errno>;
        /// The absolute path of directory `at`; how many bytes. One that does not lie below its root has the disk's,
        /// behind `UNREACHABLE`.
        13 AbsolutePath { at: PathStart } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Fills a `struct statfs` (120 bytes).
        14 FileSystemStatus {} (&'a mut [u8]) -> Result<(), Errno>;
        /// Before the board stops: everything on the medium, the superblock marked clean.
        15 Unmount {} (()) -> Result<(), Errno>;
        /// Of a path that leads into another file system (`ECROSSED`): writes the rest of it there; returns its
        /// bytes. The lookup has followed symbolic links before, and the last one unless `flags` contain `NO_FOLLOW`.
        16 Cross { at: PathStart, flags: u32 } ((&'a [u8], &'a mut [u8])) -> Result<u32, Errno>;
        /// Says what a path leads to, step by step ([`crate::steps`]), and notes that the caller's board may cache what
        /// it is notified; how many bytes. If it `opens`, a reference to the end passes to the caller, as with `Open`.
        17 Resolve { at: FileId, flags: u32, opens: bool } ((&'a [u8], &'a mut [u8])) -> Result<u32, Errno>;
        /// Makes a directory, or, as `Open`, creates and opens a file, with the write lease for the caller's board if
        /// it is new and opened for writing. Writes the resulting steps ([`crate::steps`]), as `Resolve` does;
        /// returns their bytes. The caller's board has dropped its cached entries of the name in inode `prepared`,
        /// and of that inode. `EAGAIN`: the file exists and is to be truncated, as `Open` does it.
        18 Make { at: FileId, flags: u32, mode: u16, directory: bool, prepared: u32, owner: InodeOwner } ((&'a [u8], &'a mut [u8])) -> Result<u32, Errno>;
        /// As `Unlink`, from a board that has dropped its cached entries as `BeginRemoval` says; of the reference that
        /// came from process `slot` in that session (`NO_SLOT`: of none) it is relieved, however this ends. Writes
        /// steps as `Make`.
        19 Remove { at: FileId, directory: bool, prepared: u32, ino: u32, slot: u16, session: u32 } ((&'a [u8], &'a mut [u8])) -> Result<u32, Errno>;
        /// A name of inode `child` in inode `directory`; its bytes. `ENOENT`: it has none there.
        20 NameIn { directory: u32, child: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
    }
}
