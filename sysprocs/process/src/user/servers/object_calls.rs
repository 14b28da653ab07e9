//! The calls to the server of an object: read, write, reference, release, poll, status flags.
//!
//! Owns: the one place that chooses a server's call by the kind of an object. Invariant: a lent slice is at most one
//! page. The router answers a call with `ESTALE` instead of making it when this process had to learn of the board's
//! new session first; the stub repeats it where the call names the generation (`call_retrying`). Called by: system
//! calls. Not here: splitting by pages (`files/transfer.rs`), facts of a kind (`state/object.rs`).

use crate::user::servers::services::Services;
use crate::user::state::open_flags::{FROM_INIT, O_APPEND, O_NONBLOCK};
use crate::user::state::{FileDescriptor, Handle, Object, TransferMode};
use renga_proto::console::{GetJobControl, PollTerminal, ReadTerminal, SetWaits, WriteTerminal};
use renga_proto::events::{AskWaiting, DropEvents, HoldEvents, PollEvents, SetWaiting};
use renga_proto::fifos::FifoEnds;
use renga_proto::file::{
    AddReference, BeginRead, BeginWrite, BegunTransfer, Close, EndTransfer, GetFlags, Read, ReadFrom, SetFlags, Write,
    WriteTo,
};
use renga_proto::pipe::{
    AddEnd, AskBlocking, CloseEnd, ERROR, HANG_UP, PipeEnd, PollPipe, Polled, READABLE, ReadPipe, SetBlocking,
    WRITABLE, WritePipe,
};
use renga_proto::socket::{
    AddSide, CloseSide, DescribeSocket, PollSocket, RECEIVE_NOW, Receive, Send, SetSideBlocking, SocketSort,
};
use renga_proto::terminals::{HoldSide, PollSide, ReadSide};
use renga_rt::{Errno, Retry, apart, repeated};

/// Flags that can be set.
pub const SETTABLE: u32 = O_APPEND | O_NONBLOCK;
/// The events of a lost object.
pub const LOST: u32 = READABLE | WRITABLE | ERROR | HANG_UP;
/// Its edges: more than any that a program has seen.
const LAST_EDGE: u32 = u32::MAX;

/// Whether the object is gone with its board.
pub fn is_loss(errno: Errno) -> bool {
    errno == Errno::EHOSTDOWN || errno == Errno::ESTALE
}

fn flag(nonblocking: bool) -> u32 {
    if nonblocking { O_NONBLOCK } else { 0 }
}

/// Whether no program opened the object by a name but, of the terminal, init.
pub fn is_inherited(descriptor: &FileDescriptor) -> bool {
    if descriptor.object == Object::Console { descriptor.flags & FROM_INIT != 0 } else { descriptor.ino == 0 }
}

