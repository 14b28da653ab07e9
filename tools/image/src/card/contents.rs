//! The files of a card's FAT partition.

use super::cluster::CardCluster;
use super::fat::CardFile;
use super::{firmware, kernel_files, settings, sha256};
use crate::calendar::EPOCH_S;
use anyhow::{Context, Result};
use renga_boot_card::NODE_FILE;
use renga_boot_card::{CHOICE_FILE, PARTITIONS, STARTS_FILE, choice_text, first_starts};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The list of all files with their sums, as `sha256sum -c` reads it, but for those that a running board writes.
pub const FILES_LIST: &str = "FILES.TXT";
const README: &str = "\
This card starts one board of a Renga cluster. NODE.TXT says which.
It was made and checked by a program; no such card had started a real board when this was written.

FILES.TXT has the SHA-256 of every file but those that a running board writes: sha256sum -c FILES.TXT
KERNEL.TXT has those of kernel and tables, which it may replace: sha256sum -c KERNEL.TXT

bootcode.bin, start*.elf, fixup*.dat: the boards' boot firmware, under the licence in LICENCE.FW.
*.dtb: device trees of the Linux kernel, under the licences in LICENCE.DTB.
VERSIONS.TXT: the Debian packages from which those come.
Everything else: MIT OR Apache-2.0; programs on the second partition have their licences beside them.
";

/// The files of board `number`'s card; those behind `FILES.TXT` a running board writes.
///
/// # Errors
/// If the kernel or a part of the firmware cannot be read.
pub fn files(cluster: &CardCluster, number: usize, kernel: &Path, firmware_folder: &Path) -> Result<Vec<CardFile>> {
    let kernel = fs::read(kernel).with_context(|| format!("cannot read {}", kernel.display()))?;
    let text = |name: &str, text: String| CardFile { name: name.to_string(), bytes: text.into_bytes() };
    let mut files = vec![
        text(NODE_FILE, cluster.node_file(number)),
        text("README.TXT", README.to_string()),
        text("config.txt", settings::config(cluster.link)),
        text("cmdline.txt", settings::command_line(number, cluster.link, cluster.program)),
    ];
    let kernel_files = kernel_files::files(&kernel, &cluster.system.checked.to_blob())?;
    let firmware = firmware::files(firmware_folder, cluster.models[number])?;
    files.extend(firmware.into_iter().map(|(name, bytes)| CardFile { name, bytes }));
    let list = list(&files);
    files.push(text(FILES_LIST, list));
    files.extend(kernel_files);
    files.push(text(CHOICE_FILE, choice_text(PARTITIONS[0]).to_string()));
    files.push(CardFile { name: STARTS_FILE.to_string(), bytes: first_starts(EPOCH_S as u32).to_vec() });
    Ok(files)
}

/// Of these files of the first partition those of the other: what says how often and from where the board starts is on
/// the first only.
pub fn of_other(files: &[CardFile]) -> Vec<CardFile> {
    files.iter().filter(|file| ![CHOICE_FILE, STARTS_FILE].contains(&file.name.as_str())).cloned().collect()
}

/// The sums of files, a line each.
fn list(files: &[CardFile]) -> String {
    files.iter().fold(String::new(), |mut list, file| {
        let _ = writeln!(list, "{}  {}", sha256(&file.bytes), file.name);
        list
    })
}
