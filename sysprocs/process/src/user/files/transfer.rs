//! The transfer engine: bytes between buffers of a program and what a descriptor stands for.
//!
//! Owns: the loop over pages of buffers. Invariant: the server borrows each page of the program in place. Copied are
//! pages that other programs share, synthetic files, and writes of at most a page that lie in several: such a write
//! is one call, which no other program's tears. A count may be short, as POSIX allows. Called by:
//! `transfer_calls.rs`, `file_copy.rs`. Calls: the object's server. Not here: the most frequent form
//! (`one_page_transfer.rs`).

use crate::signals::{SIGPIPE, UNSTOPPABLE, bit, first};
use crate::user::slot::{User, leaving, memory};
use crate::user::state::actions::SignalEffect;
use crate::user::state::open_flags::O_APPEND;
use crate::user::state::{FileDescriptor, Object, SyscallEscape, SyscallResult, TransferMode, restartable};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::file::{BeginAppend, EndAppend, SyncFile};
use renga_proto::pages::AT_END;
use renga_proto::procs::{Cause, Kill, PendingSignals};
use renga_rt::{Errno, apart};

/// Most bytes of one transfer, as on Linux.
pub(crate) const TRANSFER_BYTES_MAX: u64 = 0x7fff_f000;
/// After so many pages of one call other programs may run, though no server made it wait; then a signal may end it.
const PAGES_PER_YIELD: u32 = 64;
/// Bytes of a `struct iovec`.
const IOVEC_BYTES: u64 = 16;

/// Buffers of one transfer in the program's memory.
#[derive(Clone, Copy)]
pub(crate) enum Buffers {
    One {
        address: u64,
        length: u64,
    },
    /// An array of `struct iovec`.
    Vector {
        address: u64,
        count: u64,
    },
}

impl Buffers {
    /// Most bytes that a transfer moves.
    fn bytes_most(self) -> u64 {
        if let Buffers::One { length, .. } = self { length.min(TRANSFER_BYTES_MAX) } else { TRANSFER_BYTES_MAX }
    }
    /// Whether one buffer has more than a page.
    fn is_long(self) -> bool {
        matches!(self, Buffers::One { length, .. } if length > PAGE_BYTES as u64)
    }
    /// Whether the first `bytes` lie in one page.
    fn are_in_page(self, bytes: u64) -> bool {
        let in_page = |address| bytes <= PAGE_BYTES as u64 - address % PAGE_BYTES as u64;
        matches!(self, Buffers::One { address, .. } if in_page(address))
    }
}

/// How far a transfer has come in its buffers.
struct Cursor {
    buffers: Buffers,
    next: u64,
    /// The rest of the present one.
    address: u64,
    left: u64,
}

/// Why a page was not moved: a read from the object, or a write to it, has failed.
pub(crate) enum PageFailure {
    Read(Object, Errno),
    Write(Object, Errno),
}

impl<M: UserMemory> User<M> {
    /// Address and length of buffer `index`, if there is one.
    pub(super) async fn buffer(&mut self, buffers: Buffers, index: u64) -> Result<Option<(u64, u64)>, Errno> {
        match buffers {
            Buffers::One { address, length } => Ok((index == 0).then_some((address, length))),
            Buffers::Vector { count, .. } if index >= count => Ok(None),
            Buffers::Vector { address, .. } => {
                let at = address.checked_add(index * IOVEC_BYTES).ok_or(Errno::EFAULT)?;
                Ok(Some((self.get_word(at).await?, self.get_word(at.wrapping_add(8)).await?)))
            }
        }
    }

    /// Moves up to `room` bytes page by page; how many. `move_page` moves as many bytes as the buffer at an address has
    /// at most, behind those done, and returns the bytes moved and wanted. The engine has one loop for each such
    /// function, so that the loop makes no choice for each page. Others who share a file's offset wait meanwhile.
    pub(crate) async fn transfer(
        &mut self,
        buffers: Buffers,
        mode: TransferMode,
        room: u64,
        move_page: impl AsyncFn(&mut Self, (u64, usize), u64, TransferMode) -> Result<(usize, usize), PageFailure>,
    ) -> SyscallResult {
        let begins = mode.begins && mode.is_whole && mode.offset.is_none() && !buffers.are_in_page(room);
        let moved = self.transfer_pages(buffers, TransferMode { begins, ..mode }, room, move_page).await;
        if begins {
            self.services.end_transfer(*moved.as_ref().unwrap_or(&0)).await;
        }
        moved
    }

