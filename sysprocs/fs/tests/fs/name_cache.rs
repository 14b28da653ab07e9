//! The name cache of a board without the disk, filled by a script: entries end when they must, and no later.

use crate::support::name_cache::{start, start_in};
use crate::support::{FEW, Medium512, Scratch, System, make_image};
use renga_proto::inode::{Birth, InodeFacts, STAT_BYTES};
use renga_proto::names::{
    ALL_DIRECTORIES, BeginCreation, BoardDied, CacheGeneration, CacheReference, CacheSteps, CreationBegun, Names,
    NotifyAccess, OpenHere, ReferenceCached, ReleaseCachedReference, RevokeInode, RevokeName, RevokeReference,
    StatusHere,
};
use renga_proto::sessions::{ReferenceOrigin, Sessions};
use renga_proto::steps::WalkSteps;
use renga_proto::surplus::SURPLUS_BYTES;
use renga_rt::host::HostBoard;
use renga_rt::{Client, Errno};
use std::cell::Cell;
use std::rc::Rc;

pub const ROOT: u32 = 2;
pub const FILE: u32 = 12;
const LINK: u32 = 13;
pub const REGULAR: u8 = 1;
const SYMBOLIC_LINK: u8 = 7;

/// A walk to a file.
fn steps_of(names: &[(&[u8], u32, u8)], target: Option<&[u8]>) -> WalkSteps {
    let mut steps = WalkSteps::default();
    for &(name, ino, kind) in names {
        steps.put_name(ROOT, name, ino, kind);
        if let Some(target) = target.filter(|_| kind == SYMBOLIC_LINK) {
            steps.put_target(ino, target);
        }
    }
    let facts = InodeFacts {
        slot: 0,
        ino: FILE,
        mode: 0o100_644,
        birth: Birth { generation: 1, device: 0 },
        origin: ReferenceOrigin::NONE,
    };
    steps.end_at(&facts, true, &[9; STAT_BYTES]);
    steps
}

/// Looks a path up; 0: it is cached; otherwise a cache generation.
pub async fn look_up(names: &mut Client<Names>, path: &[u8]) -> u64 {
    let mut out = [0; STAT_BYTES];
    names.call(StatusHere { at: ROOT.into(), flags: 0 }, (path, &mut out[..])).await.unwrap()
}

/// Runs a script against a name cache; whether it came to its end.
pub fn play<F: Future<Output = ()> + 'static>(script: impl FnOnce(Client<Names>) -> F + 'static) {
    let (board, done) = (HostBoard::new(0, 1 << 20), Rc::new(Cell::new(false)));
    let (names, filled) = (start(board), done.clone());
    board.client(move |me| {
        let names = Client::new(&me, names);
        async move {
            script(names).await;
            filled.set(true);
        }
    });
    board.run();
    assert!(done.get());
}

/// Revocations of `/file`, of more and more with it.
pub const REVOCATIONS: u32 = 5;

pub async fn revoke(names: &mut Client<Names>, which: u32) {
    match which {
        0 => names.call(RevokeInode { ino: FILE }, ()).await,
        1 => names.call(RevokeName { directory: ROOT }, &b"file"[..]).await,
        2 => names.call(RevokeName { directory: ROOT }, &b""[..]).await,
        3 => names.call(RevokeName { directory: ALL_DIRECTORIES }, &b""[..]).await,
        _ => names.call(BoardDied { board: 0 }, ()).await,
    }
    .unwrap();
}

#[test]
fn name_cache_answer_overtaken_by_revocation_is_dropped() {
    play(|mut names| async move {
        for which in 0..REVOCATIONS {
            let cache_generation = look_up(&mut names, b"/file").await;
            assert_ne!(cache_generation, 0, "revocation {which}");
            revoke(&mut names, which).await;
            let steps = steps_of(&[(b"file", FILE, REGULAR)], None);
            assert_eq!(
                names.call(CacheSteps { cache_generation }, steps.bytes()).await,
                Err(Errno::ESTALE),
                "revocation {which}"
            );
            assert_ne!(look_up(&mut names, b"/file").await, 0, "revocation {which}");
        }
    });
}

