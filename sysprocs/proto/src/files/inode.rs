//! Active inodes: one process each on the disk board, found through one directory.

use crate::pages::FileId;
use crate::sessions::ReferenceOrigin;
use renga_abi::Errno;
use renga_core::{in_word, in_words, protocol, word_enum};

pub use super::owner::{CreatedInode, InodeOwner};
pub use crate::pages::Filled;
pub use crate::write_lease::{FlushedBytes, Lease, PushedPlace};

in_words! {
    /// What an opener learns of an inode.
    pub struct InodeFacts {
        /// Its active-inode process's number.
        slot: u16,
        /// Its number in the file system.
        ino: u32,
        /// Type and permission bits, as in ext2 (`i_mode`).
        mode: u16,
        /// What it was born with.
        birth: Birth,
        /// Of the reference that came with it, if its owner says so.
        origin: ReferenceOrigin,
    }
}
in_word! {
    /// What an inode is born with; in one word.
    pub struct Birth {
        /// Distinguishes it from earlier and later inodes of its number.
        generation: u32 = 32..=63,
        /// Of a device: major number << 8 | minor number.
        device: u32 = 0..=31,
    }
}

word_enum! {
    /// How far a commit goes.
    pub enum CommitExtent {
        /// Everything is in the journal.
        Journal,
        /// As `Journal`, after the inodes that are to be freed by now have been: there may be more room then.
        Freed,
        /// As `Freed`, and everything is in its place, the journal empty.
        Places,
        /// And the file system marked clean; nothing can be changed from then on.
        Unmount,
    }
}
in_words! {
    /// A requested commit.
    pub struct CommitWanted {
        /// How far it is to go.
        extent: CommitExtent,
        /// The account of the first requester: the commit is charged to it.
        account: u16,
    }
    /// An inode to be given up, or whose lease is to be flushed.
    pub struct ReclaimedInode {
        /// Its process's number.
        slot: u16,
        /// The inode; 0: its lease is to be flushed.
        ino: u32,
        /// The account that released the last reference: the work is charged to it.
        account: u16,
        /// Boards that drop its data themselves, a bit each.
        aware: u8,
    }
    /// What a name stands for, referred to.
    pub struct Named {
        /// Its process's number.
        slot: u16,
        /// The inode.
        ino: u32,
        /// Its type (ext2's directory-entry type).
        kind: u8,
    }
    /// How far a path's names are known.
    pub struct PathReached {
        /// The process of what they led to, referred to.
        slot: u16,
        /// The inode.
        ino: u32,
        /// Its type (ext2's directory-entry type).
        kind: u8,
        /// Bytes of the path still to be walked; they begin with a name.
        left: u32,
    }
}
word_enum! {
    /// The purpose of a name lookup.
    pub enum Intent {
        /// To know what it stands for.
        LookUp,
        /// To give it to something if it stands for nothing. Under the exclusive lock of names.
        Create,
        /// To make it stand for something else, or for nothing. Under the exclusive lock of names.
        Change,
    }
}
in_words! {
    /// Boards that cache a name, a bit each.
    pub struct NameHolders {
        /// They cache it.
        one: u8,
        /// The directory no longer notes which names they cache: all their names must be revoked.
        all: u8,
    }
    /// Boards that cache something of an inode without links, a bit each.
    pub struct CachedOf {
        /// They cache names in it.
        names: u8,
        /// They refer to it.
        references: u8,
        /// Nobody but the caller does.
        sole: bool,
    }
    /// A changed link count.
    pub struct LinkCount {
        /// The count.
        links: u32,
        /// The inode's generation.
        generation: u32,
    }
}
/// No process.
pub const NO_SLOT: u16 = u16::MAX;

