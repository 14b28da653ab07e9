//! The servers that a user process calls, and how it finds the right one.
//!
//! Not here: the calls themselves.

use crate::user::servers::rights::{
    CONSOLE, DIRECTORY, EVENTS, FIFOS, FILES, FUTEXES, LOCKS, MEMORIES, PATHS, PIPES, PROC_FILES, PROCS, SOCKET_NAMES,
    SOCKETS, TERMINALS,
};
use crate::user::state::{Handle, UserFacts};
use renga_memory::FrameCache;
use renga_memory::page_list::STORING;
use renga_memory::pager::Inodes;
use renga_pages::change_leased;
use renga_proto::attributes::AttributeChange;
use renga_proto::clock::Clock;
use renga_proto::console::Console;
use renga_proto::data::Prefetcher;
use renga_proto::events::Events;
use renga_proto::fifos::Fifos;
use renga_proto::file::File;
use renga_proto::futex::Futexes;
use renga_proto::inode::{Birth, InodeDirectory, InodeFacts, KnownOpen, Release, ReleaseMany};
use renga_proto::locks::Locks;
use renga_proto::memory::Memory;
use renga_proto::mounts::crosses;
use renga_proto::names::{
    CacheGeneration, CacheReference, CacheSteps, FileHere, NAME_CACHED_BYTES_MAX, NO_CACHE_GENERATION, Names, OpenHere,
    PathHere, ReferenceCached,
};
use renga_proto::pages::Pages;
use renga_proto::path::{AbsolutePath, OPEN_CREATE, OPEN_TRUNCATE, OPEN_WRITE, Open, Path, PathStart, Resolve};
use renga_proto::pipe::Pipe;
use renga_proto::proc_files::ProcFiles;
use renga_proto::procs::{Procs, board_of};
use renga_proto::references::References;
use renga_proto::router::RouterStatus;
use renga_proto::sessions::ReferenceOrigin;
use renga_proto::slots::{FileTable, PipeTable};
use renga_proto::socket::Socket;
use renga_proto::socket_table::SocketTable;
use renga_proto::steps::{self, STEPS_BYTES};
use renga_proto::surplus::SURPLUS_BYTES;
use renga_proto::terminals::Terminals;
use renga_random::Random;
use renga_rt::{Client, Errno, Family, Local, apart, clients};

clients! {
    /// What a user process calls.
    pub struct UserClients {
        /// The user processes of this board.
        procs: Client<Procs>,
        /// Those of every board.
        all_procs: Family<Procs, PROCS>,
        /// Page frames of this board.
        memory: Client<Memory>,
        /// Page frames of every board, for programs that go there.
        all_memory: Family<Memory, STORING>,
        /// Page frames of every board, to be counted.
        memories: Family<Memory, MEMORIES>,
        /// Cached file pages of this board.
        pages: Client<Pages>,
        /// They bring file pages from their owner before they are read.
        prefetchers: Local<Prefetcher>,
        /// The references of this board's programs to mapped files.
        references: Client<References>,
        /// Active inodes.
        inodes: Inodes,
        /// Which inodes are active.
        inode_directory: Family<InodeDirectory, DIRECTORY>,
        /// This board's cache of names and inodes, if it has no disk.
        names: Local<Names>,
        /// Operations on paths.
        paths: Family<Path, PATHS>,
        /// Those of this board, if it has the disk: to stop the system.
        own_paths: Local<Path>,
        /// The locks of all files.
        locks: Family<Locks, LOCKS>,
        /// Open files.
        files: Family<File, FILES>,
        /// File processes of this board, to be opened.
        own_files: Local<File>,
        /// Free file processes of this board.
        file_table: Client<FileTable>,
        /// Pipes.
        pipes: Family<Pipe, PIPES>,
        /// Pipes of this board, to be opened.
        own_pipes: Local<Pipe>,
        /// Free pipes of this board.
        pipe_table: Client<PipeTable>,
        /// Sockets.
        sockets: Family<Socket, SOCKETS>,
        /// Sockets of this board, to be opened.
        own_sockets: Local<Socket>,
        /// Free sockets of this board.
        socket_table: Local<SocketTable>,
        /// Names of sockets.
        socket_names: Family<SocketTable, SOCKET_NAMES>,
        /// Event files.
        events: Family<Events, EVENTS>,
        /// Those of this board, where they are made.
        own_events: Local<Events>,
        /// Who waits for which word of memory.
        futexes: Family<Futexes, FUTEXES>,
        /// Which pipes are open fifos.
        fifos: Family<Fifos, FIFOS>,
        /// The terminal.
        console: Family<Console, CONSOLE>,
        /// Pseudo-terminals.
        terminals: Family<Terminals, TERMINALS>,
        /// Those of this board, where they are made.
        own_terminals: Local<Terminals>,
        /// The clock of this board.
        clock: Client<Clock>,
        /// What the boards' links have carried.
        links: Family<RouterStatus>,
        /// The servers of the files under /proc.
        proc_files: Family<ProcFiles, PROC_FILES>,
    }
}

