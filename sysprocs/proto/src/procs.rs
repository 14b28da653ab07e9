//! User processes of one board: pids, parents, groups, waiting, signals, and the slots' work.
//!
//! A pid encodes its board: `pid % 8`, but for pid 1, init, on the file system's board ([`board_of`]). A child's
//! record is at its parent's board, so that a wait never crosses the link; a child's own record (group, signals,
//! slot) is at its own.

use crate::in_slice::in_slice;
use renga_abi::policy::Policy;
use renga_abi::{BOARDS_MAX, Errno};
use renga_core::{in_word, in_words, protocol};

/// The pid of init, the first process of the file system's board.
pub const INIT: u32 = 1;

/// The board of process `pid`, where init runs on `init_board`. No board gives out pids below 8, so that 1 is unique.
pub const fn board_of(pid: u32, init_board: u8) -> u8 {
    if pid == INIT { init_board } else { (pid % BOARDS_MAX as u32) as u8 }
}

/// In `Spawn`: the parent may have as many processes as there are slots, those kept in reserve too.
pub const UNLIMITED: u32 = u32::MAX;
/// In `Spawn`, for a group: the new process is a thread of `parent`, in a slot of the same core.
pub const NEW_THREAD: u32 = u32::MAX;
/// Most bytes of a descriptor that makes a user process (registers, files, directory, signals).
pub const DESCRIPTOR_BYTES_MAX: usize = 4096;
/// Queued signals with their causes, of all processes of a board; the first limit of a single one.
pub const QUEUED_MAX: usize = 1024;
/// In `UsageOf`: the board.
pub const WHOLE_BOARD: u32 = u32::MAX;

in_slice! {
    /// What is counted of a board.
    pub struct BoardCounts {
        /// Since its start, ns.
        now_ns: u64,
        /// What programs ran, on all cores, ns.
        user_ns: u64,
        /// What system processes ran, on the cores of programs, ns.
        system_ns: u64,
        /// Time slices of programs.
        context_switches: u64,
        /// Programs that were made.
        made: u64,
        /// Programs that are there.
        programs: u64,
        /// Of these, those that run or want to.
        running: u64,
        /// The last pid that was given out.
        last_pid: u64,
        /// Slots without a program.
        free_slots: u64,
        /// The cores on which programs run, a bit each.
        program_cores: u64,
        /// What programs ran on each core, ns.
        core_user_ns: [u64; 4],
        /// What system processes ran on each core on which programs run, or have their processes, ns.
        core_system_ns: [u64; 4],
    }
}
/// In `Describe`, beside a line.
pub const LIST_THREADS: u16 = 1 << 15;
/// In `Describe`, instead of a line.
pub const AS_THREAD: u16 = LIST_THREADS - 1;
/// In `PolicyOf`, beside a number: it is that of a group.
pub const OF_GROUP: u32 = 1 << 31;
/// In the answer of `KillGroup`: some of the group may not be signalled by the sender.
pub const SOME_REFUSED: u32 = 1 << 31;
/// In `PolicyOf`: nothing is changed.
pub const ASK_POLICY: u64 = u64::MAX;

/// The result of `PolicyOf`, and its change: as a word, of which a policy's bits are the lower ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// How the program shares a core.
    pub policy: Policy,
    /// The cores of its board on which it may run, a bit each; in a change 0 for those that it has.
    pub cores: u8,
    /// Those on which programs run there at all; in a change without a meaning.
    pub all_cores: u8,
}

/// Where the cores of a [`Schedule`] are in its word, four bits each.
const CORES_BIT: u32 = Policy::BITS;
const ALL_CORES_BIT: u32 = CORES_BIT + 4;
const CORES: u8 = 0xf;

impl Schedule {
    /// As a word.
    pub fn to_word(self) -> u64 {
        self.policy.to_word()
            | u64::from(self.cores & CORES) << CORES_BIT
            | u64::from(self.all_cores & CORES) << ALL_CORES_BIT
    }
    /// The inverse of [`Schedule::to_word`]; none for words that none has.
    pub fn from_word(word: u64) -> Option<Schedule> {
        let policy = Policy::from_word(word & ((1 << CORES_BIT) - 1)).filter(|_| word >> (ALL_CORES_BIT + 4) == 0)?;
        let cores = |bit: u32| (word >> bit) as u8 & CORES;
        Some(Schedule { policy, cores: cores(CORES_BIT), all_cores: cores(ALL_CORES_BIT) })
    }
}
/// In `Wait`: return at once if no child has ended (WNOHANG).
pub const WAIT_NO_HANG: u32 = 1;
/// In `Wait`: also children that were stopped (WUNTRACED).
pub const WAIT_STOPPED: u32 = 2;
/// In `Wait`: children that have ended (WEXITED).
pub const WAIT_ENDED: u32 = 4;
/// In `Wait`: also children that were stopped and go on (WCONTINUED).
pub const WAIT_CONTINUED: u32 = 8;
/// In `Wait`: which is a group, also group 1.
pub const WAIT_GROUP: u32 = 0x0200_0000;
/// In `Wait`: the news stays for the next who waits (WNOWAIT).
pub const WAIT_KEEP: u32 = 0x0100_0000;

