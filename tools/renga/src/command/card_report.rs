//! The findings of `renga image --inspect`, for people and for programs.
//!
//! Invariant: both are made of one [`CardReport`]; checksums are SHA-256 sums of 64 hexadecimal digits. Called by:
//! `image.rs`. Not here: the inspection (`renga_images::card`).

use renga_images::card::{CardFinding, Inspection};
use renga_images::partition_table::{TYPE_FAT32, TYPE_LINUX};
use serde::Serialize;
use std::path::Path;

/// Digits of a checksum that are enough for a person to compare.
const SHORT_DIGITS: usize = 12;

/// The content of a card, and its faults.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct CardReport {
    /// The form of this object: `renga-image-1`.
    schema: &'static str,
    /// The card or card image.
    path: String,
    /// Whether nothing is `wrong`; the command's status is 1 if something is.
    sound: bool,
    /// Its partitions, by number from 1 on.
    partitions: Vec<CardPartition>,
    /// The files of its first partition.
    files: Vec<CardFileReport>,
    /// The partitions from which the board can start.
    slots: Vec<CardStart>,
    /// The board that it is for; null without a whole `NODE.TXT`.
    node: Option<CardNode>,
    /// The file of the system with which it was compared; null if none here has the name of its system.
    compared_with: Option<String>,
    /// Faults, and facts that could not be checked.
    findings: Vec<CardFindingReport>,
}

/// A partition.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct CardPartition {
    /// `FAT32`, `Linux`, or the number of another type.
    kind: String,
    /// Its first byte.
    start_bytes: u64,
    /// Its length, bytes.
    len_bytes: u64,
}

/// A file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct CardFileReport {
    /// Its name.
    name: String,
    /// Its length, bytes.
    len_bytes: usize,
    /// Its checksum.
    sha256: String,
}

/// A partition from which the board can start.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct CardStart {
    /// Its number.
    partition: u8,
    /// Whether the board usually starts from it.
    usual: bool,
    /// The checksum of its kernel, padded to the room that it has; null without one.
    kernel_sha256: Option<String>,
    /// The system of its tables; null without one.
    system: Option<String>,
    /// Its fault; null if it is whole.
    fault: Option<String>,
}

/// The board that a card is for.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct CardNode {
    /// Its name.
    name: String,
    /// Its number.
    board: u8,
    /// `pi3`, `zero2w` or `pi4`.
    model: String,
    /// Its cluster's name.
    cluster: String,
    /// The system's name.
    system: String,
    /// The fingerprint of the system's placement, 16 hexadecimal digits.
    placement: String,
    /// The names of all boards, by number, separated by commas.
    boards: String,
    /// The link of its boards: `pins`, `pins4` or `spi`.
    link: String,
}

/// A finding.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct CardFindingReport {
    /// Whether the card is wrong there; otherwise that could not be checked.
    wrong: bool,
    /// What was found.
    what: String,
}

impl CardReport {
    pub(super) fn of(path: &Path, found: &Inspection) -> CardReport {
        let finding = |finding: &CardFinding| {
            let (wrong, what) = match finding {
                CardFinding::Fault(what) => (true, what),
                CardFinding::Unchecked(what) => (false, what),
            };
            CardFindingReport { wrong, what: what.clone() }
        };
        let node = found.node().map(|node| CardNode {
            name: node.name.to_string(),
            board: node.board,
            model: node.model.to_string(),
            cluster: node.cluster.to_string(),
            system: node.system.to_string(),
            placement: format!("{:016x}", node.placement),
            boards: node.boards.to_string(),
            link: node.link.to_string(),
        });
        let (partitions, files, slots) = parts(found);
        CardReport {
            schema: "renga-image-1",
            path: path.display().to_string(),
            sound: found.is_sound(),
            partitions,
            files,
            slots,
            node,
            compared_with: found.compared_with.clone(),
            findings: found.findings.iter().map(finding).collect(),
        }
    }

    /// The same as text.
    pub(super) fn print(&self) {
        println!("{}", self.path);
        for (number, CardPartition { kind, start_bytes, len_bytes }) in self.partitions.iter().enumerate() {
            println!("partition {}  {kind}, {} MiB from {} MiB", number + 1, len_bytes >> 20, start_bytes >> 20);
        }
        for CardFileReport { name, len_bytes, sha256 } in &self.files {
            println!("{sha256}  {len_bytes:>8}  {name}");
        }
        for CardStart { partition, usual, kernel_sha256, fault, .. } in &self.slots {
            let kernel = kernel_sha256.as_ref().map(|kernel| format!("kernel {}...", &kernel[..SHORT_DIGITS]));
            let (kernel, state) = (kernel.as_deref().unwrap_or("no kernel"), fault.as_deref().unwrap_or("whole"));
            println!("start from partition {partition}{}: {kernel}, {state}", if *usual { ", the usual" } else { "" });
        }
        if let Some(CardNode { name, board, model, cluster, system, placement, boards, link }) = &self.node {
            println!("board {name} ({board}, a {model}) of cluster {cluster}");
            println!("system {system} ({placement}), boards {boards}, link {link}");
        }
        if let Some(file) = &self.compared_with {
            println!("compared with {file}");
        }
        for CardFindingReport { wrong, what } in &self.findings {
            println!("{}: {what}", if *wrong { "WRONG" } else { "not checked" });
        }
        println!("{}", if self.sound { "sound" } else { "not sound" });
    }
}

fn parts(found: &Inspection) -> (Vec<CardPartition>, Vec<CardFileReport>, Vec<CardStart>) {
    let partitions = found.partitions.iter().map(|partition| CardPartition {
        kind: match partition.kind {
            TYPE_FAT32 => "FAT32".to_string(),
            TYPE_LINUX => "Linux".to_string(),
            other => format!("type {other:#04x}"),
        },
        start_bytes: partition.extent.start_bytes,
        len_bytes: partition.extent.len_bytes,
    });
    let files = found.files.iter().map(|file| CardFileReport {
        name: file.name.clone(),
        len_bytes: file.len_bytes,
        sha256: file.sum.to_string(),
    });
    let slots = found.slots.iter().map(|slot| CardStart {
        partition: slot.partition,
        usual: slot.usual,
        kernel_sha256: slot.kernel.map(|kernel| kernel.to_string()),
        system: slot.system.clone(),
        fault: slot.fault.clone(),
    });
    (partitions.collect(), files.collect(), slots.collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn card_schema_file_is_that_of_its_type() {
        renga_schema::expect_file::<super::CardReport>("image");
    }
}
