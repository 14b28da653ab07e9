//! QEMU's standard error, as the plugin in it reads it: memory that the coordinator keeps.
//!
//! Invariant: each byte is read once; the memory does not grow beyond [`BYTES_MAX`] by much. Not here: its end, as
//! reports quote it (`renga_emu`).

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// More is forgotten: a failing card writes a line for each sector.
const BYTES_MAX: u64 = 1 << 16;
const STANDARD_ERROR: &str = "/proc/self/fd/2";

/// The text, and how much of it was read.
pub struct StderrReader {
    memory: File,
    read_bytes: u64,
}

impl StderrReader {
    /// From now on.
    pub fn open() -> io::Result<StderrReader> {
        let memory = File::options().read(true).write(true).open(STANDARD_ERROR)?;
        let read_bytes = memory.metadata()?.len();
        Ok(StderrReader { memory, read_bytes })
    }

    /// What was written since the last call.
    pub fn news(&mut self) -> io::Result<Vec<u8>> {
        let len = self.memory.metadata()?.len();
        let mut news = vec![0; len.saturating_sub(self.read_bytes) as usize];
        self.memory.read_exact_at(&mut news, self.read_bytes)?;
        self.read_bytes = len;
        if len > BYTES_MAX {
            // It is written at its end, wherever that is.
            self.memory.set_len(0)?;
            self.read_bytes = 0;
        }
        Ok(news)
    }
}
