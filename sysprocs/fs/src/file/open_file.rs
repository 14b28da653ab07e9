//! The state of an open file: its inode, offset, flags and references.
//!
//! Invariant: while it has references it owns one of its inode's. A number alone opens nothing: only boards with a
//! reference are served.
//! Called by: all files of this folder. Not here: the loop (`server.rs`), the inode's process (`inode_session.rs`).

use crate::change_reports::REPORTS;
use crate::file::loss_mark::LossMark;
use renga_hal::memory::UserMemory;
use renga_proto::data::Prefetcher;
use renga_proto::events::Events;
use renga_proto::file::{File, OpenInode};
use renga_proto::inode::{
    Append, CommitAll, FillPage, Inode, InodeDirectory, LeaseWrite, PushPage, Reactivate, ReadDirectory, Release,
    ReportError, ReserveAppend, SetAccess, SetTimes, Size, Status, Sync, Truncate, WriteAt,
};
use renga_proto::locks::{Locks, ReleaseLocks};
use renga_proto::memory::Memory;
use renga_proto::mounts::SYNTHETIC;
use renga_proto::names::Names;
use renga_proto::pages::{FileId, Pages};
use renga_proto::proc_files::{ListSynthetic, ProcFiles, ReadSynthetic, SyntheticStatus, WriteSynthetic};
use renga_proto::references::{BeginWriting, EndWriting, References};
use renga_proto::sessions::{ReferenceOrigin, Sessions};
use renga_proto::slots::FileTable;
use renga_rt::{BoardReferences, Client, Errno, Family, Generation, Local, Me, Protocol, WatchFilters};

pub(super) const PROC_FILES: u32 = ListSynthetic::BIT | ReadSynthetic::BIT | SyntheticStatus::BIT | WriteSynthetic::BIT;

/// What an open file calls of the references of programs.
pub const PROGRAMS: u32 = BeginWriting::BIT | EndWriting::BIT;

/// Access mode bits of the flags, and the modes.
pub(super) const ACCESS_MODE: u32 = 3;
pub(super) const READ_ONLY: u32 = 0;
const WRITE_ONLY: u32 = 1;

/// `O_APPEND`, and all flags that can be set later: also `O_NONBLOCK`, `O_DIRECT`, `O_NOATIME`.
pub(super) const APPEND: u32 = 0o2000;
pub(super) const SETTABLE: u32 = APPEND | 0o4000 | 0o200_000 | 0o1_000_000;
pub(super) const TYPE_MASK: u16 = 0xf000;
pub(super) const DIRECTORY: u16 = 0x4000;

pub(super) const INODE: u32 = WriteAt::BIT
    | Append::BIT
    | Truncate::BIT
    | Status::BIT
    | Size::BIT
    | ReadDirectory::BIT
    | Sync::BIT
    | ReportError::BIT
    | SetAccess::BIT
    | SetTimes::BIT
    | FillPage::BIT
    | LeaseWrite::BIT
    | PushPage::BIT
    | ReserveAppend::BIT;

/// What an open file knows of its write lease.
#[derive(Clone, Copy, Default)]
pub(super) struct LocalWrites {
    /// Writes that cross before the next lease request.
    pub(super) crossings: u8,
    /// How many pages this board had lost before it was first written here.
    pub(super) lost_before: Option<u32>,
}

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
        /// They bring pages into it before they are read.
        prefetchers: Local<Prefetcher>,
        /// Frames for pages that come into it.
        memory: Client<Memory>,
        /// The servers of synthetic files.
        proc_files: Family<ProcFiles, PROC_FILES>,
        /// What was locked by way of this file.
        locks: Client<Locks, { ReleaseLocks::BIT }>,
        /// They know of every board which files programs run.
        references: Family<References, PROGRAMS>,
        /// Programs that watch files, if this board has the inodes.
        events: Local<Events, REPORTS>,
    }
}

