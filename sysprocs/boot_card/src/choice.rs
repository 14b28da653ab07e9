//! Which partition a board usually starts from: the one digit of `AUTOBOOT.TXT` that the firmware reads.
//!
//! Invariant: both texts are equal but for that digit, so a sector of which only a part was written is one of the two.

use crate::volume::{NoFile, find};
use crate::{PARTITIONS, other};
use renga_hal::block::{Block, SECTOR_BYTES};

/// Its name, in the first partition. The firmware takes 512 bytes of it at most.
pub const CHOICE_FILE: &str = "AUTOBOOT.TXT";
const FIRST: &str = "\
[all]
boot_partition=1
# The partition that this board usually starts from, 1 or 2. renga-update changes the digit.
# No real board has read this file yet.
";
const SECOND: &str = "\
[all]
boot_partition=2
# The partition that this board usually starts from, 1 or 2. renga-update changes the digit.
# No real board has read this file yet.
";
const _: () = assert!(FIRST.len() == SECOND.len() && FIRST.len() <= SECTOR_BYTES);

/// The file that says `partition`.
pub fn text_of(partition: u8) -> &'static str {
    if partition == PARTITIONS[1] { SECOND } else { FIRST }
}

/// The partition that the board usually starts from.
///
/// # Errors
/// If the card does not say so, in one of our texts.
pub fn chosen<D: Block + ?Sized>(card: &mut D) -> Result<u8, NoFile> {
    let extent = find(card, PARTITIONS[0], CHOICE_FILE)?;
    let mut sector = [0; SECTOR_BYTES];
    card.read(extent.first_sector, &mut sector).map_err(NoFile::Unreadable)?;
    let says = |partition: &u8| sector.starts_with(text_of(*partition).as_bytes());
    PARTITIONS.into_iter().find(says).ok_or(NoFile::Scattered)
}

/// The sector that says so, and what it says if it names `partition`: writing it is the choice.
///
/// # Errors
/// If there is no such file on the card.
pub fn choice_of<D: Block + ?Sized>(card: &mut D, partition: u8) -> Result<(u64, [u8; SECTOR_BYTES]), NoFile> {
    let extent = find(card, PARTITIONS[0], CHOICE_FILE)?;
    let mut sector = [0; SECTOR_BYTES];
    let text = text_of(partition).as_bytes();
    sector[..text.len()].copy_from_slice(text);
    Ok((extent.first_sector, sector))
}

/// Makes `partition` the one that the board usually starts from, by writing one sector.
///
/// # Errors
/// If the card names another partition than before, or cannot be written.
pub fn choose<D: Block + ?Sized>(card: &mut D, partition: u8) -> Result<(), NoFile> {
    if chosen(card)? != other(partition) {
        return Ok(());
    }
    let (at, sector) = choice_of(card, partition)?;
    card.write(at, &sector).map_err(NoFile::Unreadable)
}
