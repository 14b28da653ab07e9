//! The lease under which a board writes a file in its own page cache.
//!
//! Not here: the call that grants it and the one that ends it (`LeaseWrite` in `inode.rs`).

use renga_core::in_words;

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
