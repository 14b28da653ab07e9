//! The status flags of what descriptors stand for: whether writes go to the end (`O_APPEND`), whether calls wait
//! (`O_NONBLOCK`).
//!
//! Invariant: of an open file, a pipe without a name, an event file and the terminal as init has it, the server keeps them, so
//! that whoever has a copy of the descriptor, also a child on another board, sees what any of them sets. Of the rest (fifos,
//! signal descriptors, devices opened by name) each program keeps them for itself, in all copies, as no server keeps one of
//! their openings. Not here: what the flags do.

use crate::user::servers::object_calls::SETTABLE;
use crate::user::slot::user::User;
use crate::user::state::descriptors::FileDescriptor;
use renga_hal::memory::UserMemory;
use renga_rt::Errno;

impl<M: UserMemory + ?Sized> User<M> {
    /// The flags of `of`, as they are now.
    pub(crate) async fn status_flags(&mut self, of: &FileDescriptor) -> Result<u32, Errno> {
        let flags = self.services.status_flags(of).await;
        flags.map_err(|errno| self.note_loss(of.object, errno, false))
    }

    /// Sets those of `flags` that can be set of the object of descriptor `number`.
    pub(crate) async fn set_status_flags(&mut self, number: u64, flags: u32) -> Result<(), Errno> {
        let of = *self.program.files.get(number)?;
        let set = self.services.set_status_flags(&of, flags & SETTABLE).await;
        let kept_here = set.map_err(|errno| self.note_loss(of.object, errno, false))?;
        self.program.files.set_flags(number, kept_here);
        Ok(())
    }
}