protocol! {
    /// Which process serves which active inode.
    pub InodeDirectory = 6, InodeDirectoryCall {
        /// The inode's process, with one reference more. `ENFILE` when all are in use.
        0 Activate { ino: u32 } (()) -> Result<u16, Errno>;
        /// One reference to inode `ino` less; without links and references it is freed. `EINVAL`: the process `slot`
        /// serves another, or no reference exists.
        1 Release { slot: u16, ino: u32 } (()) -> Result<(), Errno> [releases];
        /// The fresh inode `ino`, which the allocator has given out, of `mode` and `owner`, with no links yet and one
        /// reference; it is to be named in the inode of process `parent`. `ENFILE` when all processes are in use.
        2 Create { ino: u32, mode: u16, device: u32, owner: InodeOwner, parent: u16 } (()) -> Result<CreatedInode, Errno>;
        /// One reference more to the active inode `ino`. `EINVAL`: the process `slot` serves another, or the caller's
        /// board has no reference; `Reactivate` serves callers that know the generation.
        3 Keep { slot: u16, ino: u32 } (()) -> Result<(), Errno>;
        /// Makes all changes so far permanent, atomically. Waits for the committer, which waits for every process
        /// that changes names: not from a lookup worker with the lock of names.
        4 CommitAll { extent: CommitExtent } (()) -> Result<(), Errno>;
        /// Before shutdown: writes back and evicts every inode, frees those without links; refuses activations from
        /// then on. Replies at once, or when all is done if `wait`: not from a lookup worker with the lock of names
        /// then.
        5 Retire { wait: bool } (()) -> Result<(), Errno>;
        /// Takes the lock of names: shared for lookups, exclusive for changes of names, so that no lookup activates
        /// an inode that is being freed. First come, first served. Lookup workers only; the holder never waits for
        /// another lookup worker.
        6 LockNames { exclusive: bool } (()) -> Result<(), Errno>;
        /// An active inode of the caller has lost its last link (or got none): the last release frees it. From a
        /// lookup worker with the exclusive lock of names. Returns the boards that cache something of it. If the caller
        /// has the `sole` reference, it has the boards in `aware`, a bit each, drop the file's data.
        8 Unlinked { slot: u16, aware: u8 } (()) -> Result<CachedOf, Errno>;
        /// Gives the lock of names back.
        7 UnlockNames {} (()) -> Result<(), Errno>;
        /// A board failed: drops its references, and releases its locks.
        9 BoardDied { board: u8 } (()) -> Result<(), Errno>;
        /// A reference of the caller's board is one of `board` from now on: in which session with it.
        10 HandOver { slot: u16, board: u8 } (()) -> Result<u32, Errno>;
        /// As `Activate`, for who knew the inode before this board was started. `ENOENT`: it is gone,
        /// or another one has its number.
        11 Reactivate { ino: u32, generation: u32 } (()) -> Result<u16, Errno>;
        /// Reports the end of the committer's last commit (0: success). Waits until a commit is wanted, and returns
        /// it. From the committer only.
        12 NextCommit { ended: u16 } (()) -> Result<CommitWanted, Errno>;
        /// The inode process that the inode reclaimer was given (`NO_SLOT`: none) is without an inode; which one is to
        /// give its inode up or to flush its lease next. Waits until one is, if `wait`; `ENOENT` otherwise. From the
        /// inode reclaimer only.
        13 NextReclaim { done: u16, wait: bool } (()) -> Result<ReclaimedInode, Errno>;
        /// As a lookup worker's `StatusOf`, if all names of the path are known. `EAGAIN`: not all are, ask a lookup
        /// worker.
        14 KnownStatus { at: FileId, flags: u32 } ((&'a [u8], &'a mut [u8])) -> Result<(), Errno>;
        /// As a lookup worker's `Open` of what need be neither made nor cut, if all names of the path are known.
        /// `EAGAIN`: ask a lookup worker. What has mode 0 in the answer cannot be opened; the reference to it is the
        /// caller's all the same.
        15 KnownOpen { at: FileId, flags: u32 } (&'a [u8]) -> Result<InodeFacts, Errno>;
        /// Walks along a path as far as its names are known and no link is to be followed, but for its last name
        /// unless `whole`; where that leads, referred to. `EAGAIN`: begin at its beginning, which may be none. Under
        /// the lock of names, but for what the path as a whole leads to.
        16 KnownPath { at: FileId, whole: bool, flags: u32 } (&'a [u8]) -> Result<PathReached, Errno>;
        /// What the name in inode `directory` stands for, referred to, if that is known (`EAGAIN`). A name that is to
        /// be changed is not known from then on, nor one for nothing that is to be created. Under the lock of names.
        17 KnownName { directory: u32, intent: Intent } (&'a [u8]) -> Result<Named, Errno>;
        /// The name in inode `directory`, to which the caller refers, stands for inode `ino` of type `kind`, or (0)
        /// for nothing. Under the lock of names; of a change when it has been made. What `.` stands for is a
        /// generation: that of the directory, by which who starts in it is notified from who started in another one of
        /// that number.
        18 LearnName { directory: u32, ino: u32, kind: u8 } (&'a [u8]) -> Result<(), Errno>;
        /// As `Activate`, of what is named by its number and must be a directory: `ENOTDIR`, or `ENOENT` if it is no
        /// inode, another one than that, or has neither names nor references.
        19 ActivateDirectory { directory: FileId } (()) -> Result<u16, Errno>;
        /// The first inode process from `from` on whose inode is leased, but to whom `Spare` says if it `spares`;
        /// `ENOENT`: none is.
        20 NextLeased { from: u16, spares: bool } (()) -> Result<u16, Errno>;
        /// Notes that `board` caches the name in inode `directory`, if its target is known here: returns whether it
        /// is. From lookup workers only, under the lock of names.
        22 GrantName { directory: u32, board: u8 } (&'a [u8]) -> Result<bool, Errno>;
        /// Takes the note of the boards that cache the name in inode `directory`; the caller revokes it from them.
        /// From lookup workers only, under the exclusive lock of names, before the name changes.
        21 TakeHolders { directory: u32, aware: u8 } (&'a [u8]) -> Result<NameHolders, Errno>;
        /// Which session with `board` it is. From lookup workers only.
        23 SessionWith { board: u8 } (()) -> Result<u32, Errno>;
        /// A reference of `board` is given up, if that session is not over. From lookup workers only, to whom that
        /// board has said so.
        24 GiveUp { slot: u16, ino: u32, board: u8, session: u32 } (()) -> Result<(), Errno>;
        /// Spares files written by jobs of these boards, a bit each, from timed writeback. From the regulator only.
        25 Spare { boards: u8 } (()) -> Result<(), Errno>;
        /// `Release` of each reference in the slice ([`crate::surplus`]).
        26 ReleaseMany {} (&'a [u8]) -> Result<(), Errno> [releases];
    }
}

/// Bytes of a `struct stat` as Linux/AArch64 lays it out; what `Status` writes.
pub const STAT_BYTES: usize = 128;
/// `st_dev` of what is on the disk: major 179 (SD cards), minor 1.
pub const DISK_DEVICE: u64 = 179 << 8 | 1;
/// Bytes of a file name, as in ext2.
pub const NAME_BYTES_MAX: usize = 255;
/// "Now" where a time in ns is expected; the value of `UTIME_NOW` after translation.
pub const TIME_NOW: u64 = u64::MAX;
/// "Leave as it is" where a time in ns is expected.
pub const TIME_KEEP: u64 = u64::MAX - 1;

protocol! {
    /// One active inode.
    pub Inode = 7, InodeCall {
        /// As `OpenKnown`, after the file was cut to nothing. From lookup workers only.
        0 OpenCut {} (&'a [u8]) -> Result<InodeFacts, Errno>;
        /// Writes all of the slice at `offset`, growing the file. Returns nothing: a failure after
        /// an early release is kept and reported by the next `Sync` or `ReportError`.
        1 WriteAt { offset: u64 } (&'a [u8]) -> Result<(), Errno> [releases];
        /// As `WriteAt`, at the end of the file; the offset behind what was written.
        2 Append {} (&'a [u8]) -> Result<u64, Errno>;
        /// Cuts or extends to `bytes`.
        3 Truncate { bytes: u64 } (()) -> Result<(), Errno>;
        /// Fills a `struct stat` of `STAT_BYTES`. The inode ignores the given slice: of a forwarded call it is the
        /// path.
        4 Status {} ((&'a [u8], &'a mut [u8])) -> Result<(), Errno>;
        /// What an opener needs.
        5 Facts {} (()) -> Result<InodeFacts, Errno>;
        /// The size, bytes.
        6 Size {} (()) -> Result<u64, Errno>;
        /// Directory entries from position `cursor` on as `struct linux_dirent64`s that fit into the
        /// slice; how many bytes, and the next cursor.
        7 ReadDirectory { cursor: u64 } (&'a mut [u8]) -> Result<DirectoryRead, Errno>;
        /// As `ReportError`, after data of other boards have been flushed. The commit that follows writes them:
        /// `CommitAll`.
        8 Sync {} (()) -> Result<LossReport, Errno>;
        /// Reports a refused write whose caller was released early, to the first caller; otherwise what data were lost.
        9 ReportError {} (()) -> Result<LossReport, Errno>;
        /// Sets permission bits, or owner and group: as `SetAccess::mode` and `SetAccess::owner` have it.
        10 SetAccess { mode: u16, uid: u32, gid: u32 } (()) -> Result<(), Errno>;
        /// Sets access and modification time, ns since 1970, or `TIME_NOW`, `TIME_KEEP`.
        11 SetTimes { access_ns: u64, modify_ns: u64 } (()) -> Result<(), Errno>;
        /// Reserves `bytes` at the end of the file for an append in pieces, and returns the offset. Appends meanwhile
        /// go behind it. With a `from` other than `AT_END`: returns the unused rest from there.
        12 ReserveAppend { from: u64, bytes: u64 } (()) -> Result<u64, Errno>;
        /// Of a directory: what the entry named by the slice stands for. `ENOENT` without one.
        13 Find {} (&'a [u8]) -> Result<EntryFound, Errno>;
        /// Of a directory: adds an entry of file type `kind` (ext2's directory-entry type). The boards in `aware`, a
        /// bit each, have given up its status themselves. From lookup workers only.
        14 Enter { ino: u32, kind: u8, aware: u8 } (&'a [u8]) -> Result<(), Errno>;
        /// Grants `board` the write lease, if it is the caller's or the caller is of this board, so that it may write
        /// page `page`; other boards' leases end. `ESTALE`: it is not inode `ino`. With page `FLUSH_LEASE`: if inode
        /// `ino` (0: any) is leased, flushes its dirty pages to this board, some at a time, and ends the lease;
        /// `below` is not 0 if more follow; if `board` is `ONLY_OLD`, not while jobs are suspended and the lease is
        /// younger than 5 s. Reports a deferred error of a released write once, unless it flushes.
        15 LeaseWrite { ino: u32, board: u8, page: u32 } (()) -> Result<Lease, Errno>;
        /// Of a directory: makes the entry named stand for another inode, or removes it (`ino` 0); the inode number
        /// that it had.
        16 Repoint { ino: u32, kind: u8, aware: u8 } (&'a [u8]) -> Result<u32, Errno>;
        /// What the caller's board has written under that lease, which goes on; answers as `Sync` after the last.
        /// `ENOLCK`: nothing is accepted, the inode is to be flushed.
        17 PushPage { lease: u64, place: PushedPlace, size: u64, written_ns: u64, bytes: FlushedBytes } (&'a [u8]) -> Result<LossReport, Errno>;
        /// Adds to the link count (`add` may be negative); the new count. `aware` as with `Enter`.
        18 AddLinks { add: i32, aware: u8 } (()) -> Result<LinkCount, Errno>;
        /// Of a symbolic link: its target; how many bytes.
        19 ReadLink {} (&'a mut [u8]) -> Result<u32, Errno>;
        /// Becomes the process of inode `ino`, which is fresh if it has a `mode`: from the directory of inodes only.
        20 Load { ino: u32, mode: u16, device: u32, owner: InodeOwner } (()) -> Result<(), Errno>;
        /// Writes the inode back and becomes free; without links, frees its blocks first, some at a time. From the
        /// inode reclaimer only; says whether the inode itself is to be freed. The boards in `aware`, a bit each, drop
        /// its data themselves.
        21 Unload { aware: u8 } (()) -> Result<Unloaded, Errno>;
        /// As `Status` and `Facts`, for `board`, which may cache that until it is revoked if the answer says so. From
        /// lookup workers only.
        22 LeaseStatus { board: u8 } (&'a mut [u8]) -> Result<GrantedFacts, Errno>;
        /// Of a directory: the name of the entry of inode `ino`; its length. `ENOENT` without one. With 0 in
        /// place of a number any entry but `.` and `..` is meant: `ENOENT` of an empty directory.
        23 NameOf { ino: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Of a fresh symbolic link: sets its target.
        24 SetLink {} (&'a [u8]) -> Result<(), Errno>;
        /// Writes the inode to its buffer if it was changed, and changes nothing until `Thaw`: from the
        /// committer only.
        25 Freeze {} (()) -> Result<Frozen, Errno>;
        /// Ends `Freeze`; `committed`: the transaction has ended, so that there may be room for a write that waits.
        27 Thaw { committed: bool } (()) -> Result<(), Errno>;
        /// The link count.
        26 Links {} (()) -> Result<u32, Errno>;
        /// Page `page` of the file into the slice, of which as many bytes are written as the answer says; behind those
        /// are zeros. A program that `maps` the file wants it: the pages behind it are likely to be wanted, too. The
        /// caller's board may keep it, and the size, until it is revoked. `ESTALE`: it is not inode `ino`.
        28 FillPage { ino: u32, page: u32, maps: bool } (&'a mut [u8]) -> Result<Filled, Errno>;
        /// A program of the caller's board is about to write page `page`, which it maps. On the board of the inodes the
        /// page is dirty in the page cache from now on; another board gets the write lease, and the page, as `FillPage`
        /// has it, if the slice has room for it. `NO_PAGE`: only whether it could. `ESTALE`: it is not inode `ino`.
        /// `EFBIG`: the page is behind the end. `EOPNOTSUPP`: that board keeps no pages.
        30 DirtyPage { ino: u32, page: u32 } (&'a mut [u8]) -> Result<Lease, Errno>;
        /// As `Facts`, for an opener whose call was passed on with the path; mode 0: the device is an errno.
        29 OpenKnown {} (&'a [u8]) -> Result<InodeFacts, Errno>;
    }
}

/// In place of a mode: it stays.
pub const KEEP_MODE: u16 = u16::MAX;
impl SetAccess {
    /// Sets permission bits.
    pub const fn mode(mode: u16) -> SetAccess {
        SetAccess { mode, uid: u32::MAX, gid: u32::MAX }
    }
    /// Sets owner and group; `u32::MAX` keeps.
    pub const fn owner(uid: u32, gid: u32) -> SetAccess {
        SetAccess { mode: KEEP_MODE, uid, gid }
    }
}
/// Of a `LeaseWrite` that ends the lease.
pub const FLUSH_LEASE: u32 = u32::MAX - 1;
/// The board of one that ends the lease only if it is not young.
pub const ONLY_OLD: u8 = 1;
/// The board of one that ends the lease only if changes of the inode may be watched.
pub const ONLY_WATCHED: u8 = 2;
impl LeaseWrite {
    /// Ends the lease of inode `ino`.
    pub const fn flush(ino: u32) -> LeaseWrite {
        LeaseWrite { ino, board: 0, page: FLUSH_LEASE }
    }
    /// Ends the lease of whichever inode it is, if that is as `only` says.
    pub const fn flush_only(only: u8) -> LeaseWrite {
        LeaseWrite { ino: 0, board: only, page: FLUSH_LEASE }
    }
}

in_words! {
    /// What `ReadDirectory` brought.
    pub struct DirectoryRead {
        /// Bytes of the slice filled; 0 at the end.
        bytes: u32,
        /// Where to go on.
        next: u64,
    }
    /// What `LeaseStatus` brought.
    pub struct GrantedFacts {
        /// Type and permission bits.
        mode: u16,
        /// What it was born with.
        birth: Birth,
        /// The status is known; otherwise the inode is leased, and `Status` reads it.
        known: bool,
        /// The board may cache it.
        cacheable: bool,
        /// The board's own write lease, without whose changes it is not complete, or `NO_LEASE`.
        lease: u64,
    }
    /// What a directory entry stands for.
    pub struct EntryFound {
        /// The inode's number.
        ino: u32,
        /// Its type (ext2's directory-entry type; 0: not known).
        kind: u8,
    }
    /// Losses of written data since the inode became active.
    pub struct LossReport {
        /// How many.
        count: u32,
        /// Why the last one.
        errno: u16,
        /// How long ago the last one was, ns: the clocks of two boards differ.
        ns_ago: u64,
    }
    /// What an inode says that stands still.
    pub struct Frozen {
        /// A write waits for room, which the commit may make.
        waits: bool,
        /// A failure left a change half done.
        broken: bool,
    }
    /// What became of an inode given up.
    pub struct Unloaded {
        /// Not yet: ask again.
        more: bool,
        /// It had no links: it is to be freed.
        free: bool,
        /// It was a directory.
        directory: bool,
    }
}