    /// As `transfer`, of whose first piece `mode` says whether it begins one at a shared offset.
    async fn transfer_pages(
        &mut self,
        buffers: Buffers,
        mode: TransferMode,
        room: u64,
        move_page: impl AsyncFn(&mut Self, (u64, usize), u64, TransferMode) -> Result<(usize, usize), PageFailure>,
    ) -> SyscallResult {
        let (mut cursor, mut done) = (Cursor { buffers, next: 0, address: 0, left: 0 }, 0);
        // Each pass moves a page, or takes the next buffer.
        while done < room {
            if cursor.left == 0 {
                let Some(next) = self.buffer(cursor.buffers, cursor.next).await? else { break };
                (cursor.next, (cursor.address, cursor.left)) = (cursor.next + 1, next);
                continue;
            }
            if self.is_over_after_page(mode.is_whole).await {
                return if done > 0 { Ok(done) } else { Err(SyscallEscape::Restart) };
            }
            let length = cursor.left.min(room - done) as usize;
            let start = mode.offset.or(self.services.begun.map(|(_, start)| start));
            let piece = TransferMode {
                offset: start.map(|start| start.saturating_add(done)),
                begins: mode.begins && done == 0,
                ..mode
            };
            match move_page(self, (cursor.address, length), done, piece).await {
                Ok((bytes, wanted)) => {
                    done += bytes as u64;
                    cursor.address = cursor.address.wrapping_add(bytes as u64);
                    cursor.left -= bytes as u64;
                    if bytes < wanted {
                        break;
                    }
                }
                Err(_) if done > 0 => break,
                Err(PageFailure::Write(object, errno)) => return self.write_failed(object, errno).await,
                Err(PageFailure::Read(object, errno)) => {
                    return restartable(Err(self.note_loss(object, errno, false)));
                }
            }
        }
        Ok(done)
    }

    /// Reads up to `room` bytes of `from`.
    pub(crate) async fn read_in(
        &mut self,
        from: &FileDescriptor,
        buffers: Buffers,
        mode: TransferMode,
        room: u64,
    ) -> SyscallResult {
        let mode = TransferMode { begins: true, ..mode };
        self.transfer(buffers, mode, room, async |user: &mut Self, (address, length), done, mode| {
            // Bytes that are there already do not wait until more come.
            let mode = TransferMode { nonblocking: mode.nonblocking || done > 0, ..mode };
            user.read_page(from, address, length, mode).await.map_err(|errno| PageFailure::Read(from.object, errno))
        })
        .await
    }

    /// Writes up to `room` bytes to `object`.
    async fn write_pages(&mut self, object: Object, buffers: Buffers, mode: TransferMode, room: u64) -> SyscallResult {
        let mode = TransferMode { begins: true, ..mode };
        self.transfer(buffers, mode, room, async |user: &mut Self, (address, length), _, mode| {
            user.write_page(object, address, length, mode).await.map_err(|errno| PageFailure::Write(object, errno))
        })
        .await
    }

    /// Called before each page of a call that may have many. Lets other programs run after a while; true:
    /// a signal has come meanwhile, and the call should end with what is done; one that `is_whole` goes on if the
    /// signal does not end the program.
    #[inline(always)]
    pub(crate) async fn is_over_after_page(&mut self, is_whole: bool) -> bool {
        self.pages_moved += 1;
        self.pages_moved.is_multiple_of(PAGES_PER_YIELD) && apart!(self.is_over_after_yield(is_whole))
    }

    async fn is_over_after_yield(&mut self, is_whole: bool) -> bool {
        self.me.yield_to_programs().await;
        self.me.wait_cancelled() && !(is_whole && self.survives_signals().await)
    }

