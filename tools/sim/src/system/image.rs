//! ext2 images: built, checked and read by e2fsprogs.
//!
//! Invariant: an image depends on its content only, times included. Where there are no processes, as in a browser, each
//! function is an error. Not here: what is in an image.

use super::pages::Pages;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::FileTimes;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, UNIX_EPOCH};

/// Files by their absolute paths.
pub type FileContents = BTreeMap<String, Vec<u8>>;

/// Of every image, so that runs repeat.
const UUID: &str = "72656e67-6100-4000-8000-000000000001";
/// What the kernel knows.
const FEATURES: &str = "none,has_journal,filetype,sparse_super,large_file";
/// The time of all files of an image, seconds since 1970: before any board boots.
const MADE_S: u64 = 1_600_000_000;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A directory of the host that is removed in the end.
struct HostScratch(PathBuf);

impl HostScratch {
    fn new() -> io::Result<HostScratch> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = scratch_parent().join(format!("renga-sim-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(HostScratch(path))
    }
}

/// Memory, where the host has such a folder and the user has chosen no other: an image is written to be read once.
fn scratch_parent() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if std::env::var_os("TMPDIR").is_none() && memory.is_dir() { memory.into() } else { std::env::temp_dir() }
}

impl Drop for HostScratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Where a tool is; administrators' folders may not be on the path.
fn find(name: &str) -> PathBuf {
    let path = format!("{}:/sbin:/usr/sbin", std::env::var("PATH").unwrap_or_default());
    let found = path.split(':').map(|folder| Path::new(folder).join(name)).find(|file| file.is_file());
    found.unwrap_or_else(|| name.into())
}

/// Runs a tool by its whole path: the host starts that several times faster than a name that it must search for.
fn run(name: &str, arguments: &[&OsStr]) -> io::Result<Output> {
    Command::new(find(name)).env("E2FSPROGS_FAKE_TIME", MADE_S.to_string()).args(arguments).output()
}

/// Whether e2fsprogs are there: without them there is no disk to simulate.
pub fn tools_present() -> bool {
    let dumb = [OsStr::new("-V")];
    ["mke2fs", "e2fsck", "debugfs"].iter().all(|tool| run(tool, &dumb).is_ok())
}

fn tool_error(what: &str, output: &Output) -> io::Error {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    io::Error::other(format!("{what}:\n{out}{err}"))
}

/// An image of `mebibytes` with the files of `tree`.
///
/// # Errors
/// What the host or mke2fs says.
pub fn make(mebibytes: u32, tree: &FileContents) -> io::Result<Pages> {
    let scratch = HostScratch::new()?;
    let (root, image) = (scratch.0.join("root"), scratch.0.join("made.img"));
    std::fs::create_dir(&root)?;
    for (path, content) in tree {
        let file = root.join(path.trim_start_matches('/'));
        std::fs::create_dir_all(file.parent().unwrap_or(&root))?;
        std::fs::write(&file, content)?;
        make_executable(&file)?;
    }
    set_times(&root)?;
    let size = format!("{mebibytes}M");
    let fixed = ["-q", "-F", "-t", "ext2", "-b", "4096", "-O", FEATURES, "-J", "size=4", "-U", UUID];
    let mut arguments: Vec<&OsStr> = fixed.iter().map(OsStr::new).collect();
    arguments.extend([OsStr::new("-d"), root.as_os_str(), image.as_os_str(), OsStr::new(&size)]);
    let output = run("mke2fs", &arguments)?;
    if !output.status.success() {
        return Err(tool_error("mke2fs", &output));
    }
    Ok(Pages::new(&std::fs::read(image)?))
}

#[cfg(unix)]
fn make_executable(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn set_times(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            set_times(&entry?.path())?;
        }
    }
    let made = UNIX_EPOCH + Duration::from_secs(MADE_S);
    let times = FileTimes::new().set_accessed(made).set_modified(made);
    std::fs::File::open(path)?.set_times(times)
}

/// Checks an image by `e2fsck -fn`; its regular files if it is clean.
///
/// # Errors
/// What e2fsck found, or what the host or debugfs says.
pub fn check(content: &Pages) -> io::Result<FileContents> {
    let scratch = HostScratch::new()?;
    let image = scratch.0.join("judged.img");
    write(&image, content)?;
    files(&scratch, &image)
}

/// As `check`, after `e2fsck -p` has mended what a cut or errors of the medium have left.
///
/// # Errors
/// Likewise; also what `e2fsck -p` refuses to mend by itself.
pub fn recover(content: &Pages) -> io::Result<FileContents> {
    let scratch = HostScratch::new()?;
    let image = scratch.0.join("mended.img");
    write(&image, content)?;
    let output = run("e2fsck", &[OsStr::new("-fp"), image.as_os_str()])?;
    if output.status.code().is_none_or(|code| code > 1) {
        return Err(tool_error("e2fsck -fp", &output));
    }
    files(&scratch, &image)
}

/// Checks an image by `e2fsck -fn`; the content of one file. No other file of it touches the host.
///
/// # Errors
/// As `check`.
pub fn check_for(content: &Pages, path: &str) -> io::Result<Vec<u8>> {
    let scratch = HostScratch::new()?;
    let (image, out) = (scratch.0.join("judged.img"), scratch.0.join("out"));
    write(&image, content)?;
    verdict(&image)?;
    debugfs(&format!("dump \"{path}\" {}", out.display()), &image)?;
    std::fs::read(out)
}

fn verdict(image: &Path) -> io::Result<()> {
    let output = run("e2fsck", &[OsStr::new("-fn"), image.as_os_str()])?;
    if output.status.success() { Ok(()) } else { Err(tool_error("e2fsck -fn", &output)) }
}

fn debugfs(request: &str, image: &Path) -> io::Result<()> {
    let output = run("debugfs", &[OsStr::new("-R"), OsStr::new(request), image.as_os_str()])?;
    if output.status.success() { Ok(()) } else { Err(tool_error("debugfs", &output)) }
}

/// The regular files of an image that is clean.
fn files(scratch: &HostScratch, image: &Path) -> io::Result<FileContents> {
    let root = scratch.0.join("root");
    std::fs::create_dir(&root)?;
    verdict(image)?;
    debugfs(&format!("rdump / {}", root.display()), image)?;
    let mut tree = FileContents::new();
    collect(&root, Path::new("/"), &mut tree)?;
    Ok(tree)
}

/// Writes a file with holes for its pages of zeros.
fn write(path: &Path, content: &Pages) -> io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    file.set_len(content.bytes() as u64)?;
    content.present().try_for_each(|(at, page)| {
        file.seek(SeekFrom::Start(at as u64))?;
        file.write_all(page)
    })
}

fn collect(directory: &Path, name: &Path, tree: &mut FileContents) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = name.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &name, tree)?;
        } else {
            tree.insert(name.to_string_lossy().into_owned(), std::fs::read(entry.path())?);
        }
    }
    Ok(())
}
