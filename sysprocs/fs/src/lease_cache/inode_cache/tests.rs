//! Tests of what a board caches of inodes.

extern crate std;
use super::{CachedInode, InodeCache, ReferenceKey};
use renga_proto::names::ReferenceCached;
use renga_proto::sessions::ReferenceOrigin;
use renga_proto::surplus::{self, SURPLUS_BYTES};
use renga_rt::Errno;
use std::boxed::Box;
use std::vec;
use std::vec::Vec;

const NOW: ReferenceOrigin = ReferenceOrigin { session: 1, kept: true };

fn places() -> InodeCache {
    InodeCache::new(Box::leak(Box::new([CachedInode::EMPTY; 4])), 3, NOW.session)
}

fn of(ino: u32, slot: u16) -> ReferenceKey {
    ReferenceKey { ino, generation: 5, slot }
}

/// What became of the reference, and what is surplus.
fn keep(cached: &mut InodeCache, of: ReferenceKey) -> (ReferenceOrigin, Vec<(u32, u16)>) {
    let mut surplus = [0; SURPLUS_BYTES];
    let ReferenceCached { origin, surplus_bytes } = cached.keep(of, 0, &mut surplus);
    (origin, surplus::references(&surplus[..surplus_bytes as usize]).collect())
}

#[test]
fn inode_cache_second_reference_is_surplus() {
    let mut cached = places();
    assert_eq!(keep(&mut cached, of(12, 7)), (NOW, vec![]));
    assert_eq!(keep(&mut cached, of(12, 7)), (NOW, vec![(12, 7)]));
    assert_eq!(cached.use_again(12), Some((7, NOW)));
    for _ in 0..3 {
        assert_eq!(cached.release(12, 1), Ok(false));
    }
    assert_eq!(cached.release(12, 1), Err(Errno::EINVAL));
    assert_eq!(cached.use_again(12), Some((7, NOW)));
}

#[test]
fn inode_cache_count_overflow_is_refused() {
    let mut cached = places();
    keep(&mut cached, of(12, 7));
    for _ in 1..u16::MAX {
        assert!(cached.use_again(12).is_some());
    }
    assert_eq!((cached.use_again(12), keep(&mut cached, of(12, 7))), (None, (ReferenceOrigin::NONE, vec![])));
    for _ in 0..u16::MAX {
        assert_eq!(cached.release(12, 1), Ok(false));
    }
    assert_eq!(cached.release(12, 1), Err(Errno::EINVAL));
    assert!(cached.revoke(12).is_some() && cached.revoke(12).is_none());
}

#[test]
fn inode_cache_other_generation_is_not_found() {
    let mut cached = places();
    keep(&mut cached, of(12, 7));
    assert_eq!(cached.use_as(of(12, 7)), Some(NOW));
    assert_eq!(cached.use_as(of(12, 8)), None);
    assert_eq!(cached.use_as(ReferenceKey { generation: 6, ..of(12, 7) }), None);
}

#[test]
fn inode_cache_unlinked_inode_goes_with_last_use() {
    let mut cached = places();
    keep(&mut cached, of(12, 7));
    cached.use_again(12);
    assert!(cached.revoke(12).is_none(), "it is in use");
    assert_eq!((cached.release(12, 1), cached.release(12, 1)), (Ok(false), Ok(true)));
    assert_eq!(cached.use_again(12), None);
    keep(&mut cached, of(12, 7));
    cached.release(12, 1).unwrap();
    assert!(cached.revoke(12).is_some());
    assert!(cached.revoke(12).is_none(), "it is given back once");
}

#[test]
fn inode_cache_used_entry_is_not_evicted() {
    let mut cached = places();
    for ino in 1..=3 {
        keep(&mut cached, of(ino, ino as u16));
    }
    assert_eq!(keep(&mut cached, of(4, 4)), (ReferenceOrigin::NONE, vec![]));
    cached.release(2, 1).unwrap();
    assert_eq!(keep(&mut cached, of(4, 4)), (NOW, vec![(2, 2)]));
    assert_eq!(cached.use_again(2), None);
}

#[test]
fn inode_cache_earlier_session_is_ignored() {
    let mut cached = places();
    keep(&mut cached, of(12, 7));
    cached.begin(2);
    keep(&mut cached, of(12, 9));
    assert_eq!(cached.release(12, 1), Ok(false));
    assert!(cached.revoke(12).is_none(), "the use of this session is there");
}

#[test]
fn inode_cache_full_evicts_several_oldest_idle_references() {
    const REFERENCES: usize = 64;
    let mut cached = InodeCache::new(Box::leak(Box::new([CachedInode::EMPTY; 80])), REFERENCES, NOW.session);
    for ino in 1..=REFERENCES as u32 {
        keep(&mut cached, of(ino, ino as u16));
        if ino != 2 {
            cached.release(ino, 1).unwrap();
        }
    }
    assert_eq!(keep(&mut cached, of(100, 100)), (NOW, vec![(1, 1), (3, 3), (4, 4), (5, 5)]), "of 64 references");
    for ino in 101..104 {
        assert_eq!(keep(&mut cached, of(ino, ino as u16)), (NOW, vec![]), "there is room by now");
    }
    assert_eq!(keep(&mut cached, of(104, 104)).1.len(), 4);
}
