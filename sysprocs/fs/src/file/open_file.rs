//! An open file: offset and flags, on the board of whoever opened it.
//!
//! Invariant: while it has references it holds one of its inode's. A write that its inode refuses
//! after this process was let go early is told by `SyncFile` or the last `Close`.
//! When the session with the board of the inodes has ended, it opens its inode anew, by number and generation:
//! the router says so before the first call is sent there (`ESTALE`), so that nothing is done twice. It may say so when this
//! process has a reference of the next session already: only the stamp of the reference tells. What was written and not synced may be lost then, which `SyncFile` or `Close` tell. If the inode is gone,
//! this file is stale for ever: its number may be somebody else's.
//! Not here: descriptors (`process`), content (`inode`).

use crate::file::held::Held as HeldFile;
use crate::file::made::{NO_END, PROC_FILES};
use renga_hal::memory::UserMemory;
use renga_proto::file::{File, FileCall, OpenInode, Seek, Whence};
use renga_proto::inode::{
    Append, CommitAll, FillPage, Inode, InodeDirectory, LeaseWrite, Reactivate, ReadDirectory, Release, ReserveAppend,
    SetAccess, SetTimes, Settle, Size, Status, Sync, Truncate, WriteAt,
};
use renga_proto::locks::{Locks, ReleaseLocks};
use renga_proto::memory::Memory;
use renga_proto::names::Names;
use renga_proto::pages::Pages;
use renga_proto::proc_files::ProcFiles;
use renga_proto::sessions::{Sessions, Stamp};
use renga_proto::slots::{FileTable, FreeFile};
use renga_rt::{Call, Client, Errno, Family, Generation, Held, Local, Me, Never, Port, apart};

/// Access mode bits of the flags, and the modes.
pub(super) const ACCESS_MODE: u32 = 3;
pub(super) const READ_ONLY: u32 = 0;
const WRITE_ONLY: u32 = 1;
/// `O_APPEND`, and all flags that can be set later: also `O_NONBLOCK`, `O_DIRECT`, `O_NOATIME`.
pub(super) const APPEND: u32 = 0o2000;
pub(super) const SETTABLE: u32 = APPEND | 0o4000 | 0o200_000 | 0o1_000_000;
pub(super) const TYPE_MASK: u16 = 0xf000;
pub(super) const DIRECTORY: u16 = 0x4000;

/// What an open file calls of its inode.
pub(super) const INODE: u32 = WriteAt::BIT
    | Append::BIT
    | Truncate::BIT
    | Status::BIT
    | Size::BIT
    | ReadDirectory::BIT
    | Sync::BIT
    | Settle::BIT
    | SetAccess::BIT
    | SetTimes::BIT
    | FillPage::BIT
    | LeaseWrite::BIT
    | ReserveAppend::BIT;

renga_rt::clients! {
    /// Whom an open file calls.
    pub struct FileClients {
        /// All inodes; those of the board of `inode_directory` are used.
        inodes: Family<Inode, INODE>,
        /// Takes the inode's reference back.
        inode_directory: Client<InodeDirectory, { Release::BIT | Reactivate::BIT | CommitAll::BIT }>,
        /// Counts uses of references that this board keeps.
        names: Local<Names>,
        /// Takes this process back.
        file_table: Client<FileTable>,
        /// The page cache of this board.
        pages: Client<Pages>,
        /// Frames for pages that come into it.
        memory: Client<Memory>,
        /// Who make the content of synthetic files.
        proc_files: Family<ProcFiles, PROC_FILES>,
        /// What was locked by way of this file.
        locks: Client<Locks, { ReleaseLocks::BIT }>,
    }
}

pub(super) struct State<M: UserMemory + ?Sized + 'static> {
    pub(super) clients: FileClients,
    pub(super) machine: &'static M,
    pub(super) number: u16,
    /// Its own board, and that of the inodes.
    pub(super) home: u8,
    pub(super) board: u8,
    /// Which generation it is in.
    pub(super) open_generation: Generation,
    pub(super) references: Held,
    /// The board whose call it serves.
    asker: u8,
    /// Which inode.
    pub(super) ino: u32,
    pub(super) generation: u32,
    /// Its type and permission bits.
    pub(super) mode: u16,
    /// The inode's process, unless it is not known since the session with the board of the inodes has ended.
    pub(super) slot: Option<u16>,
    /// Of the reference to it.
    pub(super) stamp: Stamp,
    pub(super) sessions: &'static Sessions,
    /// Linux's open flags.
    pub(super) flags: u32,
    pub(super) offset: u64,
    /// Written since the inode last settled.
    pub(super) written: bool,
    /// Something written may be lost, and nobody has been told.
    pub(super) lost: bool,
    /// Of a synthetic file: where reading has come to its end, or `NO_END`.
    pub(super) made_end: u64,
    /// Somebody has locked by way of it.
    pub(super) locks: bool,
    pub(super) held: HeldFile,
}