impl Services {
    /// Reads from `object` into `out`; how many bytes.
    pub async fn read(&mut self, object: Object, out: &mut [u8], mode: TransferMode) -> Result<usize, Errno> {
        let nonblocking = mode.nonblocking;
        let bytes = match (object, mode.offset) {
            (Object::File(at), Some(offset)) => self.file(at)?.call(ReadFrom { offset }, out).await?,
            (Object::File(at), None) if mode.begins => {
                let begun = self.file(at)?.call(BeginRead {}, out).await?;
                self.note_begun(at, begun)
            }
            (Object::File(at), None) => self.file(at)?.call(Read {}, out).await?,
            (Object::Pipe { end: PipeEnd::Writer, .. } | Object::Named { .. }, _) => return Err(Errno::EBADF),
            (Object::Pipe { .. } | Object::Fifo(_) | Object::Console, Some(_)) => return Err(Errno::ESPIPE),
            (Object::Pipe { at, .. } | Object::Fifo(at), None) => {
                let (mut pipe, read) = (self.pipe(at)?, ReadPipe { generation: at.generation, nonblocking });
                repeated!(pipe.call(read, &mut *out))?
            }
            (Object::Socket { .. }, Some(_)) => return Err(Errno::ESPIPE),
            (Object::Socket { at, side, .. }, None) => {
                let flags = if nonblocking { RECEIVE_NOW } else { 0 };
                let (mut socket, receive) = (self.socket(at)?, Receive { generation: at.generation, side, flags });
                repeated!(socket.call(receive, &mut *out))?.bytes
            }
            (Object::Console, None) => self.console()?.call(ReadTerminal { nonblocking }, out).await?,
            (Object::Terminal { .. }, Some(_)) => return Err(Errno::ESPIPE),
            (Object::Terminal { at, side }, None) => {
                let (mut pairs, at) = (self.terminals(at.board)?, at.side(side));
                repeated!(pairs.call(ReadSide { at, nonblocking }, &mut *out))?
            }
            (Object::Lost { .. }, _) => return Err(Errno::EIO),
            (Object::Null, _) => 0,
            (Object::Zero | Object::Full, _) => {
                out.fill(0);
                return Ok(out.len());
            }
            (Object::Random, _) => {
                self.random.fill(out);
                return Ok(out.len());
            }
            (Object::Signals { .. } | Object::Events { .. }, _) => return Err(Errno::EINVAL),
        };
        Ok(bytes as usize)
    }

    /// Writes `bytes` to `object`; how many.
    pub async fn write(&mut self, object: Object, bytes: &[u8], mode: TransferMode) -> Result<usize, Errno> {
        let nonblocking = mode.nonblocking;
        let written = match (object, mode.offset) {
            (Object::File(at), Some(offset)) => self.file(at)?.call(WriteTo { offset }, bytes).await?,
            (Object::File(at), None) if mode.begins => {
                let begun = self.file(at)?.call(BeginWrite {}, bytes).await?;
                self.note_begun(at, begun)
            }
            (Object::File(at), None) => self.file(at)?.call(Write {}, bytes).await?,
            (Object::Pipe { end: PipeEnd::Reader, .. } | Object::Named { .. }, _) => return Err(Errno::EBADF),
            (Object::Pipe { .. } | Object::Fifo(_) | Object::Console, Some(_)) => return Err(Errno::ESPIPE),
            (Object::Pipe { at, .. } | Object::Fifo(at), None) => {
                let (mut pipe, write) = (self.pipe(at)?, WritePipe { generation: at.generation, nonblocking });
                repeated!(pipe.call(write, bytes))?
            }
            (Object::Socket { .. }, Some(_)) => return Err(Errno::ESPIPE),
            (Object::Socket { sort: SocketSort::Datagram, .. }, None) => {
                return apart!(self.send_datagram(object, bytes, nonblocking));
            }
            (Object::Socket { at, side, .. }, None) => {
                let (mut socket, send) = (self.socket(at)?, Send { generation: at.generation, side, nonblocking });
                repeated!(socket.call(send, bytes))?
            }
            (Object::Console, None) => {
                let checked = core::mem::take(&mut self.may_write_terminal);
                self.console()?.call(WriteTerminal { checked }, bytes).await?
            }
            (Object::Terminal { .. }, Some(_)) => return Err(Errno::ESPIPE),
            (Object::Terminal { at, side }, None) => apart!(self.write_side(at, at.side(side), bytes, mode))?,
            (Object::Lost { pipe: true }, _) => return Err(Errno::EPIPE),
            (Object::Lost { pipe: false }, _) => return Err(Errno::EIO),
            (Object::Null | Object::Zero | Object::Random, _) => return Ok(bytes.len()),
            (Object::Full, _) => return Err(Errno::ENOSPC),
            (Object::Signals { .. } | Object::Events { .. }, _) => return Err(Errno::EINVAL),
        };
        Ok(written as usize)
    }

    /// A transfer has begun; the bytes of its first piece.
    fn note_begun(&mut self, at: Handle, begun: BegunTransfer) -> u32 {
        self.begun = begun.locked.then_some((at, begun.start));
        begun.bytes
    }