/// The clients, with what is needed to choose among them.
pub struct Services {
    pub clients: UserClients,
    pub board: u8,
    /// The board of the file system, where init runs.
    pub file_board: u8,
    pub facts: &'static UserFacts,
    /// Page frames that the program has before it needs them.
    pub(crate) frame_cache: FrameCache,
    /// What `getrandom` gives: the same in every run.
    pub(crate) random: Random,
    /// The next write to the terminal is one that programs in the background may not make, and this one may.
    pub(crate) may_write_terminal: bool,
    /// The file and the start of a transfer at its offset that shuts out others until it ends.
    pub(crate) begun: Option<(Handle, u64)>,
    /// The steps that a path lookup has reported.
    pub(crate) steps: [u8; STEPS_BYTES],
}

impl Services {
    /// For the process of `board` that has `facts`.
    pub fn new(clients: UserClients, board: u8, facts: &'static UserFacts) -> Self {
        let has_files = |&board: &u8| clients.paths.count(board) > 0;
        Services {
            file_board: (0..clients.paths.boards()).find(has_files).unwrap_or(0),
            clients,
            board,
            facts,
            frame_cache: FrameCache::new(),
            random: Random::new(facts.seed ^ u64::from(board) << 40 ^ u64::from(facts.slot) << 20),
            may_write_terminal: false,
            begun: None,
            steps: [0; STEPS_BYTES],
        }
    }

    /// The lookup server.
    pub fn path_lookup(&mut self) -> Result<Client<Path, PATHS>, Errno> {
        self.clients.paths.at(self.file_board, 0).ok_or(Errno::EIO)
    }

    /// Opens what `path` stands for: of the directory of inodes if it knows all names and nothing is to be made.
    ///
    /// # Errors
    /// Linux's of `openat`.
    pub async fn open_path(&mut self, open: Open, path: &[u8]) -> Result<InodeFacts, Errno> {
        if crosses(open.at, path) {
            return Err(Errno::ECROSSED);
        }
        if open.flags & OPEN_CREATE != 0 {
            match apart!(self.make(open, false, path)) {
                Err(Errno::EAGAIN) => {}
                made => return made,
            }
        }
        // What is answered is of this session.
        let origin = self.facts.sessions.origin(self.file_board);
        let mut facts = Err(Errno::EAGAIN);
        let (known_here, at) = (!open.at.is_confined(), open.at.directory);
        if known_here
            && open.flags & (OPEN_CREATE | OPEN_TRUNCATE | OPEN_WRITE) == 0
            && let Some(mut names) = self.names()
        {
            let flags = open.flags;
            match names.call(OpenHere { at, flags }, path).await {
                Err(Errno::EAGAIN) => {}
                known => return known,
            }
            match names.call(CacheGeneration {}, ()).await? {
                NO_CACHE_GENERATION => {}
                cache_generation => {
                    return apart!(self.resolved_open(
                        Resolve { at, flags, opens: true },
                        (cache_generation, origin),
                        path
                    ));
                }
            }
        }
        if known_here && open.flags & (OPEN_CREATE | OPEN_TRUNCATE) == 0 {
            let known = KnownOpen { at, flags: open.flags };
            facts = self.inode_directory()?.call(known, path).await;
        }
        if facts == Err(Errno::EAGAIN) {
            facts = self.path_lookup()?.call(open, path).await;
        }
        if let Ok(InodeFacts { mode: 0, slot, ino, birth, .. }) = facts {
            // The reference is ours, so that it is not refused.
            let _ = self.inode_directory()?.call(Release { slot, ino }, ()).await;
            return Err(Errno(birth.device as u16));
        }
        facts.map(|facts| InodeFacts { origin, ..facts })
    }

