//! Writes the page. A page that is read from a file may not load others, so module and media are scripts, too.

use crate::programs::programs;
use anyhow::{Context, Result, anyhow, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use renga_sim::seed;
use renga_sim::system::{Pages, image};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Size of the medium of the page's clusters.
const DISK_MEBIBYTES: u32 = 12;
/// The module and the media, and how that file begins.
const DATA: &str = "data.js";
const DATA_BEGIN: &str = "\"use strict\";\nconst SIM_DATA =";
const FIRST: &str = "index.html";
const FILES: [(&str, &str); 9] = [
    (FIRST, include_str!("../../page/index.html")),
    ("style.css", include_str!("../../page/style.css")),
    ("module.js", include_str!("../../page/module.js")),
    ("address.js", include_str!("../../page/address.js")),
    ("run.js", include_str!("../../page/run.js")),
    ("layout.js", include_str!("../../page/layout.js")),
    ("drawing.js", include_str!("../../page/drawing.js")),
    ("panels.js", include_str!("../../page/panels.js")),
    ("main.js", include_str!("../../page/main.js")),
];

/// Refuses a folder with files that no page has left there.
///
/// # Errors
/// If it is refused, or cannot be read.
pub fn check_folder(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let mut files = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let of_page = fs::read(folder.join(DATA)).is_ok_and(|data| data.starts_with(DATA_BEGIN.as_bytes()));
    if files.next().is_some() && !of_page {
        bail!(
            "{} has files that are not of this page, which would overwrite some: name another folder, or empty it",
            folder.display()
        );
    }
    Ok(())
}

/// Writes the page with `module` into `folder`; its first file.
///
/// # Errors
/// If the folder has other files, mke2fs fails, or a file cannot be written.
pub fn write_page(folder: &Path, module: &[u8]) -> Result<PathBuf> {
    check_folder(folder)?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let disk = image::make(DISK_MEBIBYTES, &programs().files()).context("cannot make the page's disk")?;
    let seeds = seed::fresh_disk().map_err(|error| anyhow!("cannot make the seeds' disk: {error}"))?;
    let data = format!(
        "{DATA_BEGIN} {{ module: \"{}\", disk: {}, seeds: {} }};\n",
        STANDARD.encode(module),
        encoded(&disk)?,
        encoded(&seeds)?
    );
    // First the file by which the next page knows the folder.
    for (name, text) in [(DATA, data.as_str())].into_iter().chain(FILES) {
        let file = folder.join(name);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(folder.join(FIRST))
}

/// A medium as JSON: its size, and the pages that are not zeros by where they begin.
fn encoded(disk: &Pages) -> Result<String> {
    let pages: BTreeMap<usize, String> = disk.present().map(|(at, page)| (at, STANDARD.encode(page))).collect();
    Ok(serde_json::to_string(&serde_json::json!({ "bytes": disk.bytes(), "pages": pages }))?)
}

/// All bytes of a medium.
pub fn disk_bytes(disk: &Pages) -> Vec<u8> {
    let mut bytes = vec![0; disk.bytes()];
    disk.read(0, &mut bytes);
    bytes
}