    /// Whether signals wait, and none of them ends the program.
    async fn survives_signals(&mut self) -> bool {
        let (pid, actions) = (self.thread.tid, &self.program.actions);
        let Ok(pending) = self.services.clients.procs.call(PendingSignals { pid }, ()).await else { return false };
        let mut rest = pending & (!self.thread.blocked | UNSTOPPABLE);
        // Each pass takes a signal out.
        while let Some(signal) = first(rest) {
            if actions.effect(signal) == SignalEffect::End {
                return false;
            }
            rest &= !bit(signal);
        }
        pending != 0
    }

    /// Reads into the page at `address`; returns the bytes read and wanted. A synthetic file is read in one call,
    /// however the buffer lies in memory, so that its content is of one moment.
    pub(super) async fn read_page(
        &mut self,
        file: &FileDescriptor,
        address: u64,
        length: usize,
        mode: TransferMode,
    ) -> Result<(usize, usize), Errno> {
        let object = file.object;
        let (space, mut pager) = memory!(self);
        let is_shared = space.may_share(address);
        let wanted = if file.is_synthetic() {
            length.min(PAGE_BYTES)
        } else {
            let mut page = pager.page_for_write(space, address, length).await?;
            let wanted = page.len();
            if !is_shared {
                return Ok((self.services.read(object, &mut page, mode).await?.min(wanted), wanted));
            }
            wanted
        };
        self.check_open(object)?;
        let read = leaving!(self, self.services.read(object, &mut self.scratch[..wanted], mode));
        let bytes = read?.min(wanted);
        self.put_scratch(address, bytes).await?;
        Ok((bytes, wanted))
    }

    pub(super) async fn write_page(
        &mut self,
        object: Object,
        address: u64,
        length: usize,
        mode: TransferMode,
    ) -> Result<(usize, usize), Errno> {
        let (space, mut pager) = memory!(self);
        let is_shared = space.may_share(address);
        let page = pager.page_for_read(space, address, length).await?;
        let wanted = page.len();
        if is_shared {
            self.scratch[..wanted].copy_from_slice(&page);
            drop(page);
            self.check_open(object)?;
            let written = leaving!(self, self.services.write(object, &self.scratch[..wanted], mode));
            return Ok((written?.min(wanted), wanted));
        }
        Ok((self.services.write(object, &page, mode).await?.min(wanted), wanted))
    }

    /// Writes buffers to `to`, `at_end` of a file whatever the offset; how many bytes.
    pub(crate) async fn write_out(
        &mut self,
        to: &FileDescriptor,
        buffers: Buffers,
        mode: TransferMode,
        at_end: bool,
    ) -> SyscallResult {
        let at_end = at_end && to.object.file().is_some();
        let aim = if at_end { Some(AT_END) } else { mode.offset };
        let room = self.allowed_bytes(to, aim, buffers.bytes_most()).await?;
        // A write of one piece goes where the file puts it. One that alone goes to the end, and moves the offset there,
        // does so as long appends do.
        if !at_end || mode.offset.is_some() {
            let in_page = buffers.are_in_page(room);
            let gathered = if in_page || buffers.is_long() { None } else { self.gather(buffers).await? };
            if in_page || gathered.is_some() {
                let offset = if aim.is_some() && self.appends(to).await? { Some(AT_END) } else { aim };
                let mode = TransferMode { offset, ..mode };
                return match gathered {
                    Some(length) => self.write_scratch(to.object, length.min(room as usize), mode).await,
                    None => self.write_pages(to.object, buffers, mode, room).await,
                };
            }
        }
        if !at_end && !self.appends(to).await? {
            return self.write_pages(to.object, buffers, mode, room).await;
        }
        self.append(to, buffers, mode, room).await
    }

    /// Whether a write to `to` goes to the end of a file now, wherever the call says, as on Linux.
    pub(crate) async fn appends(&mut self, to: &FileDescriptor) -> Result<bool, Errno> {
        match to.object.file() {
            Some(_) => Ok(apart!(self.status_flags(to))? & O_APPEND != 0),
            None => Ok(false),
        }
    }