    /// The transfer that was begun, if others wait for its end, has moved `bytes`.
    pub async fn end_transfer(&mut self, bytes: u64) {
        if let Some((at, start)) = self.begun.take()
            && let Ok(mut file) = self.file(at)
        {
            // A file whose board has failed has no offset.
            let _ = file.call(EndTransfer { offset: start.saturating_add(bytes) }, ()).await;
        }
    }

    /// Adds a reference to `object`.
    pub async fn add_reference(&mut self, object: Object) -> Result<(), Errno> {
        match object {
            Object::File(at) => self.file(at)?.call_retrying(AddReference { generation: at.generation }, ()).await,
            Object::Pipe { at, end, .. } => self.add_end(at, end).await,
            Object::Socket { at, side, .. } => {
                self.socket(at)?.call_retrying(AddSide { generation: at.generation, side }, ()).await
            }
            Object::Events { at: Handle { board, number, generation }, .. } => {
                self.events(board)?.call_retrying(HoldEvents { number, generation }, ()).await
            }
            Object::Terminal { at, side } => {
                self.terminals(at.board)?.call_retrying(HoldSide { at: at.side(side) }, ()).await
            }
            Object::Fifo(at) => {
                self.add_end(at, PipeEnd::Reader).await?;
                let added = self.add_end(at, PipeEnd::Writer).await;
                if added.is_err() {
                    let _ = self.close_end(at, PipeEnd::Reader).await; // as before
                }
                added
            }
            _ => Ok(()),
        }
    }

    /// Gives a reference to `object` back, if there is one. An object that is lost with its board needs none; `EIO`:
    /// with the board the data of an earlier write may be lost.
    pub async fn release(&mut self, object: Option<Object>) -> Result<(), Errno> {
        let released = match object {
            Some(Object::Fifo(at)) => {
                // Where one end is lost so is the other.
                let _ = self.close_end(at, PipeEnd::Writer).await;
                self.close_end(at, PipeEnd::Reader).await
            }
            Some(Object::Pipe { at, end, .. }) => self.close_end(at, end).await,
            Some(Object::Socket { at, side, .. }) => {
                self.socket(at)?.call_retrying(CloseSide { generation: at.generation, side }, ()).await
            }
            Some(Object::Terminal { at, side }) => apart!(self.close_side(at.board, at.side(side))),
            Some(Object::File(at)) => {
                let closed = repeated!(self.file(at)?.call(Close { generation: at.generation }, ()));
                return closed.map_err(|errno| if is_loss(errno) { Errno::EIO } else { errno });
            }
            Some(Object::Events { at: Handle { board, number, generation }, .. }) => {
                self.events(board)?.call_retrying(DropEvents { number, generation }, ()).await
            }
            _ => Ok(()),
        };
        if released.is_err_and(is_loss) { Ok(()) } else { released }
    }

    async fn add_end(&mut self, at: Handle, end: PipeEnd) -> Result<(), Errno> {
        self.pipe(at)?.call_retrying(AddEnd { generation: at.generation, end }, ()).await
    }

    async fn close_end(&mut self, at: Handle, end: PipeEnd) -> Result<(), Errno> {
        self.pipe(at)?.call_retrying(CloseEnd { generation: at.generation, end }, ()).await
    }

    /// The board whose servers wake a process that polls `object`.
    pub fn polled_board(&mut self, object: Object) -> Result<Option<u8>, Errno> {
        match object {
            Object::Console => Ok(Some(self.console()?.server().board.0)),
            Object::File(_) => Ok(None),
            object => Ok(object.server().map(|at| at.board)),
        }
    }

