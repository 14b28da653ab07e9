//! A medium of 512-byte sectors.

/// Size of a sector, in bytes.
pub const SECTOR_BYTES: usize = 512;

/// Why a transfer did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockError {
    /// No medium, or it never became ready.
    NoMedium,
    /// The transfer reaches past the last sector, or its length is not a positive multiple of a sector.
    OutOfRange,
    /// The medium did not answer in time.
    Timeout,
    /// The medium answered that it could not read or write, or the data arrived damaged.
    Failed,
}

/// How far a transfer is that its caller carries on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All data has been transferred.
    Done,
    /// It waits for the medium, and it is of no use to ask again sooner than in so many ns.
    Later(u64),
}

/// A disk or card. A call of `read` or `write` returns when the data has been transferred; one of `read_on` or
/// `write_on` when the medium lets wait, so that its caller can leave the core to others.
///
/// The caller repeats a call of `read_on` or `write_on` with the same arguments until it is done or has failed.
/// Starting another transfer before that is a bug.
pub trait Block {
    /// Size of the medium, in sectors.
    fn blocks(&self) -> u64;

    /// Fills `out` (a positive multiple of 512 bytes, typically 4096) from `sector` on.
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError>;

    /// Writes `data` (a positive multiple of 512 bytes, typically 4096) from `sector` on. On return the
    /// medium has programmed it.
    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError>;

    /// As much of [`Block::read`] as goes without waiting long.
    fn read_on(&mut self, sector: u64, out: &mut [u8]) -> Result<Progress, BlockError> {
        self.read(sector, out).map(|()| Progress::Done)
    }

    /// As much of [`Block::write`] as goes without waiting long.
    fn write_on(&mut self, sector: u64, data: &[u8]) -> Result<Progress, BlockError> {
        self.write(sector, data).map(|()| Progress::Done)
    }
}

/// Checks a transfer of `len_bytes` from `sector` on against a medium of `blocks` sectors.
pub fn check_range(blocks: u64, sector: u64, len_bytes: usize) -> Result<(), BlockError> {
    let sectors = (len_bytes / SECTOR_BYTES) as u64;
    let whole = sectors > 0 && len_bytes.is_multiple_of(SECTOR_BYTES);
    match sector.checked_add(sectors) {
        Some(end) if whole && end <= blocks => Ok(()),
        _ => Err(BlockError::OutOfRange),
    }
}
