//! Opening fifos: pipes that have names.
//!
//! Invariant: whoever has opened one holds its ends as of any pipe; who waits for a partner holds them too, and gives
//! them up if it is interrupted. Not here: which pipe it is (`renga_pipe::fifos`).

use crate::user::User;
use crate::user::escape::{Outcome, restartable};
use crate::user::files::descriptors::{Descriptor, Object};
use crate::user::files::open::{
    O_ACCMODE, O_CLOEXEC, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY, is_path_only, kept_flags,
};
use renga_hal::memory::UserMemory;
use renga_proto::fifos::{FifoEnds, OpenFifo, OpenedFifo};
use renga_proto::inode::InodeFacts;
use renga_proto::pipe::{AwaitPartner, PipeEnd};
use renga_rt::Errno;

impl<M: UserMemory + ?Sized> User<M> {
    /// Opens the fifo that `facts` are of, whose reference is given back already.
    pub(in crate::user) async fn open_fifo(&mut self, facts: &InodeFacts, flags: u32) -> Outcome {
        let InodeFacts { ino, mode, birth, .. } = *facts;
        let close_on_exec = flags & O_CLOEXEC != 0;
        let object = Object::Named { generation: birth.generation };
        let descriptor = Descriptor { object, ino, mode, flags: kept_flags(flags), close_on_exec };
        if is_path_only(flags) {
            return self.add_descriptor(descriptor).await;
        }
        let (ends, end) = match flags & O_ACCMODE {
            O_RDONLY => (FifoEnds::Reader, PipeEnd::Reader),
            O_WRONLY => (FifoEnds::Writer, PipeEnd::Writer),
            O_RDWR => (FifoEnds::Both, PipeEnd::Reader),
            _ => return Err(Errno::EINVAL.into()),
        };
        let nonblocking = flags & O_NONBLOCK != 0;
        let open = OpenFifo { ino, generation: birth.generation, ends, nonblocking };
        let OpenedFifo { number, generation, partners, alone } = self.services.fifos()?.call(open, ()).await?;
        let board = self.services.disk_board;
        let object = match ends {
            FifoEnds::Both => Object::Fifo { board, number, generation },
            // Who opened it while somebody had the other end can be left at once.
            _ => Object::Pipe { board, number, generation, end, partners: if alone { partners } else { 0 } },
        };
        if alone && !nonblocking {
            let partner = match self.services.pipe(board, number) {
                Ok(mut pipe) => pipe.call(AwaitPartner { generation, end, partners }, ()).await,
                Err(errno) => Err(errno),
            };
            if partner.is_err() {
                let _ = self.services.release(Some(object)).await; // nothing was written
                return restartable(partner.map(|()| 0).map_err(|errno| self.note_loss(object, errno, false)));
            }
        }
        self.add_descriptor(Descriptor { object, ..descriptor }).await
    }
}
