//! Creations by a board without the disk, with its name cache filled by a script: the entries before and after.

use crate::name_cache::{FILE, REGULAR, REVOCATIONS, ROOT, look_up, play, revoke};
use renga_proto::inode::{Birth, InodeFacts, NO_SLOT, STAT_BYTES};
use renga_proto::names::{
    ALL_DIRECTORIES, BeginCreation, BeginRemoval, BoardDied, CacheGeneration, CacheReference, CacheSteps,
    CreationBegun, EndCreation, NO_CACHE_GENERATION, Names, OTHERS, ReleaseCachedReference, RevokeInode, RevokeName,
    StatusHere,
};
use renga_proto::sessions::ReferenceOrigin;
use renga_proto::steps::WalkSteps;
use renga_proto::surplus::SURPLUS_BYTES;
use renga_rt::{Client, Errno};

const FOLDER: u32 = 14;
const DIRECTORY: u8 = 2;

/// What is notified of `/folder/name`, made there: the name, and the folder as it is then.
fn made(name: &[u8], status: u8) -> WalkSteps {
    let mut steps = WalkSteps::default();
    steps.put_name(FOLDER, name, FILE, REGULAR);
    let of = |ino, mode| InodeFacts {
        slot: 0,
        ino,
        mode,
        birth: Birth { generation: 1, device: 0 },
        origin: ReferenceOrigin::NONE,
    };
    steps.put_folder(&of(FOLDER, 0o040_755), &[status; STAT_BYTES]);
    steps.end_at(&of(FILE, 0o100_644), true, &[9; STAT_BYTES]);
    steps
}

/// A cache with the folder, and with the absence of `/folder/new`.
async fn cache_folder(names: &mut Client<Names>) {
    let cache_generation = look_up(names, b"/folder").await;
    let mut steps = WalkSteps::default();
    steps.put_name(ROOT, b"folder", FOLDER, DIRECTORY);
    steps.put_name(FOLDER, b"new", 0, 0);
    let facts = InodeFacts {
        slot: 0,
        ino: FOLDER,
        mode: 0o040_755,
        birth: Birth { generation: 1, device: 0 },
        origin: ReferenceOrigin::NONE,
    };
    steps.end_at(&facts, true, &[1; STAT_BYTES]);
    names.call(CacheSteps { cache_generation }, steps.bytes()).await.unwrap();
    assert_eq!(look_up(names, b"/folder").await, 0);
}

async fn begin(names: &mut Client<Names>, path: &[u8]) -> Result<CreationBegun, Errno> {
    names.call(BeginCreation { at: ROOT.into() }, path).await
}

async fn status(names: &mut Client<Names>, path: &[u8]) -> Result<u8, Errno> {
    let mut out = [0; STAT_BYTES];
    let here = StatusHere { at: ROOT.into(), flags: 0 };
    match names.call(here, (path, &mut out[..])).await? {
        0 => Ok(out[0]),
        _ => Err(Errno::EAGAIN),
    }
}

/// Holds: create-one-call.
#[test]
fn creation_caches_file_and_directory() {
    play(|mut names| async move {
        cache_folder(&mut names).await;
        assert_eq!(status(&mut names, b"/folder/new").await, Err(Errno::ENOENT));
        let CreationBegun { cache_generation, directory } = begin(&mut names, b"/folder/new").await.unwrap();
        assert_eq!(directory, FOLDER);
        names.call(EndCreation { cache_generation }, made(b"new", 2).bytes()).await.unwrap();
        assert_eq!(status(&mut names, b"/folder/new").await, Ok(9));
        assert_eq!(status(&mut names, b"/folder").await, Ok(2));
        assert_eq!(begin(&mut names, b"/folder/new").await, Err(Errno::EEXIST));
        assert_eq!(
            names.call(EndCreation { cache_generation }, &b""[..]).await,
            Err(Errno::EINVAL),
            "none is under way"
        );
    });
}

