//! What a release contains.

use crate::archive::ArchiveTree;
use crate::host_build::{self, HostBuild};
use crate::licences;
use anyhow::{Context, Result};
use renga::command::docs;
use renga_images::artifacts::{self, KernelFlavour};
use renga_images::disk_image::{self, ImageSpec};
use renga_workspace::environment::Environment;
use renga_workspace::prebuilt;
use renga_workspace::progress::ProgressLine;
use std::path::Path;

/// The command.
const COMMAND: &str = include_str!("renga.sh");
/// The kernels: the third, of hostile boards, is for tests.
const KERNELS: [KernelFlavour; 2] = [KernelFlavour::Plain, KernelFlavour::Bench];
/// Packages that are linked into what runs on boards and in QEMU.
const OTHER_PACKAGES: [&str; 3] = ["renga-image", "renga-userland", "renga-emu-plugin"];
/// Files at the top.
const FILES: [&str; 8] = [
    "CHANGELOG.md",
    "LICENSE",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "Cargo.lock",
    "Cargo.toml",
    "userland/applets.txt",
];
/// Folders that commands read, without what is Rust.
const DATA: [&str; 8] = [
    "bench",
    "docs",
    "sysprocs/systems",
    "tools/setup",
    "userland/crash",
    "userland/images",
    "userland/library",
    "userland/scripts",
];
/// The sources of the plugin, which its licence wants beside it.
const SOURCES: [&str; 3] = ["tools/emu/device", "tools/emu/plugin", "tools/emu/probes"];
const NO_RUSTDOC: &str = "<!DOCTYPE html><meta charset=utf-8><title>No rustdoc</title><h1>The crates' documentation is not \
in a release</h1><p>In a clone of the repository, <code>./renga docs</code> makes it.\
<p><a href=\"../index.html\">To the book</a>\n";

/// Builds it all.
///
/// # Errors
/// If something does not build or cannot be fetched.
pub(crate) fn collect(environment: &Environment, book: bool, progress: &ProgressLine) -> Result<ArchiveTree> {
    let mut tree = ArchiveTree::default();
    tree.script("renga", COMMAND);
    files(&mut tree, &environment.root)?;
    board_programs(&mut tree, environment, progress)?;
    disk(&mut tree, environment, progress)?;
    let host = HostBuild::make(environment, progress)?;
    for name in host_build::packages() {
        tree.file(&format!("{}/{name}", prebuilt::HOST_PROGRAMS), &host.program(name))?;
    }
    tree.file(prebuilt::PLUGIN, &host.plugin())?;
    let packages = [host_build::packages(), OTHER_PACKAGES.to_vec()].concat();
    licences::add(&mut tree, environment, &packages)?;
    if book {
        let (pages, _lock) = docs::pages(environment, progress)?;
        let below = format!("{}/", docs::RUSTDOC);
        tree.folder("target/renga/book", &pages, &|path| !path.starts_with(&below))?;
        tree.text(&format!("target/renga/book/{below}index.html"), NO_RUSTDOC);
    }
    Ok(tree)
}

fn files(tree: &mut ArchiveTree, root: &Path) -> Result<()> {
    for file in FILES {
        tree.file(file, &root.join(file))?;
    }
    let is_data = |path: &str| !path.ends_with(".rs") && !path.ends_with("Cargo.toml");
    for folder in DATA {
        tree.folder(folder, &root.join(folder), &is_data)?;
    }
    SOURCES.iter().try_for_each(|folder| tree.folder(folder, &root.join(folder), &|_| true))
}

fn board_programs(tree: &mut ArchiveTree, environment: &Environment, progress: &ProgressLine) -> Result<()> {
    for flavour in KERNELS {
        let kernel = artifacts::kernel(environment, flavour, progress)?;
        let folder = format!("{}/{}", prebuilt::KERNELS, flavour.name());
        tree.file(&format!("{folder}/kernel8.img"), &kernel.image)?;
        tree.file(&format!("{folder}/kernel.elf"), &kernel.elf)?;
    }
    artifacts::programs(environment, progress)?;
    for (name, file) in artifacts::program_files(environment) {
        tree.file(&format!("{}/{name}", prebuilt::BOARD_PROGRAMS), &file)?;
    }
    Ok(())
}

/// The usual disk image as it is before our own programs and a session's files, and Debian's packages in it.
fn disk(tree: &mut ArchiveTree, environment: &Environment, progress: &ProgressLine) -> Result<()> {
    let spec = ImageSpec::new(&environment.root);
    for path in disk_image::kept(&spec, &mut |step| progress.step(step))? {
        let place = path.strip_prefix(&environment.root).context("what is kept is below the project's folder")?;
        let place = place.to_str().context("packages have plain names")?;
        if path.is_dir() {
            tree.exact_folder(place, &path)?;
        } else {
            tree.file(place, &path)?;
        }
    }
    Ok(())
}
