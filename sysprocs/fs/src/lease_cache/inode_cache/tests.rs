//! Tests of what a board caches of inodes.

extern crate std;
use super::{CachedInode, InodeCache, ReferenceKey};
use renga_proto::names::ReferenceCached;
use renga_proto::sessions::ReferenceOrigin;
use renga_rt::Errno;
use std::boxed::Box;

const NOW: ReferenceOrigin = ReferenceOrigin { session: 1, kept: true };

fn places() -> InodeCache {
    InodeCache::new(Box::leak(Box::new([CachedInode::EMPTY; 4])), 3, NOW.session)
}

fn of(ino: u32, slot: u16) -> ReferenceKey {
    ReferenceKey { ino, generation: 5, slot }
}

fn kept(surplus: u32, surplus_slot: u16) -> ReferenceCached {
    ReferenceCached { origin: NOW, surplus_slot, surplus }
}

#[test]
fn inode_cache_second_reference_is_surplus() {
    let mut cached = places();
    assert_eq!(cached.keep(of(12, 7), 0), kept(0, 0));
    assert_eq!(cached.keep(of(12, 7), 0), kept(12, 7));
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
    cached.keep(of(12, 7), 0);
    for _ in 1..u16::MAX {
        assert!(cached.use_again(12).is_some());
    }
    assert_eq!((cached.use_again(12), cached.keep(of(12, 7), 0)), (None, ReferenceCached::NOT));
    for _ in 0..u16::MAX {
        assert_eq!(cached.release(12, 1), Ok(false));
    }
    assert_eq!(cached.release(12, 1), Err(Errno::EINVAL));
    assert!(cached.revoke(12).is_some() && cached.revoke(12).is_none());
}

#[test]
fn inode_cache_other_generation_is_not_found() {
    let mut cached = places();
    cached.keep(of(12, 7), 0);
    assert_eq!(cached.use_as(of(12, 7)), Some(NOW));
    assert_eq!(cached.use_as(of(12, 8)), None);
    assert_eq!(cached.use_as(ReferenceKey { generation: 6, ..of(12, 7) }), None);
}

#[test]
fn inode_cache_unlinked_inode_goes_with_last_use() {
    let mut cached = places();
    cached.keep(of(12, 7), 0);
    cached.use_again(12);
    assert!(cached.revoke(12).is_none(), "it is in use");
    assert_eq!((cached.release(12, 1), cached.release(12, 1)), (Ok(false), Ok(true)));
    assert_eq!(cached.use_again(12), None);
    cached.keep(of(12, 7), 0);
    cached.release(12, 1).unwrap();
    assert!(cached.revoke(12).is_some());
    assert!(cached.revoke(12).is_none(), "it is given back once");
}

#[test]
fn inode_cache_used_entry_is_not_evicted() {
    let mut cached = places();
    for ino in 1..=3 {
        cached.keep(of(ino, ino as u16), 0);
    }
    assert_eq!(cached.keep(of(4, 4), 0), ReferenceCached::NOT);
    cached.release(2, 1).unwrap();
    assert_eq!(cached.keep(of(4, 4), 0), kept(2, 2));
    assert_eq!(cached.use_again(2), None);
}

#[test]
fn inode_cache_earlier_session_is_ignored() {
    let mut cached = places();
    cached.keep(of(12, 7), 0);
    cached.begin(2);
    cached.keep(of(12, 9), 0);
    assert_eq!(cached.release(12, 1), Ok(false));
    assert!(cached.revoke(12).is_none(), "the use of this session is there");
}
