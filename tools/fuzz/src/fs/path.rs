//! Paths: every request of a program to a sound file system ends, and none reports damage.
//!
//! The bytes are operations: a number, a path up to the next zero byte; of two paths, both.

use super::board::{self, FuzzResult, FuzzUser, ROOT};
use renga_proto::path::{
    Access, ChangeMode, ChangeOwner, ChangeTimes, Link, MakeDirectory, MakeNode, PATH_BYTES_MAX, ReadLinkOf, Rename,
    SymbolicLink, Unlink, Unmount,
};
use renga_rt::Errno;

/// Most operations of an input.
const OPERATIONS_MAX: usize = 24;

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    let Some(_) = board::run(bytes, |_| (), operations) else { unreachable!("the image is ext2") };
}

/// Takes what stands before the next zero byte, or all.
fn take(rest: &mut &'static [u8]) -> &'static [u8] {
    let end = rest.iter().position(|byte| *byte == 0);
    let path = &rest[..end.unwrap_or(rest.len()).min(PATH_BYTES_MAX + 1)];
    *rest = end.map_or(&[], |end| &rest[end + 1..]);
    path
}

/// Two paths with a zero byte between them.
fn two(rest: &mut &'static [u8]) -> &'static [u8] {
    let all = *rest;
    let (first, second) = (take(rest), take(rest));
    &all[..(first.len() + 1 + second.len()).min(all.len())]
}

async fn operations(mut user: FuzzUser, mut rest: &'static [u8]) {
    for _ in 0..OPERATIONS_MAX {
        let Some((&operation, paths)) = rest.split_first() else { break };
        rest = paths;
        let (which, flags) = (operation & 0x1f, u32::from(operation >> 5));
        let result = if which < 10 {
            query(&mut user, which, flags, take(&mut rest)).await
        } else if which < 20 {
            change(&mut user, which, flags, take(&mut rest)).await
        } else {
            change_two(&mut user, which, two(&mut rest)).await
        };
        assert_ne!(result, Err(Errno::EIO), "operation {which} finds the file system damaged");
    }
    assert_eq!(user.path().call(Unmount {}, ()).await, Ok(()));
}

async fn query(user: &mut FuzzUser, which: u8, flags: u32, path: &[u8]) -> FuzzResult<()> {
    let mut out = [0; 1100];
    match which {
        0 => user.status(path, flags << 5).await,
        1 => user.list(path).await.map(drop),
        2 => user.read(path).await.map(drop),
        3 => user.path().call(Access { at: ROOT.into(), mode: flags }, path).await,
        4 => user.path().call(ReadLinkOf { at: ROOT.into() }, (path, &mut out[..])).await.map(drop),
        _ => {
            let at = user.open(path, flags << 3).await?.ino;
            user.path().call(renga_proto::path::AbsolutePath { at: at.into() }, &mut out[..]).await.map(drop)
        }
    }
}

async fn change(user: &mut FuzzUser, which: u8, flags: u32, path: &[u8]) -> FuzzResult<()> {
    let (at, mode) = (ROOT, 0o755);
    match which {
        10 => {
            user.path()
                .call(MakeDirectory { at: at.into(), mode, owner: renga_proto::inode::InodeOwner::default() }, path)
                .await
        }
        11 => user.path().call(Unlink { at: at.into(), directory: flags & 1 != 0, expected: 0 }, path).await,
        12 => {
            user.path()
                .call(
                    MakeNode {
                        at: at.into(),
                        mode: (flags as u16) << 12 | 0o644,
                        device: 0x103,
                        owner: renga_proto::inode::InodeOwner::default(),
                    },
                    path,
                )
                .await
        }
        13 => user.path().call(ChangeMode { at: at.into(), mode: 0o4000 | flags as u16, expected: 0 }, path).await,
        14 => {
            user.path()
                .call(
                    ChangeTimes { at: at.into(), access_ns: u64::MAX, modify_ns: flags.into(), flags, expected: 0 },
                    path,
                )
                .await
        }
        15 => {
            user.path().call(ChangeOwner { at: at.into(), uid: flags, gid: u32::MAX, flags, expected: 0 }, path).await
        }
        16 => user.truncate(path, u64::MAX >> (flags * 8)).await,
        17 => user.write(path, flags, u64::from(flags) << 14, &[9; 300]).await.map(drop),
        18 => user.write(path, flags | 2, u64::MAX >> (flags * 8), &[9; 5]).await.map(drop),
        _ => user.open(path, flags | 2).await.map(drop),
    }
}

async fn change_two(user: &mut FuzzUser, which: u8, paths: &[u8]) -> FuzzResult<()> {
    let at = ROOT;
    match which {
        20..24 => user.path().call(Rename { from_at: at.into(), to_at: at.into(), flags: 0 }, paths).await,
        24..28 => {
            user.path()
                .call(Link { from_at: at.into(), to_at: at.into(), flags: u32::from(which & 1) << 5 }, paths)
                .await
        }
        _ => {
            user.path()
                .call(SymbolicLink { at: at.into(), owner: renga_proto::inode::InodeOwner::default() }, paths)
                .await
        }
    }
}
