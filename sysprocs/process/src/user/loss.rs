//! What a program sees of boards that have died.
//!
//! Invariant: a call that was told `ESTALE` by this board's router was not made, and was the first of
//! this process to that board's new life; so nothing of the system call has happened there.

use super::User;
use super::descriptors::Object;
use renga_hal::memory::UserMemory;
use renga_rt::Errno;

/// Whether what was asked is gone with its board.
pub fn is_loss(errno: Errno) -> bool {
    errno == Errno::EHOSTDOWN || errno == Errno::ESTALE
}

impl<M: UserMemory + ?Sized> User<M> {
    /// What a program sees of a transfer's failure: a pipe on a dead board is broken, a file there gives
    /// `EIO`. Everything else that the program had there is lost too.
    pub(super) fn note_loss(&mut self, object: Object, errno: Errno, writing: bool) -> Errno {
        match object {
            Object::Pipe { board, .. } if is_loss(errno) => {
                self.program.files.lose_board(board);
                if writing { Errno::EPIPE } else { Errno::EIO }
            }
            Object::File { board, .. } if errno == Errno::EHOSTDOWN && board != self.services.board => {
                self.program.files.lose_board(board);
                Errno::EIO
            }
            Object::File { .. } | Object::Console if errno == Errno::EHOSTDOWN => Errno::EIO,
            _ => errno,
        }
    }
}
