//! Open files: one process each, on the board of the opener; keeps the offset and status flags.

use crate::inode::DirectoryRead;
use crate::sessions::ReferenceOrigin;
use renga_abi::Errno;
use renga_core::{in_words, protocol, word_enum};

word_enum! {
    /// What a seek counts from.
    pub enum Whence {
        /// The start of the file.
        Start,
        /// The present offset.
        Current,
        /// The end of the file.
        End,
        /// The start, to what was written: all of the file.
        Data,
        /// The start, to what was not: the end of the file.
        Hole,
    }
}

in_words! {
    /// Which inode an open file is of, as a mapping of it needs it.
    pub struct BackingInode {
        /// Its active-inode process's number at present.
        slot: u16,
        /// Its number in the file system.
        ino: u32,
        /// Distinguishes it from earlier and later inodes of its number.
        generation: u32,
        /// Its type and, from when it was opened, permission bits.
        mode: u16,
    }
}
in_words! {
    /// The first piece of a transfer.
    pub struct BegunTransfer {
        /// Its bytes.
        bytes: u32,
        /// Others wait: the caller continues at offsets of its own from `start` on, and ends the transfer.
        locked: bool,
        /// Where it began.
        start: u64,
    }
}
protocol! {
    /// One open file; regular files and directories.
    pub File = 9, FileCall {
        /// Becomes an open file on inode process `slot` (whose reference passes to it), offset 0,
        /// one reference; in which generation it is now, for handles that travel. `origin`: of the inode's reference.
        0 OpenInode { slot: u16, ino: u32, mode: u16, flags: u32, generation: u32, origin: ReferenceOrigin } (()) -> Result<u32, Errno>;
        /// Reads from the offset on, advancing it; 0 at the end.
        1 Read {} (&'a mut [u8]) -> Result<u32, Errno>;
        /// Writes at the offset (at the end with O_APPEND), advancing it.
        2 Write {} (&'a [u8]) -> Result<u32, Errno>;
        /// Moves the offset; the new one.
        3 Seek { offset: i64, whence: Whence } (()) -> Result<u64, Errno>;
        /// One reference more (dup, fork); `ESTALE` if it is in another generation.
        4 AddReference { generation: u32 } (()) -> Result<(), Errno>;
        /// One reference less; the last releases the inode and frees this process. Replies before that work is done,
        /// unless a failed write must be reported. `EBADF` if it is in another generation, or the caller's board has
        /// no reference.
        5 Close { generation: u32 } (()) -> Result<(), Errno>;
        /// Fills a `struct stat`.
        6 FileStatus {} (&'a mut [u8]) -> Result<(), Errno>;
        /// Reads at `offset`, leaving the file's own alone.
        7 ReadFrom { offset: u64 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Writes at `offset` (or `pages::AT_END`), leaving the file's own alone.
        8 WriteTo { offset: u64 } (&'a [u8]) -> Result<u32, Errno>;
        /// Next directory entries as `struct linux_dirent64`s, advancing; bytes filled, 0 at the end.
        9 NextEntries {} (&'a mut [u8]) -> Result<DirectoryRead, Errno>;
        /// On the medium at the reply; reports failed writes.
        10 SyncFile {} (()) -> Result<(), Errno>;
        /// Cuts or extends.
        11 SetSize { bytes: u64 } (()) -> Result<(), Errno>;
        /// Which inode it is, for who maps it.
        12 DescribeFile {} (()) -> Result<BackingInode, Errno>;
        /// Replaces the settable status flags (O_APPEND, O_NONBLOCK).
        13 SetFlags { flags: u32 } (()) -> Result<(), Errno>;
        /// As the inode's `SetAccess`.
        14 SetFileMode { mode: u16 } (()) -> Result<(), Errno>;
        /// As the inode's `SetTimes`.
        15 SetFileTimes { access_ns: u64, modify_ns: u64 } (()) -> Result<(), Errno>;
        /// Likewise.
        16 SetFileOwner { uid: u32, gid: u32 } (()) -> Result<(), Errno>;
        /// A board is dead: the references of its processes are dropped.
        17 BoardDied { board: u8 } (()) -> Result<(), Errno>;
        /// Checks that it is in that generation and the caller's board has a reference; `ESTALE` if not.
        18 CheckGeneration { generation: u32 } (()) -> Result<(), Errno>;
        /// A program is about to lock through it: its last `Close` releases those locks. As `CheckGeneration`.
        19 NoteLocks { generation: u32 } (()) -> Result<(), Errno>;
        /// Begins an append of more than a page, whose pieces `WriteTo` writes: where. Others append behind it.
        20 BeginAppend { bytes: u64 } (()) -> Result<u64, Errno>;
        /// It was written up to `end`, where the offset is then if the append `moves` it, of what was reserved up to
        /// `reserved`.
        21 EndAppend { end: u64, reserved: u64, moves: bool } (()) -> Result<(), Errno>;
        /// What `SetFlags` replaces, as it is now.
        22 GetFlags {} (()) -> Result<u32, Errno>;
        /// As `Read`, for the first piece of a longer transfer. If others have references to the open file, they wait
        /// with their transfers at the offset, and with seeks, until the caller's `EndTransfer`.
        23 BeginRead {} (&'a mut [u8]) -> Result<BegunTransfer, Errno>;
        /// Likewise, as `Write`.
        24 BeginWrite {} (&'a [u8]) -> Result<BegunTransfer, Errno>;
        /// The offset is `offset` now, and free for others. `EINVAL`: the caller's board did not begin a transfer.
        25 EndTransfer { offset: u64 } (()) -> Result<(), Errno>;
    }
}
