//! What a cut leaves: the disk, recovered by e2fsck and by Renga, and its files.
//!
//! Invariant: both recoveries give the same files and a sound file system, or that is the violation. Called by:
//! `exploration`. Not here: the oracle (`inspection`).

use super::cut_disk::CutDisk;
use super::recovery::recovered;
use super::tree::{Ext2Reader, FileTree, descriptions};
use super::write_log::WriteLog;
use crate::crash::bench::{CrashBench, FOLDER, Rehearsed, plain};
use crate::crash::trial::fault_of;
use anyhow::{Context, Result};
use renga_images::card::sha256;
use renga_images::disk_image;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A disk after Renga's recovery, and what the script had printed.
pub struct CutState {
    /// The cut's event.
    pub number: u32,
    /// What the oracle reads.
    pub input: Vec<u8>,
    /// Equal for states with the same files and the same input.
    pub key: String,
    /// The disk.
    pub disk: CutDisk,
    /// Folders that have other entries than before the script, or other files.
    pub changed: BTreeSet<String>,
}

/// What all replayed cuts share.
pub struct Replay<'a> {
    /// The machines.
    pub bench: &'a CrashBench<'a>,
    /// The run.
    pub rehearsed: &'a Rehearsed,
    /// Its writes.
    pub log: &'a WriteLog,
    /// Where on the disk the file system begins.
    pub start_bytes: u64,
    filesystem: PathBuf,
    before: FileTree,
}

impl<'a> Replay<'a> {
    /// Prepares it.
    ///
    /// # Errors
    /// If the disk cannot be read or copied.
    pub fn new(bench: &'a CrashBench<'a>, rehearsed: &'a Rehearsed, log: &'a WriteLog) -> Result<Replay<'a>> {
        let filesystem = bench.folder("replay")?.join("filesystem");
        disk_image::copy_filesystem(&bench.disk, &filesystem)?;
        let start_bytes = disk_image::filesystem_start_bytes(&bench.disk)?;
        let before = Ext2Reader::new(&CutDisk::new(&bench.disk, &[])?, start_bytes)?.tree(FOLDER)?;
        Ok(Replay { bench, rehearsed, log, start_bytes, filesystem, before })
    }

    /// The disk of the cut at this event, as it is.
    ///
    /// # Errors
    /// If the disk cannot be read.
    pub fn disk(&self, number: u32) -> Result<CutDisk> {
        CutDisk::new(&self.bench.disk, self.log.before(number))
    }

    /// What the cut at this event leaves, or what is wrong; `name` is of a folder for files.
    ///
    /// # Errors
    /// If files cannot be read or written, or e2fsck cannot run.
    pub fn state(&self, number: u32, name: &str) -> Result<Result<CutState, String>> {
        let folder = self.bench.folder(name)?;
        let state = self.recover(number, &folder)?;
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        Ok(state)
    }

    fn recover(&self, number: u32, folder: &Path) -> Result<Result<CutState, String>> {
        let (cut, file) = (self.disk(number)?, folder.join("cut"));
        cut.write_to(&self.filesystem, self.start_bytes, &file)?;
        if let Some(fault) = fault_of(disk_image::repair_filesystem(&file)?, "after the cut") {
            return Ok(Err(fault));
        }
        let mut repaired = CutDisk::new(&self.bench.disk, &[])?;
        repaired.write_changes(&file, self.start_bytes)?;
        let disk = match recovered(cut) {
            Ok(disk) => disk,
            Err(fault) => return Ok(Err(fault)),
        };
        disk.write_to(&self.filesystem, self.start_bytes, &file)?;
        if let Some(fault) = fault_of(disk_image::fsck_filesystem(&file)?, "after Renga's recovery") {
            return Ok(Err(fault));
        }
        let tree = Ext2Reader::new(&disk, self.start_bytes)?.tree(FOLDER)?;
        if let Some(path) = self.first_difference(&disk, repaired)? {
            return Ok(Err(format!("e2fsck and Renga recover different files: {path}")));
        }
        let input = plain(&self.rehearsed.printed(self.rehearsed.instants.time_ns(number)?));
        let changed = difference(&self.before, &tree).into_iter().map(|path| folder_of(&path).to_string()).collect();
        Ok(Ok(CutState { number, key: key(&tree, &input), input, disk, changed }))
    }

    /// The first path that both disks do not have alike.
    fn first_difference(&self, disk: &CutDisk, mut other: CutDisk) -> Result<Option<String>> {
        let mut disk = disk.clone();
        let (ours, theirs): (Vec<u64>, Vec<u64>) = (disk.written().collect(), other.written().collect());
        // Files are compared by their data where either was written.
        disk.touch(theirs.into_iter())?;
        other.touch(ours.into_iter())?;
        let [ours, theirs] = [&disk, &other].map(|disk| Ext2Reader::new(disk, self.start_bytes)?.tree(FOLDER));
        Ok(difference(&ours?, &theirs?).into_iter().next())
    }
}

/// The paths that two trees do not have alike.
fn difference(one: &FileTree, other: &FileTree) -> BTreeSet<String> {
    let [one, other] = [one, other].map(descriptions);
    let paths: BTreeSet<&str> = one.keys().chain(other.keys()).copied().collect();
    paths.into_iter().filter(|path| one.get(path) != other.get(path)).map(String::from).collect()
}

/// The folder that a path lies in.
fn folder_of(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((folder, _)) if !folder.is_empty() => folder,
        _ => "/",
    }
}

fn key(tree: &FileTree, input: &[u8]) -> String {
    let mut text: Vec<u8> = Vec::new();
    // Untouched files are those of the image.
    for (path, description) in descriptions(tree) {
        text.extend(format!("{path}\0{description}\0").into_bytes());
    }
    text.extend(input);
    sha256(&text).to_string()
}

#[cfg(test)]
mod tests {
    use super::folder_of;

    #[test]
    fn crash_folder_of_path_is_above_it() {
        assert_eq!(["/root/a/b", "/root", "/"].map(folder_of), ["/root/a", "/", "/"]);
    }
}
