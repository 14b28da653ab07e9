//! What descriptors stand for, read, written, kept and let go.
//!
//! Invariant: a lent slice is at most one page. A call that names the generation of its object is repeated after the reboot of the
//! object's board: the object may be of the new generation, inherited from a parent that runs elsewhere. Not here: splitting by pages (`transfer.rs`), numbers
//! of descriptors (`descriptors.rs`).

use crate::user::files::descriptors::Object;
use crate::user::lifecycle::loss::is_loss;
use crate::user::services::Services;
use renga_proto::console::{ReadTerminal, WriteTerminal};
use renga_proto::events::{DropEvents, HoldEvents};
use renga_proto::file::{AddReference, Close, Read, ReadFrom, Write, WriteTo};
use renga_proto::pipe::{AddEnd, CloseEnd, PipeEnd, ReadPipe, WritePipe};
use renga_rt::{Errno, Retry};

/// How to transfer.
#[derive(Clone, Copy)]
pub struct Manner {
    /// From here on, leaving the file's own offset alone.
    pub offset: Option<u64>,
    /// Fail with `EAGAIN` rather than wait.
    pub nonblocking: bool,
}

impl Services {
    /// Reads from `object` into `out`; how many bytes.
    pub async fn read(&mut self, object: Object, out: &mut [u8], manner: Manner) -> Result<usize, Errno> {
        let nonblocking = manner.nonblocking;
        let bytes = match object {
            Object::File { board, number, .. } => {
                let mut file = self.file(board, number)?;
                match manner.offset {
                    Some(offset) => file.call(ReadFrom { offset }, out).await?,
                    None => file.call(Read {}, out).await?,
                }
            }
            Object::Pipe { end: PipeEnd::Writer, .. } => return Err(Errno::EBADF),
            Object::Pipe { .. } | Object::Fifo { .. } | Object::Console if manner.offset.is_some() => {
                return Err(Errno::ESPIPE);
            }
            Object::Pipe { board, number, generation, .. } | Object::Fifo { board, number, generation } => {
                self.pipe(board, number)?.call_retrying(ReadPipe { generation, nonblocking }, out).await?
            }
            Object::Lost { .. } => return Err(Errno::EIO),
            Object::Named { .. } => return Err(Errno::EBADF),
            Object::Console => self.console()?.call(ReadTerminal { nonblocking }, out).await?,
            Object::Null => 0,
            Object::Zero | Object::Full => {
                out.fill(0);
                return Ok(out.len());
            }
            // They are the program's, which its slot takes; and whole numbers, not bytes.
            Object::Signals { .. } | Object::Events { .. } => return Err(Errno::EINVAL),
            Object::Random => {
                self.fill_random(out);
                return Ok(out.len());
            }
        };
        Ok(bytes as usize)
    }

    /// Writes `bytes` to `object`; how many.
    pub async fn write(&mut self, object: Object, bytes: &[u8], manner: Manner) -> Result<usize, Errno> {
        let nonblocking = manner.nonblocking;
        let written = match object {
            Object::File { board, number, .. } => {
                let mut file = self.file(board, number)?;
                match manner.offset {
                    Some(offset) => file.call(WriteTo { offset }, bytes).await?,
                    None => file.call(Write {}, bytes).await?,
                }
            }
            Object::Pipe { end: PipeEnd::Reader, .. } => return Err(Errno::EBADF),
            Object::Pipe { .. } | Object::Fifo { .. } | Object::Console if manner.offset.is_some() => {
                return Err(Errno::ESPIPE);
            }
            Object::Pipe { board, number, generation, .. } | Object::Fifo { board, number, generation } => {
                self.pipe(board, number)?.call_retrying(WritePipe { generation, nonblocking }, bytes).await?
            }
            Object::Lost { pipe } => return Err(if pipe { Errno::EPIPE } else { Errno::EIO }),
            Object::Named { .. } => return Err(Errno::EBADF),
            Object::Console => {
                let asked = core::mem::take(&mut self.may_write_terminal);
                self.console()?.call(WriteTerminal { asked }, bytes).await?
            }
            Object::Null | Object::Zero | Object::Random => return Ok(bytes.len()),
            Object::Full => return Err(Errno::ENOSPC),
            Object::Signals { .. } | Object::Events { .. } => return Err(Errno::EINVAL),
        };
        Ok(written as usize)
    }

    /// One reference more to `object`.
    pub async fn keep(&mut self, object: Object) -> Result<(), Errno> {
        match object {
            Object::File { board, number, generation } => {
                self.file(board, number)?.call_retrying(AddReference { generation }, ()).await
            }
            Object::Pipe { board, number, generation, end, .. } => {
                self.pipe(board, number)?.call_retrying(AddEnd { generation, end }, ()).await
            }
            Object::Events { board, number, generation, .. } => {
                self.events(board)?.call_retrying(HoldEvents { number, generation }, ()).await
            }
            Object::Fifo { board, number, generation } => {
                let mut pipe = self.pipe(board, number)?;
                pipe.call_retrying(AddEnd { generation, end: PipeEnd::Reader }, ()).await?;
                let kept = pipe.call(AddEnd { generation, end: PipeEnd::Writer }, ()).await;
                if kept.is_err() {
                    let _ = pipe.call(CloseEnd { generation, end: PipeEnd::Reader }, ()).await; // as before
                }
                kept
            }
            _ => Ok(()),
        }
    }

    /// One reference less to `object`, if there is one. What is lost with its board needs none; `EIO`: with
    /// it, what was written to a file may be lost.
    pub async fn release(&mut self, object: Option<Object>) -> Result<(), Errno> {
        let released = match object {
            Some(Object::Fifo { board, number, generation }) => {
                // Where one is lost so is the other.
                let _ = self.close_end(board, number, CloseEnd { generation, end: PipeEnd::Writer }).await;
                self.close_end(board, number, CloseEnd { generation, end: PipeEnd::Reader }).await
            }
            Some(Object::Pipe { board, number, generation, end, .. }) => {
                self.close_end(board, number, CloseEnd { generation, end }).await
            }
            Some(Object::File { board, number, generation }) => {
                let closed = self.file(board, number)?.call_retrying(Close { generation }, ()).await;
                return closed.map_err(|errno| if is_loss(errno) { Errno::EIO } else { errno });
            }
            Some(Object::Events { board, number, generation, .. }) => {
                self.events(board)?.call_retrying(DropEvents { number, generation }, ()).await
            }
            _ => Ok(()),
        };
        if released.is_err_and(is_loss) { Ok(()) } else { released }
    }

    async fn close_end(&mut self, board: u8, number: u16, close: CloseEnd) -> Result<(), Errno> {
        self.pipe(board, number)?.call_retrying(close, ()).await
    }
}
