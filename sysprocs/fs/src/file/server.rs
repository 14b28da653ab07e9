//! An open file: offset and flags, on the board of its opener.
//!
//! Invariant: while it has references it has one to its inode. If its inode refuses a write after the early reply,
//! `SyncFile` or the last `Close` reports it. When the session with the board of the inodes has ended, it reopens its
//! inode, by number and generation: the router refuses the first call (`ESTALE`), so that nothing is done twice. The
//! router may do so when this process has a reference of the next session already: only the origin of the reference
//! distinguishes the two. Unsynced writes may be lost then, which `SyncFile` or `Close` reports. If the inode is
//! gone, this file is stale for ever: its number may be another's. Not here: descriptors (`process`), data (`inode`).

use crate::file::busy_text::is_text_for_writing;
use crate::file::inode_session::on_inode;
use crate::file::open_file::{ACCESS_MODE, FileClients, OpenFile, READ_ONLY, SETTABLE};
use renga_hal::memory::UserMemory;
use renga_proto::file::{File, FileCall, Seek, Whence};
use renga_proto::inode::{Size, Truncate};
use renga_proto::pages::FileId;
use renga_proto::sessions::Sessions;
use renga_rt::{Errno, Me, Never, Port, WatchFilters, apart, reply};

/// Serves the open file `number` of this board; `boot` counts the board's starts.
#[allow(clippy::too_many_arguments, reason = "boot hands each of them out by its type")]
pub async fn file<M: UserMemory + ?Sized + 'static>(
    me: Me,
    mut port: Port<File>,
    clients: FileClients,
    machine: &'static M,
    number: u16,
    boot: u8,
    sessions: &'static Sessions,
    watched: &'static WatchFilters,
) -> Never {
    let mut state = OpenFile::new(&me, clients, machine, (number, boot), (sessions, watched));
    loop {
        let mut call = port.accept_only(state.accepted).await;
        state.asker = call.board();
        if state.is_synthetic() {
            match apart!(state.serve_synthetic(call)) {
                Some(other) => call = other,
                None => continue,
            }
        }
        match call {
            FileCall::OpenInode(call) => {
                let open = call.entry();
                let text = FileId { ino: open.ino, generation: open.generation };
                let begun = if is_text_for_writing(&open) { state.begin_writing(text).await } else { Ok(()) };
                let opened = begun.map(|()| state.open(open, state.asker, me.now_ns()));
                if opened.is_ok() && state.may_be_watched() {
                    apart!(state.report_open());
                }
                reply!(call, opened);
            }
            FileCall::Close(call) => state.close(call, &me).await,
            FileCall::Read(mut call) => {
                let read = state.read(state.offset, call.lent()).await;
                state.offset += u64::from(read.unwrap_or(0));
                reply!(call, read, bytes);
            }
            FileCall::ReadFrom(mut call) => reply!(call, state.read(call.entry().offset, call.lent()).await, bytes),
            FileCall::Write(mut call) => reply!(call, state.write(call.lent()).await),
            FileCall::WriteTo(mut call) => reply!(call, state.write_to(call.entry().offset, call.lent()).await),
            FileCall::BeginRead(mut call) => {
                let read = state.read(state.offset, call.lent()).await;
                reply!(call, state.begin_read(read, call.lent().len()));
            }
            FileCall::BeginWrite(mut call) => {
                let written = state.write(call.lent()).await;
                reply!(call, state.begin_write(written, call.lent().len()));
            }
            FileCall::EndTransfer(call) => reply!(call, state.end_transfer(call.entry().offset)),
            FileCall::Seek(call) => reply!(call, state.seek(call.entry()).await),
            FileCall::BeginAppend(call) => reply!(call, state.begin_append(call.entry().bytes).await),
            FileCall::EndAppend(call) => reply!(call, state.end_append(call.entry()).await),
            FileCall::FileStatus(mut call) => reply!(call, state.status(call.lent()).await),
            FileCall::NextEntries(mut call) => reply!(call, state.next_entries(call.lent()).await, |read| read.bytes),
            FileCall::SyncFile(call) => reply!(call, state.sync(&me).await),
            FileCall::SetSize(call) => reply!(call, state.set_size(call.entry().bytes).await),
            FileCall::DescribeFile(call) => reply!(call, state.describe().await),
            FileCall::SetFileMode(call) => reply!(call, state.set_mode(call.entry().mode).await),
            FileCall::SetFileTimes(call) => {
                let entry = call.entry();
                reply!(call, state.set_times(entry.access_ns, entry.modify_ns).await);
            }
            FileCall::SetFileOwner(call) => reply!(call, state.set_owner(call.entry().uid, call.entry().gid).await),
            FileCall::BoardDied(call) => {
                state.drop_board(call.entry().board).await;
                call.reply(Ok(()));
            }
            other => state.serve_handle(other),
        }
    }
}

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// Serves what is of this file alone: its references, flags and locks.
    fn serve_handle(&mut self, call: FileCall) {
        match call {
            FileCall::AddReference(call) => {
                let checked = self.check_generation(call.entry().generation);
                let added = |()| if self.references.add(call.board()) { Ok(()) } else { Err(Errno::ENFILE) };
                reply!(call, checked.and_then(added))
            }
            FileCall::SetFlags(call) => reply!(call, self.check().map(|()| self.set_flags(call.entry().flags))),
            FileCall::GetFlags(call) => reply!(call, self.check().map(|()| self.flags & SETTABLE)),
            FileCall::CheckGeneration(call) => reply!(call, self.check_handle(call.entry().generation)),
            FileCall::NoteLocks(call) => {
                let checked = self.check_handle(call.entry().generation);
                self.locks |= checked.is_ok();
                call.reply(checked);
            }
            _ => unreachable!("all others need the inode"),
        }
    }

    async fn read(&mut self, offset: u64, out: &mut [u8]) -> Result<u32, Errno> {
        self.check()?;
        self.may_read()?;
        // Its pages may be here, for those who list it.
        if self.is_directory() {
            return Err(Errno::EISDIR);
        }
        let read = self.read_cached(offset, out).await;
        if self.may_be_watched() {
            apart!(self.report_read(read));
        }
        read
    }

    async fn seek(&mut self, seek: Seek) -> Result<u64, Errno> {
        self.check()?;
        let base = match seek.whence {
            Whence::Start => 0,
            Whence::Current => self.offset,
            Whence::End => on_inode!(self, Size {}, ())?,
            Whence::Data | Whence::Hole => return self.seek_content(seek).await,
        };
        let offset = base.checked_add_signed(seek.offset).filter(|offset| *offset <= i64::MAX as u64);
        self.offset = offset.ok_or(Errno::EINVAL)?;
        Ok(self.offset)
    }

    /// As Linux on ext2, which knows no holes but that behind the end. `ENXIO`: the offset is behind it.
    async fn seek_content(&mut self, seek: Seek) -> Result<u64, Errno> {
        let size = on_inode!(self, Size {}, ())?;
        let from = u64::try_from(seek.offset).ok().filter(|&from| from < size).ok_or(Errno::ENXIO)?;
        self.offset = if seek.whence == Whence::Data { from } else { size };
        Ok(self.offset)
    }

    async fn set_size(&mut self, bytes: u64) -> Result<(), Errno> {
        if self.flags & ACCESS_MODE == READ_ONLY {
            return Err(Errno::EINVAL);
        }
        on_inode!(self, Truncate { bytes }, ())
    }
}