/// A call to the inode; again if the end of an earlier session was told, or if the inode had to be opened anew.
macro_rules! on_inode {
    ($state:expr, $entry:expr, $lends:expr) => {{
        let mut tries = $crate::file::own_inode::Tries::default();
        loop {
            let reply = match $state.inode()? {
                Some(mut inode) => inode.call($entry, $lends).await,
                None => Err(Errno::ESTALE),
            };
            if reply.as_ref().err() != Some(&Errno::ESTALE) || !$state.find_again(&mut tries).await? {
                break reply.map_err($crate::file::open_file::of_the_disk);
            }
        }
    }};
}
pub(super) use on_inode;

/// What a caller is told of an error of the inodes' board: one that has died is not this one.
pub(super) fn of_the_disk(errno: Errno) -> Errno {
    if errno == Errno::EHOSTDOWN { Errno::EIO } else { errno }
}

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
    let mut state = State::new(&me, clients, machine, (number, boot), sessions);
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
            call if state.is_synthetic() => apart!(state.serve_made(call)),
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

impl<M: UserMemory + ?Sized> State<M> {
    fn new(
        me: &Me,
        clients: FileClients,
        machine: &'static M,
        (number, boot): (u16, u8),
        sessions: &'static Sessions,
    ) -> State<M> {
        let home = me.id().board.0;
        let board = clients.inode_directory.server().board.0;
        let open_generation = Generation::before_first(boot);
        State {
            clients,
            machine,
            number,
            home,
            board,
            open_generation,
            references: Held::NONE,
            asker: 0,
            ino: 0,
            generation: 0,
            mode: 0,
            slot: None,
            stamp: Stamp::NONE,
            sessions,
            flags: 0,
            offset: 0,
            written: false,
            lost: false,
            made_end: NO_END,
            locks: false,
            held: HeldFile::default(),
        }
    }

    /// `EBADF` if the board that asks has no reference: a number alone opens nothing.
    pub(super) fn check(&self) -> Result<(), Errno> {
        if self.references.holds(self.asker) { Ok(()) } else { Err(Errno::EBADF) }
    }

    pub(super) fn check_generation(&self, generation: u32) -> Result<(), Errno> {
        if generation == self.open_generation.number() && !self.references.is_empty() {
            Ok(())
        } else {
            Err(Errno::ESTALE)
        }
    }

    fn open(&mut self, open: OpenInode, board: u8) {
        self.open_generation.next();
        (self.ino, self.generation, self.mode) = (open.ino, open.generation, open.mode);
        (self.slot, self.stamp, self.flags) = (Some(open.slot), open.stamp, open.flags);
        (self.references, self.offset, self.written, self.lost) = (Held::NONE, 0, false, false);
        self.made_end = NO_END;
        self.locks = false;
        self.held = HeldFile::default();
        self.references.add(board);
    }

    async fn read(&mut self, offset: u64, out: &mut [u8]) -> Result<u32, Errno> {
        self.check()?;
        self.may_read()?;
        self.read_cached(offset, out).await
    }

    pub(super) fn may_read(&self) -> Result<(), Errno> {
        if self.flags & ACCESS_MODE == WRITE_ONLY { Err(Errno::EBADF) } else { Ok(()) }
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

    /// Answers before the work is done, unless a failed write may have to be told.
    async fn close(&mut self, call: Call<renga_proto::file::Close>) {
        let board = call.board();
        if call.entry().generation != self.open_generation.number() || !self.references.holds(board) {
            return call.reply(Err(Errno::EBADF));
        }
        if self.references.total() > 1 {
            self.references.remove(board);
            return call.reply(Ok(()));
        }
        self.note_lost_here().await;
        let told = if self.written || self.lost { self.settle().await } else { Ok(()) };
        // Whoever has closed it finds its locks free.
        self.release_locks().await;
        call.reply(told);
        self.end().await;
    }

    /// Gives back what a dead board's programs held open.
    pub(super) async fn drop_board(&mut self, board: u8) {
        if self.references.drop_board(board) > 0 && self.references.is_empty() {
            self.end().await;
        }
    }

    async fn end(&mut self) {
        self.references = Held::NONE;
        self.release_locks().await;
        if !self.is_synthetic() {
            self.let_go().await;
        }
        // It is this process's own, so that it is not refused.
        let _ = self.clients.file_table.call(FreeFile { file: self.number }, ()).await;
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