    /// Those of `events` that are true for `object`, unless the edge count is still `seen`; else its server notes
    /// `slot`.
    pub async fn poll(&mut self, object: Object, events: u32, seen: u32, slot: u16) -> Result<Polled, Errno> {
        let (events, edges) = match object {
            Object::Pipe { at, .. } | Object::Fifo(at) => {
                let (ends, partners) = match object {
                    Object::Pipe { end: PipeEnd::Reader, partners, .. } => (FifoEnds::Reader, partners),
                    Object::Pipe { .. } => (FifoEnds::Writer, 0),
                    _ => (FifoEnds::Both, 0),
                };
                let poll = PollPipe { generation: at.generation, ends, events, slot, seen, partners };
                return self.pipe(at)?.call_retrying(poll, ()).await;
            }
            Object::Events { at: Handle { board, number, generation }, .. } => {
                let poll = PollEvents { number, generation, events, slot, seen };
                return self.events(board)?.call_retrying(poll, ()).await;
            }
            Object::Socket { at, side, .. } => {
                let poll = PollSocket { generation: at.generation, side, events, slot, seen };
                return self.socket(at)?.call_retrying(poll, ()).await;
            }
            Object::Console => return self.console()?.call_retrying(PollTerminal { events, slot, seen }, ()).await,
            Object::Terminal { at, side } => {
                let poll = PollSide { at: at.side(side), events, slot, seen };
                return self.terminals(at.board)?.call_retrying(poll, ()).await;
            }
            Object::Lost { .. } => (LOST, LAST_EDGE),
            _ => (READABLE | WRITABLE, 1),
        };
        Ok(Polled { events: if seen == edges { 0 } else { events }, edges })
    }

    /// The status flags of `of`: the server's where it keeps them, else the descriptor's.
    pub async fn status_flags(&mut self, of: &FileDescriptor) -> Result<u32, Errno> {
        let own = of.flags;
        match of.object {
            Object::File(at) => {
                let kept = self.file(at)?.call(GetFlags {}, ()).await?;
                Ok(own & !SETTABLE | kept & SETTABLE)
            }
            Object::Pipe { at, end, .. } if is_inherited(of) => {
                let generation = at.generation;
                Ok(own | flag(self.pipe(at)?.call_retrying(AskBlocking { generation, end }, ()).await?))
            }
            Object::Socket { at, side, .. } => {
                let describe = DescribeSocket { generation: at.generation, side };
                Ok(own | flag(self.socket(at)?.call_retrying(describe, ()).await?.nonblocking))
            }
            Object::Events { at: Handle { board, number, generation }, .. } => {
                Ok(own | flag(self.events(board)?.call_retrying(AskWaiting { number, generation }, ()).await?))
            }
            Object::Console if is_inherited(of) => {
                Ok(own | flag(self.console()?.call_retrying(GetJobControl {}, ()).await?.nonblocking))
            }
            _ => Ok(own),
        }
    }

    /// Has the server keep those of `flags` that it keeps; the rest, for the descriptor.
    pub async fn set_status_flags(&mut self, of: &FileDescriptor, flags: u32) -> Result<u32, Errno> {
        let (others, nonblocking) = (of.flags & !SETTABLE | flags, flags & O_NONBLOCK != 0);
        match of.object {
            Object::File(at) => self.file(at)?.call(SetFlags { flags }, ()).await?,
            Object::Pipe { at, end, .. } if is_inherited(of) => {
                self.pipe(at)?.call_retrying(SetBlocking { generation: at.generation, end, nonblocking }, ()).await?;
            }
            Object::Socket { at, side, .. } => {
                let set = SetSideBlocking { generation: at.generation, side, nonblocking };
                self.socket(at)?.call_retrying(set, ()).await?;
            }
            Object::Events { at: Handle { board, number, generation }, .. } => {
                self.events(board)?.call_retrying(SetWaiting { number, generation, nonblocking }, ()).await?;
            }
            Object::Console if is_inherited(of) => {
                self.console()?.call_retrying(SetWaits { nonblocking }, ()).await?;
            }
            _ => return Ok(others),
        }
        Ok(others & !O_NONBLOCK)
    }
}
