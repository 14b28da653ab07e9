//! The state of one thread of a program, beside its registers: all that its siblings do not share.

use crate::procs::record::{NAME_BYTES, ProgramNameBytes};
use crate::signals::{IGNORED_BY_DEFAULT, SignalSet};
use crate::user::state::credentials::Ids;
use renga_proto::procs::QUEUED_MAX;

/// The alternate stack for signal handlers.
#[derive(Clone, Copy, Default)]
pub struct AlternateStack {
    pub address: u64,
    /// How long it is; 0: there is none.
    pub bytes: u64,
}

renga_rt::with_defaults! {
    /// The state of one thread.
    pub struct ThreadState {
        /// Its number among the threads of all programs; of a program's first one, that of the program.
        pub tid: u32 = tid,
        pub name: ProgramNameBytes = [0; NAME_BYTES],
        /// Signals that wait.
        pub blocked: SignalSet = 0,
        /// The mask to go back to after the next handler, or when none runs: that of before a call that
        /// changed it for its own time (`rt_sigsuspend`, `ppoll`).
        pub saved_mask: Option<SignalSet> = None,
        /// What the board's keeper of processes believes it ignores and does not block; never more than it does.
        pub reported_ignored: SignalSet = IGNORED_BY_DEFAULT,
        /// What the keeper believes of children, as `SignalActions::children`.
        pub reported_children: [bool; 2] = [false; 2],
        /// Whose the keeper believes it is.
        pub reported_users: Ids = Ids::all(0),
        /// How many signals the process table lets wait with their causes.
        pub reported_queued: u32 = QUEUED_MAX as u32,
        /// Whether `procs` had pending signals at the last call, which were blocked: it reports later ones by an
        /// interrupt.
        pub may_hold_signals: bool = false,
        pub alternate_stack: AlternateStack = AlternateStack::default(),
        /// Where to write 0 when it ends.
        pub clear_child_tid: u64 = 0,
        /// Where its list of locks is that others get when it ends; 0: it has none.
        pub robust_list: u64 = 0,
        /// The place in a set behind the watch that was reported last, if more had events.
        pub watch_from: u16 = 0,
        /// When the interrupted sleep that is about to be made again ends, ns since boot.
        pub deadline_ns: Option<u64> = None,
        /// It ends by itself, and the others go on.
        pub ends_alone: bool = false,
    }
    /// A thread that begins.
    pub fn new(tid: u32);
}