#[test]
fn creation_under_way_caches_nothing_of_it() {
    play(|mut names| async move {
        cache_folder(&mut names).await;
        let early = look_up(&mut names, b"/none").await;
        let CreationBegun { cache_generation, .. } = begin(&mut names, b"/folder/new").await.unwrap();
        // Neither an earlier caller nor a present one.
        let old = made(b"new", 1);
        assert_eq!(names.call(CacheSteps { cache_generation: early }, old.bytes()).await, Err(Errno::ESTALE));
        for path in [&b"/folder"[..], b"/folder/new"] {
            assert_eq!(look_up(&mut names, path).await, NO_CACHE_GENERATION);
        }
        assert_eq!(names.call(CacheGeneration {}, ()).await, Ok(NO_CACHE_GENERATION));
        // It has failed.
        names.call(EndCreation { cache_generation }, &b""[..]).await.unwrap();
        assert!(![0, NO_CACHE_GENERATION].contains(&look_up(&mut names, b"/folder").await));
        assert!(![0, NO_CACHE_GENERATION].contains(&look_up(&mut names, b"/folder/new").await));
    });
}

#[test]
fn creation_overtaken_by_revocation_of_name_is_not_cached() {
    play(|mut names| async move {
        for which in 1..REVOCATIONS {
            cache_folder(&mut names).await;
            let CreationBegun { cache_generation, .. } = begin(&mut names, b"/folder/new").await.unwrap();
            revoke(&mut names, which).await;
            assert_eq!(
                names.call(EndCreation { cache_generation }, made(b"new", 2).bytes()).await,
                Err(Errno::ESTALE),
                "revocation {which}"
            );
            assert_ne!(look_up(&mut names, b"/folder").await, 0, "revocation {which}");
            revoke(&mut names, 4).await;
        }
    });
}

/// A board that does not know a directory is asked for the status of what it changes there.
#[test]
fn creation_overtaken_by_revocation_of_inode_is_cached_but_for_that_status() {
    play(|mut names| async move {
        for (revoked, left) in [(FILE, (Err(Errno::EAGAIN), Ok(2))), (FOLDER, (Ok(9), Err(Errno::EAGAIN)))] {
            cache_folder(&mut names).await;
            let CreationBegun { cache_generation, .. } = begin(&mut names, b"/folder/new").await.unwrap();
            for _ in 0..4 {
                names.call(RevokeInode { ino: revoked }, ()).await.unwrap();
            }
            names.call(EndCreation { cache_generation }, made(b"new", 2).bytes()).await.unwrap();
            let cached = (status(&mut names, b"/folder/new").await, status(&mut names, b"/folder").await);
            assert_eq!(cached, left, "inode {revoked}");
            assert_eq!(begin(&mut names, b"/folder/new").await, Err(Errno::EEXIST), "the name is cached");
            revoke(&mut names, 4).await;
        }
        cache_folder(&mut names).await;
        let CreationBegun { cache_generation, .. } = begin(&mut names, b"/folder/new").await.unwrap();
        for _ in 0..5 {
            names.call(RevokeInode { ino: FILE }, ()).await.unwrap();
        }
        let ended = names.call(EndCreation { cache_generation }, made(b"new", 2).bytes()).await;
        assert_eq!(ended, Err(Errno::ESTALE), "those are more than it takes");
    });
}

/// Holds: create-one-call.
#[test]
fn creation_concurrent_with_another_is_not_cached() {
    play(|mut names| async move {
        for first_ends_first in [true, false] {
            cache_folder(&mut names).await;
            let one = begin(&mut names, b"/folder/one").await.unwrap().cache_generation;
            let two = begin(&mut names, b"/folder/two").await.unwrap().cache_generation;
            let mut ends = [(one, made(b"one", 2)), (two, made(b"two", 3))];
            if !first_ends_first {
                ends.reverse();
            }
            // Which of them was made first is not known here.
            for (cache_generation, steps) in ends {
                assert_eq!(names.call(EndCreation { cache_generation }, steps.bytes()).await, Err(Errno::ESTALE));
                assert_eq!(status(&mut names, b"/folder").await, Err(Errno::EAGAIN));
            }
            revoke(&mut names, 4).await;
        }
    });
}

