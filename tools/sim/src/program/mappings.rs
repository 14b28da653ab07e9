//! System calls about memory that a file is mapped to.

use super::calls::Result;
use super::calls::numbers::{MMAP, MSYNC};
use super::exchange::SimProgram;

const PROT_READ_WRITE: u64 = 3;
const MAP_SHARED: u64 = 1;
const MS_SYNC: u64 = 4;

impl SimProgram {
    /// Maps the first `bytes` bytes of a file to be read and written; where.
    pub async fn map_shared(&self, file: u64, bytes: u64) -> Result<u64> {
        self.call(MMAP, &[0, bytes, PROT_READ_WRITE, MAP_SHARED, file, 0]).await
    }
    /// Returns when what was stored there is on the medium.
    pub async fn sync_mapping(&self, address: u64, bytes: u64) -> Result<()> {
        self.call(MSYNC, &[address, bytes, MS_SYNC]).await.map(drop)
    }
}
