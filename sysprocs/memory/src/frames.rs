//! Page frames with reference counts, and those that are free.
//!
//! Invariant: a frame is free exactly if its word counts no reference. Free frames that were used form a chain
//! through their words; those never used lie behind a mark, so boot need not touch them.
//! Deterministic: the frame freed last is allocated first.
//!
//! Not here: calls (`memory.rs`), who holds a reference.

use renga_abi::{BOARDS_MAX, Errno};
use renga_hal::memory::{Frame, UserMemory};
use renga_proto::memory::MemoryFacts;

/// Of a frame's word: it has references, which the lowest bits count. Between: the board that stored it and one, until a program
/// of this board has taken it over. Without this bit the word is the next free frame, or [`END`].
const USED: u32 = 1 << 31;
const COUNT: u32 = (1 << STORER_SHIFT) - 1;
const STORER_SHIFT: u32 = 12;
/// A frame with one reference, which nobody stored.
const TAKEN: u32 = USED | 1;
/// End of the chain of free frames.
const END: u32 = USED - 1;

/// One frame of so many is kept for this board's own programs.
const KEPT_SHARE: usize = 64;
/// A program's stock gets one free frame of so many at a time.
const STOCK_SHARE: usize = 64;

/// The frames of a board.
pub struct Frames<M: UserMemory + ?Sized + 'static> {
    /// By frame: its references, and who stored it, or which is free next.
    words: &'static mut [u32],
    machine: &'static M,
    chain: u32,
    /// Frames from here on were never used.
    fresh: u32,
    free: u32,
}

impl<M: UserMemory + ?Sized> Frames<M> {
    /// As many as `machine` has and `words` has room for, all free.
    pub fn new(words: &'static mut [u32], machine: &'static M) -> Self {
        let total = words.len().min(machine.frames() as usize);
        let words = &mut words[..total];
        words.fill(END);
        Frames { words, machine, chain: END, fresh: 0, free: total as u32 }
    }

    /// How many there are, and are free.
    pub fn facts(&self) -> MemoryFacts {
        MemoryFacts { total: self.words.len() as u32, free: self.free }
    }

    /// How many a program's stock may have at once.
    pub fn spare(&self) -> usize {
        let free = self.free as usize;
        (free / STOCK_SHARE).max(free.min(1))
    }

    /// A frame with one reference and any content.
    pub fn take(&mut self) -> Result<Frame, Errno> {
        let frame = if self.chain != END {
            let frame = Frame(self.chain);
            self.chain = self.words[frame.0 as usize];
            frame
        } else if (self.fresh as usize) < self.words.len() {
            self.fresh += 1;
            Frame(self.fresh - 1)
        } else {
            return Err(Errno::ENOMEM);
        };
        self.words[frame.0 as usize] = TAKEN;
        self.free -= 1;
        Ok(frame)
    }

    /// A frame with one reference, all zeros.
    pub fn take_zeroed(&mut self) -> Result<Frame, Errno> {
        let frame = self.take()?;
        self.machine.clear_page(frame);
        Ok(frame)
    }

    /// A frame's word; `EINVAL` for one that is free or does not exist.
    fn used(&mut self, frame: Frame) -> Result<&mut u32, Errno> {
        self.words.get_mut(frame.0 as usize).filter(|word| **word & USED != 0).ok_or(Errno::EINVAL)
    }

    /// As `take`, for what a process of `board` stores. `ENOMEM` while few are free: the last are this board's own.
    pub fn take_for(&mut self, board: u8) -> Result<Frame, Errno> {
        if self.free as usize <= self.words.len() / KEPT_SHARE {
            return Err(Errno::ENOMEM);
        }
        let frame = self.take()?;
        self.words[frame.0 as usize] |= stored_by(board);
        Ok(frame)
    }

    /// `frame`, which a process of `board` has stored, is a program's of this board from now on. `EINVAL` for
    /// any other: the number comes from that board, which need not be right.
    pub fn take_stored(&mut self, frame: Frame, board: u8) -> Result<(), Errno> {
        let word = self.used(frame)?;
        if usize::from(board) >= BOARDS_MAX || *word != TAKEN | stored_by(board) {
            return Err(Errno::EINVAL);
        }
        *word = TAKEN;
        Ok(())
    }

    /// Frees what `board`, which is dead, stored and nobody has taken over; how many frames.
    pub fn drop_board(&mut self, board: u8) -> u32 {
        let mut freed = 0;
        if usize::from(board) >= BOARDS_MAX {
            return 0;
        }
        for index in 0..self.fresh {
            if self.words[index as usize] & !COUNT == USED | stored_by(board) {
                self.words[index as usize] &= USED | COUNT;
                freed += u32::from(self.release(Frame(index)).is_ok());
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
        let word = self.used(frame)?;
        if *word & COUNT == COUNT {
            return Err(Errno::ENOMEM);
        }
        *word += 1;
        Ok(())
    }

    /// One reference less; the last one frees the frame. `EINVAL` if it would, yet a page shows it.
    pub fn release(&mut self, frame: Frame) -> Result<(), Errno> {
        let word = self.used(frame)?;
        if *word & COUNT > 1 {
            *word -= 1;
        } else if self.machine.mappings(frame) > 0 {
            return Err(Errno::EINVAL);
        } else {
            self.words[frame.0 as usize] = core::mem::replace(&mut self.chain, frame.0);
            self.free += 1;
        }
        Ok(())
    }

    /// See `MakePrivate`.
    pub fn make_private(&mut self, frame: Frame) -> Result<Frame, Errno> {
        self.check_plain(frame)?;
        if *self.used(frame)? & COUNT == 1 {
            return Ok(frame);
        }
        let copy = self.take()?;
        self.machine.page(copy).copy_from_slice(&self.machine.shared_page(frame)[..]);
        *self.used(frame)? -= 1;
        Ok(copy)
    }
}

/// The bits of a frame that a process of `board` has stored.
fn stored_by(board: u8) -> u32 {
    (u32::from(board) + 1) << STORER_SHIFT
}
