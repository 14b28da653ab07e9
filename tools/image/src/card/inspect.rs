//! Inspection of a card, or an image of one: what is on it, and what is wrong with that.

use super::cluster::CardCluster;
use super::contents::FILES_LIST;
use super::expected::Expected;
use super::slots::{self, SlotFound, WRITTEN};
use super::{Checksum, fat, fat::CardFile, sha256};
use crate::disk_image::partition::copy_out;
use crate::disk_image::{FsckVerdict, fsck_filesystem};
use crate::partition_table::{self, PartitionEntry, PartitionExtent, SECTOR_BYTES, TYPE_FAT32, TYPE_LINUX};
use anyhow::{Context, Result, bail};
use renga_boot_card::{NODE_FILE, NodeFile};
use renga_boot_card::{PARTITIONS, TABLES_FILE};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// A boot partition is read as a whole; larger ones are none of ours.
const BOOT_BYTES_MAX: u64 = 1 << 30;

/// Something that a person should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardFinding {
    /// The card is not as it should be.
    Fault(String),
    /// Something could not be checked.
    Unchecked(String),
}

/// A file of the boot partition.
#[derive(Clone, Debug)]
pub struct BootFile {
    /// Its name.
    pub name: String,
    /// Its length.
    pub len_bytes: usize,
    /// Its sum.
    pub sum: Checksum,
}

/// What was found.
#[derive(Default)]
pub struct Inspection {
    /// The partitions.
    pub partitions: Vec<PartitionEntry>,
    /// The files of the boot partition.
    pub files: Vec<BootFile>,
    /// The partitions from which the board can start, and their kernels.
    pub slots: Vec<SlotFound>,
    /// `NODE.TXT`, if it is whole.
    pub node_file: Option<String>,
    /// The file of the system with which it was compared.
    pub compared_with: Option<String>,
    /// What is wrong.
    pub findings: Vec<CardFinding>,
}

impl Inspection {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        !self.findings.iter().any(|finding| matches!(finding, CardFinding::Fault(_)))
    }

    /// Who the board is, by `NODE.TXT`.
    pub fn node(&self) -> Option<NodeFile<'_>> {
        NodeFile::parse(self.node_file.as_deref()?.as_bytes()).ok()
    }

    fn fault(&mut self, what: impl Into<String>) {
        self.findings.push(CardFinding::Fault(what.into()));
    }
}

/// Inspects the card or image at `path`, which is only read. `expected` says with what the card of a node is compared;
/// `scratch` is a folder for a copy of the second partition.
///
/// # Errors
/// If it cannot be read at all; what is wrong with a card that can be is among its findings.
pub fn inspect<'a>(
    path: &Path,
    scratch: &Path,
    expected: impl FnOnce(Option<&NodeFile<'_>>) -> Result<Expected<'a>>,
) -> Result<Inspection> {
    let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut found = Inspection::default();
    let card_bytes = file.seek(SeekFrom::End(0)).with_context(|| format!("cannot read {}", path.display()))?;
    file.rewind()?;
    let mut sector = [0; SECTOR_BYTES as usize];
    file.read_exact(&mut sector).with_context(|| format!("{} has no first sector", path.display()))?;
    let Some(partitions) = partition_table::read(&sector) else {
        found.fault("there is no master boot record: this is no card of ours, or its writing was broken off");
        return Ok(found);
    };
    found.partitions = partitions;
    let boot = boot_partition(&found.partitions, PARTITIONS[0], card_bytes);
    match boot.and_then(|extent| read_boot(&mut file, extent)) {
        Ok(files) => {
            check_files(&mut found, &files);
            let other = boot_partition(&found.partitions, PARTITIONS[1], card_bytes);
            check_slots(&mut found, &files, other.and_then(|extent| read_boot(&mut file, extent)));
        }
        Err(fault) => found.fault(format!("the boot partition: {fault:#}")),
    }
    let text = found.node_file.clone();
    let node = text.as_deref().and_then(|text| NodeFile::parse(text.as_bytes()).ok());
    let expected = expected(node.as_ref())?;
    if let Some(node) = &node {
        compare(&mut found, node, &expected);
    }
    check_disk(&mut found, path, card_bytes, scratch, node.as_ref(), &expected)?;
    Ok(found)
}

