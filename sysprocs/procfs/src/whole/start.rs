//! How the reader's board booted, and from which card: for programs that install another kernel.
//!
//! Invariant: sectors are moved whole, and only those of partitions from which the board starts. Without such a card
//! (in the emulator, but for boards without its device) there is nothing: `ENODEV`.

use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_hal::block::{BlockError, Progress, SECTOR_BYTES};
use renga_hal::memory::UserMemory;
use renga_hal::start_card::StartCard;
use renga_rt::Errno;

const NS_PER_MS: u64 = 1_000_000;

fn refused(error: BlockError) -> Errno {
    match error {
        BlockError::OutOfRange => Errno::EINVAL,
        BlockError::NoMedium => Errno::ENODEV,
        BlockError::Timeout | BlockError::Failed => Errno::EIO,
    }
}

/// The first sector of a transfer of so many bytes at `offset`.
fn sector(offset: u64, len_bytes: usize) -> Result<u64, Errno> {
    let whole = len_bytes > 0 && len_bytes.is_multiple_of(SECTOR_BYTES) && offset.is_multiple_of(SECTOR_BYTES as u64);
    if whole { Ok(offset / SECTOR_BYTES as u64) } else { Err(Errno::EINVAL) }
}

impl<M: UserMemory> ProcFilesState<M> {
    pub(super) fn start(&mut self, out: &mut TextWindow<'_>) -> Result<(), Errno> {
        let facts = self.start_card.facts().ok_or(Errno::ENODEV)?;
        put!(out, "starts {}\nruns {}\nusual {}\n", facts.starts, facts.runs, facts.usual);
        if let Some(ends_ns) = facts.trial_ends_ns {
            put!(out, "trial {}\n", ends_ns.saturating_sub(self.me.now_ns()) / NS_PER_MS);
        }
        Ok(())
    }

    /// `keep`: the kernel that runs becomes the usual one; `try`: the board is reset and tries the other. `EINVAL`:
    /// neither.
    pub(super) async fn change_start(&mut self, text: &[u8]) -> Result<(), Errno> {
        match text.trim_ascii() {
            b"keep" => self.carry_on(|card| card.keep()).await,
            b"try" => self.start_card.try_other().map_err(refused),
            _ => Err(Errno::EINVAL),
        }
    }

    pub(crate) async fn read_start_card(&mut self, offset: u64, out: &mut [u8]) -> Result<u32, Errno> {
        let sector = sector(offset, out.len())?;
        self.carry_on(|card| card.read(sector, out)).await?;
        Ok(out.len() as u32)
    }

    pub(super) async fn write_start_card(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        let sector = sector(offset, data.len())?;
        self.carry_on(|card| card.write(sector, data)).await
    }

    /// Has the card do it to its end, and sleeps while the card lets wait.
    async fn carry_on(
        &mut self,
        mut go_on: impl FnMut(&dyn StartCard) -> Result<Progress, BlockError>,
    ) -> Result<(), Errno> {
        loop {
            match go_on(self.start_card).map_err(refused)? {
                Progress::Done => return Ok(()),
                Progress::Later(wait_ns) => self.me.sleep_until(self.me.now_ns() + wait_ns).await,
            }
        }
    }
}
