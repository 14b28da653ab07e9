//! Releasing a reference to an inode where it is counted: at the name cache of this board, or at the directory of
//! inodes.
//!
//! Invariant: a reference is released only in the session in which it was got; with that it ends by itself.
//! Called by: open files, mappings, lookups. Not here: sessions ([`crate::sessions`]).

use crate::inode::{InodeDirectory, Release};
use crate::names::{Names, ReleaseCachedReference};
use crate::sessions::{ReferenceOrigin, Sessions};
use renga_abi::Errno;
use renga_core::{Client, Local};

/// Gives a reference to inode `ino`, with process `slot`, back to whom it is of, unless it has ended.
///
/// # Errors
/// `EINVAL`: no such reference.
pub async fn give_back<const NAMES: u32, const DIRECTORY: u32>(
    names: &mut Local<Names, NAMES>,
    directory: &mut Client<InodeDirectory, DIRECTORY>,
    sessions: &Sessions,
    (ino, slot, origin): (u32, u16, ReferenceOrigin),
) -> Result<(), Errno> {
    let board = directory.server().board.0;
    let is_good = || sessions.is_good(board, origin);
    if !is_good() {
        return Ok(());
    }
    if origin.kept
        && let Some(mut names) = names.at(0)
        && !names.call(ReleaseCachedReference { ino, session: origin.session }, ()).await?
    {
        return Ok(());
    }
    let mut given = directory.call(Release { slot, ino }, ()).await;
    if given == Err(Errno::ESTALE) && is_good() {
        // That was about an earlier session, and the call was not made.
        given = directory.call(Release { slot, ino }, ()).await;
    }
    if is_good() { given } else { Ok(()) }
}