pub(super) struct OpenFile<M: UserMemory + ?Sized + 'static> {
    pub(super) clients: FileClients,
    pub(super) machine: &'static M,
    pub(super) number: u16,
    /// Its own board, and that of the inodes.
    pub(super) home: u8,
    pub(super) board: u8,
    pub(super) open_generation: Generation,
    pub(super) references: BoardReferences,
    /// The board whose call it serves.
    pub(super) asker: u8,
    pub(super) ino: u32,
    pub(super) generation: u32,
    pub(super) mode: u16,
    /// The inode's process, unless it is not known since the session with the board of the inodes has ended.
    pub(super) slot: Option<u16>,
    pub(super) origin: ReferenceOrigin,
    pub(super) sessions: &'static Sessions,
    pub(super) watched: &'static WatchFilters,
    pub(super) flags: u32,
    pub(super) offset: u64,
    /// The board of a transfer at the offset that is under way and shuts out others.
    pub(super) transferring: Option<u8>,
    /// The calls that it accepts meanwhile.
    pub(super) accepted: u32,
    /// Written since the inode last settled.
    pub(super) written: bool,
    /// Written data may be lost, and no caller knows yet.
    pub(super) lost: bool,
    pub(super) loss_mark: LossMark,
    /// Of a synthetic file: reading has come to its end.
    pub(super) synthetic_ended: bool,
    pub(super) locks: bool,
    /// It is a program's file, and every board knows that it is open for writing.
    pub(super) is_busy_text: bool,
    pub(super) local_writes: LocalWrites,
}

impl<M: UserMemory + ?Sized> OpenFile<M> {
    pub(super) fn id(&self) -> FileId {
        FileId { ino: self.ino, generation: self.generation }
    }

    /// Whether data are written elsewhere than on the board of the inodes.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.clients.pages.server().board.0 != self.board
    }

    pub(super) fn is_synthetic(&self) -> bool {
        self.ino >= SYNTHETIC
    }

    pub(super) fn new(
        me: &Me,
        clients: FileClients,
        machine: &'static M,
        (number, boot): (u16, u8),
        (sessions, watched): (&'static Sessions, &'static WatchFilters),
    ) -> OpenFile<M> {
        let home = me.id().board.0;
        let board = clients.inode_directory.server().board.0;
        let open_generation = Generation::before_first(boot);
        OpenFile {
            clients,
            machine,
            number,
            home,
            board,
            open_generation,
            references: BoardReferences::NONE,
            asker: 0,
            ino: 0,
            generation: 0,
            mode: 0,
            slot: None,
            origin: ReferenceOrigin::NONE,
            sessions,
            watched,
            flags: 0,
            offset: 0,
            transferring: None,
            accepted: File::ENTRIES,
            written: false,
            lost: false,
            loss_mark: LossMark::UNKNOWN,
            synthetic_ended: false,
            locks: false,
            is_busy_text: false,
            local_writes: LocalWrites::default(),
        }
    }

    /// `EBADF` if the caller's board has no reference: a number alone opens nothing.
    pub(super) fn check(&self) -> Result<(), Errno> {
        if self.references.contains(self.asker) { Ok(()) } else { Err(Errno::EBADF) }
    }

    pub(super) fn check_generation(&self, generation: u32) -> Result<(), Errno> {
        if generation == self.open_generation.number() && !self.references.is_empty() {
            Ok(())
        } else {
            Err(Errno::ESTALE)
        }
    }

    /// Becomes an open file; in which generation.
    pub(super) fn open(&mut self, open: OpenInode, board: u8, now_ns: u64) -> u32 {
        self.open_generation.next();
        (self.ino, self.generation, self.mode) = (open.ino, open.generation, open.mode);
        (self.slot, self.origin, self.flags) = (Some(open.slot), open.origin, open.flags);
        (self.references, self.offset, self.written, self.lost) = (BoardReferences::NONE, 0, false, false);
        self.loss_mark = LossMark::opened(now_ns);
        (self.synthetic_ended, self.locks) = (false, false);
        self.local_writes = LocalWrites::default();
        (self.transferring, self.accepted) = (None, File::ENTRIES);
        self.references.add(board);
        self.open_generation.number()
    }

    pub(super) fn may_read(&self) -> Result<(), Errno> {
        if self.flags & ACCESS_MODE == WRITE_ONLY { Err(Errno::EBADF) } else { Ok(()) }
    }

    pub(super) fn may_write(&self) -> Result<(), Errno> {
        if self.flags & ACCESS_MODE == READ_ONLY { Err(Errno::EBADF) } else { Ok(()) }
    }
}
