//! The cache against a plain map: what it knows is what the map has, and it knows the last that it was notified.

extern crate std;
use super::{Dentry, NameCache, NameSlot};
use renga_proto::inode::NameHolders;
use renga_proto::names::{NAME_CACHED_BYTES_MAX, OTHERS};
use std::boxed::Box;
use std::collections::BTreeMap;
use std::format;
use std::vec;
use std::vec::Vec;

fn cache(slots: usize) -> NameCache {
    NameCache::new(Box::leak(vec![NameSlot::EMPTY; slots].into_boxed_slice()))
}

/// Every slot is in the chain and the group that its name and directory say, or free.
fn check(cache: &NameCache) {
    let used = cache.slots.iter().filter(|slot| slot.directory != 0).count();
    let slot = |number: u16| cache.slots.get(usize::from(number));
    let rows = |first: u16, next: fn(&NameSlot) -> u16| core::iter::successors(slot(first), |s| slot(next(s))).count();
    assert_eq!(cache.chains.iter().map(|&first| rows(first, |slot| slot.next)).sum::<usize>(), used);
    assert_eq!(cache.groups.iter().map(|group| rows(group.first, |slot| slot.in_group.next)).sum::<usize>(), used);
    assert_eq!(rows(cache.free, |slot| slot.next), cache.slots.len() - used);
}

/// Xorshift, of Marsaglia.
fn draw(state: &mut u64, below: u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state % below
}

#[test]
fn name_cache_known_name_keeps_its_slot() {
    let mut cache = cache(2);
    let known = |ino| Dentry::Positive { ino, kind: 1 };
    assert_eq!(cache.learn(2, b"a", known(11)), 0);
    for ino in 20..30 {
        assert_eq!(cache.learn(2, b"b", known(ino)), 0, "no name makes room");
    }
    assert_eq!((cache.find(2, b"a"), cache.find(2, b"b")), (Some(known(11)), Some(known(29))));
}

#[test]
fn name_cache_forgotten_name_makes_room_first() {
    let mut cache = cache(3);
    for (name, ino) in [(b"a", 11), (b"b", 12), (b"c", 13)] {
        cache.learn(2, name, Dentry::Positive { ino, kind: 1 });
    }
    cache.forget(2, b"c");
    assert_eq!(cache.learn(3, b"d", Dentry::Negative), 0);
    assert_eq!(cache.learn(3, b"e", Dentry::Negative), 2, "all slots are in use");
    check(&cache);
}

#[test]
fn name_cache_random_changes_match_model() {
    for slots in [1, 2, 7, 64, 500] {
        let (mut cache, mut state) = (cache(slots), 0x1234_5678 + slots as u64);
        let mut map: BTreeMap<(u32, Vec<u8>), Dentry> = BTreeMap::new();
        let mut hits = 0;
        for step in 0..20_000u32 {
            let directory = 2 + 256 * draw(&mut state, 4) as u32 + draw(&mut state, 3) as u32;
            let bytes = if draw(&mut state, 40) == 0 { NAME_CACHED_BYTES_MAX + 1 } else { 1 };
            let name = format!("{:0bytes$}", draw(&mut state, 60)).into_bytes();
            let key = (directory, name.clone());
            match draw(&mut state, 10) {
                0..4 => {
                    let known = cache.find(directory, &name);
                    assert!(known.is_none() || known == map.get(&key).copied(), "step {step}");
                    hits += u32::from(known.is_some());
                }
                4..7 => {
                    let known = match draw(&mut state, 3) {
                        0 => Dentry::Negative,
                        _ => Dentry::Positive { ino: step + 1, kind: 1 + draw(&mut state, 7) as u8 },
                    };
                    cache.learn(directory, &name, known);
                    map.insert(key, known);
                    let found = cache.find(directory, &name);
                    assert_eq!(found, (name.len() <= NAME_CACHED_BYTES_MAX).then_some(known), "step {step}");
                }
                7..9 => {
                    cache.forget(directory, &name);
                    map.remove(&key);
                    assert_eq!(cache.find(directory, &name), None);
                }
                _ if draw(&mut state, 20) == 0 => {
                    cache.forget_directory(directory);
                    map.retain(|(in_directory, _), _| *in_directory != directory);
                }
                _ => {}
            }
        }
        check(&cache);
        assert!(hits > 100 || slots < 64, "{hits} of {slots} slots");
    }
}

#[test]
fn name_cache_recent_names_survive_eviction() {
    let mut cache = cache(8);
    cache.learn(2, b"wanted", Dentry::Positive { ino: 9, kind: 1 });
    for number in 0..100 {
        assert_eq!(cache.find(2, b"wanted"), Some(Dentry::Positive { ino: 9, kind: 1 }), "{number}");
        cache.learn(2, format!("{number}").as_bytes(), Dentry::Negative);
    }
}

#[test]
fn name_cache_holder_of_others_is_holder_of_each_name() {
    const B: u8 = 1 << 1;
    const C: u8 = 1 << 2;
    let none = NameHolders { one: 0, all: 0 };
    let mut cache = cache(8);
    assert!(cache.grant(20, OTHERS, 1) && cache.grant(20, OTHERS, 2));
    assert_eq!((cache.find(20, OTHERS), cache.find(20, b"any")), (None, None), "nothing is known of them here");
    assert_eq!(cache.take_holders(21, b"any", 0), none, "of another directory");
    assert_eq!(cache.take_holders(20, b"any", B), NameHolders { one: C, all: 0 }, "b makes it itself");
    cache.learn(20, b"any", Dentry::Positive { ino: 9, kind: 1 });
    assert!(cache.grant(20, b"any", 1));
    assert_eq!(cache.take_holders(20, b"more", 0), NameHolders { one: B, all: 0 });
    assert_eq!(cache.take_holders(20, b"more", 0), none, "once");
    assert!(cache.grant(20, OTHERS, 2));
    assert_eq!(cache.forget_directory(20), B | C, "it is removed");
    assert_eq!(cache.take_holders(20, b"any", 0), none);
    assert!(cache.grant(20, OTHERS, 1));
    cache.drop_holder(1);
    assert_eq!(cache.take_holders(20, b"any", 0), none, "it is dead");
    assert!(cache.grant(20, OTHERS, 1));
    for number in 0..8 {
        cache.learn(30, format!("{number}").as_bytes(), Dentry::Negative);
    }
    assert_eq!(cache.take_holders(20, b"any", B), NameHolders { one: 0, all: B }, "its note made room");
    check(&cache);
}
