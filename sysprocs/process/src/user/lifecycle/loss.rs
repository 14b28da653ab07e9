//! What a program sees of boards that have died.
//!
//! Invariant: a call that was told `ESTALE` by this board's router was not made, and was the first of
//! this process to that board's new generation; so nothing of the system call has happened there.

use crate::user::User;
use crate::user::files::descriptors::Object;
use renga_hal::memory::UserMemory;
use renga_proto::file::CheckGeneration;
use renga_rt::Errno;

/// Whether what was asked is gone with its board.
pub fn is_loss(errno: Errno) -> bool {
    errno == Errno::EHOSTDOWN || errno == Errno::ESTALE
}

impl<M: UserMemory + ?Sized> User<M> {
    /// Finds out what the program has lost on the boards that have begun anew, a bit each. Its slot may be told
    /// late, so a file there can be of the new generation: each is asked. Pipes check the generation at each call.
    pub(in crate::user) async fn learn_losses(&mut self, renewed: u8) {
        let mut from = 0;
        // Bounded by the descriptors.
        while let Some((number, object)) = self.program.files.next_object(from) {
            if let Object::File { board, number, generation } = object
                && renewed >> board & 1 != 0
                && let Ok(mut file) = self.services.file(board, number)
                && file.call(CheckGeneration { generation }, ()).await.is_err_and(is_loss)
            {
                self.program.files.lose(object);
            }
            from = number + 1;
        }
    }

    /// What a program sees of a transfer's failure: a pipe on a dead board is broken, a file there gives
    /// `EIO`. Everything else that the program had there is lost too.
    pub(in crate::user) fn note_loss(&mut self, object: Object, errno: Errno, writing: bool) -> Errno {
        match object {
            Object::Events { board, .. } if is_loss(errno) => {
                self.program.files.lose_board(board);
                Errno::EIO
            }
            Object::Pipe { board, .. } | Object::Fifo { board, .. } if is_loss(errno) => {
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
