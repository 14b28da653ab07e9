//! A card with two FAT partitions, written by another program; its power can be cut.

use fatfs::{FatType, FileSystem, FormatVolumeOptions, FsOptions, format_volume};
use renga_boot_card::{CHOICE_FILE, KERNEL_FILE, RECORD_FILE, STARTS_FILE, TABLES_FILE, choice_text, first_starts};
use renga_hal::block::{Block, BlockError, SECTOR_BYTES, check_range};
use std::io::{Cursor, Seek, SeekFrom, Write};

/// Least of FAT32.
const VOLUME_BYTES: usize = 34 << 20;
const FIRST_BYTES: usize = 1 << 20;
/// A file that does not lie in one piece.
pub const PIECES: &str = "PIECES.BIN";
/// Sectors of the files.
pub const KERNEL_SECTORS: usize = 21;
pub const TABLES_SECTORS: usize = 3;
/// When the cards are created, s.
pub const MADE_S: u32 = 1_767_225_600;

/// A card: its original content, and the sectors written since.
#[derive(Clone)]
pub struct Card {
    base: std::rc::Rc<Vec<u8>>,
    written: std::collections::BTreeMap<u64, [u8; SECTOR_BYTES]>,
    /// Sectors that may still be written.
    power: usize,
    /// Bytes of the next one that arrive after that.
    torn_bytes: usize,
    /// Sectors written until now.
    pub writes: usize,
    /// The power is off.
    dead: bool,
}

impl Card {
    /// One on which both partitions have these files of kernel, tables and record.
    pub fn new(kernels: [&[Vec<u8>; 3]; 2]) -> Card {
        let mut bytes = vec![0; FIRST_BYTES];
        for (number, files) in kernels.into_iter().enumerate() {
            let start = (bytes.len() / SECTOR_BYTES) as u32;
            let entry = 446 + 16 * number;
            bytes[entry + 4] = 0x0c;
            bytes[entry + 8..entry + 12].copy_from_slice(&start.to_le_bytes());
            bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
            bytes.extend(volume(number == 0, files));
        }
        Card {
            base: bytes.into(),
            written: Default::default(),
            power: usize::MAX,
            torn_bytes: 0,
            writes: 0,
            dead: false,
        }
    }

    /// A copy whose power goes when so many sectors are written, and so many bytes of the next one.
    pub fn cut_at(&self, power: usize, torn_bytes: usize) -> Card {
        Card { power, torn_bytes, ..self.clone() }
    }

    /// The same card with power again.
    pub fn powered(mut self) -> Card {
        (self.power, self.torn_bytes, self.writes, self.dead) = (usize::MAX, 0, 0, false);
        self
    }

    fn sector(&self, number: u64) -> [u8; SECTOR_BYTES] {
        let old = || self.base[number as usize * SECTOR_BYTES..][..SECTOR_BYTES].try_into().expect("a sector");
        self.written.get(&number).copied().unwrap_or_else(old)
    }
}

fn volume(first: bool, files: &[Vec<u8>; 3]) -> Vec<u8> {
    let mut volume = vec![0; VOLUME_BYTES];
    let options = FormatVolumeOptions::new().fat_type(FatType::Fat32).bytes_per_cluster(512);
    format_volume(Cursor::new(&mut volume), options).expect("it can be formatted");
    let system = FileSystem::new(Cursor::new(&mut volume), FsOptions::new()).expect("it was just made");
    let put = |name: &str, bytes: &[u8]| {
        system.root_dir().create_file(name).expect("there is room").write_all(bytes).expect("there is room");
    };
    put("a long name before the others.txt", &[1; 3000]);
    put(PIECES, &[1; 512]);
    put("between.bin", &[2; 512]);
    let mut pieces = system.root_dir().open_file(PIECES).expect("it is there");
    pieces.seek(SeekFrom::End(0)).and_then(|_| pieces.write_all(&[1; 512])).expect("there is room");
    drop(pieces);
    if first {
        put(CHOICE_FILE, choice_text(1).as_bytes());
        put(STARTS_FILE, &first_starts(MADE_S));
    }
    for (name, bytes) in [KERNEL_FILE, TABLES_FILE, RECORD_FILE].into_iter().zip(files) {
        put(name, bytes);
    }
    system.unmount().expect("memory can be written");
    volume
}

impl Block for Card {
    fn blocks(&self) -> u64 {
        (self.base.len() / SECTOR_BYTES) as u64
    }
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        check_range(self.blocks(), sector, out.len())?;
        if self.dead {
            return Err(BlockError::NoMedium);
        }
        for (number, part) in out.chunks_mut(SECTOR_BYTES).enumerate() {
            part.copy_from_slice(&self.sector(sector + number as u64));
        }
        Ok(())
    }
    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        check_range(self.blocks(), sector, data.len())?;
        for (number, part) in data.chunks(SECTOR_BYTES).enumerate() {
            let number = sector + number as u64;
            if self.dead || self.power == 0 {
                let mut torn = self.sector(number);
                let bytes = std::mem::take(&mut self.torn_bytes);
                torn[..bytes].copy_from_slice(&part[..bytes]);
                self.written.insert(number, torn);
                self.dead = true;
                return Err(BlockError::NoMedium);
            }
            self.power -= 1;
            self.writes += 1;
            self.written.insert(number, part.try_into().expect("a sector"));
        }
        Ok(())
    }
}
