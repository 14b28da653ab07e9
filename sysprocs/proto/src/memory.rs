//! The page frames of a board that user programs may have, with their reference counts.
//!
//! A list of frames in a slice is little-endian `u32`s, at most 1024.

use renga_abi::Errno;
use renga_core::{in_words, protocol};

in_words! {
    /// How much there is.
    pub struct MemoryFacts {
        /// Frames in all.
        total: u32,
        /// Frames free.
        free: u32,
    }
}

/// The reclaimer is woken when fewer frames are free than one of so many.
const LOW_MARK_SHARE: u32 = 32;
/// It stops when one of so many is free.
const HIGH_MARK_SHARE: u32 = 16;

impl MemoryFacts {
    /// With fewer free frames the reclaimer is woken.
    pub const fn low_mark(self) -> u32 {
        self.total / LOW_MARK_SHARE
    }
    /// So many are free when it stops.
    pub const fn high_mark(self) -> u32 {
        self.total / HIGH_MARK_SHARE
    }
}

protocol! {
    /// Page frames.
    pub Memory = 13, MemoryCall {
        /// A frame with one reference, all zeros. `ENOMEM` without one.
        0 AllocateFrame {} (()) -> Result<u32, Errno>;
        /// A frame with one reference whose content is the slice from byte `at` on, and zeros around it: how a page
        /// comes from another board, whose it stays until `TakeStored`.
        1 StorePage { at: u16 } (&'a [u8]) -> Result<u32, Errno>;
        /// One reference more to each frame of the list.
        2 ShareFrames {} (&'a [u8]) -> Result<(), Errno>;
        /// One reference less to each frame of the list; those without are free.
        3 FreeFrames {} (&'a [u8]) -> Result<(), Errno>;
        /// One reference less to one frame.
        4 FreeFrame { frame: u32 } (()) -> Result<(), Errno>;
        /// One reference more to one frame.
        5 ShareFrame { frame: u32 } (()) -> Result<(), Errno>;
        /// `frame`, which a process of `board` has stored, is the caller's from now on; `EINVAL` for any other.
        6 TakeStored { frame: u32, board: u8 } (()) -> Result<(), Errno>;
        /// How much there is.
        7 MemoryStatus {} (()) -> Result<MemoryFacts, Errno>;
        /// One reference less to each of the first `given` frames of the list; then the list is filled from its start
        /// with frames of any content and one reference each, as many as there are to spare, `wanted` at most; how
        /// many. `ENOMEM` without one.
        8 RefillFrames { given: u32, wanted: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Exchanges the caller's reference for one to a private frame of the same content: `frame` itself if it is
        /// the only reference, else a copy, and one reference less to `frame`.
        9 MakePrivate { frame: u32 } (()) -> Result<u32, Errno>;
        /// A board is dead: frames that its processes stored here, and that no program of this board has
        /// taken over, are free.
        10 BoardDied { board: u8 } (()) -> Result<(), Errno>;
    }
}
