//! The simulator's page in the book, or what stands there without std for WebAssembly.
//!
//! Invariant: afterwards the folder has a first page, to which the book links.

use anyhow::{Context, Result};
use renga_workspace::cargo;
use renga_workspace::delegate::SIMULATOR_PAGE;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Makes the page in `folder`, which is the book's alone.
///
/// # Errors
/// If the page does not build though std for WebAssembly is there, or a file cannot be written.
pub(super) fn page(environment: &Environment, folder: &Path, progress: &ProgressLine) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    progress.step("building the simulator's page: minutes the first time");
    if let Err(error) = environment.for_wasm() {
        eprintln!("renga: the book is without the simulator's page, which needs std for WebAssembly: {error:#}");
        return absent(folder, &format!("{error:#}"));
    }
    let mut page = Command::new(SIMULATOR_PAGE.build(environment, progress)?);
    page.arg(folder).env("RENGA_ROOT", &environment.root);
    cargo::run(page, "the simulator's page does not build")?;
    Ok(())
}

/// Leaves a page that says what is absent, and how to have it.
fn absent(folder: &Path, reason: &str) -> Result<()> {
    let reason = reason.replace('&', "&amp;").replace('<', "&lt;");
    let text = format!(
        "<!DOCTYPE html><meta charset=utf-8><title>No simulator</title><h1>The simulator is not in this book</h1>\n\
         <p>When the book was built, this machine had no std for WebAssembly: {reason}.\n\
         <p><code>./renga sim --browser</code> says the reason in full, and what to do. Then <code>./renga docs</code> \
         builds the page.\n<p><a href=\"../index.html\">To the book</a>\n"
    );
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = folder.join("index.html");
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::page;
    use renga_workspace::environment::Environment;
    use renga_workspace::progress::ProgressLine;
    use std::fs;

    /// A set-up that fails, in a folder of its own.
    #[test]
    fn simulator_page_without_std_for_wasm_says_so_and_leads_back() {
        let root = std::env::temp_dir().join(format!("renga-no-wasm-{}", std::process::id()));
        let (setup, folder) = (root.join("tools/setup"), root.join("book/simulator"));
        for folder in [&setup, &folder] {
            fs::create_dir_all(folder).expect("there is a temporary folder");
        }
        fs::write(setup.join("provide.sh"), "exit 1").expect("it can be written");
        fs::write(folder.join("main.js"), "of an earlier book").expect("it can be written");
        let environment = Environment::of(root.clone());
        page(&environment, &folder, &ProgressLine::start()).expect("the book goes on");
        let text = fs::read_to_string(folder.join("index.html")).expect("the link leads there");
        assert!(text.contains("set-up failed") && text.contains("../index.html"), "{text}");
        assert!(!folder.join("main.js").exists());
        fs::remove_dir_all(root).expect("it is there");
    }
}
