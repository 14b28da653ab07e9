//! Files in memory, without a name, which QEMUs get as their standard streams: the page that the boards of a cluster
//! share, and what a QEMU writes to its standard error.
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
/// Bytes of the end of a QEMU's standard error that are reported.
const STDERR_BYTES_MAX: u64 = 4096;

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

/// The standard error of a QEMU, which its plugin reads too, and shortens when it becomes long.
#[derive(Debug)]
pub struct StderrFile(File);

impl StderrFile {
    /// Empty.
    pub fn new() -> io::Result<Self> {
        let file = memory("renga-emu-stderr")?;
        fcntl_setfl(&file, OFlags::APPEND)?;
        Ok(Self(file))
    }

    /// For the QEMU.
    pub fn standard_error(&self) -> io::Result<Stdio> {
        Ok(self.0.try_clone()?.into())
    }

    /// The end of it.
    pub fn tail(&self) -> io::Result<String> {
        let len = self.0.metadata()?.len();
        let mut tail = vec![0; len.min(STDERR_BYTES_MAX) as usize];
        let read = self.0.read_at(&mut tail, len.saturating_sub(STDERR_BYTES_MAX))?;
        Ok(String::from_utf8_lossy(&tail[..read]).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{STDERR_BYTES_MAX, StderrFile};
    use std::process::Command;

    #[test]
    fn stderr_file_shortened_keeps_its_end() {
        let file = StderrFile::new().unwrap();
        let write = |script: &str| {
            let status = Command::new("sh").args(["-c", script]).stderr(file.standard_error().unwrap()).status();
            assert!(status.unwrap().success());
        };
        write("echo first >&2; seq 1 2000 >&2; echo last >&2");
        let tail = file.tail().unwrap();
        assert!(tail.len() as u64 == STDERR_BYTES_MAX && tail.ends_with("2000\nlast\n"), "{tail}");
        file.0.set_len(0).unwrap();
        write("echo again >&2");
        assert_eq!(file.tail().unwrap(), "again\n");
    }
}