    /// Makes a change of the file at `path` on this board, if it has the lease; returns whether it does.
    ///
    /// # Errors
    /// As of any call.
    pub async fn change_here(
        &mut self,
        at: PathStart,
        path: &[u8],
        (flags, expected): (u32, u32),
        change: Option<AttributeChange>,
    ) -> Result<bool, Errno> {
        let Some(change) = change.filter(|_| !at.is_confined()) else { return Ok(false) };
        let Some(mut names) = self.names() else { return Ok(false) };
        match names.call(FileHere { at: at.directory, flags }, path).await {
            Ok(file) if expected == 0 || file.ino == expected => {
                change_leased(&mut self.clients.pages, file, change).await
            }
            _ => Ok(false), // a path_lookup says what is wrong
        }
    }

    /// Writes the absolute path of the directory to `out`; how many bytes.
    ///
    /// # Errors
    /// Linux's of `getcwd`.
    pub async fn absolute_path(&mut self, at: PathStart, out: &mut [u8]) -> Result<u32, Errno> {
        let Some(mut names) = self.names().filter(|_| !at.is_confined()) else {
            return self.path_lookup()?.call(AbsolutePath { at }, out).await;
        };
        match names.call(PathHere { directory: at.directory }, &mut *out).await {
            Err(Errno::EAGAIN) => {}
            known => return known,
        }
        let bytes = self.path_lookup()?.call(AbsolutePath { at }, &mut *out).await?;
        let path = out.get(..bytes as usize).ok_or(Errno::EIO)?;
        if path.split(|byte| *byte == b'/').all(|name| name.len() <= NAME_CACHED_BYTES_MAX) {
            // For the next time; nothing depends on it.
            let _ = self.mode_of(at, path, 0).await;
        }
        Ok(bytes)
    }

    /// The name cache, if this board has no disk.
    pub(crate) fn names(&mut self) -> Option<Client<Names>> {
        if self.board == self.file_board { None } else { self.clients.names.at(0) }
    }

    /// Opens by way of a path lookup, which fills the name cache, also with the new reference.
    async fn resolved_open(
        &mut self,
        resolve: Resolve,
        (cache_generation, origin): (u64, ReferenceOrigin),
        path: &[u8],
    ) -> Result<InodeFacts, Errno> {
        let steps = self.resolve_steps(resolve, cache_generation, path).await?;
        let (found, cacheable, _) = steps::end(steps)?;
        let facts = InodeFacts { origin, ..found };
        // Without a lease the reference is no use to a later open.
        if cacheable { self.keep_reference(cache_generation, facts, found.origin.session).await } else { Ok(facts) }
    }

    /// Offers the reference that came with `facts`, in that session of the owner's, to be kept here.
    pub(crate) async fn keep_reference(
        &mut self,
        cache_generation: u64,
        mut facts: InodeFacts,
        session: u32,
    ) -> Result<InodeFacts, Errno> {
        let InodeFacts { slot, ino, birth: Birth { generation, .. }, .. } = facts;
        let Some(mut names) = self.names() else { return Ok(facts) };
        let keep = CacheReference { cache_generation, slot, ino, generation, session };
        let mut surplus = [0; SURPLUS_BYTES];
        let ReferenceCached { origin: kept, surplus_bytes } = names.call(keep, &mut surplus[..]).await?;
        if kept.kept {
            facts.origin = kept;
        }
        if let Some(surplus @ [_, ..]) = surplus.get(..surplus_bytes as usize) {
            // They are this board's, so that they are not refused.
            let _ = self.inode_directory()?.call(ReleaseMany {}, surplus).await;
        }
        Ok(facts)
    }

