//! What paths lead to, as known on a board that has no disk: names, and the inodes behind them.
//!
//! A board may hold a name, or an inode's status, because the disk's board has told it (`Resolve`) and has taken a note
//! of that; it recalls what it has told before it changes. The server of this protocol calls nobody, as the page
//! cache does, so whoever holds up a change by a recall waits for no further one.
//!
//! Filling: what is not known gives a ticket; a path walker says what the path leads to; that is offered with the ticket. A
//! recall between the two makes the ticket void: what was told may be old.

use renga_abi::Errno;
use renga_core::protocol;

/// Instead of a ticket: this board keeps nothing.
pub const NO_TICKET: u64 = u64::MAX;
/// Instead of a directory, in a recall: all names in all directories.
pub const ALL_DIRECTORIES: u32 = 0;

protocol! {
    /// The name cache of a board.
    pub Names = 30, NamesCall {
        /// As a walker's `StatusOf`, if all that it takes is known: 0. Otherwise a ticket, or `NO_TICKET`.
        0 StatusHere { at: u32, flags: u32 } ((&'a [u8], &'a mut [u8])) -> Result<u64, Errno>;
        /// Offers what a walker has told ([`crate::steps`]) since the ticket was given.
        1 KeepSteps { ticket: u64 } (&'a [u8]) -> Result<(), Errno>;
        /// The name in inode `directory` is about to change; an empty one: all there, or in `ALL_DIRECTORIES`. From the
        /// disk's board only, as the next.
        2 RecallName { directory: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Inode `ino` is about to change.
        3 RecallInode { ino: u32 } (()) -> Result<(), Errno>;
        /// A board is dead. With that of the inodes end all leases.
        4 BoardDied { board: u8 } (()) -> Result<(), Errno>;
    }
}
