//! Images: made, checked and taken apart by e2fsprogs; media in memory.

use renga_hal::block::{Block, BlockError, check_range};
use renga_random::Random;
use std::cell::{Cell, RefCell};
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path as HostPath, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What each of the journal's own blocks begins with.
const JOURNAL_MAGIC: [u8; 4] = [0xc0, 0x3b, 0x39, 0x98];

/// A medium in memory. A write that is cut, or fails at random, leaves any of its sectors changed.
#[derive(Clone, Default)]
pub struct Medium512 {
    pub bytes: Rc<RefCell<Vec<u8>>>,
    pub reads: Rc<Cell<u64>>,
    pub writes: Rc<Cell<u64>>,
    pub fail_writes: Rc<Cell<bool>>,
    /// The journal's own blocks are refused: so no commit succeeds, and everything else can be written.
    pub fail_journal: Rc<Cell<bool>>,
    /// Reads and writes that fail at random, of a thousand.
    pub fail_per_mille: Rc<Cell<u64>>,
    /// Writes until the power goes; `Some(0)`: it is gone.
    left: Rc<Cell<Option<u64>>>,
    random: Rc<RefCell<Random>>,
}

impl Medium512 {
    /// The power goes during the write after the next `writes`.
    pub fn cut_after(&self, writes: u64, random: Random) {
        self.left.set(Some(writes + 1));
        *self.random.borrow_mut() = random;
    }
    pub fn is_cut(&self) -> bool {
        self.left.get() == Some(0)
    }
    pub fn restore(&self) {
        self.left.set(None);
    }
    fn at_random(&self) -> Result<(), BlockError> {
        let fails = self.fail_per_mille.get() > 0 && self.random.borrow_mut().below(1000) < self.fail_per_mille.get();
        if fails { Err(BlockError::Failed) } else { Ok(()) }
    }
    fn tear(&self, at: usize, data: &[u8]) {
        let written = self.random.borrow_mut().draw();
        for (number, sector) in data.chunks(512).enumerate() {
            if written >> (number % 64) & 1 == 1 {
                self.bytes.borrow_mut()[at + number * 512..][..512].copy_from_slice(sector);
            }
        }
    }
}

impl Block for Medium512 {
    fn blocks(&self) -> u64 {
        self.bytes.borrow().len() as u64 / 512
    }
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        check_range(self.blocks(), sector, out.len())?;
        if self.is_cut() {
            return Err(BlockError::NoMedium);
        }
        self.at_random()?;
        self.reads.set(self.reads.get() + 1);
        let at = sector as usize * 512;
        out.copy_from_slice(&self.bytes.borrow()[at..at + out.len()]);
        Ok(())
    }
    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        check_range(self.blocks(), sector, data.len())?;
        let refused = self.fail_journal.get() && data.starts_with(&JOURNAL_MAGIC);
        if self.fail_writes.get() || refused || self.is_cut() {
            return Err(BlockError::Failed);
        }
        let at = sector as usize * 512;
        if let Some(left) = self.left.get() {
            self.left.set(Some(left - 1));
            if left == 1 {
                self.tear(at, data);
                return Err(BlockError::NoMedium);
            }
        }
        self.at_random().inspect_err(|_| self.tear(at, data))?;
        self.writes.set(self.writes.get() + 1);
        self.bytes.borrow_mut()[at..at + data.len()].copy_from_slice(data);
        Ok(())
    }
}

/// A directory of the host that is removed in the end.
pub struct Scratch(pub PathBuf);
impl Scratch {
    pub fn new(name: &str) -> Scratch {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("renga-fs-{name}-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
    pub fn dir(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }
}
impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn tool(name: &str) -> Command {
    let mut command = Command::new(name);
    command.env("PATH", format!("{}:/sbin:/usr/sbin", std::env::var("PATH").unwrap_or_default()));
    command
}

/// An image of `megabytes` with the data of `tree`.
pub fn make_image(scratch: &Scratch, megabytes: u32, tree: Option<&HostPath>, more: &[&str]) -> Vec<u8> {
    let image = scratch.0.join("made.img");
    let mut command = tool("mke2fs");
    command.args(["-q", "-t", "ext2", "-b", "4096"]);
    let features = "filetype,sparse_super,large_file";
    if megabytes >= 16 {
        command.args(["-O", &format!("none,has_journal,{features}"), "-J", "size=4"]);
    } else {
        // Too small for a journal.
        command.args(["-O", &format!("none,{features}")]);
    }
    command.args(more);
    if let Some(tree) = tree {
        command.arg("-d").arg(tree);
    }
    let status = command
        .arg(&image)
        .arg(format!("{megabytes}M"))
        .stdout(Stdio::null())
        .status()
        .expect("mke2fs (package e2fsprogs)");
    assert!(status.success());
    std::fs::read(image).unwrap()
}

/// Panics unless e2fsck finds nothing; `flags`: how it is called.
pub fn check_image(scratch: &Scratch, bytes: &[u8], flags: &str) -> PathBuf {
    let image = scratch.0.join("checked.img");
    std::fs::write(&image, bytes).unwrap();
    let output = tool("e2fsck").arg(flags).arg(&image).output().expect("e2fsck (package e2fsprogs)");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "e2fsck {flags}:\n{text}{}", String::from_utf8_lossy(&output.stderr));
    image
}

/// Copies the tree out of an image with debugfs.
pub fn dump(image: &HostPath, to: &HostPath) {
    let status = tool("debugfs")
        .arg("-R")
        .arg(format!("rdump / {}", to.display()))
        .arg(image)
        .stderr(Stdio::null())
        .status()
        .expect("debugfs (package e2fsprogs)");
    assert!(status.success());
}

/// Every path below `root` with what is there.
pub fn tree(root: &HostPath) -> Vec<(String, String)> {
    let mut found = vec![];
    let mut todo = vec![root.to_path_buf()];
    while let Some(directory) = todo.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let entry = entry.unwrap();
            let name = entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if name == "lost+found" {
                continue;
            }
            let kind = entry.file_type().unwrap();
            let what = if kind.is_dir() {
                todo.push(entry.path());
                "directory".into()
            } else if kind.is_symlink() {
                format!("-> {}", std::fs::read_link(entry.path()).unwrap().display())
            } else {
                let bytes = std::fs::read(entry.path()).unwrap();
                format!("{} bytes, sum {:x}", bytes.len(), sum(&bytes))
            };
            found.push((name, what));
        }
    }
    found.sort();
    found
}

pub fn sum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
