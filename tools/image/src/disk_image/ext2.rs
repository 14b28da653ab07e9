//! A tree becomes an ext2 file system, by mke2fs and debugfs.
//!
//! `mke2fs -d` would copy owners, change times and directory order from the host, and make device nodes only for root.
//! So the file system is made empty and filled by a script for debugfs, in the order of paths, and then each inode gets
//! its mode, owner and times. Not here: partitions.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::ImageError;
use super::command::run_well;
use super::error::at;
use super::tree::{FileContent, ImageTree, TreeEntry, TreeNode};
use crate::calendar::EPOCH_S;

const UUID: &str = "72656e67-6100-4000-8000-000000000001";
const HASH_SEED: &str = "72656e67-6100-4000-8000-000000000002";
const LABEL: &str = "renga";
const BLOCK_BYTES: u32 = 4096;
const INODE_BYTES: u32 = 128;
/// One inode for each so many KiB of the file system.
const INODE_RATIO_BYTES: u32 = 8192;
const FEATURES: &str = "none,has_journal,filetype,sparse_super,large_file";
/// Size of the journal, in MiB: as large as mke2fs makes the smallest.
const JOURNAL: &str = "size=4";
/// The journal and what every file system has.
const STRUCTURES_MIB: u32 = 5;
/// Inodes that the file system keeps for itself.
const INODES_KEPT: u64 = 16;
/// Lines of an error that are reported: the first names the cause.
const FAULTS_SHOWN: usize = 10;
/// The least size of a file system, unless the caller asks for less.
const DEFAULT_MIB: u32 = 64;
/// Room besides the content: an eighth of it, but not less.
const ROOM_MIN_MIB: u32 = 32;
const SIZE_STEP_MIB: u32 = 16;
/// The superblock flag for hashes of signed characters.
const SIGNED_HASH: u32 = 1;

const KIND_FOLDER: u32 = 0o040_000;
const KIND_FILE: u32 = 0o100_000;
const KIND_SYMLINK: u32 = 0o120_000;
const KIND_CHAR_DEVICE: u32 = 0o020_000;
const KIND_BLOCK_DEVICE: u32 = 0o060_000;
const ROOT_MODE: u32 = 0o755;
const LOST_AND_FOUND_MODE: u32 = 0o700;

/// Makes the file `out`, a bare file system of `size_mib`, with the contents of `tree`. `scratch` takes files in
/// between.
pub(super) fn make(tree: &ImageTree, scratch: &Path, size_mib: u32, out: &Path) -> Result<(), ImageError> {
    make_empty(scratch, size_mib, out)?;
    let mut script = String::new();
    fill(&mut script, tree.entries().map(|(path, entry)| (path, entry, None)), scratch)?;
    // mke2fs notes how the host's `char` is signed, which only indexed directories would use.
    command(&mut script, format_args!("set_super_value flags {SIGNED_HASH}"));
    // After everything is made, for making an entry changes the times of its folder.
    set_inode(&mut script, "/", KIND_FOLDER | ROOT_MODE);
    set_inode(&mut script, "/lost+found", KIND_FOLDER | LOST_AND_FOUND_MODE);
    for (path, entry) in tree.entries() {
        set_inode(&mut script, path, inode_mode(entry));
    }
    debugfs(&script, scratch, &out.to_string_lossy())?;
    if fs::metadata(out).map_err(at(out))?.len() != u64::from(size_mib) << 20 {
        return Err(ImageError::Failed { program: "mke2fs".into(), report: "the file system has another size".into() });
    }
    Ok(())
}

