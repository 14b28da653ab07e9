//! The state of one user program, beside the registers of its threads.
//!
//! Not here: how it moves (`process_image.rs`), how it changes (the families of system calls).

use crate::user::state::actions::SignalActions;
use crate::user::state::credentials::Credentials;
use crate::user::state::descriptors::{DescriptorSlot, DescriptorTable};
use crate::user::state::limits::ResourceLimits;
use crate::user::state::terminal::OwnTerminal;
use renga_memory::Space;
use renga_proto::mounts::ROOT;
use renga_proto::pages::FileId;
use renga_proto::path::PathStart;
use renga_proto::used::Used;
use renga_rt::proc_info::ProgramOrigin;

/// The mask that programs start with.
const UMASK: u16 = 0o022;

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
    /// The state of one user program, which its threads share.
    pub struct ProgramState {
        pub(crate) pid: u32 = pid,
        /// Its memory, while it runs.
        pub(crate) space: Option<Space> = None,
        /// Its parent's, as last heard.
        pub(crate) parent: u32 = parent,
        pub(crate) files: DescriptorTable = files,
        pub(crate) limits: ResourceLimits = ResourceLimits::default(),
        /// Whose it is.
        pub(crate) credentials: Credentials = Credentials::default(),
        /// The terminal of its session, if that says so too.
        pub(crate) terminal: OwnTerminal = OwnTerminal::Console,
        pub(crate) directory: FileId = ROOT,
        pub(crate) root: FileId = ROOT,
        /// Permission bits that it does not give to what it makes.
        pub(crate) umask: u16 = UMASK,
        /// The flag of `PR_SET_DUMPABLE`; no core dump is ever written.
        pub(crate) dumpable: bool = true,
        /// The signal that the end of its parent means; 0: none.
        pub(crate) parent_death: u8 = 0,
        /// What it does about signals.
        pub(crate) actions: SignalActions = SignalActions::default(),
        /// Where what it runs came from.
        pub(crate) origin: ProgramOrigin = ProgramOrigin::default(),
        /// Most page frames that its memory took at a time.
        pub(crate) frames_most: u32 = 0,
        /// What its children used that it has waited for.
        pub(crate) children: Used = Used::NONE,
        /// It has locked bytes of files.
        pub(crate) locks: bool = false,
        pub(crate) timers: Timers = Timers::NONE,
        /// What its threads used that have ended.
        pub(crate) past_threads: Used = Used::NONE,
        /// Which of its threads was the last to report what `procs` is to know.
        pub(crate) reported_by: u32 = pid,
        /// It ends with this status, which a thread has for all.
        pub(crate) ending: Option<u32> = None,
        /// Its threads end one by one, as it runs another program.
        pub(crate) sheds_threads: bool = false,
    }
    /// A program with nothing but room for descriptors.
    pub(crate) fn new(pid: u32, parent: u32, files: DescriptorTable);
}

impl ProgramState {
    pub(crate) fn start(&self) -> PathStart {
        self.start_at(self.directory)
    }

    /// Where its paths that are relative to `directory` start.
    pub(crate) fn start_at(&self, directory: FileId) -> PathStart {
        PathStart { directory, root: self.root }
    }

    /// That of no program yet, with room for descriptors in `places`.
    pub fn with_room(places: &'static mut [DescriptorSlot]) -> ProgramState {
        ProgramState::new(0, 0, DescriptorTable::new(places))
    }

    /// That of no program, without room for descriptors.
    pub fn unused() -> ProgramState {
        ProgramState::new(0, 0, DescriptorTable::new(&mut []))
    }

    /// Becomes another program with nothing.
    pub(crate) fn renew(&mut self, pid: u32, parent: u32) {
        let mut files = core::mem::replace(&mut self.files, DescriptorTable::new(&mut []));
        files.clear();
        *self = ProgramState::new(pid, parent, files);
    }
}
