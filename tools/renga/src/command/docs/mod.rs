//! `renga docs`: the book by mdBook, and beside it the simulator's page and the crates' documentation by rustdoc.
//!
//! Invariant: when the command succeeds, `target/renga/book` needs no network and has no dead link. Not here: the pages
//! (`docs`).

mod links;
mod simulator;

use anyhow::{Context, Result};
use renga_workspace::cargo;
use renga_workspace::environment::Environment;
use renga_workspace::lock::Lock;
use renga_workspace::progress::ProgressLine;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version that the pages were tried with.
const MDBOOK_VERSION: &str = "0.5.4";
/// Where rustdoc's pages are in the book.
pub const RUSTDOC: &str = "rustdoc";
/// Where the simulator's page is in the book.
const SIMULATOR: &str = "simulator";

/// Builds the book, and prints the path of its first page. A release has one.
///
/// # Errors
/// If mdBook is absent and cannot be installed, if mdBook or rustdoc refuses the sources, or if a link is dead.
pub fn docs(environment: &Environment) -> Result<u8> {
    let built = environment.work().join("book/index.html");
    if environment.expect_sources("a book").is_err() && built.exists() {
        println!("{}", built.display());
        return Ok(0);
    }
    environment.expect_sources("`renga docs`")?;
    let progress = ProgressLine::start();
    let (book, _lock) = pages(environment, &progress)?;

    progress.step("documenting the crates with rustdoc: minutes the first time");
    let target = environment.root.join("target");
    let mut rustdoc = Command::new(cargo::program());
    rustdoc.current_dir(&environment.root).args(["doc", "--no-deps", "--quiet", "--target-dir"]).arg(&target);
    cargo::run(rustdoc, "rustdoc refuses the crates")?;
    copy(&target.join("doc"), &book.join(RUSTDOC))?;
    fs::write(book.join(RUSTDOC).join("index.html"), crates(&book.join(RUSTDOC))?)?;

    progress.finish();
    println!("{}", built.display());
    Ok(0)
}

/// Builds the book without rustdoc's part; its folder, locked.
///
/// # Errors
/// If mdBook is absent and cannot be installed, if it refuses the sources, or if a link is dead.
pub fn pages(environment: &Environment, progress: &ProgressLine) -> Result<(PathBuf, Lock)> {
    let (sources, book) = (environment.root.join("docs"), environment.work().join("book"));
    fs::create_dir_all(environment.work()).with_context(|| format!("cannot make {}", environment.work().display()))?;
    let mdbook = mdbook(environment, progress)?;
    let lock = Lock::exclusive(&environment.work().join("book.lock"), &mut |line| progress.step(line))
        .context("cannot lock the book's folder")?;

    progress.step("building the book");
    let mut build = Command::new(&mdbook);
    build.arg("build").arg(&sources).arg("--dest-dir").arg(&book);
    cargo::run(build, "mdBook refuses the book")?;
    simulator::page(environment, &book.join(SIMULATOR), progress)?;
    links::mend(&sources, &book)?;
    Ok((book, lock))
}

/// mdBook: of the path, or of an earlier run, or installed now.
fn mdbook(environment: &Environment, progress: &ProgressLine) -> Result<PathBuf> {
    let installed = environment.work().join("mdbook");
    let program = installed.join("bin/mdbook");
    for candidate in [PathBuf::from("mdbook"), program.clone()] {
        if Command::new(&candidate).arg("--version").output().is_ok_and(|output| output.status.success()) {
            return Ok(candidate);
        }
    }
    progress.step(&format!("installing mdBook {MDBOOK_VERSION} from crates.io into target/renga: minutes, once"));
    let mut install = Command::new(cargo::program());
    install.current_dir(&environment.root).args([
        "install",
        "mdbook",
        "--version",
        MDBOOK_VERSION,
        "--locked",
        "--quiet",
    ]);
    install.args(["--no-default-features", "--features", "search", "--root"]).arg(&installed);
    let way_out = format!(
        "mdBook could not be installed. Without a network, put an mdBook on the PATH (elsewhere: `cargo install mdbook \
         --version {MDBOOK_VERSION}`), or read {} as it is: its pages are plain Markdown",
        environment.root.join("docs/SUMMARY.md").display()
    );
    cargo::run(install, &way_out)?;
    Ok(program)
}

/// Copies a folder, so that the book is complete in itself.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let (source, copied) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&source, &copied)?;
        } else {
            fs::copy(&source, &copied).with_context(|| format!("cannot copy {}", source.display()))?;
        }
    }
    Ok(())
}

/// A page that lists the documented crates: rustdoc makes none.
fn crates(folder: &Path) -> Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("renga") && entry.path().join("index.html").exists() {
            names.push(name);
        }
    }
    names.sort();
    let mut page =
        String::from("<!DOCTYPE html><meta charset=utf-8><title>Renga's crates</title><h1>Renga's crates</h1><ul>");
    for name in names {
        write!(page, "<li><a href=\"{name}/index.html\">{name}</a>")?;
    }
    Ok(page)
}
