//! Locks that programs put on files (fcntl(2), flock(2)): one process keeps those of the whole cluster.

use crate::procs::board_of;
use renga_abi::Errno;
use renga_core::{Word, in_words, protocol, word_enum};

/// Bits of an owner: an open file, not a process; and by flock(2), whose locks others do not see.
const OPEN_FILE: u64 = 1 << 63;
const WHOLE: u64 = 1 << 62;

/// An owner of locks: a process, or an open file for all that have it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(u64);

impl Owner {
    /// Process `pid`.
    pub const fn process(pid: u32) -> Owner {
        Owner(pid as u64)
    }
    /// File process `number` of `board` in one of its generations (F_OFD_SETLK).
    pub const fn open_file(board: u8, number: u16, generation: u32) -> Owner {
        Owner(OPEN_FILE | (board as u64) << 48 | (number as u64) << 32 | generation as u64)
    }
    /// The same, by flock(2).
    pub const fn whole(self) -> Owner {
        Owner(self.0 | WHOLE)
    }
    /// Whether it is that of flock(2).
    pub const fn is_whole(self) -> bool {
        self.0 & WHOLE != 0
    }
    /// The pid, of a process.
    pub const fn pid(self) -> Option<u32> {
        if self.0 & OPEN_FILE == 0 { Some(self.0 as u32) } else { None }
    }
    /// The board where it is, whose death ends its locks; init runs on `init_board`.
    pub const fn board(self, init_board: u8) -> u8 {
        match self.pid() {
            Some(pid) => board_of(pid, init_board),
            None => (self.0 >> 48) as u8,
        }
    }
    /// Whether it is the same process or open file, by whichever call.
    pub const fn is_that_of(self, other: Owner) -> bool {
        self.0 | WHOLE == other.0 | WHOLE
    }
}
impl Word for Owner {
    fn to_word(self) -> u64 {
        self.0
    }
    fn from_word(word: u64) -> Self {
        Owner(word)
    }
}

word_enum! {
    /// What is wanted of bytes of a file.
    pub enum Locking {
        /// Nothing any more.
        Unlock,
        /// That others may read, but not write.
        Shared,
        /// To be alone with them.
        Exclusive,
    }
}

in_words! {
    /// Bytes of a file that an owner has or wants.
    pub struct LockRequest {
        /// Who.
        owner: Owner,
        /// Which file.
        ino: u32,
        /// The first byte.
        first: u64,
        /// The last byte.
        last: u64,
        /// What of them.
        locking: Locking,
    }
    /// A lock that is in the way.
    pub struct Conflict {
        /// There is one.
        found: bool,
        /// Of which process; 0: of an open file.
        pid: u32,
        /// Its first byte.
        first: u64,
        /// Its last byte.
        last: u64,
        /// It is exclusive.
        exclusive: bool,
    }
}

impl LockRequest {
    /// Whether both are of one file, and by calls that see each other's locks.
    pub fn same_file(&self, other: &LockRequest) -> bool {
        self.ino == other.ino && self.owner.is_whole() == other.owner.is_whole()
    }
    /// Whether they have a byte in common.
    pub fn overlaps(&self, other: &LockRequest) -> bool {
        self.first <= other.last && other.first <= self.last
    }
    /// Whether no byte lies between them.
    pub fn touches(&self, other: &LockRequest) -> bool {
        self.first <= other.last.saturating_add(1) && other.first <= self.last.saturating_add(1)
    }
    /// Whether the owners cannot have both.
    pub fn excludes(&self, other: &LockRequest) -> bool {
        let exclusive = self.locking == Locking::Exclusive || other.locking == Locking::Exclusive;
        exclusive && self.owner != other.owner && self.same_file(other) && self.overlaps(other)
    }
}

protocol! {
    /// The locks of all files.
    pub Locks = 25, LocksCall {
        /// Locks the bytes for their owner, replacing its locks there. `EAGAIN`: another owner has them. `ENOLCK`: no
        /// lock is free.
        0 SetLock { wanted: LockRequest } (()) -> Result<(), Errno>;
        /// As `SetLock`, when those that are in the way are gone. `EDEADLK`: these wait for the owner, a process.
        /// `EINTR` if interrupted.
        1 AwaitLock { wanted: LockRequest } (()) -> Result<(), Errno> [defers];
        /// A lock that is in the way of such a one.
        2 FindLock { wanted: LockRequest } (()) -> Result<Conflict, Errno>;
        /// `owner`, of the caller's board, has no lock on inode `ino` any more; 0: on none.
        3 ReleaseLocks { owner: Owner, ino: u32 } (()) -> Result<(), Errno>;
        /// A board is dead: its processes and open files have no locks any more.
        4 BoardDied { board: u8 } (()) -> Result<(), Errno>;
    }
}
