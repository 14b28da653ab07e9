//! The state of one user program, beside its registers and its memory, and the facts that its slot gets at boot.
//!
//! Not here: how it moves (`process_image.rs`), how it changes (the families of system calls).

use crate::procs::record::{NAME_BYTES, ProgramNameBytes};
use crate::signals::{IGNORED_BY_DEFAULT, SignalSet};
use crate::user::state::actions::SignalActions;
use crate::user::state::credentials::{Credentials, Ids};
use crate::user::state::descriptors::DescriptorTable;
use crate::user::state::limits::ResourceLimits;
use renga_memory::{FrameCounts, SpaceTables};
use renga_proto::mounts::ROOT;
use renga_proto::pages::FileId;
use renga_proto::path::PathStart;
use renga_proto::procs::QUEUED_MAX;
use renga_proto::sessions::Sessions;
use renga_proto::used::Used;
use renga_rt::proc_info::{ProcInfo, ProgramOrigin};

/// The mask that programs start with.
const UMASK: u16 = 0o022;

/// The facts that a slot gets at boot.
#[derive(Clone, Copy)]
pub struct UserFacts {
    /// Its number on its board.
    pub slot: u16,
    /// The path of the program that it starts with, as init; empty: it waits for work.
    pub boot_program: &'static str,
    /// Starts the random numbers of its programs.
    pub seed: u64,
    /// The slice of a fair program, ns.
    pub slice_ns: u64,
    /// Shows its programs to others.
    pub info: &'static ProcInfo,
    /// Its board's tables of areas.
    pub tables: &'static SpaceTables,
    /// How many references its board's page frames have.
    pub counts: &'static FrameCounts,
    /// Which session with each board it is.
    pub sessions: &'static Sessions,
}

/// The alternate stack for signal handlers.
#[derive(Clone, Copy, Default)]
pub struct AlternateStack {
    pub address: u64,
    /// How long it is; 0: there is none.
    pub bytes: u64,
}

/// The first timers of a program are those that it can set without having made them.
pub const INTERVAL_TIMERS: usize = 3;
/// Timers that a program can make. More: `EAGAIN`.
pub const TIMERS_MAX: usize = 32;

/// The timers of one program: the clock's number of each, and one; 0: there is none.
pub struct Timers(pub [u32; INTERVAL_TIMERS + TIMERS_MAX]);

impl Timers {
    pub const NONE: Timers = Timers([0; INTERVAL_TIMERS + TIMERS_MAX]);
}

renga_rt::with_defaults! {
    /// The state of one user program.
    pub struct ProgramState {
        pub pid: u32 = pid,
        /// Its parent's, as last heard.
        pub parent: u32 = parent,
        pub files: DescriptorTable = files,
        pub limits: ResourceLimits = ResourceLimits::default(),
        /// Whose it is.
        pub credentials: Credentials = Credentials::default(),
        pub directory: FileId = ROOT,
        pub root: FileId = ROOT,
        /// Permission bits that it does not give to what it makes.
        pub umask: u16 = UMASK,
        /// The flag of `PR_SET_DUMPABLE`; no core dump is ever written.
        pub dumpable: bool = true,
        /// What it does about signals.
        pub actions: SignalActions = SignalActions::default(),
        /// Signals that wait.
        pub blocked: SignalSet = 0,
        /// The mask to go back to after the next handler, or when none runs: that of before a call that
        /// changed it for its own time (`rt_sigsuspend`, `ppoll`).
        pub saved_mask: Option<SignalSet> = None,
        /// What the board's keeper of processes believes it ignores and does not block; never more than it does.
        pub reported_ignored: SignalSet = IGNORED_BY_DEFAULT,
        /// What the keeper believes of children that end: that they are gone, or wait.
        pub reported_reaps: bool = false,
        /// Whose the keeper believes it is.
        pub reported_users: Ids = Ids::all(0),
        /// How many signals the process table lets wait with their causes.
        pub reported_queued: u32 = QUEUED_MAX as u32,
        /// Whether `procs` had pending signals at the last call, which were blocked: it reports later ones by an
        /// interrupt.
        pub may_hold_signals: bool = false,
        pub alternate_stack: AlternateStack = AlternateStack::default(),
        pub name: ProgramNameBytes = [0; NAME_BYTES],
        /// Where that came from.
        pub origin: ProgramOrigin = ProgramOrigin::default(),
        /// Where to write 0 when it ends.
        pub clear_child_tid: u64 = 0,
        /// Most page frames that its memory took at a time.
        pub frames_most: u32 = 0,
        /// What its children used that it has waited for.
        pub children: Used = Used::NONE,
        /// It has locked bytes of files.
        pub locks: bool = false,
        /// The place in a set behind the watch that was reported last, if more had events.
        pub watch_from: u16 = 0,
        pub timers: Timers = Timers::NONE,
        /// When the interrupted sleep that is about to be made again ends, ns since boot.
        pub deadline_ns: Option<u64> = None,
    }
    /// A program with nothing but room for descriptors.
    pub fn new(pid: u32, parent: u32, files: DescriptorTable);
}

impl ProgramState {
    /// Signals that lead to nothing and need not wait until they are unblocked.
    pub fn ignored(&self) -> SignalSet {
        self.actions.ignored() & !self.blocked
    }

    pub fn start(&self) -> PathStart {
        self.start_at(self.directory)
    }

    /// Where its paths that are relative to `directory` start.
    pub fn start_at(&self, directory: FileId) -> PathStart {
        PathStart { directory, root: self.root }
    }

    /// Becomes another program with nothing.
    pub fn renew(&mut self, pid: u32, parent: u32) {
        let mut files = core::mem::replace(&mut self.files, DescriptorTable::new(&mut []));
        files.clear();
        *self = ProgramState::new(pid, parent, files);
    }
}
