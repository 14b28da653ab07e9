//! What the directory of inodes knows of one inode process.
//!
//! Not here: the table of all of them (`active_table.rs`).

use renga_rt::BoardReferences;
use renga_rt::account::AccountNumber;
use renga_rt::linked_list::{Links, RowNumber};

pub(super) const NO_INODE: u32 = 0;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InodeSlotUse {
    /// Without an inode.
    Vacant,
    /// It has no references.
    Idle,
    /// It waits for the inode reclaimer.
    Queued,
    /// Referred to.
    Referred,
    /// The inode reclaimer has it.
    Reclaiming,
}
pub(super) const USES: usize = 5;

renga_rt::with_defaults! {
    /// What the directory knows of one inode process. Boot provides one per process.
    #[derive(Clone, Copy)]
    pub struct InodeSlot {
        pub(super) ino: u32 = NO_INODE,
        pub(super) references: BoardReferences = BoardReferences::NONE,
        pub(super) used: InodeSlotUse = InodeSlotUse::Vacant,
        /// It has no links: the last release frees it.
        pub(super) unlinked: bool = false,
        /// Boards, a bit each, that drop its data themselves.
        pub(super) aware: u8 = 0,
        /// It was found to be a directory, of this generation.
        pub(super) directory: Option<u32> = None,
        pub(super) account: AccountNumber = AccountNumber::SYSTEM,
        pub(super) in_list: Links<u16> = Links::NONE,
        pub(super) next: u16 = u16::NONE,
    }
    /// A process without an inode.
    pub const EMPTY;
}