    /// Reserves room at the end of the file, which no other board's append takes, and writes there; gives back what a
    /// failure leaves of it.
    async fn append(&mut self, to: &FileDescriptor, buffers: Buffers, mode: TransferMode, room: u64) -> SyscallResult {
        let Some(at) = to.object.file() else { return Err(Errno::EINVAL.into()) };
        let (mut length, mut index) = (0u64, 0);
        // Bounded by the buffers.
        while let Some((_, bytes)) = self.buffer(buffers, index).await? {
            (length, index) = (length.saturating_add(bytes), index + 1);
        }
        let length = length.min(room);
        let start = match self.services.file(at)?.call(BeginAppend { bytes: length }, ()).await {
            Ok(start) => start,
            Err(errno) => return self.write_failed(to.object, errno).await,
        };
        let to_end = TransferMode { offset: Some(start), ..mode };
        let written = self.write_pages(to.object, buffers, to_end, length).await;
        let end = start.saturating_add(*written.as_ref().unwrap_or(&0));
        let (reserved, moves) = (start.saturating_add(length), mode.offset.is_none());
        // Fails with the board of the file, and the reservation there is gone with it.
        let _ = self.services.file(at)?.call(EndAppend { end, reserved, moves }, ()).await;
        written
    }

    /// Gathers the buffers in the scratch page, if they fit; their length.
    pub(super) async fn gather(&mut self, buffers: Buffers) -> Result<Option<usize>, Errno> {
        let (mut length, mut index) = (0, 0);
        // Bounded by the buffers.
        while let Some((address, bytes)) = self.buffer(buffers, index).await? {
            if bytes > (PAGE_BYTES - length) as u64 {
                return Ok(None);
            }
            let end = length + bytes as usize;
            let (space, mut pager) = memory!(self);
            pager.copy_in(space, address, &mut self.scratch[length..end]).await?;
            (length, index) = (end, index + 1);
        }
        Ok(Some(length))
    }

    /// Gathers as much of the buffers in the scratch page as fits; how much.
    pub(super) async fn gather_page(&mut self, buffers: Buffers) -> Result<usize, Errno> {
        let (mut length, mut index) = (0, 0);
        // Bounded by the buffers.
        while length < PAGE_BYTES
            && let Some((address, bytes)) = self.buffer(buffers, index).await?
        {
            let end = length + bytes.min((PAGE_BYTES - length) as u64) as usize;
            let (space, mut pager) = memory!(self);
            pager.copy_in(space, address, &mut self.scratch[length..end]).await?;
            (length, index) = (end, index + 1);
        }
        Ok(length)
    }

    /// Writes the first `length` bytes of the scratch page.
    pub(crate) async fn write_scratch(&mut self, object: Object, length: usize, mode: TransferMode) -> SyscallResult {
        self.check_open(object)?;
        match leaving!(self, self.services.write(object, &self.scratch[..length], mode)) {
            Ok(bytes) => Ok(bytes as u64),
            Err(errno) => self.write_failed(object, errno).await,
        }
    }

    pub(crate) async fn write_failed(&mut self, object: Object, errno: Errno) -> SyscallResult {
        if errno == Errno::EPERM
            && let Some(terminal) = object.terminal()
        {
            return apart!(self.await_writing(terminal));
        }
        let errno = self.note_loss(object, errno, true);
        if errno == Errno::EPIPE {
            let cause = Cause { code: Cause::FOR_THREAD, ..Cause::user(self.program.pid) };
            let kill = Kill { pid: self.thread.tid, signal: SIGPIPE, cause };
            self.services.clients.procs.call(kill, ()).await?;
        }
        restartable(Err(errno))
    }

    /// The result of a call that has `written` bytes: of a file opened with O_DSYNC when the medium has them.
    pub(crate) async fn sync_written(&mut self, to: &FileDescriptor, written: u64) -> SyscallResult {
        if written > 0
            && to.is_synchronous()
            && let Some(at) = to.object.file()
            && let Err(errno) = self.services.file(at)?.call(SyncFile {}, ()).await
        {
            return Err(self.note_loss(to.object, errno, true).into());
        }
        Ok(written)
    }
}
