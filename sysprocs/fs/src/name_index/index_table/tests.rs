//! The table against plain maps.

extern crate std;
use super::{IndexSlot, IndexTable};
use renga_rt::Errno;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::vec;
use std::vec::Vec;

fn table(slots: usize) -> IndexTable {
    IndexTable::new(Box::leak(vec![IndexSlot::EMPTY; slots].into_boxed_slice()))
}

fn all(table: &mut IndexTable, ino: u32, hash: u32) -> Result<Vec<u32>, Errno> {
    let (mut found, mut from) = (vec![], 0);
    loop {
        match table.candidate(ino, hash, from) {
            Ok((index, next)) => {
                found.push(index);
                from = next;
            }
            Err(Errno::ENOENT) => {
                found.sort_unstable();
                return Ok(found);
            }
            Err(errno) => return Err(errno),
        }
    }
}

fn build(table: &mut IndexTable, ino: u32, names: &[(u32, u32)]) -> Result<(), Errno> {
    for (index, last) in [(0, false), (1, false), (2, true)] {
        table.begin_block(ino, index)?;
        names.iter().filter(|(_, at)| *at == index).for_each(|(hash, at)| table.add(ino, *hash, *at));
        table.end_block(ino, index, last)?;
    }
    Ok(())
}

#[test]
fn index_table_complete_directory_has_every_name() {
    let (mut state, mut builds, mut lost) = (0x9e37_79b9_7f4a_7c15_u64, 0, 0);
    let mut draw = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % below
    };
    let mut table = table(300);
    let mut names: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for step in 0..40_000 {
        let ino = 10 + draw(40) as u32;
        let (hash, index) = (draw(50) as u32, draw(3) as u32);
        let listed = names.entry(ino).or_default();
        match draw(8) {
            0..3 => match all(&mut table, ino, hash) {
                Ok(found) => {
                    let mut wanted: Vec<u32> = listed.iter().filter(|(h, _)| *h == hash).map(|(_, at)| *at).collect();
                    wanted.sort_unstable();
                    assert_eq!(found, wanted, "step {step}");
                }
                Err(errno) => {
                    assert_eq!(errno, Errno::EAGAIN);
                    builds += 1;
                    build(&mut table, ino, listed).unwrap();
                }
            },
            3..6 if listed.len() < 60 => {
                listed.push((hash, index));
                table.add(ino, hash, index);
            }
            6 => {
                if let Some(at) = listed.iter().position(|name| *name == (hash, index)) {
                    listed.remove(at);
                }
                table.remove(ino, hash, index);
            }
            7 if draw(30) == 0 => {
                lost += 1;
                listed.clear();
                table.forget(ino);
            }
            _ => {}
        }
    }
    assert!(builds > 100 && lost > 10, "{builds} {lost}");
}

#[test]
fn index_table_too_large_directory_is_refused_alone() {
    let mut table = table(10);
    build(&mut table, 5, &[(1, 0), (2, 1)]).unwrap();
    let many: Vec<(u32, u32)> = (0..11).map(|hash| (hash, 1)).collect();
    assert_eq!(build(&mut table, 6, &many), Err(Errno::ENOSPC));
    assert_eq!(all(&mut table, 6, 3), Err(Errno::ENOSPC), "no caller tries again");
    table.add(6, 3, 1);
    table.remove(6, 3, 1);
    build(&mut table, 5, &[(1, 0), (2, 1)]).unwrap();
    assert_eq!(all(&mut table, 5, 2), Ok(vec![1]));
    table.forget(6);
    assert_eq!(build(&mut table, 6, &many[..10]), Ok(()));
    assert_eq!((all(&mut table, 6, 3), all(&mut table, 5, 2)), (Ok(vec![1]), Err(Errno::EAGAIN)));
}
