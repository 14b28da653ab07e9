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

/// What the directory knows of one inode process. Boot provides one per process.
#[derive(Clone, Copy)]
pub struct InodeSlot {
    pub(super) ino: u32,
    pub(super) references: BoardReferences,
    pub(super) used: InodeSlotUse,
    /// It has no links: the last release frees it.
    pub(super) unlinked: bool,
    /// It was found to be a directory, of this generation.
    pub(super) directory: Option<u32>,
    pub(super) account: AccountNumber,
    pub(super) in_list: Links<u16>,
    pub(super) next: u16,
}
impl InodeSlot {
    /// A process without an inode.
    pub const EMPTY: InodeSlot = InodeSlot {
        ino: NO_INODE,
        references: BoardReferences::NONE,
        used: InodeSlotUse::Vacant,
        unlinked: false,
        directory: None,
        account: AccountNumber::SYSTEM,
        in_list: Links::NONE,
        next: u16::NONE,
    };
}
