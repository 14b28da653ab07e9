//! The index of large directories: in which of a directory's blocks a name may be.

use renga_abi::Errno;
use renga_core::{in_words, protocol};

in_words! {
    /// A block that may have the name.
    pub struct Candidate {
        /// The block's number in the directory.
        index: u32,
        /// For the next candidate.
        after: u32,
    }
}

protocol! {
    /// Where names of large directories are.
    pub NameIndex = 24, NameIndexCall {
        /// The block of directory `directory` in which the name may be; after a candidate (0: the first) the next one.
        /// `ENOENT`: there is none, so nothing has this name. `EAGAIN`: the directory is not indexed; `ENOSPC`: nor can
        /// it be.
        0 FindCandidate { directory: u32, after: u32 } (&'a [u8]) -> Result<Candidate, Errno>;
        /// Takes in the names of a directory's block number `index`, which is `block` on the medium; 0 begins, and the
        /// `last` one ends. `EAGAIN`: begin again. `ENOSPC`: the directory is too large.
        1 IndexBlock { directory: u32, index: u32, block: u32, last: bool } (()) -> Result<(), Errno>;
        /// The name is in block number `index` of the directory now, if that is indexed.
        2 AddName { directory: u32, index: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// It is not there any more.
        3 RemoveName { directory: u32, index: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// The directory is freed.
        4 ForgetDirectory { directory: u32 } (()) -> Result<(), Errno>;
    }
}
