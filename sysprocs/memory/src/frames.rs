//! Page frames with reference counts, and those that are free.
//!
//! Invariant: a frame is free exactly if its word counts no reference. Free frames that were used form a chain
//! through their words (`frame_counts.rs`); those never used lie behind a mark, so boot need not touch them.
//! Deterministic: the frame freed last is allocated first.
//!
//! Not here: calls (`memory.rs`), the owners of references.

use crate::frame_counts::{COUNT, CountWord, END, FrameCounts, STORER_SHIFT, TAKEN, USED};
use renga_abi::{BOARDS_MAX, Errno};
use renga_hal::memory::{Frame, UserMemory};
use renga_proto::memory::MemoryFacts;

/// One frame of so many is kept for this board's own programs.
const KEPT_SHARE: u32 = 64;
/// A program's frame cache gets one free frame of so many at a time.
const CACHE_SHARE: usize = 64;

/// The frames of a board.
pub struct Frames<M: UserMemory + 'static> {
    /// By frame: its references, and who stored it, or which is free next. Frames behind `total` are not used.
    counts: &'static FrameCounts,
    machine: &'static M,
    chain: u32,
    /// Frames from here on were never used.
    fresh: u32,
    free: u32,
    total: u32,
}

impl<M: UserMemory> Frames<M> {
    /// As many as `machine` has and `counts` has words for, all free.
    pub fn new(counts: &'static FrameCounts, machine: &'static M) -> Self {
        let total = machine.frames().min(counts.len() as u32);
        Frames { counts, machine, chain: END, fresh: 0, free: total, total }
    }

    /// How many there are, and are free.
    pub fn facts(&self) -> MemoryFacts {
        MemoryFacts { total: self.total, free: self.free }
    }

    /// How many a program's frame cache may take at once.
    pub fn spare(&self) -> usize {
        let free = self.free as usize;
        (free / CACHE_SHARE).max(free.min(1))
    }

    /// A frame with one reference and any content.
    pub fn take(&mut self) -> Result<Frame, Errno> {
        let frame = if self.chain != END {
            Frame(self.chain)
        } else if self.fresh < self.total {
            self.fresh += 1;
            Frame(self.fresh - 1)
        } else {
            return Err(Errno::ENOMEM);
        };
        let place = self.counts.word(frame).ok_or(Errno::ENOMEM)?;
        self.chain = place.get(); // of one that was never used: the chain's end
        place.set(TAKEN);
        self.free -= 1;
        Ok(frame)
    }

    /// A frame with one reference, all zeros.
    pub fn take_zeroed(&mut self) -> Result<Frame, Errno> {
        let frame = self.take()?;
        self.machine.clear_page(frame);
        Ok(frame)
    }

    /// A frame's word, and what it says; `EINVAL` for one that is free or does not exist.
    #[inline(always)]
    fn used(&self, frame: Frame) -> Result<(CountWord, u32), Errno> {
        let place = self.counts.word(frame).ok_or(Errno::EINVAL)?;
        let word = place.get();
        if word & USED != 0 { Ok((place, word)) } else { Err(Errno::EINVAL) }
    }

    /// As `take`, for what a process of `board` stores. `ENOMEM` while few are free: the last are this board's own.
    pub fn take_for(&mut self, board: u8) -> Result<Frame, Errno> {
        if self.free <= self.total / KEPT_SHARE {
            return Err(Errno::ENOMEM);
        }
        let frame = self.take()?;
        self.used(frame)?.0.set(TAKEN | stored_by(board));
        Ok(frame)
    }

    /// `frame`, which a process of `board` has stored, is a program's of this board from now on. `EINVAL` for
    /// any other: the number comes from that board, which need not be right.
    pub fn take_stored(&mut self, frame: Frame, board: u8) -> Result<(), Errno> {
        let (place, word) = self.used(frame)?;
        if usize::from(board) >= BOARDS_MAX || word != TAKEN | stored_by(board) {
            return Err(Errno::EINVAL);
        }
        place.set(TAKEN);
        Ok(())
    }

    /// As `release`, of what a process of `board` has stored; `EINVAL` for any other.
    pub fn release_stored(&mut self, frame: Frame, board: u8) -> Result<(), Errno> {
        self.take_stored(frame, board)?;
        self.release(frame)
    }

    /// Frees the frames that `board`, which failed, stored and no process has taken over; returns how many.
    pub fn drop_board(&mut self, board: u8) -> u32 {
        let mut freed = 0;
        if usize::from(board) >= BOARDS_MAX {
            return 0;
        }
        for frame in (0..self.fresh).map(Frame) {
            if let Ok((place, word)) = self.used(frame)
                && word & !COUNT == USED | stored_by(board)
            {
                place.set(word & (USED | COUNT));
                freed += u32::from(self.release(frame).is_ok());
            }
        }
        freed
    }

    /// As `share` and `make_private` are for: plain frames, no translation tables.
    fn check_plain(&self, frame: Frame) -> Result<(), Errno> {
        if self.machine.is_plain(frame) { Ok(()) } else { Err(Errno::EINVAL) }
    }

    /// As `share`, of a frame that may be a table.
    pub fn share_one(&mut self, frame: Frame) -> Result<(), Errno> {
        self.check_plain(frame)?;
        self.share(frame)
    }

    /// One reference more. `ENOMEM` if they cannot be counted.
    pub fn share(&mut self, frame: Frame) -> Result<(), Errno> {
        let (place, word) = self.used(frame)?;
        if word & COUNT == COUNT {
            return Err(Errno::ENOMEM);
        }
        place.set(word + 1);
        Ok(())
    }

    /// One reference less; the last one frees the frame. `EINVAL` if it would, yet a page shows it.
    #[inline(always)]
    pub fn release(&mut self, frame: Frame) -> Result<(), Errno> {
        let (place, word) = self.used(frame)?;
        if word & COUNT > 1 {
            place.set(word - 1);
        } else if self.machine.mappings(frame) > 0 {
            return Err(Errno::EINVAL);
        } else {
            place.set(core::mem::replace(&mut self.chain, frame.0));
            self.free += 1;
        }
        Ok(())
    }

    /// See `MakePrivate`.
    pub fn make_private(&mut self, frame: Frame) -> Result<Frame, Errno> {
        self.check_plain(frame)?;
        let (place, word) = self.used(frame)?;
        if word & COUNT == 1 {
            return Ok(frame);
        }
        let copy = self.take()?;
        self.machine.page(copy).copy_from_slice(&self.machine.shared_page(frame)[..]);
        place.set(word - 1);
        Ok(copy)
    }
}

/// The bits of a frame that a process of `board` has stored.
fn stored_by(board: u8) -> u32 {
    (u32::from(board) + 1) << STORER_SHIFT
}
