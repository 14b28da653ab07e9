//! The page of memory that the boards of a cluster share: a file without a name, which each QEMU gets as its standard
//! input.
//!
//! Invariant: it goes with the last process that has it. Not here: what is in it (`renga-emu-plugin`'s `shared`).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};

/// Of the file, enough for all boards.
const BYTES: u64 = 4096;
/// Where files are memory.
const MEMORY: &str = "/dev/shm";

/// The page.
#[derive(Debug)]
pub struct SharedPage(File);

impl SharedPage {
    /// An empty one.
    pub fn new() -> io::Result<Self> {
        static PAGES: AtomicU32 = AtomicU32::new(0);
        let folder = Some(PathBuf::from(MEMORY)).filter(|folder| folder.is_dir()).unwrap_or_else(std::env::temp_dir);
        let page = PAGES.fetch_add(1, Ordering::Relaxed);
        Self::at(&folder.join(format!("renga-emu-{}-{page}", std::process::id())))
    }

    fn at(path: &Path) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create_new(true).open(path)?;
        fs::remove_file(path)?;
        file.set_len(BYTES)?;
        Ok(Self(file))
    }

    /// For one more board.
    pub fn standard_input(&self) -> io::Result<Stdio> {
        Ok(self.0.try_clone()?.into())
    }
}
