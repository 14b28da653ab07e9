//! Numbers and names from outside that no program of ours would say: types that there are not, names with zero bytes,
//! walks that begin at what is no directory.

use crate::support::{FEW, Medium512, Scratch, System, User, check_image, make_image};
use renga_proto::allocator::FillStatus;
use renga_proto::buffer::directory::ReadBytes;
use renga_proto::inode::{InodeOwner, KnownOpen, KnownStatus, Release, STAT_BYTES};
use renga_proto::names::{CacheSteps, NO_CACHE_GENERATION, StatusHere};
use renga_proto::pages::FileId;
use renga_proto::path::{
    AbsolutePath, ChangeMode, MakeDirectory, MakeNode, OPEN_CREATE, OPEN_WRITE, Open, PathStart, Rename, Resolve,
    StatusOf, Unlink,
};
use renga_proto::steps::STEPS_BYTES;
use renga_rt::Errno;
use std::future::Future;

const ROOT: u32 = 2;
/// The journal's inode.
const JOURNAL: u32 = 8;

/// Runs `body` on an empty disk, which e2fsck must find clean afterwards.
fn on_a_disk<F: Future<Output = ()> + 'static>(name: &str, body: impl FnOnce(User) -> F) {
    let scratch = Scratch::new(name);
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    let system = System::new(&device, "none", FEW);
    system.run(body);
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

#[test]
fn make_node_unknown_type_is_refused() {
    on_a_disk("types", |mut user| async move {
        for kind in [0, 0x3000, 0x5000, 0x7000, 0x9000, 0xb000, 0xd000, 0xe000, 0xf000] {
            let node = MakeNode { at: ROOT.into(), mode: kind | 0o644, device: 0, owner: InodeOwner::default() };
            assert_eq!(user.path.call(node, &b"/node"[..]).await, Err(Errno::EINVAL), "{kind:x}");
        }
        for kind in [0x1000, 0x2000, 0x6000, 0x8000, 0xc000] {
            let node = MakeNode { at: ROOT.into(), mode: kind | 0o644, device: 0x105, owner: InodeOwner::default() };
            user.path.call(node, format!("/node {kind:x}").as_bytes()).await.unwrap();
        }
    });
}

#[test]
fn path_zero_byte_is_refused() {
    on_a_disk("zeros", |mut user| async move {
        user.mkdir("/d").await.unwrap();
        for path in [&b"/a\0b"[..], b"\0", b"/\0", b"/d/\0a", b"/a\0/b", b"/d/a\0"] {
            let create =
                Open { at: ROOT.into(), flags: OPEN_CREATE | OPEN_WRITE, mode: 0o644, owner: InodeOwner::default() };
            assert_eq!(user.path.call(create, path).await.map(|_| ()), Err(Errno::EINVAL), "{path:?}");
            assert_eq!(
                user.path
                    .call(MakeDirectory { at: ROOT.into(), mode: 0o755, owner: InodeOwner::default() }, path)
                    .await,
                Err(Errno::EINVAL)
            );
            // The second path begins behind the first zero.
            let two = [b"/d\0".as_slice(), path].concat();
            assert_eq!(
                user.path.call(Rename { from_at: ROOT.into(), to_at: ROOT.into(), flags: 0 }, &two[..]).await,
                Err(Errno::EINVAL)
            );
        }
    });
}

#[test]
fn inode_pointer_beyond_disk_is_refused() {
    on_a_disk("blocks", |mut user| async move {
        let mut magic = [0; 2];
        // As often as there are buffers, so that each of them serves one.
        for count in 0..1000 {
            for block in [u64::MAX, u64::MAX - count, 1 << 32 | count] {
                let read = user.buffers.call(ReadBytes { block, offset: 0 }, &mut magic[..]).await;
                assert_eq!(read, Err(Errno::EINVAL), "{block}");
            }
            let behind = ReadBytes { block: u64::from(u32::MAX) - count, offset: 0 };
            assert_eq!(user.buffers.call(behind, &mut magic[..]).await, Err(Errno::EIO));
        }
        user.buffers.call(ReadBytes { block: 0, offset: 1024 + 56 }, &mut magic[..]).await.unwrap();
        assert_eq!(magic, [0x53, 0xef]);
    });
}

