//! An open file: offset and flags, on the board of whoever opened it.
//!
//! Invariant: while it has references it holds one of its inode's. A write that its inode refuses
//! after this process was let go early is notified by `SyncFile` or the last `Close`.
//! When the session with the board of the inodes has ended, it opens its inode anew, by number and generation:
//! the router says so before the first call is referred there (`ESTALE`), so that nothing is done twice. It may say so when this
//! process has a reference of the next session already: only the origin of the reference tells. What was written and not synced may be lost then, which `SyncFile` or `Close` tell. If the inode is gone,
//! this file is stale for ever: its number may be somebody else's.
//! Not here: descriptors (`process`), data (`inode`).

use crate::file::inode_session::on_inode;
use crate::file::open_file::{ACCESS_MODE, FileClients, OpenFile, READ_ONLY, SETTABLE};
use renga_hal::memory::UserMemory;
use renga_proto::file::{File, FileCall, Seek, Whence};
use renga_proto::inode::{Size, Truncate};
use renga_proto::sessions::Sessions;
use renga_rt::{Errno, Me, Never, Port, apart, reply};

/// Serves the open file `number` of this board; `boot` counts the board's starts.
pub async fn file<M: UserMemory + ?Sized + 'static>(
    me: Me,
    mut port: Port<File>,
    clients: FileClients,
    machine: &'static M,
    number: u16,
    boot: u8,
    sessions: &'static Sessions,
) -> Never {
    let mut state = OpenFile::new(&me, clients, machine, (number, boot), sessions);
    loop {
        state.serve_next(&mut port).await;
    }
}

impl<M: UserMemory + ?Sized> OpenFile<M> {
    async fn read(&mut self, offset: u64, out: &mut [u8]) -> Result<u32, Errno> {
        self.check()?;
        self.may_read()?;
        self.read_cached(offset, out).await
    }

    async fn seek(&mut self, seek: Seek) -> Result<u64, Errno> {
        self.check()?;
        let base = match seek.whence {
            Whence::Start => 0,
            Whence::Current => self.offset,
            Whence::End => on_inode!(self, Size {}, ())?,
        };
        let offset = base.checked_add_signed(seek.offset).filter(|offset| *offset <= i64::MAX as u64);
        self.offset = offset.ok_or(Errno::EINVAL)?;
        Ok(self.offset)
    }

    /// Accepts a call here, so that the future has room for it once.
    async fn serve_next(&mut self, port: &mut Port<File>) {
        let call = port.accept().await;
        self.asker = call.board();
        let other = if self.is_synthetic() { apart!(self.serve_synthetic(call)) } else { Some(call) };
        let Some(call) = other else { return };
        match call {
            FileCall::OpenInode(call) => {
                self.open(call.entry(), call.board());
                call.reply(Ok(self.open_generation.number()));
            }
            FileCall::AddReference(call) => {
                let checked = self.check_generation(call.entry().generation);
                let added = |()| if self.references.add(call.board()) { Ok(()) } else { Err(Errno::ENFILE) };
                reply!(call, checked.and_then(added))
            }
            FileCall::Close(call) => self.close(call).await,
            FileCall::Read(mut call) => {
                let read = self.read(self.offset, call.lent()).await;
                self.offset += u64::from(read.unwrap_or(0));
                reply!(call, read, bytes);
            }
            FileCall::ReadFrom(mut call) => reply!(call, self.read(call.entry().offset, call.lent()).await, bytes),
            FileCall::Write(mut call) => reply!(call, self.write(call.lent()).await),
            FileCall::WriteTo(mut call) => reply!(call, self.write_to(call.entry().offset, call.lent()).await),
            FileCall::Seek(call) => reply!(call, self.seek(call.entry()).await),
            FileCall::BeginAppend(call) => reply!(call, self.begin_append(call.entry().bytes).await),
            FileCall::EndAppend(call) => reply!(call, self.end_append(call.entry()).await),
            FileCall::FileStatus(mut call) => reply!(call, self.status(call.lent()).await),
            FileCall::NextEntries(mut call) => reply!(call, self.next_entries(call.lent()).await, |read| read.bytes),
            FileCall::SyncFile(call) => reply!(call, self.sync().await),
            FileCall::SetSize(call) => reply!(call, self.set_size(call.entry().bytes).await),
            FileCall::DescribeFile(call) => reply!(call, self.describe().await),
            FileCall::SetFlags(call) => reply!(call, self.check().map(|()| self.set_flags(call.entry().flags))),
            FileCall::GetFlags(call) => reply!(call, self.check().map(|()| self.flags & SETTABLE)),
            FileCall::SetFileMode(call) => reply!(call, self.set_mode(call.entry().mode).await),
            FileCall::SetFileTimes(call) => {
                let entry = call.entry();
                reply!(call, self.set_times(entry.access_ns, entry.modify_ns).await);
            }
            FileCall::SetFileOwner(call) => reply!(call, self.set_owner(call.entry().uid, call.entry().gid).await),
            FileCall::BoardDied(call) => {
                self.drop_board(call.entry().board).await;
                call.reply(Ok(()));
            }
            FileCall::CheckGeneration(call) => reply!(call, self.check_handle(call.entry().generation)),
            FileCall::NoteLocks(call) => {
                let checked = self.check_handle(call.entry().generation);
                self.locks |= checked.is_ok();
                call.reply(checked);
            }
        }
    }

    async fn set_size(&mut self, bytes: u64) -> Result<(), Errno> {
        if self.flags & ACCESS_MODE == READ_ONLY {
            return Err(Errno::EINVAL);
        }
        on_inode!(self, Truncate { bytes }, ())
    }
}
