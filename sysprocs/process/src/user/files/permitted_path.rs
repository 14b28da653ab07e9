//! Walks along paths as far as the permission bits of directories allow, for programs of other users than root.
//!
//! Invariant: a walk checks each directory when it passes it, and ends at the directory of the last name, from which
//! the operation starts: what others rename meanwhile leads it nowhere that was not checked. The last name's own bits
//! are checked as of the inode that the operation has. Root's programs do not come here. Not here: the rules
//! (`state/credentials.rs`).

use crate::user::files::synthetic::{PathPiece, bytes_of};
use crate::user::slot::User;
use crate::user::state::credentials::FileAccess;
use crate::user::state::fields::{half_at, int_at};
use renga_hal::memory::UserMemory;
use renga_proto::inode::STAT_BYTES;
use renga_proto::path::{PathStart, StatusOf};
use renga_proto::stat::{INO_AT, MODE_AT, OWNER_AT};
use renga_rt::Errno;

/// What a status says of the inode: its number, and who may use it.
pub(crate) fn access_in(status: &[u8; STAT_BYTES]) -> (u32, FileAccess) {
    let [uid, gid] = [0, 4].map(|at| int_at(status, OWNER_AT + at));
    (int_at(status, INO_AT), FileAccess { mode: half_at(status, MODE_AT), uid, gid })
}

impl<M: UserMemory> User<M> {
    /// Who may use inode `ino`, to which the path leads and the caller refers. `EACCES`: it leads to another by now.
    pub(crate) async fn access_at(&mut self, at: PathStart, piece: PathPiece, ino: u32) -> Result<FileAccess, Errno> {
        let mut status = [0; STAT_BYTES];
        self.services.status_of(StatusOf { at, flags: 0 }, bytes_of!(self, piece), &mut status).await?;
        let (found, access) = access_in(&status);
        if found == ino { Ok(access) } else { Err(Errno::EACCES) }
    }
}