/// Inodes and blocks that are free.
async fn free(user: &mut User) -> (u64, u64) {
    let mut out = [0; 120];
    user.allocator.call(FillStatus {}, &mut out[..]).await.unwrap();
    (u64::from_le_bytes(out[24..32].try_into().unwrap()), u64::from_le_bytes(out[48..56].try_into().unwrap()))
}

/// Everything that takes the number of a directory.
async fn walk_from(user: &mut User, at: u32, refused: Errno) {
    let (mut stat, mut name) = ([0; STAT_BYTES], [0; 64]);
    for path in [&b"."[..], b"..", b"x", b"./x/y"] {
        let known = user.directory.call(KnownStatus { at: at.into(), flags: 0 }, (path, &mut stat[..])).await;
        assert_eq!(known, Err(Errno::EAGAIN), "{at} {path:?}");
        let known = user.directory.call(KnownOpen { at: at.into(), flags: 0 }, path).await;
        assert_eq!(known.map(|_| ()), Err(Errno::EAGAIN), "{at} {path:?}");
        let status = user.path.call(StatusOf { at: at.into(), flags: 0 }, (path, &mut stat[..])).await;
        assert_eq!(status, Err(refused), "{at} {path:?}");
        assert_eq!(
            user.path
                .call(Open { at: at.into(), flags: 0, mode: 0, owner: InodeOwner::default() }, path)
                .await
                .map(|_| ()),
            Err(refused)
        );
        assert_eq!(
            user.path
                .call(Open { at: at.into(), flags: OPEN_WRITE, mode: 0, owner: InodeOwner::default() }, path)
                .await
                .map(|_| ()),
            Err(refused)
        );
        assert_eq!(user.path.call(ChangeMode { at: at.into(), mode: 0, expected: 0 }, path).await, Err(refused));
        assert_eq!(
            user.path.call(MakeDirectory { at: at.into(), mode: 0o755, owner: InodeOwner::default() }, path).await,
            Err(refused)
        );
        assert_eq!(user.path.call(Unlink { at: at.into(), directory: true, expected: 0 }, path).await, Err(refused));
    }
    assert_eq!(user.path.call(AbsolutePath { at: at.into() }, &mut name[..]).await, Err(refused));
}

#[test]
fn path_start_not_a_directory_is_refused() {
    on_a_disk("walks", |mut user| async move {
        user.mkdir("/d").await.unwrap();
        user.write_file("/d/file", &[7; 70_000]).await.unwrap();
        user.write_file("/gone", &[7; 70_000]).await.unwrap();
        let mut numbers = Vec::new();
        for path in ["/d", "/d/file", "/gone"] {
            let facts = user.open_facts(path, 0, 0).await.unwrap();
            user.directory.call(Release { slot: facts.slot, ino: facts.ino }, ()).await.unwrap();
            numbers.push(facts.ino);
        }
        user.unlink("/gone").await.unwrap();
        user.sync().await.unwrap();
        let before = free(&mut user).await;
        walk_from(&mut user, numbers[2], Errno::ENOENT).await;
        walk_from(&mut user, 0, Errno::EIO).await;
        walk_from(&mut user, numbers[1], Errno::ENOTDIR).await;
        walk_from(&mut user, JOURNAL, Errno::ENOTDIR).await;
        user.sync().await.unwrap();
        assert_eq!(free(&mut user).await, before, "something was freed twice, or cut");
        // A directory's number is good.
        let mut stat = [0; STAT_BYTES];
        for path in [&b"."[..], b"file"] {
            user.path.call(StatusOf { at: numbers[0].into(), flags: 0 }, (path, &mut stat[..])).await.unwrap();
        }
        user.directory.call(KnownStatus { at: numbers[0].into(), flags: 0 }, (&b"."[..], &mut stat[..])).await.unwrap();
        assert!(user.read_file("/d/file").await == Ok(vec![7; 70_000]));
    });
}

/// The directory at `path`, as who starts in it knows it.
async fn which(user: &mut User, path: &str) -> FileId {
    let facts = user.open_facts(path, 0, 0).await.unwrap();
    user.directory.call(Release { slot: facts.slot, ino: facts.ino }, ()).await.unwrap();
    FileId { ino: facts.ino, generation: facts.birth.generation }
}

