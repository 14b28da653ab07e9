//! An open file: offset and flags, on the board of whoever opened it.
//!
//! Invariant: while it has references it holds one of its inode's. A write that its inode refuses
//! after this process was let go early is told by `SyncFile` or the last `Close`.
//! When the session with the board of the inodes has ended, it opens its inode anew, by number and generation:
//! the router says so before the first call is sent there (`ESTALE`), so that nothing is done twice. It may say so when this
//! process has a reference of the next session already: only the origin of the reference tells. What was written and not synced may be lost then, which `SyncFile` or `Close` tell. If the inode is gone,
//! this file is stale for ever: its number may be somebody else's.
//! Not here: descriptors (`process`), content (`inode`).

use crate::file::inode_session::on_inode;
use crate::file::open_file::{ACCESS_MODE, FileClients, OpenFile, READ_ONLY};
use renga_hal::memory::UserMemory;
use renga_proto::file::{File, FileCall, Seek, Whence};
use renga_proto::inode::{Size, Truncate};
use renga_proto::sessions::Sessions;
use renga_rt::{Errno, Me, Never, Port, apart};

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
        let call = port.accept().await;
        state.asker = call.board();
        match call {
            FileCall::OpenInode(call) => {
                state.open(call.entry(), call.board());
                call.reply(Ok(state.open_generation.number()));
            }
            FileCall::AddReference(call) => {
                let added = state
                    .check_generation(call.entry().generation)
                    .and_then(|()| if state.references.add(call.board()) { Ok(()) } else { Err(Errno::ENFILE) });
                call.reply(added);
            }
            FileCall::Close(call) => state.close(call).await,
            call if state.is_synthetic() => apart!(state.serve_synthetic(call)),
            FileCall::Read(mut call) => {
                let read = state.read(state.offset, call.lent()).await;
                state.offset += u64::from(read.unwrap_or(0));
                call.set_taken_used(read.map_or(0, |count| count as usize));
                call.reply(read);
            }
            FileCall::ReadFrom(mut call) => {
                let offset = call.entry().offset;
                let read = state.read(offset, call.lent()).await;
                call.set_taken_used(read.map_or(0, |count| count as usize));
                call.reply(read);
            }
            FileCall::Write(mut call) => {
                let written = state.write(call.lent()).await;
                call.reply(written);
            }
            FileCall::Seek(call) => {
                let offset = state.seek(call.entry()).await;
                call.reply(offset);
            }
            call @ (FileCall::BeginAppend(_) | FileCall::EndAppend(_)) => state.serve_appends(call).await,
            other => state.serve(other).await,
        }
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

    async fn serve(&mut self, call: FileCall) {
        match call {
            FileCall::FileStatus(mut call) => {
                let reply = self.status(call.lent()).await;
                call.reply(reply);
            }
            FileCall::WriteTo(mut call) => {
                let offset = call.entry().offset;
                let reply = self.write_to(offset, call.lent()).await;
                call.reply(reply);
            }
            FileCall::NextEntries(mut call) => {
                let read = self.next_entries(call.lent()).await;
                call.set_taken_used(read.map_or(0, |read| read.bytes as usize));
                call.reply(read);
            }
            FileCall::SyncFile(call) => {
                let reply = self.sync().await;
                call.reply(reply);
            }
            FileCall::SetSize(call) => {
                let reply = self.set_size(call.entry().bytes).await;
                call.reply(reply);
            }
            other => self.serve_facts(other).await,
        }
    }

    async fn set_size(&mut self, bytes: u64) -> Result<(), Errno> {
        if self.flags & ACCESS_MODE == READ_ONLY {
            return Err(Errno::EINVAL);
        }
        on_inode!(self, Truncate { bytes }, ())
    }
}
