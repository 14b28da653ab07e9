//! Debian's kernel for arm64, fetched by name: what a Raspberry Pi 3 boots of it, and the modules for its card.

use anyhow::{Context, Result, bail};
use renga_images::disk_image::{fetch_dependency, fetch_packages};
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::fs;
use std::path::{Path, PathBuf};

/// Architecture, as Debian calls it.
const ARCHITECTURE: &str = "arm64";
/// The package that depends on the present kernel, and how that one's name begins.
const NEWEST: (&str, &str) = ("linux-image-arm64", "linux-image-");
/// The package of the program that serves as the first one's tools.
const TOOLS: &str = "busybox-static";
/// Board that is emulated.
const DEVICE_TREE: &str = "broadcom/bcm2837-rpi-3-b.dtb";
/// What the kernel needs to restart the board, and for ext2 on its card; each behind those that it needs.
pub(super) const MODULES: [&str; 7] = ["bcm2835_wdt", "crc32c_generic", "crc16", "mbcache", "jbd2", "ext4", "bcm2835"];
/// What it needs for a disk whose requests take time.
pub(super) const DISK_MODULES: [&str; 2] = ["configfs", "null_blk"];
/// Folders of the kernel's modules, one in another.
const DEPTH_MAX: usize = 8;

/// Where its parts are.
#[derive(Debug)]
pub(super) struct DebianKernel {
    /// As `uname -r` says it.
    pub(super) release: String,
    /// What boots.
    pub(super) image: PathBuf,
    /// The board's description.
    pub(super) device_tree: PathBuf,
    /// The files of [`MODULES`].
    pub(super) modules: Vec<PathBuf>,
    /// The files of [`DISK_MODULES`].
    pub(super) disk_modules: Vec<PathBuf>,
    /// Busybox, linked statically.
    pub(super) busybox: PathBuf,
}

impl DebianKernel {
    /// Fetches it, if it is not here.
    ///
    /// # Errors
    /// If it cannot be fetched, or is not made as this expects.
    pub(super) fn get(environment: &Environment, progress: &ProgressLine) -> Result<DebianKernel> {
        let (root, work) = (&environment.root, environment.work());
        let mut said = |step: &str| progress.step(step);
        let data = fetch_dependency(root, &work, ARCHITECTURE, NEWEST, &mut said)?;
        let tools = fetch_packages(root, &work, ARCHITECTURE, &[TOOLS.into()], &mut said)?;
        let tools = tools.get(TOOLS).context("busybox was asked for")?;
        let release = release(&data)?;
        let folder = data.join("lib/modules").join(&release);
        let find = |module: &&str| {
            let file = format!("{module}.ko");
            find(&folder, &file, DEPTH_MAX).with_context(|| format!("Debian's kernel {release} has no {file}"))
        };
        Ok(DebianKernel {
            image: data.join(format!("boot/vmlinuz-{release}")),
            device_tree: data.join(format!("usr/lib/linux-image-{release}")).join(DEVICE_TREE),
            modules: MODULES.iter().map(find).collect::<Result<_>>()?,
            disk_modules: DISK_MODULES.iter().map(find).collect::<Result<_>>()?,
            busybox: tools.join("bin/busybox"),
            release,
        })
    }
}

/// The version by which the kernel calls its folders.
fn release(data: &Path) -> Result<String> {
    let folder = data.join("lib/modules");
    let mut names = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?.flatten();
    match (names.next(), names.next()) {
        (Some(only), None) => Ok(only.file_name().to_string_lossy().into_owned()),
        _ => bail!("{} should have the modules of one kernel", folder.display()),
    }
}

/// The file of this name in a folder or those in it.
fn find(folder: &Path, name: &str, depth: usize) -> Option<PathBuf> {
    let entries: Vec<PathBuf> = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    let here = entries.iter().find(|path| path.file_name().is_some_and(|file| file == name)).cloned();
    let deeper = || entries.iter().filter(|path| path.is_dir()).find_map(|path| find(path, name, depth - 1));
    here.or_else(|| if depth > 0 { deeper() } else { None })
}