#[test]
fn name_cache_revocation_removes_entry() {
    play(|mut names| async move {
        for which in 0..REVOCATIONS {
            let cache_generation = look_up(&mut names, b"/file").await;
            names
                .call(CacheSteps { cache_generation }, steps_of(&[(b"file", FILE, REGULAR)], None).bytes())
                .await
                .unwrap();
            assert_eq!(look_up(&mut names, b"/file").await, 0, "revocation {which}");
            revoke(&mut names, which).await;
            let cache_generation = look_up(&mut names, b"/file").await;
            assert_ne!(cache_generation, 0, "revocation {which}");
            // The other half of it comes back: what was revoked is still missing.
            if which > 0 {
                let half = steps_of(&[(b"other", FILE, REGULAR)], None);
                names.call(CacheSteps { cache_generation }, half.bytes()).await.unwrap();
                assert_eq!(look_up(&mut names, b"/other").await, 0, "revocation {which}");
                assert_ne!(look_up(&mut names, b"/file").await, 0, "revocation {which}");
                revoke(&mut names, 4).await;
            }
        }
    });
}

#[test]
fn name_cache_reused_link_number_forgets_target() {
    play(|mut names| async move {
        let walk: [(&[u8], u32, u8); 2] = [(b"link", LINK, SYMBOLIC_LINK), (b"file", FILE, REGULAR)];
        let cache_generation = look_up(&mut names, b"/link").await;
        names.call(CacheSteps { cache_generation }, steps_of(&walk, Some(b"file")).bytes()).await.unwrap();
        assert_eq!(look_up(&mut names, b"/link").await, 0);
        names.call(RevokeName { directory: ROOT }, &b"link"[..]).await.unwrap();
        // The next link has that number; its target is too long to be notified.
        let cache_generation = look_up(&mut names, b"/link").await;
        names.call(CacheSteps { cache_generation }, steps_of(&walk, None).bytes()).await.unwrap();
        assert_ne!(look_up(&mut names, b"/link").await, 0);
        assert_eq!(look_up(&mut names, b"/file").await, 0);
    });
}

#[test]
fn name_cache_recent_entries_survive_eviction() {
    play(|mut names| async move {
        let cache_generation = look_up(&mut names, b"/file").await;
        names.call(CacheSteps { cache_generation }, steps_of(&[(b"file", FILE, REGULAR)], None).bytes()).await.unwrap();
        for number in 0..200_u32 {
            assert_eq!(look_up(&mut names, b"/file").await, 0, "after {number} others");
            let other = format!("other{number}");
            let steps = steps_of(&[(other.as_bytes(), 100 + number, REGULAR)], None);
            names.call(CacheSteps { cache_generation }, steps.bytes()).await.unwrap();
        }
    });
}

#[test]
fn name_cache_reused_directory_number_has_no_old_names() {
    let (scratch, device) = (Scratch::new("names"), Medium512::default());
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    let system = System::new(&device, "none", FEW);
    system.run(|mut user| async move {
        user.mkdir("/one").await.unwrap();
        let one = user.stat("/one", 0).await.unwrap();
        assert_eq!(user.stat("/one/file", 0).await, Err(Errno::ENOENT));
        user.rmdir("/one").await.unwrap();
        user.sync().await.unwrap();
        user.mkdir("/two").await.unwrap();
        assert_eq!(user.stat("/two", 0).await.unwrap().ino, one.ino);
        user.write_file("/two/file", b"text").await.unwrap();
        assert_eq!(user.stat("/two/file", 0).await.unwrap().size, 4);
    });
}

#[test]
fn name_cache_reference_is_reused_until_unlink() {
    play(|mut names| async move {
        let open = OpenHere { at: ROOT.into(), flags: 0 };
        let cache_generation = names.call(CacheGeneration {}, ()).await.unwrap();
        let steps = steps_of(&[(b"file", FILE, REGULAR)], None);
        names.call(CacheSteps { cache_generation }, steps.bytes()).await.unwrap();
        let keep = CacheReference { cache_generation, slot: 7, ino: FILE, generation: 1, session: 0 };
        let ReferenceCached { origin, .. } = names.call(keep, &mut [0; SURPLUS_BYTES][..]).await.unwrap();
        let session = origin.session;
        let facts = names.call(open, &b"/file"[..]).await.unwrap();
        assert_eq!((facts.slot, facts.ino, facts.origin), (7, FILE, ReferenceOrigin { session, kept: true }));
        for _ in 0..2 {
            assert_eq!(names.call(ReleaseCachedReference { ino: FILE, session }, ()).await, Ok(false));
        }
        assert_eq!(names.call(ReleaseCachedReference { ino: FILE, session }, ()).await, Err(Errno::EINVAL));
        assert_eq!(names.call(RevokeReference { ino: FILE }, ()).await, Ok(true));
        assert_eq!(names.call(open, &b"/file"[..]).await, Err(Errno::EAGAIN));
        // A reference from before is not cached: no process would revoke it any more.
        assert_eq!(names.call(keep, &mut [0; SURPLUS_BYTES][..]).await, Ok(ReferenceCached::NOT));
    });
}