/// Adds to a file system that holds the tree `base` what `all` has at the paths `changed`. The file system begins at
/// `start_bytes` in the file `disk` of the folder `scratch`.
pub(super) fn add(
    base: &ImageTree,
    all: &ImageTree,
    changed: &BTreeSet<String>,
    scratch: &Path,
    disk: &str,
    start_bytes: u64,
) -> Result<(), ImageError> {
    let disk_bytes = fs::metadata(scratch.join(disk)).map_err(at(scratch))?.len() - start_bytes;
    check_room(all, disk_bytes)?;
    let mut script = String::new();
    let entries: Vec<_> = all.entries().filter(|(path, _)| changed.contains(*path)).collect();
    fill(&mut script, entries.iter().map(|(path, entry)| (*path, *entry, base.get(path))), scratch)?;
    let folders: BTreeSet<&str> =
        changed.iter().filter_map(|path| path.rsplit_once('/')).map(|(above, _)| above).collect();
    for folder in folders {
        set_times(&mut script, if folder.is_empty() { "/" } else { folder });
    }
    for (path, entry) in entries {
        set_inode(&mut script, path, inode_mode(entry));
    }
    debugfs(&script, scratch, &format!("{disk}?offset={start_bytes}"))
}

/// Whether a file system of so many bytes has room for a tree.
fn check_room(tree: &ImageTree, disk_bytes: u64) -> Result<(), ImageError> {
    let size = u32::try_from(disk_bytes >> 20).unwrap_or(u32::MAX);
    size_mib(tree, Some(size))?;
    let (files, inodes) = (tree.entries().count() as u64, disk_bytes / u64::from(INODE_RATIO_BYTES));
    if files + INODES_KEPT > inodes {
        return Err(ImageError::TooManyFiles { files, inodes });
    }
    Ok(())
}

/// How large a file system is to be for a tree: as the caller wishes, or with some room, in MiB.
pub(super) fn size_mib(tree: &ImageTree, wished_mib: Option<u32>) -> Result<u32, ImageError> {
    let block_bytes = u64::from(BLOCK_BYTES);
    let mut blocks = 0;
    for (_, entry) in tree.entries() {
        let data = match &entry.node {
            TreeNode::File(content) => content.len()?.div_ceil(block_bytes),
            TreeNode::Folder => 1,
            // Their inodes have room for it.
            TreeNode::Symlink { .. } | TreeNode::CharDevice { .. } | TreeNode::BlockDevice { .. } => 0,
        };
        // Besides, blocks of addresses, of 1,024 each.
        blocks += data + data / 1024;
    }
    let content_mib = u32::try_from((blocks * block_bytes) >> 20).unwrap_or(u32::MAX / 4) + STRUCTURES_MIB;
    match wished_mib {
        Some(wished_mib) if wished_mib < content_mib => Err(ImageError::TooSmall { wished_mib, content_mib }),
        Some(wished_mib) => Ok(wished_mib),
        None => {
            let wanted_mib = content_mib + (content_mib / 8).max(ROOM_MIN_MIB);
            Ok(wanted_mib.max(DEFAULT_MIB).next_multiple_of(SIZE_STEP_MIB))
        }
    }
}

/// Runs a script in the folder `scratch`, where it finds what it writes.
fn debugfs(script: &str, scratch: &Path, filesystem: &str) -> Result<(), ImageError> {
    let path = scratch.join("debugfs-script");
    fs::write(&path, script).map_err(at(&path))?;
    let output = run_well("debugfs", "e2fsprogs", |command| {
        command.current_dir(scratch).arg("-w").arg("-f").arg("debugfs-script").arg(filesystem);
    })?;
    // debugfs exits with 0 whatever happens; besides its version it says on this stream only what went wrong.
    let faults: Vec<_> = String::from_utf8_lossy(&output.stderr).lines().skip(1).map(str::to_string).collect();
    let more = faults.len().saturating_sub(FAULTS_SHOWN);
    let rest = if more > 0 { format!("\nand {more} more such lines") } else { String::new() };
    match faults.is_empty() {
        true => Ok(()),
        false => {
            let report = faults[..faults.len() - more].join("\n") + &rest;
            Err(ImageError::Failed { program: "debugfs".into(), report })
        }
    }
}

