//! The lease under which a board writes a file in its own page cache, and what it brings when it is flushed or pushed.
//!
//! Not here: the call that grants it and the one that ends it (`LeaseWrite` in `inode.rs`).

use renga_core::{in_word, in_words};

/// No page, in a flush.
pub const NO_PAGE: u32 = u32::MAX;
/// Of a file's last write: none under the lease.
pub const NOT_WRITTEN: u64 = u64::MAX;

in_words! {
    /// A write lease.
    pub struct Lease {
        /// The file's size, bytes.
        size: u64,
        /// Pages below this one may be written, for which there is room on the medium. 0: none, writes are to cross.
        below: u32,
        /// Which lease it is: no other has had that number, also before the board was started.
        id: u64,
        /// The calendar time at the grant, ns since 1970.
        now_ns: u64,
    }
}

impl Lease {
    /// Writes are to cross.
    pub const NONE: Lease = Lease { size: 0, below: 0, id: 0, now_ns: 0 };
}

in_words! {
    /// What a flush brought.
    pub struct FlushedPage {
        /// The page that is in the slice; `NO_PAGE`: nothing is dirty there.
        page: u32,
        /// The file's size there; 0 if it knows none.
        size: u64,
        /// When the file was written under the lease, ns since 1970.
        written_ns: u64,
        /// Appends that are under way there end here; 0: none is, or the board goes on writing.
        reserved: u64,
        /// What is in the slice.
        bytes: FlushedBytes,
    }
}
impl FlushedPage {
    /// Nothing has come.
    pub const NONE: FlushedPage =
        FlushedPage { page: NO_PAGE, size: 0, written_ns: NOT_WRITTEN, reserved: 0, bytes: FlushedBytes::NONE };
}

in_word! {
    /// What a flush has put into its slice; in one word.
    pub struct FlushedBytes {
        /// Bytes of the page, behind which zeros follow.
        page: u16 = 0..=15,
        /// Behind them, bytes of the changes of mode, owner and times under the lease ([`crate::attributes`]). Without
        /// room for both only these come: the next flush brings the page.
        changes: u16 = 16..=31,
    }
}
impl FlushedBytes {
    /// Nothing.
    pub const NONE: FlushedBytes = FlushedBytes { page: 0, changes: 0 };

    /// All of it.
    pub fn all(&self) -> usize {
        usize::from(self.page) + usize::from(self.changes)
    }
}

/// In place of a page: the inode's process has not accepted what was pushed.
pub const PUSH_REFUSED: u32 = u32::MAX - 1;

in_word! {
    /// Where something belongs that is pushed; in one word.
    pub struct PushedPlace {
        /// The page that is in the slice; `NO_PAGE`: none is.
        page: u32 = 0..=31,
        /// Nothing follows that is dirty.
        last: bool = 32..=32,
    }
}
in_words! {
    /// What a board pushes under its lease.
    pub struct PushedPage {
        /// The lease.
        lease: u64,
        /// Where it belongs.
        place: PushedPlace,
        /// The file's size there.
        size: u64,
        /// When the file was written under the lease, ns since 1970.
        written_ns: u64,
        /// What is in the slice: all of the page that is in the file, zeros as well.
        bytes: FlushedBytes,
    }
}
