//! The two partitions from which a board can start, as they are found on a card: which kernel each has, and which is
//! the usual one.
//!
//! Invariant: reports only what the files themselves prove. Not here: the other files (`inspect`), how kernels get
//! there (`renga-boot-card`).

use super::fat::CardFile;
use super::{Checksum, sha256};
use renga_boot_card::{CHOICE_FILE, KERNEL_FILE, PARTITIONS, RECORD_FILE, STARTS_FILE, TABLES_FILE, choice_text};
use renga_systems::blob;

/// Files that a running board may write.
pub(super) const WRITTEN: [&str; 5] = [KERNEL_FILE, TABLES_FILE, RECORD_FILE, CHOICE_FILE, STARTS_FILE];

/// What is found of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotFound {
    /// Its number.
    pub partition: u8,
    /// Whether the board usually starts from it.
    pub usual: bool,
    /// The sum of its kernel, filled up to the room that it has.
    pub kernel: Option<Checksum>,
    /// The system of its tables.
    pub system: Option<String>,
    /// What is wrong with it.
    pub fault: Option<String>,
}

/// The partition that `files`, those of the first one, say that the board usually starts from.
pub(super) fn usual(files: &[CardFile]) -> Option<u8> {
    let choice = content(files, CHOICE_FILE)?;
    PARTITIONS.into_iter().find(|partition| choice == choice_text(*partition).as_bytes())
}

/// Inspects the kernel among `files`, those of `partition`.
pub(super) fn inspect(partition: u8, usual: bool, files: &[CardFile]) -> SlotFound {
    let kernel = content(files, KERNEL_FILE).map(sha256);
    let system = content(files, TABLES_FILE).and_then(blob::system_name).map(str::to_string);
    SlotFound { partition, usual, kernel, system, fault: fault(files) }
}

fn fault(files: &[CardFile]) -> Option<String> {
    let Some(record) = content(files, RECORD_FILE) else { return Some(format!("{RECORD_FILE} is missing")) };
    let record = String::from_utf8_lossy(record);
    if record.starts_with("##") {
        return Some("the writing of its kernel was broken off".to_string());
    }
    [KERNEL_FILE, TABLES_FILE].into_iter().find_map(|name| {
        let Some(bytes) = content(files, name) else { return Some(format!("{name} is missing")) };
        let line = format!("{}  {name}", sha256(bytes));
        (!record.lines().any(|said| said == line)).then(|| format!("{name} is damaged or was changed"))
    })
}

fn content<'a>(files: &'a [CardFile], name: &str) -> Option<&'a [u8]> {
    files.iter().find(|file| file.name == name).map(|file| file.bytes.as_slice())
}