fn boot_partition(partitions: &[PartitionEntry], number: u8, card_bytes: u64) -> Result<PartitionExtent> {
    let partition = partitions.get(usize::from(number - 1));
    let Some(boot) = partition.filter(|partition| partition.kind == TYPE_FAT32) else {
        bail!("partition {number} is not FAT32");
    };
    if boot.extent.end_bytes() > card_bytes || boot.extent.len_bytes > BOOT_BYTES_MAX {
        bail!("it does not lie within the card");
    }
    Ok(boot.extent)
}

fn read_boot(file: &mut File, extent: PartitionExtent) -> Result<Vec<CardFile>> {
    let mut volume = vec![0; extent.len_bytes as usize];
    file.seek(SeekFrom::Start(extent.start_bytes))?;
    file.read_exact(&mut volume).context("it cannot be read")?;
    fat::read(&mut volume)
}

/// The files of a partition from which a board can start, of a card or an image of one.
///
/// # Errors
/// If there is no such partition, or it cannot be read.
pub(super) fn read_boot_files(path: &Path, partition: u8) -> Result<Vec<CardFile>> {
    let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let card_bytes = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut sector = [0; SECTOR_BYTES as usize];
    file.read_exact(&mut sector).context("it has no first sector")?;
    let partitions = partition_table::read(&sector).context("it has no master boot record")?;
    let boot = boot_partition(&partitions, partition, card_bytes)?;
    read_boot(&mut file, boot)
}

/// Inspects both kernels: that of `files`, and that of the other partition.
fn check_slots(found: &mut Inspection, files: &[CardFile], other: Result<Vec<CardFile>>) {
    let usual = slots::usual(files);
    if usual.is_none() {
        found.fault(format!("{} does not say from which partition the board starts", renga_boot_card::CHOICE_FILE));
    }
    found.slots.push(slots::inspect(PARTITIONS[0], usual == Some(PARTITIONS[0]), files));
    match other {
        Ok(files) => {
            found.slots.push(slots::inspect(PARTITIONS[1], usual == Some(PARTITIONS[1]), &files));
            for fault in list_faults(&files) {
                found.fault(format!("partition {}: {fault}", PARTITIONS[1]));
            }
        }
        Err(fault) => found.fault(format!("the other boot partition: {fault:#}")),
    }
    let card_system = found.node().map(|node| node.system.to_string());
    for slot in found.slots.clone() {
        let which = if slot.usual { "from which the board starts" } else { "which waits for the next update" };
        if let Some(fault) = slot.fault.clone().or_else(|| foreign(&slot, card_system.as_deref())) {
            found.fault(format!("partition {}, {which}: {fault}", slot.partition));
        }
    }
}

/// What is wrong with the tables beside a kernel that is whole: the board would take itself for one of their system.
fn foreign(slot: &SlotFound, card_system: Option<&str>) -> Option<String> {
    let Some(system) = &slot.system else { return Some(format!("{TABLES_FILE} has no tables of this form")) };
    let other = card_system.filter(|card_system| card_system != system)?;
    Some(format!("its tables are of system `{system}`, but {NODE_FILE} is of `{other}`"))
}

/// Compares files with the list that is among them, and takes `NODE.TXT`.
fn check_files(found: &mut Inspection, files: &[CardFile]) {
    found.files = files.iter().map(listed).collect();
    let content = |name: &str| files.iter().find(|file| file.name == name).map(|file| file.bytes.as_slice());
    list_faults(files).into_iter().for_each(|fault| found.fault(fault));
    match content(NODE_FILE).map(|bytes| (NodeFile::parse(bytes), bytes)) {
        Some((Ok(_), bytes)) => found.node_file = Some(String::from_utf8_lossy(bytes).into_owned()),
        Some((Err(fault), _)) => found.fault(format!("{NODE_FILE}: {fault}")),
        None => found.fault(format!("{NODE_FILE} is missing: the board would not know who it is")),
    }
}

fn listed(file: &CardFile) -> BootFile {
    BootFile { name: file.name.clone(), len_bytes: file.bytes.len(), sum: sha256(&file.bytes) }
}