    /// The steps of a path lookup of `path`.
    pub(super) async fn resolve_steps(
        &mut self,
        resolve: Resolve,
        cache_generation: u64,
        path: &[u8],
    ) -> Result<&[u8], Errno> {
        let bytes = self.path_lookup()?.call(resolve, (path, &mut self.steps[..])).await? as usize;
        let names = self.names();
        let steps = self.steps.get(..bytes).ok_or(Errno::EIO)?;
        if let Some(mut names) = names {
            // A page revoked meanwhile is not cached.
            let _ = names.call(CacheSteps { cache_generation }, steps).await;
        }
        Ok(steps)
    }

    /// The directory of active inodes.
    pub fn inode_directory(&mut self) -> Result<Client<InodeDirectory, DIRECTORY>, Errno> {
        self.clients.inode_directory.at(self.file_board, 0).ok_or(Errno::EIO)
    }
    /// The file process at `at`.
    #[inline(always)]
    pub fn file(&mut self, at: Handle) -> Result<Client<File, FILES>, Errno> {
        self.clients.files.at(at.board, usize::from(at.number)).ok_or(Errno::EIO)
    }

    /// The pipe at `at`.
    #[inline(always)]
    pub fn pipe(&mut self, at: Handle) -> Result<Client<Pipe, PIPES>, Errno> {
        self.clients.pipes.at(at.board, usize::from(at.number)).ok_or(Errno::EIO)
    }

    /// The socket at `at`.
    #[inline(always)]
    pub fn socket(&mut self, at: Handle) -> Result<Client<Socket, SOCKETS>, Errno> {
        self.clients.sockets.at(at.board, usize::from(at.number)).ok_or(Errno::EIO)
    }

    /// The table of the names of sockets.
    pub fn socket_names(&mut self) -> Result<Client<SocketTable, SOCKET_NAMES>, Errno> {
        self.ports(self.file_board)
    }

    /// The table of the ports of `board`.
    pub fn ports(&mut self, board: u8) -> Result<Client<SocketTable, SOCKET_NAMES>, Errno> {
        self.clients.socket_names.at(board, 0).ok_or(Errno::EIO)
    }

    /// The keeper of `board`'s event files.
    pub fn events(&mut self, board: u8) -> Result<Client<Events, EVENTS>, Errno> {
        self.clients.events.at(board, 0).ok_or(Errno::EIO)
    }

    /// The keeper of `board`'s words that programs wait for.
    pub fn futexes(&mut self, board: u8) -> Result<Client<Futexes, FUTEXES>, Errno> {
        self.clients.futexes.at(board, 0).ok_or(Errno::ENOSYS)
    }

    /// The keeper of fifos.
    pub fn fifos(&mut self) -> Result<Client<Fifos, FIFOS>, Errno> {
        self.clients.fifos.at(self.file_board, 0).ok_or(Errno::EIO)
    }

    /// The terminal, on whichever board it is.
    pub fn console(&mut self) -> Result<Client<Console, CONSOLE>, Errno> {
        let console = &mut self.clients.console;
        (0..console.boards()).find_map(|board| console.at(board, 0)).ok_or(Errno::EIO)
    }

    /// The keeper of `board`'s pseudo-terminals.
    pub fn terminals(&mut self, board: u8) -> Result<Client<Terminals, TERMINALS>, Errno> {
        self.clients.terminals.at(board, 0).ok_or(Errno::EIO)
    }

    /// The keeper of process `pid`.
    pub fn procs_of(&mut self, pid: u32) -> Result<Client<Procs, PROCS>, Errno> {
        self.clients.all_procs.at(board_of(pid, self.file_board), 0).ok_or(Errno::ESRCH)
    }
}
