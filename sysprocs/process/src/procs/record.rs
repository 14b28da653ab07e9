//! The record of one user process, or of a child that runs on another board.

use super::queue::SignalChain;
use crate::signals::{IGNORED_BY_DEFAULT, SignalSet, UNSTOPPABLE};
use renga_proto::procs::{QUEUED_MAX, Users};
use renga_proto::used::Used;

/// Bytes of a program's name that are kept, as in Linux's `comm`.
pub const NAME_BYTES: usize = 16;

/// The state letter of a suspended process in Renga's own listings; in Linux's it is stopped.
pub const SUSPENDED_LETTER: char = 'H';

/// A program's name, zero-padded.
pub type ProgramNameBytes = [u8; NAME_BYTES];

/// Where the process itself is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// In this slot of this board.
    Slot(u16),
    /// On another board; this is only its parent's record of it.
    Elsewhere,
    /// It has ended and waits to be waited for.
    Nowhere,
}

/// How it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessState {
    /// It runs, or waits for something.
    Alive,
    /// A signal stopped it; `reported`: its parent's wait has returned that.
    Stopped {
        /// Which signal.
        signal: u8,
        /// Whether the parent knows.
        reported: bool,
    },
    /// It ended, with this status of `wait4`.
    Ended(u32),
}

renga_rt::with_defaults! {
    /// One process.
    #[derive(Clone, Copy, Debug)]
    pub struct ProcessRecord {
        /// Its pid; 0: the record is free.
        pub pid: u32 = 0,
        /// Its parent's pid.
        pub parent: u32 = 0,
        /// Its process group.
        pub group: u32 = 0,
        /// Its session.
        pub session: u32 = 0,
        /// Where it is.
        pub home: Home = Home::Nowhere,
        /// Whose it is,
        pub users: Users = Users { real: 0, effective: 0 },
        /// and its saved user.
        pub saved: u32 = 0,
        /// How it is.
        pub state: ProcessState = ProcessState::Alive,
        /// It is a further thread of the process that is named as its parent.
        pub is_thread: bool = false,
        /// How many further threads it has.
        pub threads: u16 = 0,
        /// Signals that have come and were not taken.
        pub pending: SignalSet = 0,
        /// Those of them that are for the first thread alone.
        pub directed: SignalSet = 0,
        /// The queued causes of those.
        pub queued: SignalChain = SignalChain::EMPTY,
        /// How many may wait so (RLIMIT_SIGPENDING).
        pub queued_most: u32 = QUEUED_MAX as u32,
        /// Signals that it last said it ignores and does not block; it may ignore more.
        pub ignored: SignalSet = IGNORED_BY_DEFAULT,
        /// It goes on since it was stopped, and its parent's wait has not brought the news.
        pub continued: bool = false,
        /// It took a signal that stops, and nothing came since that undoes it.
        pub stopping: bool = false,
        /// Its children are gone when they end: it never waits for them.
        pub reaps: bool = false,
        /// It gets no signal when a child stops or goes on.
        pub quiet: bool = false,
        /// It runs another program than it was made with.
        pub executed: bool = false,
        /// It makes a child on another board.
        pub forking: bool = false,
        /// Signals that its group got since it was made, or began to make its last child on another board.
        pub from_group: SignalSet = 0,
        /// What it used, once it has ended.
        pub used: Used = Used::NONE,
        /// What it runs.
        pub name: ProgramNameBytes = [0; NAME_BYTES],
        /// When it was made, ns since the board began.
        pub started_ns: u64 = 0,
        /// It is of a background job and goes on when the regulator lets it.
        pub suspended: bool = false,
        /// Which resources it used when it last ran, a bit each.
        pub uses: u8 = 0,
    }
    /// No process.
    pub const FREE;
}

/// Whether a process of `users` may signal one of that real and saved user (kill(2)).
pub fn may_signal(users: Users, real: u32, saved: u32) -> bool {
    let Users { real: own, effective } = users;
    effective == 0 || [own, effective].into_iter().any(|user| user == real || user == saved)
}

impl ProcessRecord {
    /// The slot of this board that it runs in.
    pub fn slot(&self) -> Option<u16> {
        match self.home {
            Home::Slot(slot) => Some(slot),
            Home::Elsewhere | Home::Nowhere => None,
        }
    }

    /// Pending signals that concern it while it blocks `blocked`.
    pub fn deliverable(&self, blocked: SignalSet) -> SignalSet {
        self.pending & (!(blocked | self.ignored) | UNSTOPPABLE)
    }

    /// Whether a process of `users` may signal it; of session `session`, if it is to go on.
    pub fn admits(&self, users: Users, goes_on_in: Option<u32>) -> bool {
        may_signal(users, self.users.real, self.saved) || goes_on_in == Some(self.session)
    }

    /// What a listing calls its state.
    pub fn letter(&self) -> char {
        match self.state {
            ProcessState::Alive if self.suspended => SUSPENDED_LETTER,
            ProcessState::Alive => 'S',
            ProcessState::Stopped { .. } => 'T',
            ProcessState::Ended(_) => 'Z',
        }
    }
}
