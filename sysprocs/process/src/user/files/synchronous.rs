//! Files that were opened with O_SYNC or O_DSYNC: each write to one is on the medium before its call returns.
//!
//! Invariant: what a write's call answers is told when the file's medium has it, or the failure of that. Not here: how it
//! gets there (`renga_fs`); what the medium is not told of, as pipes and devices.

use crate::user::User;
use crate::user::escape::Outcome;
use crate::user::files::descriptors::{Descriptor, Object};
use crate::user::files::open::O_DSYNC;
use renga_hal::memory::UserMemory;
use renga_proto::file::SyncFile;

impl Descriptor {
    /// Whether each write to it goes to the medium.
    pub(super) fn is_synchronous(&self) -> bool {
        self.flags & O_DSYNC != 0 && matches!(self.object, Object::File { .. })
    }
}

impl<M: UserMemory + ?Sized> User<M> {
    /// What a call that has `written` bytes to `to` answers, once the medium has them if it has to.
    pub(super) async fn kept(&mut self, to: &Descriptor, written: u64) -> Outcome {
        if written > 0
            && to.is_synchronous()
            && let Object::File { board, number, .. } = to.object
            && let Err(errno) = self.services.file(board, number)?.call(SyncFile {}, ()).await
        {
            return Err(self.note_loss(to.object, errno, true).into());
        }
        Ok(written)
    }
}
