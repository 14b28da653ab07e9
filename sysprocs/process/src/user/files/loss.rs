//! What a program sees of boards that have failed.
//!
//! Invariant: a call that this board's router answered with `ESTALE` was not made, and was the first of
//! this process to that board's new generation; so nothing of the system call has happened there.

use crate::user::servers::object_calls::is_loss;
use crate::user::slot::User;
use crate::user::state::Object;
use renga_hal::memory::UserMemory;
use renga_proto::file::CheckGeneration;
use renga_rt::Errno;

impl<M: UserMemory> User<M> {
    /// Finds the program's objects that are lost with boards that rebooted, a bit each. Its slot may learn of that
    /// late, so a file there can be of the new generation: this checks each file. Pipes check the generation at each
    /// call.
    pub(crate) async fn find_losses(&mut self, renewed: u8) {
        let mut from = 0;
        // Bounded by the descriptors.
        while let Some((number, object)) = self.program.files.next_object(from) {
            if let Some(at) = object.file()
                && renewed >> at.board & 1 != 0
                && let Ok(mut file) = self.services.file(at)
                && file.call(CheckGeneration { generation: at.generation }, ()).await.is_err_and(is_loss)
            {
                self.program.files.lose(object);
            }
            from = number + 1;
        }
    }

    /// What a program sees of a transfer's failure: a pipe on a dead board is broken, a socket is reset, a
    /// file there gives `EIO`. Everything else that the program had there is lost too.
    pub(crate) fn note_loss(&mut self, object: Object, errno: Errno, writing: bool) -> Errno {
        match object.server() {
            Some(at) if errno == Errno::EHOSTDOWN || object.names_generation() && is_loss(errno) => {
                // A file process of this board is as safe as the program.
                if object.names_generation() || at.board != self.services.board {
                    self.program.files.lose_board(at.board);
                }
                if object.socket().is_ok() {
                    return Errno::ECONNRESET;
                }
                if writing && object.pipe().is_some() { Errno::EPIPE } else { Errno::EIO }
            }
            None if object == Object::Console && errno == Errno::EHOSTDOWN => Errno::EIO,
            _ => errno,
        }
    }
}