#[test]
fn removal_gives_up_name_status_and_unused_reference() {
    play(|mut names| async move {
        cache_folder(&mut names).await;
        let CreationBegun { cache_generation, .. } = begin(&mut names, b"/folder/new").await.unwrap();
        names.call(EndCreation { cache_generation }, made(b"new", 2).bytes()).await.unwrap();
        let keep = CacheReference { cache_generation, slot: 7, ino: FILE, generation: 1, session: 3 };
        let kept = names.call(keep, &mut [0; SURPLUS_BYTES][..]).await.unwrap().origin;
        let session = kept.session;
        assert_eq!(names.call(ReleaseCachedReference { ino: FILE, session }, ()).await, Ok(false));
        let removal = BeginRemoval { at: ROOT.into() };
        let begun = names.call(removal, &b"/folder/new"[..]).await.unwrap();
        assert_eq!((begun.directory, begun.ino, begun.slot, begun.session), (FOLDER, FILE, 7, 3));
        for path in [&b"/folder"[..], b"/folder/new"] {
            assert_eq!(look_up(&mut names, path).await, NO_CACHE_GENERATION);
        }
        let mut steps = WalkSteps::default();
        steps.put_name(FOLDER, b"new", 0, 0);
        let cache_generation = begun.cache_generation;
        names.call(EndCreation { cache_generation }, steps.bytes()).await.unwrap();
        assert_eq!(status(&mut names, b"/folder/new").await, Err(Errno::ENOENT));
        let none = names.call(removal, &b"/folder/new"[..]).await.unwrap();
        assert_eq!((none.ino, none.slot), (0, NO_SLOT));
    });
}

/// Makes `/folder` as `mkdir` does: that is known to be empty.
async fn make_folder(names: &mut Client<Names>) {
    let CreationBegun { cache_generation, .. } = begin(names, b"/folder").await.unwrap();
    let mut steps = WalkSteps::default();
    steps.put_name(ROOT, b"folder", FOLDER, DIRECTORY);
    steps.put_name(FOLDER, OTHERS, 0, 0);
    let facts = InodeFacts {
        slot: 0,
        ino: FOLDER,
        mode: 0o040_755,
        birth: Birth { generation: 1, device: 0 },
        origin: ReferenceOrigin::NONE,
    };
    steps.end_at(&facts, true, &[1; STAT_BYTES]);
    names.call(EndCreation { cache_generation }, steps.bytes()).await.unwrap();
    assert_eq!(status(names, b"/folder/any").await, Err(Errno::ENOENT));
}

async fn make_in_folder(names: &mut Client<Names>, name: &[u8]) -> Result<(), Errno> {
    let CreationBegun { cache_generation, .. } = begin(names, &[b"/folder/", name].concat()).await?;
    assert_eq!(status(names, b"/folder/any").await, Err(Errno::EAGAIN), "not meanwhile");
    names.call(EndCreation { cache_generation }, made(name, 2).bytes()).await
}

#[test]
fn creation_in_own_directory_knows_all_names() {
    play(|mut names| async move {
        make_folder(&mut names).await;
        for name in [&b"one"[..], b"two"] {
            make_in_folder(&mut names, name).await.unwrap();
            assert_eq!(status(&mut names, &[b"/folder/", name].concat()).await, Ok(9));
            for none in [&b"/folder/any"[..], b"/folder/any/more"] {
                assert_eq!(status(&mut names, none).await, Err(Errno::ENOENT));
            }
        }
        assert_ne!(look_up(&mut names, b"/folder/..").await, 0, "it has a parent");
        // A name without an entry.
        make_in_folder(&mut names, &[b'l'; 41]).await.unwrap();
        assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::EAGAIN));
    });
}

