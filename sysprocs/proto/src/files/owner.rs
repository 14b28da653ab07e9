//! Whose inodes are when they are made.
//!
//! Not here: who may make them (`renga-process`), making (`renga_fs`).

use renga_core::{in_word, in_words};

in_word! {
    /// Whose an inode is; at first root's. In one word.
    #[derive(Default)]
    pub struct InodeOwner {
        /// The user.
        uid: u32 = 0..=31,
        /// The group.
        gid: u32 = 32..=63,
    }
}

in_words! {
    /// An inode that was made.
    pub struct CreatedInode {
        /// Its process.
        slot: u16,
        /// It is in a directory that gives what is made there its own group.
        takes_group: bool,
    }
}
