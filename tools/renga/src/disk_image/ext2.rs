//! A tree becomes an ext2 file system, by mke2fs and debugfs.
//!
//! `mke2fs -d` would copy owners, change times and directory order from the host, and make device nodes only for root.
//! So the file system is made empty and filled by a script for debugfs, in the order of paths, and then each inode gets
//! its mode, owner and times. Not here: partitions.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::ImageError;
use super::command::{report, run_well};
use super::error::at;
use super::tree::{Entry, Node, Tree};

/// Every time in an image, in seconds since 1970: 1 January 2026, 00:00 UTC.
pub(super) const IMAGE_TIME_S: u32 = 1_767_225_600;

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
/// The superblock flag for hashes of signed characters.
const SIGNED_HASH: u32 = 1;

const KIND_FOLDER: u32 = 0o040_000;
const KIND_FILE: u32 = 0o100_000;
const KIND_SYMLINK: u32 = 0o120_000;
const KIND_CHAR_DEVICE: u32 = 0o020_000;
const ROOT_MODE: u32 = 0o755;
const LOST_AND_FOUND_MODE: u32 = 0o700;

/// Makes the file `out`, a bare file system of `size_mib`, with the contents of `tree`. `scratch` takes files in between.
pub(super) fn make(tree: &Tree, scratch: &Path, size_mib: u32, out: &Path) -> Result<(), ImageError> {
    make_empty(scratch, size_mib, out)?;
    let script = scratch.join("debugfs-script");
    fs::write(&script, fill_script(tree, scratch)?).map_err(at(&script))?;
    let output = run_well("debugfs", "e2fsprogs", |command| {
        command.current_dir(scratch).arg("-w").arg("-f").arg(&script).arg(out);
    })?;
    // debugfs exits with 0 whatever happens; besides its version it says on this stream only what went wrong.
    let faults: Vec<_> = String::from_utf8_lossy(&output.stderr).lines().skip(1).map(str::to_string).collect();
    if !faults.is_empty() {
        return Err(ImageError::Failed { program: "debugfs".into(), report: faults.join("\n") });
    }
    if fs::metadata(out).map_err(at(out))?.len() != u64::from(size_mib) << 20 {
        return Err(ImageError::Failed { program: "mke2fs".into(), report: report(&output) });
    }
    Ok(())
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

/// The commands that fill the file system. Contents are staged in `scratch` under numbers, for any host path may hold
/// what the command language cannot say.
fn fill_script(tree: &Tree, scratch: &Path) -> Result<String, ImageError> {
    let mut script = String::new();
    let mut folder_now = "";
    for (number, (path, entry)) in tree.entries().enumerate() {
        let (folder, name) = path.rsplit_once('/').unwrap_or_default();
        if folder != folder_now {
            command(&mut script, format_args!("cd \"{folder}/\""));
            folder_now = folder;
        }
        match &entry.node {
            Node::Folder => command(&mut script, format_args!("mkdir \"{name}\"")),
            Node::File(content) => {
                let staged = scratch.join(format!("staged-{number}"));
                fs::write(&staged, content.bytes()?).map_err(at(&staged))?;
                command(&mut script, format_args!("write staged-{number} \"{name}\""));
            }
            Node::Symlink { target } => command(&mut script, format_args!("symlink \"{name}\" \"{target}\"")),
            Node::CharDevice { major, minor } => {
                command(&mut script, format_args!("mknod \"{name}\" c {major} {minor}"))
            }
        }
    }
    // mke2fs notes how the host's `char` is signed, which only indexed directories would use.
    command(&mut script, format_args!("set_super_value flags {SIGNED_HASH}"));
    // After everything is made, for making an entry changes the times of its folder.
    set_inode(&mut script, "/", KIND_FOLDER | ROOT_MODE);
    set_inode(&mut script, "/lost+found", KIND_FOLDER | LOST_AND_FOUND_MODE);
    for (path, entry) in tree.entries() {
        set_inode(&mut script, path, inode_mode(entry));
    }
    Ok(script)
}

fn inode_mode(entry: &Entry) -> u32 {
    let kind = match entry.node {
        Node::Folder => KIND_FOLDER,
        Node::File(_) => KIND_FILE,
        Node::Symlink { .. } => KIND_SYMLINK,
        Node::CharDevice { .. } => KIND_CHAR_DEVICE,
    };
    kind | entry.mode
}

fn set_inode(script: &mut String, path: &str, mode: u32) {
    command(script, format_args!("set_inode_field \"{path}\" mode 0{mode:o}"));
    for owner in ["uid", "gid"] {
        command(script, format_args!("set_inode_field \"{path}\" {owner} 0"));
    }
    for time in ["atime", "mtime", "ctime"] {
        command(script, format_args!("set_inode_field \"{path}\" {time} @{IMAGE_TIME_S}"));
    }
}

fn command(script: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(script, "{line}");
}
