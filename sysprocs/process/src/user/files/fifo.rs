//! Opening fifos: pipes that have names.
//!
//! Invariant: an opener has references to its ends as of any pipe; so does a waiter for a partner, which gives
//! them up if it is interrupted. Not here: which pipe it is (`renga_pipe::fifos`).

use crate::user::slot::{User, leaving};
use crate::user::state::open_flags::{O_ACCMODE, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY, is_path_only};
use crate::user::state::{FileDescriptor, Handle, Object, SyscallResult, restartable};
use renga_hal::memory::UserMemory;
use renga_proto::fifos::{FifoEnds, OpenFifo, OpenedFifo};
use renga_proto::inode::InodeFacts;
use renga_proto::pipe::{AwaitPartner, PipeEnd};
use renga_rt::Errno;

impl<M: UserMemory> User<M> {
    /// Opens the fifo that `facts` are of, whose reference is given back already.
    pub(crate) async fn open_fifo(&mut self, facts: &InodeFacts, flags: u32) -> SyscallResult {
        let InodeFacts { ino, mode, birth, .. } = *facts;
        let object = Object::Named { generation: birth.generation };
        let descriptor = FileDescriptor::opened(object, ino, mode, flags);
        if is_path_only(flags) {
            return Ok(self.add_descriptor(descriptor).await?);
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
        let at = Handle { board: self.services.file_board, number, generation };
        let object = match ends {
            FifoEnds::Both => Object::Fifo(at),
            // An opener that found a partner need not remember how many there were.
            _ => Object::Pipe { at, end, partners: if alone { partners } else { 0 } },
        };
        if alone && !nonblocking {
            let partner = match self.services.pipe(at) {
                Ok(mut pipe) => leaving!(self, pipe.call(AwaitPartner { generation, end, partners }, ())),
                Err(errno) => Err(errno),
            };
            if partner.is_err() {
                let _ = self.services.release(Some(object)).await; // nothing was written
                return restartable(partner.map(|()| 0).map_err(|errno| self.note_loss(object, errno, false)));
            }
        }
        Ok(self.add_descriptor(FileDescriptor { object, ..descriptor }).await?)
    }
}
