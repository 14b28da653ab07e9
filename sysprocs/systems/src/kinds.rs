//! The kinds of system process: the one list that image, simulator and placement check are made of.
//!
//! A line: the kind, its name in system files, where it may be and how many of it at most, its function, and in
//! brackets the last parameters of that: devices, memory, numbers. The ones before, [`renga_rt::Me`], ports and
//! clients, follow from their types. A new process is a protocol, a function, and a line here.
//!
//! Invariant: what a process may touch is what it is given here and what its types name.
//! Called by: `facts.rs` (signatures) and `boot.rs` (starting), each of which expands the list. Not here: either of
//! them.

/// Expands `$make!` with the list, for a process `at` a machine `M`.
macro_rules! each_kind { ($make:ident) => { $make! { |at, M|
    Clock "clock" "Calendar time and sleeping.", Every 1:
        renga_clock::clock [
            at.machine().epoch_ns(), at.each(at.count(Kind::User), || renga_clock::Sleeper::NONE),
            at.each(timers(at.count(Kind::User)), || renga_clock::Timer::FREE),
            at.each(at.count(Kind::User) + timers(at.count(Kind::User)), || renga_clock::DuePlace::EMPTY),
            at.each(at.count(Kind::User), || renga_clock::SlotWait::NONE), at.boot.watch, at.machine().times().tick_ns
        ];
    Events "events" "Counts and timers that programs read, and sets of what they watch.", Every 1:
        renga_clock::events [
            at.each(EVENT_FILES, || renga_clock::EventPlace::FREE), at.each(EVENT_FILES, || renga_clock::DuePlace::EMPTY),
            at.machine().epoch_ns(), at.machine().starts(), at.boot.wakes, at.each(WATCHES, || renga_clock::WatchPlace::FREE),
            at.put(|| renga_clock::NoticeMemory {
                notices: at.each(beside_inodes(at.count(Kind::Inode), NOTICES), || renga_clock::NoticePlace::FREE),
                watches: at.each(beside_inodes(at.count(Kind::Inode), INODE_WATCHES), || renga_clock::InodeWatch::FREE),
            }),
            at.boot.watched, at.machine().times().tick_ns
        ];
    Waker "waker" "Wakes programs that wait for an event.", Every 1:
        renga_clock::waker [at.boot.wakes];
    Console "console" "The terminal.", Any 1:
        renga_console::console::<M::Uart> [at.machine().uart(), at.boot.wakes, at.put(renga_console::InputQueue::new)];
    Terminals "terminals" "Pseudo-terminals.", Optional 1:
        renga_console::terminals [
            at.each(renga_proto::terminals::PAIRS.into(), || {
                renga_console::TerminalPair::new(at.put(renga_console::PairMemory::new))
            }), at.machine().starts(),
            at.boot.wakes, at.boot.watch
        ];
    Keyboard "keyboard" "Translates keys into signals.", Any 1:
        renga_process::keyboard [];
    Disk "disk" "The medium.", DiskBoard 1:
        renga_fs::disk::<M::Block> [at.machine().block(), at.machine().medium()];
    BufferDirectory "buffer_directory" "Which buffer caches which block.", Any 1:
        renga_fs::buffer_directory [at.each(at.count(Kind::Buffer), || renga_fs::BufferSlot::EMPTY), at.boot.due];
    Buffer "buffer" "One cached metadata block.", Any 512:
        renga_fs::buffer [at.put(|| [0; PAGE_BYTES])];
    MetadataWriteback "metadata_writeback" "Writes dirty blocks when few buffers are clean.", FileBoard 1:
        renga_fs::metadata_writeback [at.each(renga_fs::METADATA_WRITEBACK_PAGES, || [0; PAGE_BYTES])];
    DataReader "data_reader" "Brings pages of files from the medium.", FileBoard 16:
        renga_fs::data_reader [at.each(renga_fs::RUN_PAGES, || [0; PAGE_BYTES])];
    DataWriteback "data_writeback" "Writes dirty pages of files.", FileBoard 1:
        renga_fs::data_writeback [at.each(renga_fs::RUN_PAGES, || [0; PAGE_BYTES])];
    LeaseFlusher "lease_flusher" "Flushes files that its board has written to their owner.", EveryLinked 1:
        renga_fs::lease_flusher [];
    Prefetcher "prefetcher" "Asks the owner for pages before programs read them.", Optional 4:
        renga_fs::prefetcher::<M::Memory> [
            at.machine().memory(), at.number(), at.count(Kind::Prefetcher), at.without_leases()
        ];
    Allocator "allocator" "Free blocks and inodes.", FileBoard 1:
        renga_fs::allocator [at.boot.due, at.machine().epoch_ns()];
    InodeDirectory "inode_directory" "Maps inode numbers to active inodes.", FileBoard 1:
        renga_fs::inode_directory [
            at.each(at.count(Kind::Inode), || renga_fs::InodeSlot::EMPTY),
            at.each(at.count(Kind::Inode), || renga_fs::NameSlot::EMPTY), at.boot.referrers,
            at.boot.due, at.boot.watched
        ];
    NameIndex "name_index" "Where names of large directories are.", FileBoard 1:
        renga_fs::name_index [
            at.each(renga_fs::INDEXED_PER_INODE * at.count(Kind::Inode), || renga_fs::IndexSlot::EMPTY),
            at.put(|| [0; PAGE_BYTES])
        ];
    Inode "inode" "One active inode.", Any 4096:
        renga_fs::inode [
            at.number(), at.boot.referrers, at.without_leases(), at.machine().epoch_ns(), at.machine().starts(),
            at.boot.watched
        ];
    InodeReclaimer "inode_reclaimer" "Evicts inodes, and frees those without links.", FileBoard 1:
        renga_fs::inode_reclaimer [];
    Committer "committer" "Makes all changes permanent together.", FileBoard 1:
        renga_fs::committer [at.each(renga_fs::committer_pages(at.count_everywhere(Kind::Buffer)), || [0; PAGE_BYTES])];
    Revocations "revocations" "Revokes the leases of other boards.", FileBoard 1:
        renga_fs::revocations [at.put(|| [0; PAGE_BYTES]), at.boot.watch];
    CommitTimer "commit_timer" "Starts a commit when changes are old.", FileBoard 1:
        renga_fs::commit_timer [at.boot.due];
    PathLookup "path_lookup" "Gives path operations to idle lookup workers.", FileBoard 1:
        renga_fs::path_lookup [at.boot.free_lookup_workers];
    LookupWorker "lookup_worker" "One path operation at a time.", FileBoard 16:
        renga_fs::lookup_worker [at.number(), at.boot.free_lookup_workers, at.boot.watched];
    Locks "locks" "Locks that programs put on files.", FileBoard 1:
        renga_fs::locks [at.each(LOCKS, || renga_fs::LockPlace::FREE), at.boot.watch];
    File "file" "One open file.", Every 4096:
        renga_fs::file::<M::Memory> [at.machine().memory(), at.number(), at.machine().starts(), at.boot.sessions, at.boot.watched];
    FileTable "file_table" "Which file processes are free.", Every 1:
        renga_fs::file_table [at.each(at.count(Kind::File), || 0)];
    Pipe "pipe" "One pipe.", Every 1024:
        renga_pipe::pipe [at.put(|| [0; PIPE_BYTES]), at.number(), at.machine().starts(), at.boot.watch, at.boot.wakes];
    PipeTable "pipe_table" "Which pipes are free.", Every 1:
        renga_pipe::pipe_table [at.each(at.count(Kind::Pipe), || 0)];
    Fifos "fifos" "Which pipes are open fifos.", FileBoard 1:
        renga_pipe::fifos [at.each(at.count(Kind::Pipe), || renga_pipe::FifoPlace::NONE)];
    Futexes "futexes" "Which programs wait for a word of memory.", Every 1:
        renga_futex::futexes [
            at.each(at.count_everywhere(Kind::User), || renga_futex::FutexWait::EMPTY), at.boot.wakes
        ];
    Socket "socket" "One socket, with both sides of its connection.", Optional 1024:
        renga_socket::socket [
            at.put(|| [[0; PIPE_BYTES]; 2]), at.number(), at.machine().starts(), at.boot.watch, at.boot.wakes
        ];
    SocketTable "socket_table" "Which sockets are free, and which have a name.", Optional 1:
        renga_socket::socket_table [
            at.each(at.count(Kind::Socket), || 0),
            at.each(at.count_everywhere(Kind::Socket), || renga_socket::SocketName::NONE),
            at.each(2 * (at.count_everywhere(Kind::Socket) + FLIGHTS_EVERYWHERE), || Errand::NONE),
            at.each(FLIGHTS, || renga_socket::Flight::NONE), at.machine().starts()
        ];
    SocketCloser "socket_closer" "Closes connections that nobody will accept.", Optional 1:
        renga_socket::socket_closer [at.file_board()];
    Procs "procs" "User processes of a board.", Every 1:
        renga_process::procs [
            at.wait_cancellers(Kind::User), at.each(RECORDS_MAX, || ProcessRow::EMPTY),
            at.each(QUEUED_MAX, || QueuedSignal::EMPTY), at.each(at.count(Kind::User), || SlotUse::NOTHING), at.file_board(), at.machine().starts(), at.boot.watch
        ];
    User "user" "One user program.", Every 256:
        renga_process::user::<M::Memory> [
            at.machine().memory(), at.machine().power(), at.processor(),
            at.put(|| UserContext::new(at.number(), 0, 0)), at.user_facts(),
            at.put(|| ProgramState::with_room(at.each(DESCRIPTORS_MAX, || DescriptorSlot::EMPTY))), at.put(|| [0; PATHS_BYTES])
        ];
    ProcFiles "proc_files" "Files under /proc.", Every 1:
        renga_procfs::proc_files::<M::Memory> [
            at.machine().memory(), at.boot.infos, at.file_board(), at.machine().seed(), at.plan(), at.put(|| [0; PAGE_BYTES]),
            at.machine().start_card()
        ];
    Regulator "regulator" "Suspends background jobs that contend with others.", FileBoard 1:
        renga_regulator::regulator [];
    Memory "memory" "Page frames.", Every 1:
        renga_memory::memory::<M::Memory> [
            at.boot.counts, at.machine().memory(), at.notifier(Kind::Reclaimer)
        ];
    PageCache "page_cache" "Cached pages of files.", Every 1:
        renga_pages::page_cache::<M::Memory> [
            at.machine().memory(), at.page_index(), at.file_board(),
            at.notifier(Kind::DataWriteback).or(at.notifier(Kind::LeaseFlusher))
        ];
    Reclaimer "reclaimer" "Has page frames given back before there are none.", Every 1:
        renga_reclaimer::reclaimer [at.frames()];
    NameCache "name_cache" "Caches name and inode lookups on a diskless board.", Any 1:
        renga_fs::name_cache [
            at.each(CACHED_NAMES, || renga_fs::NameSlot::EMPTY), at.each(CACHED_INODES, || renga_fs::CachedInode::EMPTY),
            cached_references(at.count_everywhere(Kind::Inode)),
            at.file_board(), at.without_leases(), at.boot.sessions
        ];
    References "references" "Which files programs map.", Every 1:
        renga_memory::references [at.each(renga_memory::FILES_MAX, || renga_memory::UsedFile::EMPTY), at.boot.sessions];
    Router "router" "Calls to other boards.", EveryLinked 1:
        renga_router::router::<M::Link> [at.machine().link(), at.link().memory(), at.link().frame()];
    Membership "membership" "Notifies the servers of a board that another is dead.", EveryLinked 1:
        renga_router::membership [at.link().ends];
    LinkStatus "link_status" "What the link has carried.", EveryLinked 1:
        renga_router::link_status [at.link().stats];
    Proxy "proxy" "Calls for one process of another board.", PerRemoteCaller 8192:
        renga_router::proxy [at.link().mailbox(at.number()), at.link().proxy_results];
    AsyncProxy "async_proxy" "Released calls of another board.", PerAsyncBoard 8192:
        renga_router::proxy [at.link().async_mailbox(at.number()), at.link().proxy_results];
    Counter "counter" "A counter that programs share.", Optional 1:
        renga_counter::counter [];
} } }
pub(crate) use each_kind;

macro_rules! kinds { (|$at:ident, $M:ident| $(
    $Kind:ident $name:literal $what:literal, $place:ident $count_max:literal: $function:path [$($special:expr),*];
)+) => {
    /// A kind of system process.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Kind { $(#[doc = $what] $Kind),+ }

    impl Kind {
        /// Its name in system files.
        pub const fn name(self) -> &'static str {
            match self { $(Kind::$Kind => $name),+ }
        }
    }
} }
each_kind!(kinds);
