//! Reading and writing in the most frequent form: all of it within one present page of the program's memory, of a
//! pipe, a stream socket or an open file. Nothing here calls but the call itself, so a poll is short.
//!
//! Invariant: what is not of that form is left to `transfer.rs` before anything has happened.

use crate::user::slot::User;
use crate::user::state::limits::{FSIZE, INFINITY};
use crate::user::state::open_flags::O_NONBLOCK;
use crate::user::state::{Object, SyscallResult, restartable};
use core::ops::Range;
use renga_hal::memory::{Frame, PAGE_BYTES, UserMemory};
use renga_proto::file::{Read, ReadFrom, Write};
use renga_proto::pipe::{PipeEnd, ReadPipe, WritePipe};
use renga_proto::socket::{RECEIVE_NOW, Receive, Send, SocketSort};
use renga_rt::user::AccessKind;
use renga_rt::{Errno, apart};

// Each loop that runs programs has functions of its own (`GOVERNED`): what has one caller is compiled into it.

/// Linux's numbers of the calls that have this form.
pub const READ: u64 = 63;
/// See [`READ`].
pub const WRITE: u64 = 64;
/// `pread64`; see [`READ`].
pub const READ_FROM: u64 = 67;

/// Where the bytes go to or come from: the object and what its descriptor allows, the frame and what part of it. (A
/// whole descriptor would be copied into the future.)
struct PagePiece {
    object: Object,
    nonblocking: bool,
    reads: bool,
    /// Of a file: and nothing more is to be done.
    writes: bool,
    frame: Frame,
    range: Range<usize>,
}

impl<M: UserMemory> User<M> {
    /// What the present call is about, if it has the frequent form.
    #[inline(always)]
    fn piece(&self, kind: AccessKind) -> Option<PagePiece> {
        let descriptor = self.program.files.get(self.argument(0)).ok()?;
        let (address, count) = (self.argument(1), self.argument(2));
        let start = (address % PAGE_BYTES as u64) as usize;
        if count == 0 || count > (PAGE_BYTES - start) as u64 || self.me.has_rebooted() {
            return None;
        }
        let space = self.program.space.as_ref().filter(|space| !space.may_share(address))?;
        let frame = space.present_frame(self.machine, address, kind)?;
        Some(PagePiece {
            object: descriptor.object,
            nonblocking: descriptor.flags & O_NONBLOCK != 0,
            reads: descriptor.reads(),
            writes: descriptor.writes() && descriptor.is_plainly_written(),
            frame,
            range: start..start + count as usize,
        })
    }

    /// `read` or `pread`; `None`: not of the frequent form, or to be made again.
    #[inline(always)]
    pub(crate) async fn hot_read<const GOVERNED: bool>(&mut self, call: u64) -> Option<SyscallResult> {
        let PagePiece { object, nonblocking, reads, frame, range, .. } = self.piece(AccessKind::Write)?;
        let read = match object {
            Object::Pipe { at, end: PipeEnd::Reader, .. } if call == READ => {
                let pipe = self.services.pipe(at).ok()?;
                let mut page = self.machine.page(frame);
                pipe.call_once(ReadPipe { generation: at.generation, nonblocking }, &mut page[range]).await
            }
            Object::File(at) if reads && call == READ => {
                let file = self.services.file(at).ok()?;
                let mut page = self.machine.page(frame);
                file.call_once(Read {}, &mut page[range]).await
            }
            Object::File(at) if reads && (self.argument(3) as i64) >= 0 => {
                let offset = self.argument(3);
                let file = self.services.file(at).ok()?;
                let mut page = self.machine.page(frame);
                file.call_once(ReadFrom { offset }, &mut page[range]).await
            }
            _ => return None,
        };
        match read {
            Ok(bytes) => Some(Ok(u64::from(bytes))),
            Err(errno) => self.hot_read_failed(errno),
        }
    }

    #[inline(never)]
    fn hot_read_failed(&mut self, errno: Errno) -> Option<SyscallResult> {
        let object = self.program.files.get(self.argument(0)).map(|descriptor| descriptor.object);
        match (errno, object) {
            (Errno::ESTALE, _) | (_, Err(_)) => None,
            (errno, Ok(object)) => Some(restartable(Err(self.note_loss(object, errno, false)))),
        }
    }

    /// `write`; as `hot_read`.
    #[inline(always)]
    pub(crate) async fn hot_write<const GOVERNED: bool>(&mut self) -> Option<SyscallResult> {
        let PagePiece { object, nonblocking, writes, frame, range, .. } = self.piece(AccessKind::Read)?;
        let written = match object {
            Object::Pipe { at, end: PipeEnd::Writer, .. } => {
                let pipe = self.services.pipe(at).ok()?;
                let page = self.machine.shared_page(frame);
                pipe.call_once(WritePipe { generation: at.generation, nonblocking }, &page[range]).await
            }
            // As large as it likes.
            Object::File(at) if writes && self.program.limits.soft(FSIZE) == INFINITY => {
                let file = self.services.file(at).ok()?;
                let page = self.machine.shared_page(frame);
                file.call_once(Write {}, &page[range]).await
            }
            _ => return None,
        };
        match written {
            Ok(bytes) => Some(Ok(u64::from(bytes))),
            Err(Errno::ESTALE) => None,
            Err(errno) => {
                let object = self.program.files.get(self.argument(0)).ok()?.object;
                Some(apart!(self.write_failed(object, errno)))
            }
        }
    }

    /// As `hot_read` and `hot_write`, of a stream socket; behind them, so that the others do not pay for it.
    pub(crate) async fn hot_socket(&mut self, call: u64) -> Option<SyscallResult> {
        let kind = if call == READ { AccessKind::Write } else { AccessKind::Read };
        let PagePiece { object, nonblocking, frame, range, .. } = self.piece(kind)?;
        let Object::Socket { at, side, sort: SocketSort::Stream, .. } = object else { return None };
        let (socket, generation) = (self.services.socket(at).ok()?, at.generation);
        if call == READ {
            let mut page = self.machine.page(frame);
            let flags = if nonblocking { RECEIVE_NOW } else { 0 };
            return match socket.call_once(Receive { generation, side, flags }, &mut page[range]).await {
                Ok(received) => Some(Ok(u64::from(received.bytes))),
                Err(errno) => self.hot_read_failed(errno),
            };
        }
        let page = self.machine.shared_page(frame);
        match socket.call_once(Send { generation, side, nonblocking }, &page[range]).await {
            Ok(bytes) => Some(Ok(u64::from(bytes))),
            Err(Errno::ESTALE) => None,
            Err(errno) => Some(apart!(self.write_failed(object, errno))),
        }
    }
}