in_words! {
    /// A slot's new work.
    pub struct SlotWork {
        /// The new process.
        pid: u32,
        /// Bytes of its descriptor in the slice.
        bytes: u32,
        /// The board whose process made it: what the descriptor says is that board's word.
        maker: u8,
    }
}
in_word! {
    /// Who sent a signal; in one word.
    pub struct Sender {
        /// The process, or the child that the signal is about; of a timer, the number that its program has for it.
        pid: u32 = 0..=31,
        /// Its user.
        uid: u32 = 32..=63,
    }
    /// Whose a process is; in one word.
    #[derive(Default)]
    pub struct Users {
        /// Its real user.
        real: u32 = 0..=31,
        /// Its effective one.
        effective: u32 = 32..=63,
    }
}
impl Sender {
    /// Root's process, or the system.
    pub const fn of(pid: u32) -> Sender {
        Sender { pid, uid: 0 }
    }
}
in_words! {
    /// Why a signal comes, for `siginfo_t`.
    pub struct Cause {
        /// `si_code`.
        code: i32,
        /// Who sent it.
        sender: Sender,
        /// What the sender gave with it; of a child, its status.
        value: u64,
        /// The clock's number for the timer that sent it, and one: the clock waits to hear that it was taken. 0: no
        /// timer. With `TIMER_OF_THREAD` if it is for one thread.
        timer: u32,
    }
}
impl Cause {
    /// The system's own doing (`SI_KERNEL`).
    pub const KERNEL: Cause = Cause { code: 0x80, sender: Sender::of(0), value: 0, timer: 0 };
    /// Thread `tid` has all others of its program killed.
    pub const fn siblings_of(tid: u32) -> Cause {
        Cause { code: Cause::OF_SIBLING, ..Cause::user(tid) }
    }
    /// The code of [`Cause::siblings_of`], which no `si_code` has.
    pub const OF_SIBLING: i32 = i32::MIN;
    /// The code of a signal for one thread (`SI_TKILL`). With signal 0 the value is its process, unless that is 0.
    pub const FOR_THREAD: i32 = -6;
    /// In the number of a timer.
    pub const TIMER_OF_THREAD: u32 = 1 << 31;
    /// Whether one thread gets the signal, and no other of its process.
    pub const fn is_for_thread(&self) -> bool {
        self.code == Cause::FOR_THREAD || self.timer & Cause::TIMER_OF_THREAD != 0
    }
    /// `kill` by root's process `sender` (`SI_USER`).
    pub const fn user(sender: u32) -> Cause {
        Cause { code: 0, sender: Sender::of(sender), value: 0, timer: 0 }
    }
}
in_word! {
    /// What is kept of signals and of children that end: in one word.
    pub struct SignalKeeping {
        /// Children leave no zombies.
        reaps: bool = 0..=0,
        /// No signal comes when they stop or go on.
        quiet: bool = 1..=1,
        /// So many signals may wait with their causes.
        queued: u32 = 32..=63,
    }
    /// A signal taken from the queue, and the facts that its program needs before it goes on: in one word.
    #[derive(Default)]
    pub struct SignalFacts {
        /// Which; 0: none.
        signal: u8 = 0..=7,
        /// Another one waits that could be taken so.
        more: bool = 8..=8,
        /// Any waits, blocked or not.
        waits: bool = 9..=9,
        /// The program is suspended: it waits (`AwaitContinue`) before it goes on.
        suspended: bool = 10..=10,
        /// Its parent's pid.
        parent: u32 = 32..=63,
    }
}
in_words! {
    /// A signal taken from the queue.
    pub struct TakenSignal {
        /// Which, and what else there is to know.
        next: SignalFacts,
        /// Why it came.
        cause: Cause,
    }
}
in_word! {
    /// More of [`Relations`]; in one word.
    pub struct FurtherFacts {
        /// How many ends of boards were reported to its board.
        deaths: u32 = 0..=31,
        /// Its saved user.
        saved: u32 = 32..=63,
    }
}
in_words! {
    /// A child that ended or stopped.
    pub struct WaitedChild {
        /// Which; 0: none yet (with `WAIT_NO_HANG`).
        pid: u32,
        /// How, as `wait4` encodes it.
        status: u32,
    }
    /// What becomes known when a process ends.
    pub struct EndedProcess {
        /// Its parent's pid.
        parent: u32,
        /// A group that is orphaned now and has stopped members on other boards; 0: none.
        orphaned: u32,
        /// It was the leader of its session.
        leads: bool,
    }
    /// A process's relatives.
    pub struct Relations {
        /// Its parent's pid.
        parent: u32,
        /// Its process group.
        group: u32,
        /// Its session.
        session: u32,
        /// Whose it is.
        users: Users,
        /// What else is known.
        further: FurtherFacts,
    }
}

