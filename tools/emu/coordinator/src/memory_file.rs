//! Files in memory, without a name, which QEMUs get as their standard streams: the page that the boards of a cluster
//! share, and what a QEMU says.
//!
//! Invariant: such a file goes with the last process that has it, and takes no room on a disk of the host, which may be
//! full. Not here: what is in the page (`renga-emu-plugin`'s `shared`).

use rustix::fs::{MemfdFlags, OFlags, fcntl_setfl, memfd_create};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::process::Stdio;

/// Of the page, enough for all boards.
const PAGE_BYTES: u64 = 4096;
/// Bytes kept of what a QEMU says.
const SAID_BYTES_MAX: u64 = 4096;

fn memory(name: &str) -> io::Result<File> {
    Ok(memfd_create(name, MemfdFlags::CLOEXEC)?.into())
}

/// The page: the boards' standard input.
#[derive(Debug)]
pub struct SharedPage(File);

impl SharedPage {
    /// An empty one.
    pub fn new() -> io::Result<Self> {
        let page = memory("renga-emu-page")?;
        page.set_len(PAGE_BYTES)?;
        Ok(Self(page))
    }

    /// For one more board.
    pub fn standard_input(&self) -> io::Result<Stdio> {
        Ok(self.0.try_clone()?.into())
    }
}

/// What a QEMU says: its standard error, which its plugin reads too, and shortens when it becomes long.
#[derive(Debug)]
pub struct SaidFile(File);

impl SaidFile {
    /// Nothing said yet.
    pub fn new() -> io::Result<Self> {
        let said = memory("renga-emu-said")?;
        fcntl_setfl(&said, OFlags::APPEND)?;
        Ok(Self(said))
    }

    /// For the QEMU.
    pub fn standard_error(&self) -> io::Result<Stdio> {
        Ok(self.0.try_clone()?.into())
    }

    /// The end of it.
    pub fn last_words(&self) -> io::Result<String> {
        let len = self.0.metadata()?.len();
        let mut words = vec![0; len.min(SAID_BYTES_MAX) as usize];
        let read = self.0.read_at(&mut words, len.saturating_sub(SAID_BYTES_MAX))?;
        Ok(String::from_utf8_lossy(&words[..read]).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{SAID_BYTES_MAX, SaidFile};
    use std::process::Command;

    #[test]
    fn said_file_keeps_the_end_also_when_shortened() {
        let said = SaidFile::new().unwrap();
        let say = |script: &str| {
            let status = Command::new("sh").args(["-c", script]).stderr(said.standard_error().unwrap()).status();
            assert!(status.unwrap().success());
        };
        say("echo first >&2; seq 1 2000 >&2; echo last >&2");
        let words = said.last_words().unwrap();
        assert!(words.len() as u64 == SAID_BYTES_MAX && words.ends_with("2000\nlast\n"), "{words}");
        said.0.set_len(0).unwrap();
        say("echo again >&2");
        assert_eq!(said.last_words().unwrap(), "again\n");
    }
}
