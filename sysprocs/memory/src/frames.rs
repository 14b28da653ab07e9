//! Page frames with reference counts, and those that are free.
//!
//! Invariant: a frame is free exactly if its count is 0. Free frames that were used form a chain
//! through their own content; those never used lie behind a mark, so boot need not touch them.
//! Deterministic: the frame freed last is allocated first.
//!
//! Not here: calls (`memory.rs`), who holds a reference.

use renga_abi::{BOARDS_MAX, Errno};
use renga_hal::memory::{Frame, UserMemory};
use renga_proto::memory::MemoryFacts;

/// The bits of a frame's word that count its references; those above: the board that stored it and one,
/// until a program of this board has taken it over.
const COUNT: u16 = (1 << STORER_SHIFT) - 1;
const STORER_SHIFT: u32 = 12;

/// One frame of so many is kept for this board's own programs.
const KEPT_SHARE: usize = 64;

/// End of the chain of free frames.
const END: u32 = u32::MAX;

/// The frames of a board.
pub struct Frames<M: UserMemory + ?Sized + 'static> {
    /// By frame: references, and who stored it.
    counts: &'static mut [u16],
    machine: &'static M,
    chain: u32,
    /// Frames from here on were never used.
    fresh: u32,
    free: u32,
}

impl<M: UserMemory + ?Sized> Frames<M> {
    /// As many as `machine` has and `counts` has room for, all free.
    pub fn new(counts: &'static mut [u16], machine: &'static M) -> Self {
        let total = counts.len().min(machine.frames() as usize);
        let counts = &mut counts[..total];
        counts.fill(0);
        Frames { counts, machine, chain: END, fresh: 0, free: total as u32 }
    }

    /// How many there are, and are free.
    pub fn facts(&self) -> MemoryFacts {
        MemoryFacts { total: self.counts.len() as u32, free: self.free }
    }

    /// A frame with one reference and any content.
    pub fn take(&mut self) -> Result<Frame, Errno> {
        let frame = if self.chain != END {
            let frame = Frame(self.chain);
            self.chain = u32::from_le_bytes(first_word(&self.machine.shared_page(frame)[..]));
            frame
        } else if (self.fresh as usize) < self.counts.len() {
            self.fresh += 1;
            Frame(self.fresh - 1)
        } else {
            return Err(Errno::ENOMEM);
        };
        self.counts[frame.0 as usize] = 1;
        self.free -= 1;
        Ok(frame)
    }

    /// A frame with one reference, all zeros.
    pub fn take_zeroed(&mut self) -> Result<Frame, Errno> {
        let frame = self.take()?;
        self.machine.clear_page(frame);
        Ok(frame)
    }

    /// References to a frame; `EINVAL` for one that is free or does not exist.
    fn references(&self, frame: Frame) -> Result<u16, Errno> {
        let count = self.counts.get(frame.0 as usize).map_or(0, |word| word & COUNT);
        Some(count).filter(|&count| count > 0).ok_or(Errno::EINVAL)
    }

    /// As `take`, for what a process of `board` stores. `ENOMEM` while few are free: the last are this board's own.
    pub fn take_for(&mut self, board: u8) -> Result<Frame, Errno> {
        if self.free as usize <= self.counts.len() / KEPT_SHARE {
            return Err(Errno::ENOMEM);
        }
        let frame = self.take()?;
        self.counts[frame.0 as usize] |= stored_by(board);
        Ok(frame)
    }

    /// `frame`, which a process of `board` has stored, is a program's of this board from now on. `EINVAL` for
    /// any other: the number comes from that board, which need not be right.
    pub fn take_stored(&mut self, frame: Frame, board: u8) -> Result<(), Errno> {
        let stored = |word: &&mut u16| usize::from(board) < BOARDS_MAX && **word == stored_by(board) | 1;
        let word = self.counts.get_mut(frame.0 as usize).filter(stored);
        *word.ok_or(Errno::EINVAL)? = 1;
        Ok(())
    }

    /// Frees what `board`, which is dead, stored and nobody has taken over; how many frames.
    pub fn drop_board(&mut self, board: u8) -> u32 {
        let mut freed = 0;
        if usize::from(board) >= BOARDS_MAX {
            return 0;
        }
        for index in 0..self.fresh {
            if self.counts[index as usize] & !COUNT == stored_by(board) {
                self.counts[index as usize] &= COUNT;
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
        if self.references(frame)? == COUNT {
            return Err(Errno::ENOMEM);
        }
        self.counts[frame.0 as usize] += 1;
        Ok(())
    }

    /// One reference less; the last one frees the frame. `EINVAL` if it would, yet a page shows it.
    pub fn release(&mut self, frame: Frame) -> Result<(), Errno> {
        let count = self.references(frame)?;
        if count > 1 {
            self.counts[frame.0 as usize] -= 1;
        } else if self.machine.mappings(frame) > 0 {
            return Err(Errno::EINVAL);
        } else {
            self.counts[frame.0 as usize] = 0;
            self.machine.page(frame)[..4].copy_from_slice(&self.chain.to_le_bytes());
            self.chain = frame.0;
            self.free += 1;
        }
        Ok(())
    }

    /// See `MakePrivate`.
    pub fn make_private(&mut self, frame: Frame) -> Result<Frame, Errno> {
        self.check_plain(frame)?;
        if self.references(frame)? == 1 {
            return Ok(frame);
        }
        let copy = self.take()?;
        self.machine.page(copy).copy_from_slice(&self.machine.shared_page(frame)[..]);
        self.counts[frame.0 as usize] -= 1;
        Ok(copy)
    }
}

/// The bits of a frame that a process of `board` has stored.
fn stored_by(board: u8) -> u16 {
    (u16::from(board) + 1) << STORER_SHIFT
}

fn first_word(page: &[u8]) -> [u8; 4] {
    page.first_chunk().copied().unwrap_or_default()
}