protocol! {
    /// The user processes of one board.
    pub Procs = 15, ProcsCall {
        /// A free slot waits for work: the descriptor of a new process.
        0 AwaitWork { slot: u16 } (&'a mut [u8]) -> Result<SlotWork, Errno> [defers];
        /// Makes a process of the descriptor in a free slot of this board; returns its pid. Group 0: group and
        /// session are those of the parent, which is of this board. The child belongs to `parent`; the caller
        /// registers it at the parent's board (`BeginFork`, `AddChild`) if that is another. `EAGAIN` without a free
        /// slot, when `most` processes are here already, or when only the slots reserved for `UNLIMITED` are left.
        /// `EINTR`: a signal that the parent, of this board, does not block waits for it; or a signal is on its way
        /// to a group on every board (`KillGroup`). Then the caller repeats the call. `ignored` initialises the
        /// child's signals as `SetIgnored` would, with group 0 along with those of its parent. To another board the
        /// reply comes when the process has taken over the objects of its descriptor (`TakenUp`): until then the
        /// caller keeps all of them alive.
        1 Spawn { parent: u32, group: u32, session: u32, blocked: u64, most: u32, ignored: u64 } (&'a [u8]) -> Result<u32, Errno> [defers];
        /// Records a child made on another board after `deaths` (`Relate`) ends of boards: if its own board has
        /// ended since, the child has been killed. Answers which signals the parent's group has got since `BeginFork`:
        /// the child is to get them by `PassOn`. Child 0: there is no child after all.
        2 AddChild { parent: u32, child: u32, group: u32, deaths: u32 } (()) -> Result<u64, Errno>;
        /// A process of this board ends: its record and slot are freed, its children here given to
        /// init. The slice is what it [`Used`](crate::used::Used), with those that it waited for. Groups that become
        /// orphaned and have stopped members here get SIGHUP and SIGCONT. Answers with its parent's pid; if that is
        /// of this board, the parent's record has it.
        3 Exit { pid: u32, status: u32 } (&'a [u8]) -> Result<EndedProcess, Errno>;
        /// A child on another board ended (or stopped or goes on, by its status); the slice as of `Exit`.
        4 ChildExited { parent: u32, child: u32, status: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Waits for a child of `parent`: `which` as in wait4 (-1 any, >0 that pid, 0 own group,
        /// <-1 that group). `ECHILD` if there is none; `EINTR` if interrupted. What one that ended used is in the
        /// slice.
        5 WaitChild { parent: u32, which: i32, options: u32 } (&'a mut [u8]) -> Result<WaitedChild, Errno> [defers];
        /// Sends a signal to a process of this board because of a `Cause`; 0 only checks that it exists. Returns
        /// whether the signal is queued, as the process does not ignore it. `EAGAIN`: a timer's signal, or a
        /// real-time one with a value, beyond the limit.
        6 Kill { pid: u32, signal: u8, cause: Cause } (()) -> Result<bool, Errno>;
        /// Sends a signal to every process here of a group but to `except` (0: none); returns how many. Group 0: every
        /// process but init. From process `sender` of those users, or (0) the system. Those that it may not signal are
        /// passed over: with any of them the answer contains `SOME_REFUSED`. `hold`: until the caller's board has
        /// called `EndKill`, processes of other boards make no children here, which other boards' members of the group
        /// could be.
        7 KillGroup { group: u32, signal: u8, except: u32, hold: bool, sender: u32, users: Users } (()) -> Result<u32, Errno>;
        /// Takes one of the pending signals of `pid` outside `blocked`.
        8 TakeSignal { pid: u32, blocked: u64 } (()) -> Result<TakenSignal, Errno>;
        /// The set of pending signals.
        9 PendingSignals { pid: u32 } (()) -> Result<u64, Errno>;
        /// Parent, group and session of a process of this board.
        10 Relate { pid: u32 } (()) -> Result<Relations, Errno>;
        /// Moves a process of this board to a group, as its parent or itself, `by`, of `session`, may do: `ESRCH` of
        /// others, `EACCES` once it has run another program, `EPERM` of another session or its leader. `by` 0: moves
        /// the parent's record of a child elsewhere.
        11 SetGroup { pid: u32, group: u32, by: u32, session: u32 } (()) -> Result<(), Errno>;
        /// Makes the process a session and group leader.
        12 NewSession { pid: u32 } (()) -> Result<u32, Errno>;
        /// Fills the slice with processes of this board (`Listed`), from line `index` of its table on as many as fit,
        /// or with process or thread `pid` alone if that is not 0 (`ESRCH`: there is none); with `LIST_THREADS` in
        /// `index` with the threads of that process, with `AS_THREAD` with that thread, not its process. Bytes filled,
        /// 0 behind the last.
        13 Describe { index: u16, pid: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Sets the name of the program that `pid` runs now; it `executes` another one than it was made with.
        14 Rename { pid: u32, executes: bool } (&'a [u8]) -> Result<(), Errno>;
        /// Counts the programs' use since the last time into the slice (`Sample`), unless that is empty, and suspends
        /// background jobs: those that last used one of the resources of `orders`, a bit each, for `lease_ns` or
        /// until the next call. The use of programs with the given names does not count as the foreground's. Returns
        /// the bytes filled.
        15 Regulate { orders: u8, lease_ns: u64 } (&'a [u8], &'a mut [u8]) -> Result<u32, Errno>;
        /// Sets which signals `pid` ignores and does not block: they are lost, all others interrupt it. `reaps`: its
        /// children leave no zombies. `quiet`: it gets no signal when they stop or go on. At most `queued` signals
        /// wait with their causes. Whose it is decides who signals it.
        16 SetIgnored { pid: u32, ignored: u64, keeping: SignalKeeping, users: Users, saved: u32 } (()) -> Result<(), Errno>;
        /// Waits until a signal outside `blocked` is pending.
        17 AwaitSignal { pid: u32, blocked: u64 } (()) -> Result<(), Errno> [defers];
        /// The parent of `child`, which borrowed its address space (CLONE_VFORK), waits until
        /// `VforkDone`. Never interrupted.
        18 AwaitVfork { child: u32 } (()) -> Result<(), Errno> [defers];
        /// `child` needs the space that it borrowed no more. Answered when the parent waits no more.
        19 VforkDone { child: u32 } (()) -> Result<(), Errno> [defers];
        /// A process of this board stops because of `signal`. Replies as `Exit` does: the parent's pid, whose board
        /// the caller notifies by `ChildExited`; 0 if it was continued or killed meanwhile, so that it does not stop.
        20 Stopped { pid: u32, signal: u8 } (()) -> Result<u32, Errno>;
        /// A stopped process waits until it is continued, or killed. Replies as `Stopped` does; 0 if it was killed.
        /// `suspended`: a suspended process, instead of a stopped one, waits until it is resumed, or a signal outside
        /// `blocked` waits for it.
        21 AwaitContinue { pid: u32, suspended: bool, blocked: u64 } (()) -> Result<u32, Errno> [defers];
        /// Makes the first process of the system, init, in `slot` of this board.
        22 MakeInit { slot: u16 } (()) -> Result<u32, Errno>;
        /// A board is dead: its processes count as killed (`SIGKILL`) to their parents here; those here whose
        /// parents were there are init's children now.
        23 BoardDied { board: u8 } (()) -> Result<(), Errno>;
        /// Process `pid`, which another board's process made, has its own references to all that its
        /// descriptor names.
        24 TakenUp { pid: u32 } (()) -> Result<(), Errno>;
        /// As `Relate`, of a process of this board that is about to make a child on another: keeps a record for that
        /// until `AddChild`. `EAGAIN` without one; `EINTR` as in `Spawn`.
        25 BeginFork { pid: u32, blocked: u64 } (()) -> Result<Relations, Errno>;
        /// No page frame is left for `pid`: kills the process that has most of them (init never), and replies when a
        /// killed one has ended, with its pid; at once if that is the caller's, or `ENOMEM` if there is none to kill.
        26 RelieveMemory { pid: u32 } (()) -> Result<u32, Errno> [defers];
        /// A signal has reached its group on every board.
        27 EndKill {} (()) -> Result<(), Errno>;
        /// Sends `pid`, which another board's process has made, those of `signals` that it has not got already as
        /// one of its group.
        28 PassOn { pid: u32, signals: u64 } (()) -> Result<(), Errno>;
        /// The policy of process `pid` of this board and the cores that it may use ([`Schedule`]) before; changed to
        /// `change` unless that is `ASK_POLICY`. `EINVAL`: on none of those cores programs run. With `OF_GROUP` a
        /// group instead of a process (0: all programs): that of the lowest nice value, which alone is changed.
        29 PolicyOf { pid: u32, change: u64 } (()) -> Result<u64, Errno>;
        /// Fills the slice with what is counted of process `pid` of this board (pid 0: of the system), little-endian
        /// `u64`s in the order of `renga_core::account::Count`; of the whole board if it is `WHOLE_BOARD`, in the order
        /// of `BoardCounts`. Bytes filled.
        30 UsageOf { pid: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
    }
}
