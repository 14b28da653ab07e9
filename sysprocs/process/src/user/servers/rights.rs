//! Which entries a user process calls of servers that may be on other boards: what its signature says of them.
//!
//! Invariant: these are all that another board's router lets in from a program's slot, so what is called here on the
//! own board only (opening a file process, stopping the system) is not among them. Not here: who serves.

use crate::group_kill::GROUP_KILL;

macro_rules! rights { ($($(#[$doc:meta])* $NAME:ident = $module:ident { $($Entry:ident)+ } $(+ $more:ident)?;)+) => {
    $($(#[$doc])* pub const $NAME: u32 = $(renga_proto::$module::$Entry::BIT)|+ $(| $more)?;)+
} }

rights! {
    /// Of the terminal.
    CONSOLE = console {
        GetAttributes GetForeground GetJobControl GetWindow PollTerminal ReadTerminal SetAttributes SetForeground
        SetWaits SetWindow WriteTerminal
    };
    /// Of pseudo-terminals.
    TERMINALS = terminals {
        ChangeAttributes ChangeJobs ChangeWindow ControlPair DescribePair DropSide HoldSide OpenSlave OwnPair
        PairAttributes PairJobs PairWindow PollSide ReadSide WriteSide
    };
    /// Of an open file.
    FILES = file {
        AddReference BeginAppend BeginRead BeginWrite CheckGeneration Close DescribeFile EndAppend EndTransfer
        FileStatus GetFlags NextEntries
        NoteLocks Read ReadFrom Seek SetFileMode SetFileOwner SetFileTimes SetFlags SetSize SyncFile Write WriteTo
    };
    /// Of the directory of inodes.
    DIRECTORY = inode {
        CommitAll KnownOpen KnownStatus NextLeased Release ReleaseMany
    };
    /// Of a server of synthetic files.
    PROC_FILES = proc_files {
        ReadSynthetic ReadSyntheticLink SyntheticPath SyntheticStatus WalkSynthetic
    };
    /// Of page frames elsewhere, to count them.
    MEMORIES = memory {
        MemoryStatus
    };
    /// Of the locks of all files.
    LOCKS = locks {
        AwaitLock FindLock ReleaseLocks SetLock
    };
    /// Of a path lookup.
    PATHS = path {
        AbsolutePath Access ChangeMode ChangeOwner ChangeTimes Cross FileSystemStatus Link Make MakeDirectory
        MakeNode NameIn Open ReadLinkOf Remove Rename Resolve StatusOf SymbolicLink Unlink
    };
    /// Of a pipe.
    PIPES = pipe {
        AddEnd AskBlocking AwaitPartner CloseEnd PipeBytes PollPipe ReadPipe SetBlocking WritePipe
    };
    /// Of a socket.
    SOCKETS = socket {
        Accept AddSide BeginConnect CloseSide Deliver DescribeSocket EndConnect GetAddress GetOption GetPeer
        Listen Offer OptionAt PollSocket Receive Send SendWith SetAddress SetError SetOption SetPeer SetSideBlocking
        Shutdown TakeError TakeSide
    };
    /// Of the names of sockets.
    SOCKET_NAMES = socket_table {
        BindName EndFlight FindName TakeFlight UnbindName
    };
    /// Of the event files of any board.
    EVENTS = events {
        AddCount AskProcess AskTimerFile AskWaiting ChangeWatch ClaimWatch CountNotices DropEvents HoldEvents
        MakeNotices MakeProcessFile NameChild NextUnnamed NextWatch PollEvents SetProcess SetTimerFile SetWaiting
        TakeCount TakeNotices UnwatchInode WatchInode
    };
    /// Of the words that programs wait for.
    FUTEXES = futex {
        JoinQueue MoveWaiters WakeFutex WasWoken
    };
    /// Of the open fifos.
    FIFOS = fifos {
        OpenFifo
    };
    /// Of the user processes of any board.
    PROCS = procs {
        ChildExited Describe Kill PassOn PolicyOf Relate SetGroup Spawn UsageOf
    } + GROUP_KILL;
}