/// How the files of a partition differ from the list that is among them.
fn list_faults(files: &[CardFile]) -> Vec<String> {
    let Some(list) = files.iter().find(|file| file.name == FILES_LIST) else {
        return vec![format!("{FILES_LIST} is missing: no file can be checked")];
    };
    let list = String::from_utf8_lossy(&list.bytes);
    let sums: Vec<(&str, &str)> = list.lines().filter_map(|line| line.split_once("  ")).collect();
    let files: Vec<BootFile> = files.iter().map(listed).collect();
    let mut faults = Vec::new();
    for (sum, name) in &sums {
        match files.iter().find(|file| file.name == *name) {
            None => faults.push(format!("{name} is missing")),
            Some(file) if file.sum.to_string() != *sum => faults.push(format!(
                "{name} is damaged or was changed: its sum is {}..., not {}...",
                file.sum.short(),
                sum.get(..12).unwrap_or(sum)
            )),
            Some(_) => {}
        }
    }
    let written = |name: &str| name == FILES_LIST || WRITTEN.contains(&name);
    let known = |file: &&BootFile| written(&file.name) || sums.iter().any(|(_, name)| *name == file.name);
    let more: Vec<&str> = files.iter().filter(|file| !known(file)).map(|file| file.name.as_str()).collect();
    if !more.is_empty() {
        faults.push(format!("not of this card: {}", more.join(", ")));
    }
    faults
}

/// Compares a node with what it should be.
fn compare(found: &mut Inspection, node: &NodeFile<'_>, expected: &Expected<'_>) {
    if let Some(cluster) = expected.cluster {
        compare_cluster(found, node, cluster);
    }
    found.compared_with = expected.system.as_ref().map(|system| system.file.clone());
    match &expected.system {
        Some(system) if system.placement != node.placement => {
            let (name, now, file) = (node.system, system.placement, &system.file);
            found.fault(format!(
                "made for another placement of `{name}` ({:016x}; that of {file} is {now:016x}): make the cards again, \
                 or say of which cluster it is (--cluster FILE)",
                node.placement
            ));
        }
        Some(_) => {}
        None => found.findings.push(CardFinding::Unchecked(format!(
            "its placement: no system `{}` comes with Renga; --cluster FILE says which it is",
            node.system
        ))),
    }
    let kernel = found.slots.iter().find(|slot| slot.usual).and_then(|slot| slot.kernel);
    match (kernel, expected.kernel) {
        // Said already.
        (None, _) => {}
        (Some(kernel), Some(now)) if kernel != now => {
            found.fault(format!("an old kernel: {}..., the sources give {}... now", kernel.short(), now.short()));
        }
        (Some(_), Some(_)) => {}
        (Some(_), None) => {
            let why =
                "whether the kernel is that of the sources as they are: it is not built (./renga image builds it)";
            found.findings.push(CardFinding::Unchecked(why.to_string()));
        }
    }
}

fn compare_cluster(found: &mut Inspection, node: &NodeFile<'_>, cluster: &CardCluster) {
    if node.cluster != cluster.name {
        found.fault(format!("a card of another cluster: `{}`, not `{}`", node.cluster, cluster.name));
        return;
    }
    let system = cluster.system.name();
    if node.system != system {
        found
            .fault(format!("a card of system `{}`, but cluster `{}` has system `{system}`", node.system, cluster.name));
        return;
    }
    let number = usize::from(node.board);
    let Some(model) = cluster.models.get(number).filter(|_| cluster.board_name(number) == node.name) else {
        found.fault(format!("cluster `{}` has no board {} called {}", cluster.name, node.board, node.name));
        return;
    };
    if *model != node.model {
        found.fault(format!("made for a {}, but board {} is a {model}", node.model, node.name));
    }
    if cluster.link != node.link {
        found.fault(format!("made for the link `{}`, but the cluster's is `{}`", node.link, cluster.link));
    }
}

/// The second partition: there if the board owns the disk, and sound.
fn check_disk(
    found: &mut Inspection,
    path: &Path,
    card_bytes: u64,
    scratch: &Path,
    node: Option<&NodeFile<'_>>,
    expected: &Expected<'_>,
) -> Result<()> {
    // Another placement may have the disk elsewhere.
    let system = expected.system.as_ref().zip(node).filter(|(system, node)| system.placement == node.placement);
    let owns = system.map(|(system, node)| system.disk_board == Some(usize::from(node.board)));
    let Some(disk) = found.partitions.iter().find(|partition| partition.kind == TYPE_LINUX).copied() else {
        if owns == Some(true) {
            found.fault("this board owns the disk, but the card has no partition for it");
        }
        return Ok(());
    };
    if disk.extent.end_bytes() > card_bytes {
        found.fault("the disk's partition does not lie within the card");
        return Ok(());
    }
    let copy = scratch.join("disk-partition");
    copy_out(path, disk.extent, &copy)?;
    if let FsckVerdict::Damaged(report) = fsck_filesystem(&copy)? {
        found.fault(format!("the disk's file system is damaged (e2fsck -p repairs it):\n{report}"));
    }
    Ok(())
}
