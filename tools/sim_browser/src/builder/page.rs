//! Writes the page. A page that is read from a file may not load others, so module and media are scripts, too.

use crate::programs::programs;
use anyhow::{Context, Result, anyhow};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use renga_sim::seed;
use renga_sim::system::{Pages, image};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Size of the medium of the page's clusters.
const DISK_MEBIBYTES: u32 = 12;
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

/// Writes the page with `module` into `folder`; its first file.
///
/// # Errors
/// If mke2fs fails or a file cannot be written.
pub fn write_page(folder: &Path, module: &[u8]) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let disk = image::make(DISK_MEBIBYTES, &programs().files()).context("cannot make the page's disk")?;
    let seeds = seed::fresh_disk().map_err(|error| anyhow!("cannot make the seeds' disk: {error}"))?;
    let data = format!(
        "\"use strict\";\nconst SIM_DATA = {{ module: \"{}\", disk: {}, seeds: {} }};\n",
        STANDARD.encode(module),
        encoded(&disk)?,
        encoded(&seeds)?
    );
    for (name, text) in FILES.into_iter().chain([("data.js", data.as_str())]) {
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
