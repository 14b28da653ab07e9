//! When no page frame is left for a program: it waits until another one has ended.
//!
//! A call that fails for want of frames has done nothing, so it is made again. Not here: who is killed
//! (`procs/out_of_memory.rs`), limits of the program itself, which have the same error.

use crate::signals::{SIGKILL, killed};
use crate::user::slot::{User, leaving};
use renga_hal::memory::UserMemory;
use renga_proto::memory::MemoryStatus;
use renga_proto::procs::RelieveMemory;
use renga_rt::Errno;

/// A board with so many frames free is not out of memory: the refused program wanted too much.
const SPARE_FRAMES: u32 = 16;

impl<M: UserMemory> User<M> {
    /// After a call that was refused with `ENOMEM`: whether it is worth trying again.
    pub(crate) async fn relieve_memory(&mut self) -> bool {
        let status = self.services.clients.memory.call(MemoryStatus {}, ()).await;
        if status.is_ok_and(|facts| facts.free > SPARE_FRAMES) {
            return false;
        }
        let pid = self.thread.tid;
        let relieved = leaving!(self, self.services.clients.procs.call(RelieveMemory { pid }, ()));
        // If it is this program that has to end, the signal is there.
        relieved.is_ok_and(|ended| ended != pid)
    }

    /// After a fault without a frame: the program goes on when there may be one; its status if it cannot.
    pub(crate) async fn await_memory(&mut self) -> Result<(), u32> {
        let pid = self.thread.tid;
        match leaving!(self, self.services.clients.procs.call(RelieveMemory { pid }, ())) {
            Ok(ended) if ended == pid => Err(killed(SIGKILL)),
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(errno) => {
                self.me.log("a program ends for want of memory: pid, errno", [pid.into(), errno.0.into()]);
                Err(killed(SIGKILL))
            }
        }
    }
}
