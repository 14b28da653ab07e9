//! Starts are counted, whenever the power is cut.

use crate::card::{Card, MADE_S};
use crate::kernels::files;
use renga_boot_card::{NoFile, STARTS_FILE, StartCount, count, find};
use renga_hal::block::{Block, SECTOR_BYTES};

fn card() -> Card {
    Card::new([&files(1), &files(2)])
}

#[test]
fn starts_each_has_next_number_and_later_time() {
    let mut card = card();
    for starts in 1..=5 {
        assert_eq!(count(&mut card, 0), Ok(StartCount { starts, time_s: MADE_S }));
    }
    assert_eq!(count(&mut card, MADE_S + 9), Ok(StartCount { starts: 6, time_s: MADE_S + 9 }));
    assert_eq!(count(&mut card, MADE_S + 3), Ok(StartCount { starts: 7, time_s: MADE_S + 9 }));
}

#[test]
fn starts_power_cut_repeats_no_number() {
    let mut card = card();
    for starts in 1..=6 {
        for torn_bytes in [0, 1, 10, 18, 511] {
            let mut cut = card.cut_at(0, torn_bytes);
            assert!(count(&mut cut, 0).is_err());
            let again = count(&mut cut.powered(), 0).map(|count| count.starts);
            assert!(again == Ok(starts) || again == Ok(starts + 1), "{starts}, {torn_bytes}: {again:?}");
        }
        assert_eq!(count(&mut card, 0).map(|count| count.starts), Ok(starts));
    }
}

#[test]
fn starts_damaged_sector_is_ignored() {
    let mut card = card();
    for starts in 1..=4 {
        assert_eq!(count(&mut card, 0).map(|count| count.starts), Ok(starts));
    }
    let extent = find(&mut card, 1, STARTS_FILE).expect("it is there");
    for place in 0..2 {
        let mut damaged = card.clone();
        let mut sector = [0; SECTOR_BYTES];
        damaged.read(extent.first_sector + place, &mut sector).expect("it can be read");
        let newest = sector[8] == 4;
        sector[10] = 9; // of the number of starts
        damaged.write(extent.first_sector + place, &sector).expect("it can be written");
        // Of the other one, which is older if the newest is damaged.
        assert_eq!(count(&mut damaged, 0).map(|count| count.starts), Ok(if newest { 4 } else { 5 }));
    }
}

#[test]
fn starts_damaged_file_counts_none() {
    let mut card = card();
    let extent = find(&mut card, 1, STARTS_FILE).expect("it is there");
    card.write(extent.first_sector, &[0xff; 2 * SECTOR_BYTES]).expect("it can be written");
    assert_eq!(count(&mut card, 0), Err(NoFile::Scattered));
}
