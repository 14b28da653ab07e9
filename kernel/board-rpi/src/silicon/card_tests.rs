//! The card's driver on a card that takes its time, does not start, or damages what it transfers.

use super::card::{SECTORS, card};
use renga_hal::block::{Block, BlockError, SECTOR_BYTES};

#[test]
fn sd_card_slow_start_succeeds() {
    let (card, slot) = card(|_| ());
    assert_eq!(card.expect("it starts").blocks(), SECTORS as u64);
    assert_eq!(slot.borrow().lost_writes, 0, "writes that came too soon");
    assert!(slot.borrow().card_hz() > 20_000_000, "{} Hz", slot.borrow().card_hz());
}

#[test]
fn sd_card_failed_start_is_repeated() {
    assert!(card(|slot| slot.dead_starts = 2).0.is_ok());
    assert_eq!(card(|slot| slot.dead_starts = 9).0.err(), Some(BlockError::Timeout));
}

#[test]
fn sd_card_sectors_roundtrip() {
    let (card, slot) = card(|_| ());
    let mut card = card.expect("it starts");
    let mut page = [0; 8 * SECTOR_BYTES];
    card.read(16, &mut page).expect("it reads");
    assert_eq!(page, slot.borrow().medium[16 * SECTOR_BYTES..24 * SECTOR_BYTES]);
    page.reverse();
    card.write(40, &page).expect("it writes");
    card.write(7, &page[..SECTOR_BYTES]).expect("it writes one");
    assert_eq!(page, slot.borrow().medium[40 * SECTOR_BYTES..48 * SECTOR_BYTES]);
    assert_eq!(slot.borrow().lost_writes, 0);
}

#[test]
fn sd_card_damaged_transfer_is_repeated_without_residue() {
    let (card, slot) = card(|_| ());
    let mut card = card.expect("it starts");
    let mut page = [0; 2 * SECTOR_BYTES];
    slot.borrow_mut().damaged = 2;
    card.read(3, &mut page).expect("the third time it is whole");
    assert_eq!(page, slot.borrow().medium[3 * SECTOR_BYTES..5 * SECTOR_BYTES]);
    slot.borrow_mut().damaged = 3;
    assert_eq!(card.read(3, &mut page), Err(BlockError::Failed));
    slot.borrow_mut().damaged = 0;
    card.read(3, &mut page).expect("the error does not stay");
}

#[test]
fn sd_card_programming_error_is_repeated_or_reported() {
    let (card, slot) = card(|_| ());
    let mut card = card.expect("it starts");
    slot.borrow_mut().unprogrammed = 2;
    card.write(3, &[7; 2 * SECTOR_BYTES]).expect("the third time it is programmed");
    slot.borrow_mut().unprogrammed = 3;
    assert_eq!(card.write(3, &[7; 2 * SECTOR_BYTES]), Err(BlockError::Failed));
    assert_eq!(slot.borrow().unprogrammed, 0);
}
