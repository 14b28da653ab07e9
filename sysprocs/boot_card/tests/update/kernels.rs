//! Kernels that differ by their bytes, as files of a card and as sources of updates.

use crate::card::{Card, KERNEL_SECTORS, TABLES_SECTORS};
use crc::{CRC_32_ISCSI, Crc};
use renga_boot_card::{BootSlot, NoSlot, NoUpdate, RECORD_BYTES, Record, UpdateSource, chosen};
use renga_hal::block::{Block, SECTOR_BYTES};

/// Bytes of kernel and tables behind which the files are filled up.
pub const LENGTHS: [usize; 2] = [KERNEL_SECTORS * SECTOR_BYTES - 700, TABLES_SECTORS * SECTOR_BYTES - 5];

/// What a partition has of the kernel whose bytes are all `byte`: kernel, tables, record.
pub fn files(byte: u8) -> [Vec<u8>; 3] {
    let filled = |sectors: usize, len: usize, byte: u8| {
        let mut bytes = vec![byte; len];
        bytes.resize(sectors * SECTOR_BYTES, 0);
        bytes
    };
    let kernel = filled(KERNEL_SECTORS, LENGTHS[0], byte);
    let tables = filled(TABLES_SECTORS, LENGTHS[1], byte ^ 0xff);
    let sum = |bytes: &[u8]| Crc::<u32>::new(&CRC_32_ISCSI).checksum(bytes);
    let record = Record {
        kernel_sectors: KERNEL_SECTORS as u32,
        tables_sectors: TABLES_SECTORS as u32,
        kernel_sum: sum(&kernel),
        tables_sum: sum(&tables),
    };
    let digits = format!("{byte:02x}").repeat(32);
    let record = format!("{record}{digits}  kernel8.img\n{digits}  SYSTEM.BIN\n");
    assert_eq!(record.len(), RECORD_BYTES);
    [kernel, tables, record.into_bytes()]
}

/// The same as a file for an update.
pub fn update(byte: u8) -> Vec<u8> {
    let [kernel, tables, mut update] = files(byte);
    LENGTHS.iter().for_each(|len| update.extend((*len as u32).to_le_bytes()));
    update.resize(SECTOR_BYTES, 0);
    update.extend(&kernel[..LENGTHS[0]]);
    update.extend(&tables[..LENGTHS[1]]);
    update
}

/// A file in memory.
pub struct Bytes(pub Vec<u8>);

impl UpdateSource for Bytes {
    fn read(&mut self, offset: u64, out: &mut [u8]) -> Result<(), NoUpdate> {
        let from = self.0.get(offset as usize..).ok_or(NoUpdate::Source)?;
        let count = from.len().min(out.len());
        out[..count].copy_from_slice(&from[..count]);
        out[count..].fill(0);
        Ok(())
    }
}

/// Which kernel the board starts by itself, as the firmware does it: whole, or not at all.
pub fn started(card: &mut Card) -> Result<u8, NoSlot> {
    let partition = chosen(card).expect("the card always says from where it starts");
    of_partition(card, partition)
}

/// Which kernel a partition has.
pub fn of_partition(card: &mut Card, partition: u8) -> Result<u8, NoSlot> {
    let slot = BootSlot::open(card, partition)?;
    slot.check(card)?;
    let mut sector = [0; SECTOR_BYTES];
    card.read(slot.kernel.first_sector, &mut sector).expect("it was just read");
    Ok(sector[0])
}