#[test]
fn creation_revoked_or_evicted_name_is_unknown() {
    play(|mut names| async move {
        for which in 0..6 {
            make_folder(&mut names).await;
            make_in_folder(&mut names, b"one").await.unwrap();
            match which {
                0 => names.call(RevokeName { directory: FOLDER }, &b"any"[..]).await.unwrap(),
                1 => names.call(RevokeName { directory: FOLDER }, &b"one"[..]).await.unwrap(),
                2 => names.call(RevokeName { directory: FOLDER }, &b""[..]).await.unwrap(),
                3 => names.call(RevokeName { directory: ALL_DIRECTORIES }, &b""[..]).await.unwrap(),
                4 => names.call(BoardDied { board: 0 }, ()).await.unwrap(),
                // Others need the room.
                _ => {
                    let cache_generation = names.call(CacheGeneration {}, ()).await.unwrap();
                    for number in 0..200_u32 {
                        let other = format!("other{number}");
                        let mut steps = WalkSteps::default();
                        steps.put_name(ROOT, other.as_bytes(), 100 + number, REGULAR);
                        names.call(CacheSteps { cache_generation }, steps.bytes()).await.unwrap();
                        assert_eq!(look_up(&mut names, b"/folder").await, 0, "it misses");
                    }
                }
            }
            assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::EAGAIN), "case {which}");
            names.call(BoardDied { board: 0 }, ()).await.unwrap();
        }
    });
}

#[test]
fn creation_directory_attribute_change_keeps_completeness() {
    play(|mut names| async move {
        make_folder(&mut names).await;
        names.call(RevokeInode { ino: FOLDER }, ()).await.unwrap();
        assert_eq!(status(&mut names, b"/folder").await, Err(Errno::EAGAIN), "it has changed");
        assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::ENOENT));
        make_in_folder(&mut names, b"one").await.unwrap();
        names.call(RevokeInode { ino: FOLDER }, ()).await.unwrap();
        assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::ENOENT));
        assert_eq!(status(&mut names, b"/folder/one").await, Ok(9));
    });
}

#[test]
fn creation_failed_or_shared_ends_completeness() {
    play(|mut names| async move {
        for which in 0..5 {
            make_folder(&mut names).await;
            let CreationBegun { cache_generation, .. } = begin(&mut names, b"/folder/one").await.unwrap();
            match which {
                // The result is unknown.
                0 => names.call(EndCreation { cache_generation }, &b""[..]).await.unwrap(),
                // Another board creates it first.
                1 => {
                    names.call(RevokeName { directory: FOLDER }, &b"one"[..]).await.unwrap();
                    let ended = names.call(EndCreation { cache_generation }, made(b"one", 2).bytes()).await;
                    assert_eq!(ended, Err(Errno::ESTALE));
                }
                // It is made, and not known.
                2 => {
                    for _ in 0..5 {
                        names.call(RevokeInode { ino: FILE }, ()).await.unwrap();
                    }
                    let ended = names.call(EndCreation { cache_generation }, made(b"one", 2).bytes()).await;
                    assert_eq!(ended, Err(Errno::ESTALE));
                }
                // Another creation is under way there, or its directory is unknown.
                _ => {
                    let path = if which == 3 { &b"/folder/two"[..] } else { b"/other/two" };
                    let second = begin(&mut names, path).await.unwrap().cache_generation;
                    for (cache_generation, name) in [(cache_generation, &b"one"[..]), (second, b"two")] {
                        let ended = names.call(EndCreation { cache_generation }, made(name, 2).bytes()).await;
                        assert_eq!(ended, Err(Errno::ESTALE), "case {which}");
                    }
                }
            }
            assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::EAGAIN), "case {which}");
            names.call(BoardDied { board: 0 }, ()).await.unwrap();
        }
    });
}

#[test]
fn creation_evicted_name_ends_completeness() {
    play(|mut names| async move {
        make_folder(&mut names).await;
        make_in_folder(&mut names, b"one").await.unwrap();
        let cache_generation = names.call(CacheGeneration {}, ()).await.unwrap();
        for number in 0..200_u32 {
            // Repeated lookups of other names keep that entry recent, so that it is not evicted.
            let any = status(&mut names, b"/folder/any").await;
            assert!(matches!(any, Err(Errno::ENOENT | Errno::EAGAIN)), "{any:?}");
            let mut steps = WalkSteps::default();
            steps.put_name(ROOT, format!("other{number}").as_bytes(), 100 + number, REGULAR);
            names.call(CacheSteps { cache_generation }, steps.bytes()).await.unwrap();
        }
        assert_eq!(status(&mut names, b"/folder/one").await, Err(Errno::EAGAIN), "it is there");
        assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::EAGAIN));
    });
}
