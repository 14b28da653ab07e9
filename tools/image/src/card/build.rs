//! A card image, put together.

use super::cluster::CardCluster;
use super::{contents, fat, firmware};
use crate::artifacts::{self, KernelFlavour};
use crate::disk_image::DiskChoice;
use crate::disk_image::partition::{copy_nonzero, find};
use crate::partition_table::{self, PartitionEntry, PartitionExtent, SECTOR_BYTES, TYPE_FAT32, TYPE_LINUX};
use anyhow::{Context, Result};
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The first partition: behind 1 MiB, as every partitioning program does.
pub(super) const BOOT: PartitionExtent = PartitionExtent { start_bytes: 1 << 20, len_bytes: 39 << 20 };
/// The second, which the board can start from as well. Both are little more than the least of FAT32.
pub(super) const OTHER: PartitionExtent = PartitionExtent { start_bytes: 40 << 20, len_bytes: 40 << 20 };

/// A card image that was made.
#[derive(Clone, Debug)]
pub struct Card {
    /// The board's number.
    pub board: usize,
    /// Where it is.
    pub path: PathBuf,
}

/// What a card image is called.
pub fn card_file_name(cluster: &CardCluster, board: usize) -> String {
    format!("{}-{}-{}.img", cluster.name, cluster.board_name(board), cluster.models[board])
}

/// Makes the card image of every board of `cluster` in the folder `out`, with the disk that is chosen.
///
/// # Errors
/// If something cannot be built, fetched or written.
pub fn build_cards(
    environment: &Environment,
    cluster: &CardCluster,
    choice: &DiskChoice,
    out: &Path,
    progress: &ProgressLine,
) -> Result<Vec<Card>> {
    let kernel = artifacts::kernel(environment, KernelFlavour::Plain, progress)?;
    let firmware = firmware::fetch(environment, progress)?;
    let disk = artifacts::disk(environment, choice, None, progress)?;
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let mut cards = Vec::new();
    for board in 0..cluster.models.len() {
        progress.step(&format!("making the card of board {}", cluster.board_name(board)));
        let files = contents::files(cluster, board, &kernel.image, &firmware)?;
        let path = out.join(card_file_name(cluster, board));
        // Under another name until it is whole.
        let partial = path.with_extension("partial");
        let identity = identity(cluster, board);
        let disk = cluster.owns_disk(board).then_some(disk.as_path());
        write_card(&files, identity, disk, &partial).with_context(|| format!("cannot make {}", path.display()))?;
        fs::rename(&partial, &path).with_context(|| format!("cannot write {}", path.display()))?;
        cards.push(Card { board, path });
    }
    Ok(cards)
}

/// The number by which a host knows this card from others: the same for the same board of the same cluster.
fn identity(cluster: &CardCluster, board: usize) -> u32 {
    let sum = super::sha256(format!("{} {}", cluster.name, cluster.board_name(board)).as_bytes()).to_string();
    u32::from_str_radix(&sum[..8], 16).unwrap_or(1)
}

/// Writes an image with these files, and the file system of the image `disk` if there is one.
///
/// # Errors
/// If the files do not fit, or the image cannot be written.
pub fn write_card(files: &[fat::CardFile], identity: u32, disk: Option<&Path>, path: &Path) -> Result<()> {
    let volume = |extent: PartitionExtent, files: &[fat::CardFile], identity: u32| {
        fat::make(files, extent.len_bytes as usize, (extent.start_bytes / SECTOR_BYTES) as u32, identity)
    };
    let volumes = [volume(BOOT, files, identity)?, volume(OTHER, &contents::of_other(files), !identity)?];
    let mut partitions = [BOOT, OTHER].map(|extent| PartitionEntry { kind: TYPE_FAT32, extent }).to_vec();
    let disk = disk.map(|disk| Ok::<_, anyhow::Error>((File::open(disk)?, find(disk)?))).transpose()?;
    if let Some((_, extent)) = &disk {
        let extent = PartitionExtent { start_bytes: OTHER.end_bytes(), len_bytes: extent.len_bytes };
        partitions.push(PartitionEntry { kind: TYPE_LINUX, extent });
    }
    let end_bytes = partitions.last().map_or(0, |last| last.extent.end_bytes());
    let mut card = File::create(path)?;
    card.set_len(end_bytes.next_power_of_two())?;
    card.write_all(&partition_table::write(&partitions, identity))?;
    for (extent, volume) in [BOOT, OTHER].iter().zip(&volumes) {
        write_nonzero(&mut card, extent.start_bytes, volume)?;
    }
    if let Some((mut from, extent)) = disk {
        from.seek(SeekFrom::Start(extent.start_bytes))?;
        copy_nonzero(&mut from, &mut card, OTHER.end_bytes(), extent.len_bytes)?;
    }
    Ok(())
}

/// Writes `bytes` at `start_bytes` of a file that is zero there.
fn write_nonzero(file: &mut File, start_bytes: u64, bytes: &[u8]) -> std::io::Result<()> {
    const CHUNK_BYTES: usize = 4096;
    for (number, chunk) in bytes.chunks(CHUNK_BYTES).enumerate() {
        if chunk.iter().any(|byte| *byte != 0) {
            file.seek(SeekFrom::Start(start_bytes + (number * CHUNK_BYTES) as u64))?;
            file.write_all(chunk)?;
        }
    }
    Ok(())
}
