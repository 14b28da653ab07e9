//! Appends to files, which do not mix with those of others, of whichever board.
//!
//! Invariant: what fits in a page is one write, wherever it lies in memory. For more, room at the end of the file is reserved
//! first; what of that is not used, as a piece fails, is given back.
//! Not here: who reserves (`renga_fs`).

use crate::user::User;
use crate::user::escape::Outcome;
use crate::user::files::descriptors::{Descriptor, Object};
use crate::user::files::open::O_APPEND;
use renga_hal::memory::UserMemory;
use renga_proto::file::{BeginAppend, EndAppend};
use renga_rt::{Errno, apart};

/// Room at the end of a file.
pub(super) struct Room {
    pub(super) start: u64,
    reserved: u64,
}

impl<M: UserMemory + ?Sized> User<M> {
    /// Whether what is written to `to` now goes to the end of a file, wherever the call says, as on Linux.
    pub(in crate::user) async fn appends(&mut self, to: &Descriptor) -> Result<bool, Errno> {
        match to.object {
            Object::File { .. } => Ok(apart!(self.status_flags(to))? & O_APPEND != 0),
            _ => Ok(false),
        }
    }

    /// Reserves room for `count` bytes.
    pub(super) async fn begin_append(&mut self, to: &Descriptor, count: u64) -> Result<Room, Errno> {
        let Object::File { board, number, .. } = to.object else { return Err(Errno::EINVAL) };
        let start = self.services.file(board, number)?.call(BeginAppend { bytes: count }, ()).await?;
        Ok(Room { start, reserved: start.saturating_add(count) })
    }

    /// So many bytes of it have been `written`; the file's offset is behind them then if the call `moves` it.
    pub(super) async fn end_append(&mut self, to: &Descriptor, room: Room, written: &Outcome, moves: bool) {
        let Object::File { board, number, .. } = to.object else { return };
        let Room { start, reserved } = room;
        let end = start.saturating_add(*written.as_ref().unwrap_or(&0));
        if let Ok(mut file) = self.services.file(board, number) {
            // Fails with the board of the file, and what was reserved there is gone with it.
            let _ = file.call(EndAppend { end, reserved, moves }, ()).await;
        }
    }
}