/// A board's lookup of `file` in a directory: cached (0), or a cache generation.
async fn look_up(user: &mut User, at: FileId) -> Result<u64, Errno> {
    let mut stat = [0; STAT_BYTES];
    user.names.call(StatusHere { at, flags: 0 }, (&b"file"[..], &mut stat[..])).await
}

/// Fills that board's cache with `file` there.
async fn fill(user: &mut User, at: FileId) {
    let cache_generation = look_up(user, at).await.unwrap();
    assert!(cache_generation != 0 && cache_generation != NO_CACHE_GENERATION);
    let mut steps = [0; STEPS_BYTES];
    let resolve = Resolve { at, flags: 0, opens: false };
    let bytes = user.path.call(resolve, (&b"file"[..], &mut steps[..])).await.unwrap() as usize;
    user.names.call(CacheSteps { cache_generation }, &steps[..bytes]).await.unwrap();
    assert_eq!(look_up(user, at).await, Ok(0));
}

#[test]
fn path_start_removed_directory_is_not_its_successor() {
    on_a_disk("reused", |mut user| async move {
        let mut stat = [0; STAT_BYTES];
        user.mkdir("/d").await.unwrap();
        user.write_file("/d/file", b"old").await.unwrap();
        let old = which(&mut user, "/d").await;
        fill(&mut user, old).await;
        user.directory.call(KnownStatus { at: old, flags: 0 }, (&b"file"[..], &mut stat[..])).await.unwrap();
        user.unlink("/d/file").await.unwrap();
        user.rmdir("/d").await.unwrap();
        user.sync().await.unwrap();
        user.mkdir("/e").await.unwrap();
        user.write_file("/e/file", b"new").await.unwrap();
        let new = which(&mut user, "/e").await;
        assert!(new.ino == old.ino && new.generation != old.generation, "{old:?} {new:?}");
        // Both where nothing is known of it and where all is.
        for is_known in [false, true] {
            if is_known {
                fill(&mut user, new).await;
                assert_eq!(look_up(&mut user, old).await, Err(Errno::ENOENT));
            } else {
                assert!(look_up(&mut user, old).await.is_ok_and(|cache_generation| cache_generation != 0));
            }
            for (at, file) in [
                (PathStart::from(old), &b"file"[..]),
                (old.into(), b"."),
                (old.into(), b"../e/file"),
                (PathStart { directory: new, root: old }, b"/file"),
                (PathStart { directory: new, root: old }, b"/"),
            ] {
                let status = user.path.call(StatusOf { at, flags: 0 }, (file, &mut stat[..])).await;
                assert_eq!(status, Err(Errno::ENOENT), "{at:?} {}", file.escape_ascii());
                let create = Open { at, flags: OPEN_CREATE | OPEN_WRITE, mode: 0o644, owner: InodeOwner::default() };
                assert_eq!(user.path.call(create, file).await.map(|_| ()), Err(Errno::ENOENT));
                assert_eq!(
                    user.path.call(Unlink { at, directory: false, expected: 0 }, file).await,
                    Err(Errno::ENOENT)
                );
            }
            let known = user.directory.call(KnownStatus { at: old, flags: 0 }, (&b"file"[..], &mut stat[..])).await;
            assert_eq!(known, Err(if is_known { Errno::ENOENT } else { Errno::EAGAIN }));
            let path = user.path.call(AbsolutePath { at: old.into() }, &mut stat[..]).await;
            assert_eq!(path, Err(Errno::ENOENT));
        }
        assert_eq!(user.read_file("/e/file").await, Ok(b"new".to_vec()));
    });
}

#[test]
fn unlink_expected_inode_spares_its_successor() {
    on_a_disk("expected", |mut user| async move {
        user.write_file("/file", b"old").await.unwrap();
        let old = which(&mut user, "/file").await.ino;
        user.write_file("/other", b"new").await.unwrap();
        user.rename("/other", "/file").await.unwrap();
        let unlink = |expected| Unlink { at: ROOT.into(), directory: false, expected };
        assert_eq!(user.path.call(unlink(old), &b"/file"[..]).await, Err(Errno::ESTALE));
        let new = which(&mut user, "/file").await.ino;
        assert_eq!(user.path.call(unlink(new), &b"/file"[..]).await, Ok(()));
        assert_eq!(user.path.call(unlink(0), &b"/file"[..]).await, Err(Errno::ENOENT));
    });
}
