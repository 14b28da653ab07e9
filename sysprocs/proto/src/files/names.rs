//! What paths lead to, as known on a board that has no disk: names, and the inodes behind them.
//!
//! A board may cache a name, or an inode's status, because the disk board has reported it (`Resolve`) and noted that;
//! it revokes its reports before a change. Like the page cache, this server calls no other server, so a change that
//! waits for a revocation waits for no further one.
//!
//! Filling: what is not known gives a cache_generation; a path lookup worker says what the path leads to; that is
//! offered with the cache_generation. A revocation between the two makes the cache_generation void: what was notified
//! may be old.
//!
//! Of an inode that is opened again and again one reference of the board is kept here, and its uses are counted here.

use crate::inode::InodeFacts;
use crate::pages::FileId;
use crate::sessions::ReferenceOrigin;
use renga_abi::Errno;
use renga_core::{in_words, protocol};

/// Instead of a cache_generation: this board keeps nothing.
pub const NO_CACHE_GENERATION: u64 = u64::MAX;
/// Instead of a cache_generation: the status is known, and granted under a write lease of this board.
pub const LEASED: u64 = u64::MAX - 1;
/// Instead of a directory, in a revocation: all names in all directories.
pub const ALL_DIRECTORIES: u32 = 0;
/// Bytes of the longest name that is cached.
pub const NAME_CACHED_BYTES_MAX: usize = 40;
/// Instead of a name: all other names in a directory than the cached ones; they do not exist. No name has a slash.
pub const OTHERS: &[u8] = b"/";

in_words! {
    /// What became of a reference that was offered.
    pub struct ReferenceCached {
        /// Of the use that the caller has of it now; if it is not `kept`, the reference stays the caller's.
        origin: ReferenceOrigin,
        /// So many bytes of the slice are references that the caller is to give back ([`crate::surplus`]).
        surplus_bytes: u32,
    }
}
impl ReferenceCached {
    /// There is no room.
    pub const NOT: ReferenceCached = ReferenceCached { origin: ReferenceOrigin::NONE, surplus_bytes: 0 };
}

in_words! {
    /// Whose status is cached.
    pub struct StatusGrant {
        /// The inode's generation.
        generation: u32,
        /// The write lease of this board under which it was granted, or `NO_LEASE`: the page cache completes it.
        lease: u64,
    }
}

in_words! {
    /// Of a make that has begun.
    pub struct CreationBegun {
        /// For the result of its reply, or `NO_CACHE_GENERATION`: none has begun.
        cache_generation: u64,
        /// The directory that is not cached meanwhile, nor the name in it; 0: its inode was unknown.
        directory: u32,
    }
}
impl CreationBegun {
    /// None.
    pub const NONE: CreationBegun = CreationBegun { cache_generation: NO_CACHE_GENERATION, directory: 0 };
}

in_words! {
    /// Of a removal that has begun.
    pub struct RemovalBegun {
        /// As of `CreationBegun`.
        cache_generation: u64,
        /// Likewise.
        directory: u32,
        /// What the name stood for, of which no status is cached; 0: that was unknown.
        ino: u32,
        /// The process of an unused reference to that, which is the caller's now, or `NO_SLOT`.
        slot: u16,
        /// The owner's session in which the reference was granted.
        session: u32,
    }
}

protocol! {
    /// The name cache of a board.
    pub Names = 30, NamesCall {
        /// As a lookup worker's `StatusOf`, if all that it takes is known: 0, or `LEASED`. Otherwise a cache generation
        /// for a path lookup, or `NO_CACHE_GENERATION`.
        0 StatusHere { at: FileId, flags: u32 } ((&'a [u8], &'a mut [u8])) -> Result<u64, Errno>;
        /// Offers what a lookup worker has reported ([`crate::steps`]) since the cache_generation was given.
        1 CacheSteps { cache_generation: u64 } (&'a [u8]) -> Result<(), Errno>;
        /// The name in inode `directory` is about to change; an empty one: all there, or in `ALL_DIRECTORIES`. From the
        /// disk's board only, as the next.
        2 RevokeName { directory: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Inode `ino` is about to change. From the disk's board, and from a program whose lease of it is over.
        3 RevokeInode { ino: u32 } (()) -> Result<(), Errno>;
        /// A board is dead. With that of the inodes end all leases.
        4 BoardDied { board: u8 } (()) -> Result<(), Errno>;
        /// Opens what a path stands for, if all that it takes is known and a reference is kept here: one use more of
        /// that. `EAGAIN`: not here.
        5 OpenHere { at: FileId, flags: u32 } (&'a [u8]) -> Result<InodeFacts, Errno>;
        /// A cache_generation, or `NO_CACHE_GENERATION`.
        6 CacheGeneration {} (()) -> Result<u64, Errno>;
        /// Offers a reference of this board that was got since the cache_generation was given, in that session of the
        /// owner's.
        7 CacheReference { cache_generation: u64, slot: u16, ino: u32, generation: u32, session: u32 } (&'a mut [u8]) -> Result<ReferenceCached, Errno>;
        /// One use more of a reference that is kept here, to that very inode: in which session. `ENOENT`: there is
        /// none.
        8 AddCachedReference { ino: u32, generation: u32, slot: u16 } (()) -> Result<u32, Errno>;
        /// One use less; whether the reference is the caller's from now on, to be given back.
        9 ReleaseCachedReference { ino: u32, session: u32 } (()) -> Result<bool, Errno>;
        /// The inode has no name any more; whether a reference to it that was kept is given up. From the disk's board
        /// only.
        10 RevokeReference { ino: u32 } (()) -> Result<bool, Errno>;
        /// Inode `ino` is about to have this access time, ns since 1970: the one change to its cached status. From
        /// the disk board only, to the one board that caches its status.
        15 NotifyAccess { ino: u32, access_ns: u64 } (()) -> Result<(), Errno>;
        /// As `StatusHere`, of that file: under which lease. `EAGAIN`: its status is not here.
        11 StatusOfInode { file: FileId } (&'a mut [u8]) -> Result<StatusGrant, Errno>;
        /// The caller is about to have something made at the path by a lookup worker: gives up what the make changes.
        /// Until `EndCreation`, with which the caller ends it however it went, nothing is kept here but what is offered
        /// with that. `EEXIST`: the name stands for something, and no make has begun.
        12 BeginCreation { at: FileId } (&'a [u8]) -> Result<CreationBegun, Errno>;
        /// Offers what the lookup worker has reported of the make, as `CacheSteps`; nothing, if it has failed.
        13 EndCreation { cache_generation: u64 } (&'a [u8]) -> Result<(), Errno>;
        /// As `BeginCreation`, before the name at the path is removed: gives up what it stands for, too.
        16 BeginRemoval { at: FileId } (&'a [u8]) -> Result<RemovalBegun, Errno>;
        /// Which file a path stands for, if all that it takes is known and a reference to it is kept here. `EAGAIN`:
        /// not here.
        14 FileHere { at: FileId, flags: u32 } (&'a [u8]) -> Result<FileId, Errno>;
        /// The absolute path of that directory, if all names on the way up are known; how many bytes. `EAGAIN`: not
        /// here.
        17 PathHere { directory: FileId } (&'a mut [u8]) -> Result<u32, Errno>;
    }
}
