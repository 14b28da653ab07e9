//! Signals: their numbers, sets of them, and what they do by default.
//!
//! Invariant: a set has bit `n - 1` for signal `n`, as in Linux's `sigset_t`; signals are 1 to 64.
//! Not here: who has which pending (`procs`), handlers and frames (`user::deliver`).

use renga_proto::procs::{Cause, Sender};

/// A set of signals.
pub type SignalSet = u64;

/// The greatest signal number.
pub const SIGNALS: u8 = 64;

macro_rules! signals { ($($name:ident = $number:literal;)*) => { $(
    #[doc = concat!("Signal ", stringify!($number), ".")]
    pub const $name: u8 = $number;
)* } }
signals! {
    SIGHUP = 1; SIGINT = 2; SIGQUIT = 3; SIGILL = 4; SIGTRAP = 5; SIGABRT = 6; SIGBUS = 7; SIGFPE = 8;
    SIGKILL = 9; SIGUSR1 = 10; SIGSEGV = 11; SIGUSR2 = 12; SIGPIPE = 13; SIGALRM = 14; SIGTERM = 15;
    SIGCHLD = 17; SIGCONT = 18; SIGSTOP = 19; SIGTSTP = 20; SIGTTIN = 21; SIGTTOU = 22; SIGURG = 23;
    SIGXFSZ = 25; SIGVTALRM = 26; SIGPROF = 27;
    SIGWINCH = 28;
}

/// The first of the real-time signals, which count.
pub const SIGRTMIN: u8 = 32;

/// The set of `signal` alone; empty for what is no signal.
pub const fn bit(signal: u8) -> SignalSet {
    if signal == 0 || signal > SIGNALS { 0 } else { 1 << (signal - 1) }
}

/// Signals that no program can block, catch or ignore.
pub const UNSTOPPABLE: SignalSet = bit(SIGKILL) | bit(SIGSTOP);
/// What does nothing unless it is caught.
pub const IGNORED_BY_DEFAULT: SignalSet = bit(SIGCHLD) | bit(SIGCONT) | bit(SIGURG) | bit(SIGWINCH);
/// What stops unless it is caught.
pub const STOPPING: SignalSet = bit(SIGSTOP) | bit(SIGTSTP) | bit(SIGTTIN) | bit(SIGTTOU);
/// Faults of the program itself: served before others.
pub const SYNCHRONOUS: SignalSet = bit(SIGSEGV) | bit(SIGBUS) | bit(SIGILL) | bit(SIGFPE) | bit(SIGTRAP);

/// The signal of a set that is served first.
pub fn first(set: SignalSet) -> Option<u8> {
    let urgent = if set & bit(SIGKILL) != 0 {
        bit(SIGKILL)
    } else if set & SYNCHRONOUS != 0 {
        set & SYNCHRONOUS
    } else {
        set
    };
    (urgent != 0).then(|| urgent.trailing_zeros() as u8 + 1)
}

/// The status that `wait4` reports of a process that exited with `code`.
pub const fn exited(code: u8) -> u32 {
    (code as u32) << 8
}

/// The status that `wait4` reports of a process that `signal` killed.
pub const fn killed(signal: u8) -> u32 {
    signal as u32 & 0x7f
}

/// The status that `wait4` reports of a process that `signal` stopped.
pub const fn stopped(signal: u8) -> u32 {
    (signal as u32) << 8 | 0x7f
}

/// The status that `wait4` reports of a process that goes on.
pub const CONTINUED: u32 = 0xffff;

/// What SIGCHLD reports of child `pid` of that user, and its status (`CLD_EXITED`, `CLD_KILLED`, `CLD_STOPPED`,
/// `CLD_CONTINUED`).
pub fn of_child(pid: u32, uid: u32, status: u32) -> Cause {
    let (code, value) = match status & 0x7f {
        _ if status == CONTINUED => (6, SIGCONT.into()),
        0 => (1, status >> 8 & 0xff),
        0x7f => (5, status >> 8 & 0xff),
        signal => (2, signal),
    };
    Cause { code, sender: Sender { pid, uid }, value: value.into(), timer: 0 }
}

/// The signal in a status made by [`stopped`].
pub const fn stop_signal(status: u32) -> Option<u8> {
    if status & 0xff == 0x7f { Some((status >> 8) as u8) } else { None }
}
