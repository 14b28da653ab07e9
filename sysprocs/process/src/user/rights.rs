//! Which entries a user process calls of servers that may be on other boards: what its signature says of them.
//!
//! Invariant: these are all that another board's router lets in from a program's slot, so what is called here on the
//! own board only (opening a file process, stopping the system) is not among them. Not here: who serves.

use crate::group_kill::GROUP_KILL;
use renga_proto::console::{
    GetAttributes, GetForeground, GetJobControl, GetWindow, PollTerminal, ReadTerminal, SetAttributes, SetForeground,
    SetWaits, SetWindow, WriteTerminal,
};
use renga_proto::events::{
    AddCount, AskTimerFile, AskWaiting, ChangeWatch, ClaimWatch, DropEvents, HoldEvents, NextWatch, PollEvents,
    SetTimerFile, SetWaiting, TakeCount,
};
use renga_proto::fifos::OpenFifo;
use renga_proto::file::{
    AddReference, BeginAppend, CheckGeneration, Close, DescribeFile, EndAppend, FileStatus, GetFlags, NextEntries,
    NoteLocks, Read, ReadFrom, Seek, SetFileMode, SetFileOwner, SetFileTimes, SetFlags, SetSize, SyncFile, Write,
    WriteTo,
};
use renga_proto::inode::{CommitAll, KnownOpen, KnownStatus, NextLeased, Release};
use renga_proto::locks::{AwaitLock, FindLock, ReleaseLocks, SetLock};
use renga_proto::memory::MemoryStatus;
use renga_proto::path::{
    AbsolutePath, Access, ChangeMode, ChangeOwner, ChangeTimes, Cross, FileSystemStatus, Link, Make, MakeDirectory,
    MakeNode, Open, ReadLinkOf, Rename, Resolve, StatusOf, SymbolicLink, Unlink,
};
use renga_proto::pipe::{
    AddEnd, AskBlocking, AwaitPartner, CloseEnd, PipeBytes, PollPipe, ReadPipe, SetBlocking, WritePipe,
};
use renga_proto::proc_files::{ReadSynthetic, ReadSyntheticLink, SyntheticPath, SyntheticStatus, WalkSynthetic};
use renga_proto::procs::{ChildExited, Kill, PassOn, PolicyOf, Relate, SetGroup, Spawn, UsageOf};

/// Of the terminal.
pub const CONSOLE: u32 = GetAttributes::BIT
    | GetForeground::BIT
    | GetJobControl::BIT
    | GetWindow::BIT
    | PollTerminal::BIT
    | ReadTerminal::BIT
    | SetAttributes::BIT
    | SetForeground::BIT
    | SetWaits::BIT
    | SetWindow::BIT
    | WriteTerminal::BIT;

/// Of an open file.
pub const FILES: u32 = AddReference::BIT
    | GetFlags::BIT
    | BeginAppend::BIT
    | CheckGeneration::BIT
    | Close::BIT
    | DescribeFile::BIT
    | EndAppend::BIT
    | FileStatus::BIT
    | NextEntries::BIT
    | NoteLocks::BIT
    | Read::BIT
    | ReadFrom::BIT
    | Seek::BIT
    | SetFileMode::BIT
    | SetFileOwner::BIT
    | SetFileTimes::BIT
    | SetFlags::BIT
    | SetSize::BIT
    | SyncFile::BIT
    | Write::BIT
    | WriteTo::BIT;

/// Of the directory of inodes.
pub const DIRECTORY: u32 = CommitAll::BIT | KnownOpen::BIT | KnownStatus::BIT | NextLeased::BIT | Release::BIT;

/// Of a server of synthetic files.
pub const PROC_FILES: u32 =
    SyntheticPath::BIT | ReadSynthetic::BIT | ReadSyntheticLink::BIT | SyntheticStatus::BIT | WalkSynthetic::BIT;

/// Of page frames elsewhere, to count them.
pub const MEMORIES: u32 = MemoryStatus::BIT;

/// Of the locks of all files.
pub const LOCKS: u32 = AwaitLock::BIT | FindLock::BIT | ReleaseLocks::BIT | SetLock::BIT;

/// Of a path path lookup.
pub const PATHS: u32 = AbsolutePath::BIT
    | Access::BIT
    | ChangeMode::BIT
    | ChangeOwner::BIT
    | ChangeTimes::BIT
    | Cross::BIT
    | FileSystemStatus::BIT
    | Link::BIT
    | Make::BIT
    | MakeDirectory::BIT
    | MakeNode::BIT
    | Open::BIT
    | ReadLinkOf::BIT
    | Rename::BIT
    | Resolve::BIT
    | StatusOf::BIT
    | SymbolicLink::BIT
    | Unlink::BIT;

/// Of a pipe.
pub const PIPES: u32 = AddEnd::BIT
    | AskBlocking::BIT
    | AwaitPartner::BIT
    | CloseEnd::BIT
    | PipeBytes::BIT
    | PollPipe::BIT
    | ReadPipe::BIT
    | SetBlocking::BIT
    | WritePipe::BIT;

/// Of the event files of any board.
pub const EVENTS: u32 = AddCount::BIT
    | AskTimerFile::BIT
    | AskWaiting::BIT
    | ChangeWatch::BIT
    | ClaimWatch::BIT
    | DropEvents::BIT
    | HoldEvents::BIT
    | NextWatch::BIT
    | PollEvents::BIT
    | SetTimerFile::BIT
    | SetWaiting::BIT
    | TakeCount::BIT;

/// Of the open fifos.
pub const FIFOS: u32 = OpenFifo::BIT;

/// Of the user processes of any board.
pub const PROCS: u32 = ChildExited::BIT
    | Kill::BIT
    | GROUP_KILL
    | PassOn::BIT
    | PolicyOf::BIT
    | Relate::BIT
    | SetGroup::BIT
    | Spawn::BIT
    | UsageOf::BIT;
