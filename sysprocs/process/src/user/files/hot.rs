//! Reading and writing in the form that is most frequent: all of it within one page of the program's memory that is
//! there, of a pipe or an open file. Nothing here calls but the call itself, so a turn is short.
//!
//! Invariant: what is not of that form is left to `transfer.rs` before anything has happened.

use crate::user::User;
use crate::user::escape::{Outcome, restartable};
use crate::user::facts::limits::{FSIZE, INFINITY};
use crate::user::files::descriptors::Object;
use crate::user::files::open::O_NONBLOCK;
use core::ops::Range;
use renga_hal::memory::{Frame, PAGE_BYTES, UserMemory};
use renga_proto::file::{Read, ReadFrom, Write};
use renga_proto::pipe::{PipeEnd, ReadPipe, WritePipe};
use renga_rt::user::AccessKind;
use renga_rt::{Errno, apart};

/// Where the bytes go to or come from: the object and how to wait, and the frame and what part of it.
struct Piece {
    object: Object,
    nonblocking: bool,
    frame: Frame,
    range: Range<usize>,
}

impl<M: UserMemory + ?Sized> User<M> {
    /// What the present call is about, if it has the frequent form.
    #[inline(always)]
    fn piece(&self, kind: AccessKind) -> Option<Piece> {
        let descriptor = self.program.files.get(self.argument(0)).ok()?;
        let (address, count) = (self.argument(1), self.argument(2));
        let start = (address % PAGE_BYTES as u64) as usize;
        if count == 0 || count > (PAGE_BYTES - start) as u64 || self.me.has_renewed() {
            return None;
        }
        let space = self.space.as_ref().filter(|space| !space.may_share(address))?;
        let frame = space.present_frame(self.machine, address, kind)?;
        let nonblocking = descriptor.flags & O_NONBLOCK != 0;
        Some(Piece { object: descriptor.object, nonblocking, frame, range: start..start + count as usize })
    }

    /// `read`; `None`: not of the frequent form, or to be made again.
    #[inline(always)]
    pub(in crate::user) async fn hot_read(&mut self) -> Option<Outcome> {
        let Piece { object, nonblocking, frame, range } = self.piece(AccessKind::Write)?;
        let read = match object {
            Object::Pipe { board, number, life, end: PipeEnd::Reader } => {
                let mut pipe = self.services.pipe(board, number).ok()?;
                let mut page = self.machine.page(frame);
                pipe.call(ReadPipe { life, nonblocking }, &mut page[range]).await
            }
            Object::File { board, number, .. } if self.program.files.get(self.argument(0)).is_ok_and(|d| d.reads()) => {
                let mut file = self.services.file(board, number).ok()?;
                let mut page = self.machine.page(frame);
                file.call(Read {}, &mut page[range]).await
            }
            _ => return None,
        };
        match read {
            Ok(bytes) => Some(Ok(u64::from(bytes))),
            Err(Errno::ESTALE) => None,
            Err(errno) => Some(restartable(Err(self.note_loss(object, errno, false)))),
        }
    }

    /// `pread`; as `hot_read`.
    #[inline(always)]
    pub(in crate::user) async fn hot_read_from(&mut self) -> Option<Outcome> {
        let Piece { object, frame, range, .. } = self.piece(AccessKind::Write)?;
        let reads = self.program.files.get(self.argument(0)).is_ok_and(|descriptor| descriptor.reads());
        let (Object::File { board, number, .. }, offset) = (object, self.argument(3)) else { return None };
        if !reads || (offset as i64) < 0 {
            return None;
        }
        let mut file = self.services.file(board, number).ok()?;
        let mut page = self.machine.page(frame);
        match file.call(ReadFrom { offset }, &mut page[range]).await {
            Ok(bytes) => Some(Ok(u64::from(bytes))),
            Err(Errno::ESTALE) => None,
            Err(errno) => Some(restartable(Err(self.note_loss(object, errno, false)))),
        }
    }

    /// `write`; as `hot_read`.
    #[inline(always)]
    pub(in crate::user) async fn hot_write(&mut self) -> Option<Outcome> {
        let Piece { object, nonblocking, frame, range } = self.piece(AccessKind::Read)?;
        let written = match object {
            Object::Pipe { board, number, life, end: PipeEnd::Writer } => {
                let mut pipe = self.services.pipe(board, number).ok()?;
                let page = self.machine.shared_page(frame);
                pipe.call(WritePipe { life, nonblocking }, &page[range]).await
            }
            Object::File { board, number, .. } if self.writes_freely() => {
                let mut file = self.services.file(board, number).ok()?;
                let page = self.machine.shared_page(frame);
                file.call(Write {}, &page[range]).await
            }
            _ => return None,
        };
        match written {
            Ok(bytes) => Some(Ok(u64::from(bytes))),
            Err(Errno::ESTALE) => None,
            Err(errno) => Some(apart!(self.write_failed(object, errno))),
        }
    }

    /// Whether the present call's file is open for writing, and as large as it likes.
    fn writes_freely(&self) -> bool {
        let writes = self.program.files.get(self.argument(0)).is_ok_and(|descriptor| descriptor.writes());
        writes && self.program.limits.soft(FSIZE) == INFINITY
    }
}
