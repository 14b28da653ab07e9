//! Images with wrong bytes: refused, or mounted and used without a fault; a wrong image may cost data, never
//! the board.
//!
//! The first byte says how the image is used; the rest are patches: a block, an offset, a length of 1 to 8, as many new
//! bytes.

use super::board::{self, FuzzUser};
use super::image::{BLOCK_BYTES, FuzzMedium, NAMES, USED_BLOCKS};
use renga_proto::inode::{InodeOwner, STAT_BYTES};
use renga_proto::path::{
    AbsolutePath, FileSystemStatus, Link, MakeDirectory, NO_FOLLOW, OPEN_CREATE, ReadLinkOf, Rename, SymbolicLink,
    Unlink, Unmount,
};

/// Most patches of an image.
const PATCHES_MAX: usize = 64;

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    let (first, patches) = bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest));
    board::run(&[], |medium| patch(medium, patches), move |user, _| use_it(user, first));
}

fn patch(medium: &FuzzMedium, mut bytes: &[u8]) {
    for _ in 0..PATCHES_MAX {
        let Some((&[block, low, high], rest)) = bytes.split_first_chunk::<3>() else { return };
        let count = (usize::from(high >> 5) + 1).min(rest.len());
        let offset = usize::from(u16::from_le_bytes([low, high])) % BLOCK_BYTES;
        medium.patch(usize::from(block) % USED_BLOCKS, offset, &rest[..count]);
        bytes = &rest[count..];
    }
}

/// One kind of use of the files; only that each operation ends counts.
async fn use_it(mut user: FuzzUser, first: u8) {
    let place = usize::from(first / 8);
    match first % 8 {
        0 => inspect(&mut user, NAMES[place % NAMES.len()].as_bytes()).await,
        1 => ask(&mut user).await,
        2 => fill(&mut user).await,
        3 => rename(&mut user).await,
        4 => cut(&mut user).await,
        5 => unlink(&mut user, place).await,
        6 => remove_directories(&mut user).await,
        _ => {
            fill(&mut user).await;
            rename(&mut user).await;
            cut(&mut user).await;
            unlink(&mut user, place).await;
        }
    }
    let _ = user.path().call(Unmount {}, ()).await;
}

async fn inspect(user: &mut FuzzUser, name: &[u8]) {
    let _ = user.status(name, NO_FOLLOW).await;
    let _ = user.list(name).await;
    let _ = user.read(name).await;
    let mut out = [0; 200];
    let _ = user.path().call(ReadLinkOf { at: board::ROOT.into() }, (name, &mut out[..])).await;
}

async fn ask(user: &mut FuzzUser) {
    let mut out = [0; STAT_BYTES];
    let _ = user.path().call(FileSystemStatus {}, &mut out[..]).await;
    if let Ok(facts) = user.open(b"d", 0).await {
        let mut out = [0; 300];
        let _ = user.path().call(AbsolutePath { at: facts.ino.into() }, &mut out[..]).await;
    }
}

async fn fill(user: &mut FuzzUser) {
    let at = board::ROOT;
    let _ = user.write(b"d/new", OPEN_CREATE, 4090, &[7; 20]).await;
    let _ = user.write(b"i", 0, 13 * 4096, &[8; 100]).await;
    let _ = user.path().call(MakeDirectory { at: at.into(), mode: 0o755, owner: InodeOwner::default() }, b"d/m").await;
    let _ = user.path().call(SymbolicLink { at: at.into(), owner: InodeOwner::default() }, b"somewhere\0s").await;
}

async fn rename(user: &mut FuzzUser) {
    let at = board::ROOT;
    let _ = user.path().call(Rename { from_at: at.into(), to_at: at.into(), flags: 0 }, b"d/f\0d/m/new").await;
    let _ = user.path().call(Rename { from_at: at.into(), to_at: at.into(), flags: 0 }, b"d\0lost+found/d").await;
    let _ = user.path().call(Rename { from_at: at.into(), to_at: at.into(), flags: 0 }, b"i\0h").await;
    let _ = user.path().call(Link { from_at: at.into(), to_at: at.into(), flags: 0 }, b"h\0lost+found/h").await;
}

async fn cut(user: &mut FuzzUser) {
    let _ = user.truncate(b"i", 100).await;
    let _ = user.truncate(b"d/f", 5 << 20).await;
    let _ = user.truncate(b"d/f", 0).await;
}

async fn unlink(user: &mut FuzzUser, place: usize) {
    for name in ["i", "h", "l", "long", "null", "s", "d/f", "d/h"].into_iter().skip(place % 8) {
        let _ =
            user.path().call(Unlink { at: board::ROOT.into(), directory: false, expected: 0 }, name.as_bytes()).await;
    }
}

async fn remove_directories(user: &mut FuzzUser) {
    for name in ["d/m", "d", "lost+found/d", "lost+found"] {
        let _ =
            user.path().call(Unlink { at: board::ROOT.into(), directory: true, expected: 0 }, name.as_bytes()).await;
    }
}
