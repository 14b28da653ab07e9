//! Page frames with reference counts, and those that are free.
//!
//! Invariant: a frame is free exactly if its count is 0. Free frames that were used form a chain
//! through their own content; those never used lie behind a mark, so boot need not touch them.
//! Deterministic: the frame freed last is allocated first.
//!
//! Not here: calls (`memory.rs`), who holds a reference.

use renga_abi::Errno;
use renga_hal::memory::{Frame, UserMemory};
use renga_proto::memory::MemoryFacts;

/// End of the chain of free frames.
const END: u32 = u32::MAX;

/// The frames of a board.
pub struct Frames<M: UserMemory + ?Sized + 'static> {
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
        self.machine.page(frame).fill(0);
        Ok(frame)
    }

    /// References to a frame; `EINVAL` for one that is free or does not exist.
    pub fn references(&self, frame: Frame) -> Result<u16, Errno> {
        self.counts.get(frame.0 as usize).copied().filter(|&count| count > 0).ok_or(Errno::EINVAL)
    }

    /// One reference more. `ENOMEM` if they cannot be counted.
    pub fn share(&mut self, frame: Frame) -> Result<(), Errno> {
        let count = self.references(frame)?;
        self.counts[frame.0 as usize] = count.checked_add(1).ok_or(Errno::ENOMEM)?;
        Ok(())
    }

    /// One reference less; the last one frees the frame. `EINVAL` if it would, yet a page shows it.
    pub fn release(&mut self, frame: Frame) -> Result<(), Errno> {
        let count = self.references(frame)?;
        if count == 1 && self.machine.mappings(frame) > 0 {
            return Err(Errno::EINVAL);
        }
        self.counts[frame.0 as usize] = count - 1;
        if count == 1 {
            self.machine.page(frame)[..4].copy_from_slice(&self.chain.to_le_bytes());
            self.chain = frame.0;
            self.free += 1;
        }
        Ok(())
    }

    /// See `MakePrivate`.
    pub fn make_private(&mut self, frame: Frame) -> Result<Frame, Errno> {
        if self.references(frame)? == 1 {
            return Ok(frame);
        }
        let copy = self.take()?;
        self.machine.page(copy).copy_from_slice(&self.machine.shared_page(frame)[..]);
        self.counts[frame.0 as usize] -= 1;
        Ok(copy)
    }
}

fn first_word(page: &[u8]) -> [u8; 4] {
    page.first_chunk().copied().unwrap_or_default()
}