#[test]
fn name_cache_unchanged_path_hits_from_second_lookup() {
    let (scratch, device) = (Scratch::new("lookups"), Medium512::default());
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    System::new(&device, "none", FEW).run(|mut user| async move {
        user.stat("/lost+found", 0).await.unwrap();
        let before = user.cache_hits.get();
        // Each `stat` is two lookups here.
        user.stat("/lost+found", 0).await.unwrap();
        assert_eq!(user.cache_hits.get(), before + 2);
    });
}

#[test]
fn name_cache_silence_needs_revalidation() {
    const SECOND_NS: u64 = 1_000_000_000;
    let (board, done) = (HostBoard::new(0, 1 << 20), Rc::new(Cell::new(false)));
    let sessions = board.arena.put(Sessions::new) as &Sessions;
    let (names, all_filled) = (start_in(board, sessions), done.clone());
    board.client(move |mut me| {
        let mut names = Client::new(&me, names);
        async move {
            let cache_generation = look_up(&mut names, b"file").await;
            sessions.note_arrival(0);
            names
                .call(CacheSteps { cache_generation }, steps_of(&[(b"file", FILE, REGULAR)], None).bytes())
                .await
                .unwrap();
            for _ in 0..5 {
                assert_eq!(look_up(&mut names, b"file").await, 0, "something came in each second");
                me.sleep_until(me.now_ns() + SECOND_NS * 9 / 10).await;
                sessions.note_arrival(0);
            }
            // What comes of another board is no sign.
            sessions.note_arrival(1);
            me.sleep_until(me.now_ns() + 2 * SECOND_NS).await;
            assert_ne!(look_up(&mut names, b"file").await, 0, "nothing came");
            let opened = names.call(OpenHere { at: ROOT.into(), flags: 0 }, &b"file"[..]).await;
            assert_eq!(opened.map(|_| ()), Err(Errno::EAGAIN));
            assert_eq!(names.call(BeginCreation { at: ROOT.into() }, &b"file"[..]).await, Ok(CreationBegun::NONE));
            sessions.note_arrival(0);
            assert_eq!(names.call(BeginCreation { at: ROOT.into() }, &b"file"[..]).await, Err(Errno::EEXIST));
            assert_eq!(look_up(&mut names, b"file").await, 0, "nothing was revoked");
            me.sleep_until(me.now_ns() + 3 * SECOND_NS).await;
            assert_ne!(look_up(&mut names, b"file").await, 0, "nothing came again");
            all_filled.set(true);
        }
    });
    // The checks end: the board comes to rest.
    board.run_through_alarms();
    assert!(done.get());
}

#[test]
fn name_cache_access_notification_updates_time_and_generation() {
    const READ_NS: u64 = 1_700_000_001_000_000_007;
    play(|mut names| async move {
        let open = OpenHere { at: ROOT.into(), flags: 0 };
        let cache_generation = names.call(CacheGeneration {}, ()).await.unwrap();
        let steps = steps_of(&[(b"file", FILE, REGULAR)], None);
        names.call(CacheSteps { cache_generation }, steps.bytes()).await.unwrap();
        let keep = CacheReference { cache_generation, slot: 7, ino: FILE, generation: 1, session: 0 };
        names.call(keep, &mut [0; SURPLUS_BYTES][..]).await.unwrap();
        // Facts that are not cached may not be reported.
        for ino in [FILE, LINK] {
            names.call(NotifyAccess { ino, access_ns: READ_NS }, ()).await.unwrap();
        }
        let (mut status, lookup) = ([0; STAT_BYTES], StatusHere { at: ROOT.into(), flags: 0 });
        assert_eq!(names.call(lookup, (b"/file", &mut status[..])).await, Ok(0));
        let mut wanted = [9; STAT_BYTES];
        wanted[72..80].copy_from_slice(&1_700_000_001_u64.to_le_bytes());
        wanted[80..88].copy_from_slice(&7_u64.to_le_bytes());
        assert_eq!(status, wanted);
        assert_eq!(names.call(open, &b"/file"[..]).await.map(|facts| facts.slot), Ok(7), "it is opened as before");
        // Steps from before the revocation come too late.
        assert_eq!(names.call(CacheSteps { cache_generation }, steps.bytes()).await, Err(Errno::ESTALE));
    });
}
