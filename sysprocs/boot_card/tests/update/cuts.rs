//! An update whose power is cut at each of its writes, behind a sector and within one.

use crate::card::{Card, KERNEL_SECTORS, PIECES, TABLES_SECTORS};
use crate::kernels::{Bytes, files, of_partition, started, update};
use renga_boot_card::{NoFile, NoSlot, NoUpdate, choose, chosen, find, start_sectors, write_update};

const OLD: u8 = 0x11;
const OLDER: u8 = 0x22;
const NEW: u8 = 0x33;
/// Bytes of a sector that arrive before its power goes.
const TORN_BYTES: [usize; 6] = [0, 1, 21, 30, 256, 511];
/// The record is spoilt, both files are written, the record is written, the choice is.
const WRITES: usize = 1 + KERNEL_SECTORS + TABLES_SECTORS + 1 + 1;

fn card() -> Card {
    Card::new([&files(OLD), &files(OLDER)])
}

/// All that an update does, from its first write to the one that makes the new kernel the usual one.
fn update_all(card: &mut Card, runs: u8) -> Result<(), NoUpdate> {
    let slot = write_update(card, &mut Bytes(update(NEW)), runs)?;
    choose(card, slot.partition)?;
    Ok(())
}

/// Holds: update-safe.
#[test]
fn update_writes_other_partition_and_keeps_old_kernel() {
    let mut card = card();
    assert_eq!((started(&mut card), of_partition(&mut card, 2)), (Ok(OLD), Ok(OLDER)));
    let slot = write_update(&mut card, &mut Bytes(update(NEW)), 1).expect("it can be written");
    // Until it is chosen, the board starts as before.
    assert_eq!((slot.partition, started(&mut card), of_partition(&mut card, 2)), (2, Ok(OLD), Ok(NEW)));
    choose(&mut card, 2).expect("it can be written");
    assert_eq!((chosen(&mut card), started(&mut card), of_partition(&mut card, 1)), (Ok(2), Ok(NEW), Ok(OLD)));
    assert_eq!(card.writes, WRITES);
    // The next one goes back to the first.
    let slot = write_update(&mut card, &mut Bytes(update(OLDER)), 2).expect("it can be written");
    assert_eq!((slot.partition, started(&mut card), of_partition(&mut card, 1)), (1, Ok(NEW), Ok(OLDER)));
}

#[test]
fn update_power_cut_leaves_whole_kernel() {
    let card = card();
    let mut seen = [0; 2];
    for cut in 0..=WRITES {
        for torn_bytes in TORN_BYTES {
            let mut cut_card = card.cut_at(cut, torn_bytes);
            let done = update_all(&mut cut_card, 1);
            assert_eq!(done.is_ok(), cut == WRITES, "{cut}, {torn_bytes}: {done:?}");
            let mut after = cut_card.powered();
            let kernel = started(&mut after).unwrap_or_else(|why| panic!("cut at {cut}, {torn_bytes}: {why}"));
            assert!(kernel == OLD || kernel == NEW, "cut at {cut}, {torn_bytes}: {kernel:#x}");
            seen[usize::from(kernel == NEW)] += 1;
            // The other one is whole and known, or known not to be.
            let usual = chosen(&mut after).expect("it was just read");
            let other = of_partition(&mut after, 3 - usual);
            let known = [Ok(OLDER), Ok(OLD), Ok(NEW), Err(NoSlot::BrokenOff)];
            assert!(known.contains(&other), "cut at {cut}, {torn_bytes}: {other:?}");
            update_all(&mut after, usual).unwrap_or_else(|why| panic!("cut at {cut}, {torn_bytes}, again: {why}"));
            assert_eq!(started(&mut after), Ok(NEW), "cut at {cut}, {torn_bytes}");
        }
    }
    println!(
        "power cut at {} writes, {} ways each: {} times the old kernel started, {} times the new",
        WRITES + 1,
        TORN_BYTES.len(),
        seen[0],
        seen[1]
    );
    assert!(seen[0] > seen[1] && seen[1] > TORN_BYTES.len());
}

#[test]
fn update_foreign_kernel_is_refused_and_old_stays() {
    let card = card();
    let refused = |update: Vec<u8>, runs: u8| {
        let mut card = card.clone();
        let why = write_update(&mut card, &mut Bytes(update), runs).err();
        (why, started(&mut card), card.writes)
    };
    let good = update(NEW);
    assert_eq!(refused(vec![7; 9000], 1), (Some(NoUpdate::NotUpdate), Ok(OLD), 0));
    assert_eq!(refused(Vec::new(), 1), (Some(NoUpdate::NotUpdate), Ok(OLD), 0));
    // Another length of the files.
    let longer = String::from_utf8_lossy(&good[..100]).replacen("00000015", "00000016", 1);
    assert_eq!(refused([longer.as_bytes(), &good[100..]].concat(), 1), (Some(NoUpdate::Room), Ok(OLD), 0));
    // Its kernel, cut short or with another byte.
    let (why, old, _) = refused(good[..5000].to_vec(), 1);
    assert_eq!((why, old), (Some(NoUpdate::Source), Ok(OLD)));
    let mut damaged = good.clone();
    damaged[2000] ^= 1;
    let (why, old, _) = refused(damaged, 1);
    assert_eq!((why, old), (Some(NoUpdate::NotUpdate), Ok(OLD)));
    // While the other one is being tried.
    assert_eq!(refused(good, 2), (Some(NoUpdate::Trial), Ok(OLD), 0));
}

#[test]
fn update_fragmented_or_absent_file_is_refused() {
    let mut card = card();
    assert_eq!(find(&mut card, 1, PIECES), Err(NoFile::Scattered));
    assert_eq!(find(&mut card, 2, "STARTS.BIN"), Err(NoFile::Missing));
    assert_eq!(find(&mut card, 1, "a long name before the others.txt"), Err(NoFile::Missing));
    assert_eq!(
        (find(&mut card, 3, PIECES), find(&mut card, 9, PIECES)),
        (Err(NoFile::NotFat32), Err(NoFile::NotFat32))
    );
    // The card of this test says no lengths of partitions.
    assert_eq!(start_sectors(&mut card), Err(NoFile::NotFat32));
}
