//! The FAT32 volume of a card: made, and read again.
//!
//! Invariant: the same files give the same bytes; every time in it is that of all images, the volume's number is given.

use anyhow::{Context, Result, bail};
use fatfs::{
    Date, DateTime, FatType, FileSystem, FormatVolumeOptions, FsOptions, ReadWriteSeek, Time, TimeProvider,
    format_volume,
};
use std::io::{Cursor, Read, Write};

/// One sector: so small a volume would not be FAT32 otherwise.
const CLUSTER_BYTES: u32 = 512;
const LABEL: [u8; 11] = *b"RENGA      ";
/// Where a boot sector has the number of sectors before its volume, and where its copy is.
const HIDDEN_SECTORS_AT: usize = 28;
const BOOT_SECTOR_COPY_AT: usize = 6 * 512;
/// Files of one card at most.
const FILES_MAX: usize = 1024;

/// A file of the volume's root folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardFile {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// The time of everything: 1 January 2026, 00:00.
#[derive(Debug)]
struct FixedTime;

static FIXED_TIME: FixedTime = FixedTime;

impl TimeProvider for FixedTime {
    fn get_current_date(&self) -> Date {
        Date { year: 2026, month: 1, day: 1 }
    }
    fn get_current_date_time(&self) -> DateTime {
        DateTime { date: self.get_current_date(), time: Time { hour: 0, min: 0, sec: 0, millis: 0 } }
    }
}

/// The bytes of a volume of `len_bytes` with these files, which will lie behind `hidden_sectors` sectors of its card.
///
/// # Errors
/// If they do not fit.
pub fn make(files: &[CardFile], len_bytes: usize, hidden_sectors: u32, identity: u32) -> Result<Vec<u8>> {
    let mut volume = vec![0; len_bytes];
    let options = FormatVolumeOptions::new().fat_type(FatType::Fat32).bytes_per_cluster(CLUSTER_BYTES);
    let options = options.volume_id(identity).volume_label(LABEL);
    format_volume(Cursor::new(&mut volume), options).context("the card's first partition cannot be formatted")?;
    for boot_sector in [0, BOOT_SECTOR_COPY_AT] {
        let at = boot_sector + HIDDEN_SECTORS_AT;
        volume[at..at + 4].copy_from_slice(&hidden_sectors.to_le_bytes());
    }
    let system = open(Cursor::new(&mut volume))?;
    for file in files {
        let mut out =
            system.root_dir().create_file(&file.name).with_context(|| format!("no room for {}", file.name))?;
        out.write_all(&file.bytes).with_context(|| format!("no room for {}", file.name))?;
    }
    system.unmount().context("the card's first partition cannot be finished")?;
    Ok(volume)
}

/// The files of a volume's root folder, in their order.
///
/// # Errors
/// If it is not a FAT volume, or a file cannot be read.
pub fn read(volume: &mut [u8]) -> Result<Vec<CardFile>> {
    let system = open(Cursor::new(volume))?;
    if system.fat_type() != FatType::Fat32 {
        bail!("it is not FAT32");
    }
    let mut files = Vec::new();
    for entry in system.root_dir().iter().take(FILES_MAX) {
        let entry = entry.context("its root folder cannot be read")?;
        if !entry.is_file() {
            continue;
        }
        let name = entry.file_name();
        let mut bytes = Vec::new();
        entry.to_file().read_to_end(&mut bytes).with_context(|| format!("{name} cannot be read"))?;
        if bytes.len() as u64 != entry.len() {
            bail!("{name} ends after {} of {} bytes", bytes.len(), entry.len());
        }
        files.push(CardFile { name, bytes });
    }
    Ok(files)
}

fn open<D: ReadWriteSeek>(volume: D) -> Result<FileSystem<D>> {
    FileSystem::new(volume, FsOptions::new().time_provider(&FIXED_TIME).update_accessed_date(false))
        .context("it is not a FAT volume")
}