fn make_empty(scratch: &Path, size_mib: u32, out: &Path) -> Result<(), ImageError> {
    // The host's own configuration would choose features and sizes.
    let configuration = scratch.join("mke2fs.conf");
    fs::write(&configuration, "[defaults]\n\tbase_features = none\n[fs_types]\n\text2 = {\n\t}\n")
        .map_err(at(&configuration))?;
    run_well("mke2fs", "e2fsprogs", |command| {
        command.env("MKE2FS_CONFIG", &configuration);
        command.args([
            "-q", "-F", "-t", "ext2", "-m", "0", "-o", "Linux", "-O", FEATURES, "-J", JOURNAL, "-U", UUID, "-L", LABEL,
        ]);
        command.args(["-b", &BLOCK_BYTES.to_string(), "-I", &INODE_BYTES.to_string()]);
        command.args(["-i", &INODE_RATIO_BYTES.to_string()]);
        command.arg("-E").arg(format!("hash_seed={HASH_SEED},root_owner=0:0,lazy_itable_init=0"));
        command.arg(out).arg(format!("{size_mib}M"));
    })?;
    Ok(())
}

/// The commands that make entries, each with what is there before. Contents are staged in `scratch` under numbers, for
/// a host path may contain characters that the command language cannot express.
fn fill<'a>(
    script: &mut String,
    entries: impl Iterator<Item = (&'a str, &'a TreeEntry, Option<&'a TreeEntry>)>,
    scratch: &Path,
) -> Result<(), ImageError> {
    let mut folder_now = "";
    for (number, (path, entry, before)) in entries.enumerate() {
        let (folder, name) = path.rsplit_once('/').unwrap_or_default();
        if folder != folder_now {
            command(script, format_args!("cd \"{folder}/\""));
            folder_now = folder;
        }
        let was_folder = before.map(|before| matches!(before.node, TreeNode::Folder));
        match (was_folder, &entry.node) {
            (Some(true), TreeNode::Folder) => continue,
            (Some(true), _) | (Some(false), TreeNode::Folder) => {
                return Err(ImageError::BadPath { path: path.into(), reason: "a folder and something else" });
            }
            (Some(false), _) => command(script, format_args!("rm \"{name}\"")),
            (None, _) => {}
        }
        match &entry.node {
            TreeNode::Folder => command(script, format_args!("mkdir \"{name}\"")),
            TreeNode::File(content) => {
                stage(content, &scratch.join(format!("staged-{number}")))?;
                command(script, format_args!("write staged-{number} \"{name}\""));
            }
            TreeNode::Symlink { target } => command(script, format_args!("symlink \"{name}\" \"{target}\"")),
            TreeNode::CharDevice { major, minor } => {
                command(script, format_args!("mknod \"{name}\" c {major} {minor}"));
            }
            TreeNode::BlockDevice { major, minor } => {
                command(script, format_args!("mknod \"{name}\" b {major} {minor}"));
            }
        }
    }
    Ok(())
}

/// Puts a content where debugfs finds it.
fn stage(content: &FileContent, staged: &Path) -> Result<(), ImageError> {
    match content {
        FileContent::Bytes(bytes) => fs::write(staged, bytes).map_err(at(staged)),
        FileContent::HostFile(file) => {
            let file = file.canonicalize().map_err(at(file))?;
            symlink(file, staged).map_err(at(staged))
        }
        FileContent::Link(_) => unreachable!("it became a link of the tree"),
    }
}

fn inode_mode(entry: &TreeEntry) -> u32 {
    let kind = match entry.node {
        TreeNode::Folder => KIND_FOLDER,
        TreeNode::File(_) => KIND_FILE,
        TreeNode::Symlink { .. } => KIND_SYMLINK,
        TreeNode::CharDevice { .. } => KIND_CHAR_DEVICE,
        TreeNode::BlockDevice { .. } => KIND_BLOCK_DEVICE,
    };
    kind | entry.mode
}

fn set_inode(script: &mut String, path: &str, mode: u32) {
    command(script, format_args!("set_inode_field \"{path}\" mode 0{mode:o}"));
    for owner in ["uid", "gid"] {
        command(script, format_args!("set_inode_field \"{path}\" {owner} 0"));
    }
    set_times(script, path);
}

fn set_times(script: &mut String, path: &str) {
    for time in ["atime", "mtime", "ctime"] {
        command(script, format_args!("set_inode_field \"{path}\" {time} @{EPOCH_S}"));
    }
}

fn command(script: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(script, "{line}");
}
