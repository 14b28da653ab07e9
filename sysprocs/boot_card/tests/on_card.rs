//! The file is found on a card that another program has written, and on nothing else.

use fatfs::{FatType, FileSystem, FormatVolumeOptions, FsOptions, format_volume};
use renga_boot_card::{NODE_BYTES_MAX, NoNodeFile, read_node_file};
use renga_hal::block::{Block, BlockError, SECTOR_BYTES, check_range};
use std::io::{Cursor, Write};

const START: usize = 2048 * SECTOR_BYTES;
const VOLUME_BYTES: usize = 40 << 20;

struct Card(Vec<u8>);

impl Block for Card {
    fn blocks(&self) -> u64 {
        (self.0.len() / SECTOR_BYTES) as u64
    }
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        check_range(self.blocks(), sector, out.len())?;
        out.copy_from_slice(&self.0[sector as usize * SECTOR_BYTES..][..out.len()]);
        Ok(())
    }
    fn write(&mut self, _: u64, _: &[u8]) -> Result<(), BlockError> {
        Err(BlockError::Failed)
    }
}

/// A card whose root folder has `before` other files, with long names, before this one.
fn card(kind: FatType, before: usize, content: Option<&[u8]>) -> Card {
    let mut volume = vec![0; VOLUME_BYTES];
    let cluster = if kind == FatType::Fat32 { 512 } else { 2048 };
    let options = FormatVolumeOptions::new().fat_type(kind).bytes_per_cluster(cluster);
    format_volume(Cursor::new(&mut volume), options).expect("it can be formatted");
    let files = FileSystem::new(Cursor::new(&mut volume), FsOptions::new()).expect("it was just made");
    for number in 0..before {
        files.root_dir().create_file(&format!("a long name {number}.txt")).expect("there is room");
    }
    if let Some(content) = content {
        let mut file = files.root_dir().create_file("NODE.TXT").expect("there is room");
        file.write_all(content).expect("there is room");
        file.flush().expect("memory can be written");
    }
    drop(files);
    let mut bytes = vec![0; START];
    bytes[446 + 4] = 0x0c;
    bytes[446 + 8..446 + 12].copy_from_slice(&2048_u32.to_le_bytes());
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes.extend(volume);
    Card(bytes)
}

fn found(card: &mut Card) -> Result<Vec<u8>, NoNodeFile> {
    let mut out = [0; NODE_BYTES_MAX];
    read_node_file(card, &mut out).map(<[u8]>::to_vec)
}

#[test]
fn node_file_is_found_anywhere_in_root_folder() {
    // Sixty long names fill several clusters of the folder.
    for before in [0, 1, 60] {
        assert_eq!(found(&mut card(FatType::Fat32, before, Some(b"who I am"))), Ok(b"who I am".to_vec()), "{before}");
    }
    assert_eq!(found(&mut card(FatType::Fat32, 0, Some(&[7; NODE_BYTES_MAX]))), Ok(vec![7; NODE_BYTES_MAX]));
}

#[test]
fn node_file_unreadable_card_is_named() {
    assert_eq!(found(&mut card(FatType::Fat32, 3, None)), Err(NoNodeFile::Missing));
    assert_eq!(found(&mut card(FatType::Fat32, 0, Some(b""))), Err(NoNodeFile::Length));
    assert_eq!(found(&mut card(FatType::Fat32, 0, Some(&[1; 513]))), Err(NoNodeFile::Length));
    assert_eq!(found(&mut card(FatType::Fat16, 0, Some(b"who"))), Err(NoNodeFile::NotFat32));
    assert_eq!(found(&mut Card(vec![0; 1 << 20])), Err(NoNodeFile::NotFat32));
    let mut short = card(FatType::Fat32, 0, Some(b"who"));
    short.0.truncate(START);
    assert_eq!(found(&mut short), Err(NoNodeFile::Unreadable(BlockError::OutOfRange)));
}

#[test]
fn node_file_endless_folder_ends_search() {
    let mut card = card(FatType::Fat32, 0, None);
    let reserved = usize::from(u16::from_le_bytes([card.0[START + 14], card.0[START + 15]]));
    let entry = START + reserved * SECTOR_BYTES + 2 * 4;
    card.0[entry..entry + 4].copy_from_slice(&2_u32.to_le_bytes());
    assert_eq!(found(&mut card), Err(NoNodeFile::Missing));
}
