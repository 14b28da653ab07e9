//! The system calls that make processes and threads: `clone`, and `clone3`, whose arguments are in a structure.
//!
//! Invariant: both come to one request, which is checked as Linux checks it. Calls: `fork.rs` and `threads.rs`, which
//! make the process or thread. Not here: forks onto another board (`fork.rs`).

use crate::signals::{SIGCHLD, SIGNALS};
use crate::user::lifecycle::fork::Wishes;
use crate::user::slot::User;
use crate::user::state::fields::word_at;
use crate::user::state::open_flags::{O_CLOEXEC, O_RDWR};
use crate::user::state::{EventSort, SyscallEscape, SyscallResult, restartable_as};
use core::array;
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::procs::AwaitVfork;
use renga_rt::{Errno, apart};

const CLONE_VM: u64 = 0x100;
const CLONE_SIGHAND: u64 = 0x800;
const CLONE_PIDFD: u64 = 0x1000;
const CLONE_VFORK: u64 = 0x4000;
const CLONE_PARENT: u64 = 0x8000;
const CLONE_THREAD: u64 = 0x1_0000;
const CLONE_SETTLS: u64 = 0x8_0000;
const CLONE_PARENT_SETTID: u64 = 0x10_0000;
const CLONE_CHILD_CLEARTID: u64 = 0x20_0000;
/// Without a meaning in `clone`, and refused by `clone3`.
const CLONE_DETACHED: u64 = 0x40_0000;
const CLONE_CHILD_SETTID: u64 = 0x100_0000;
/// The signal that the end of the child sends, in the flags of `clone`.
const CLONE_SIGNAL: u64 = 0xff;
/// Of what `clone` has for the signal, `clone3` has a flag.
const CLONE_NEWTIME: u64 = 0x80;
/// Of `clone3`: the child's handlers are gone.
const CLONE_CLEAR_SIGHAND: u64 = 1 << 32;
/// Of `clone3`: the child is in a group of processes for accounting, which only a descriptor of such a group names.
const CLONE_INTO_CGROUP: u64 = 1 << 33;
/// The flags that `clone` knows.
const LEGACY_FLAGS: u64 = 0xffff_ffff;
/// What threads share, all of it.
const OF_THREADS: u64 = CLONE_VM | 0x200 | 0x400 | CLONE_SIGHAND | CLONE_THREAD;
/// What both threads and processes may have.
const NOTED: u64 = CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | CLONE_DETACHED;
/// What else threads may have: the value of semaphores is one's own, and a thread is not traced.
const FOR_THREADS: u64 = 0x4_0000 | NOTED;
const FOR_PROCESSES: u64 = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | CLONE_CLEAR_SIGHAND | NOTED;

/// Bytes of `struct clone_args` as it was first, with the numbers of the child, and with its group.
const ARGUMENTS_BYTES_MIN: usize = 64;
const ARGUMENTS_BYTES: usize = 88;
/// Numbers that the structure can give a child, one for each namespace in another.
const LEVELS_MAX: u64 = 32;
/// No address of a program is here or above.
const ADDRESSES_END: u64 = 1 << 48;

/// A process or thread that is to be made.
struct CloneRequest {
    flags: u64,
    /// The signal that its end sends.
    signal: u64,
    /// The end of its stack; 0: as its maker's.
    sp: u64,
    tls: u64,
    parent_tid: u64,
    child_tid: u64,
    /// Where the number of its descriptor goes.
    descriptor: u64,
}

impl CloneRequest {
    /// Of `struct clone_args` that is 0 behind its first `bytes`.
    fn of_structure(structure: &[u8; ARGUMENTS_BYTES], bytes: usize) -> Result<CloneRequest, Errno> {
        let word = |index: usize| word_at(structure, 8 * index);
        let [flags, descriptor, child_tid, parent_tid, signal, stack, stack_bytes, tls] = array::from_fn(word);
        let (numbers, levels, group) = (word(8), word(9), word(10));
        let has_levels = levels <= LEVELS_MAX && (numbers == 0) == (levels == 0);
        let into_group = flags & CLONE_INTO_CGROUP != 0;
        let has_group = !into_group || bytes == ARGUMENTS_BYTES && group <= i32::MAX as u64;
        if !has_levels || signal > u64::from(SIGNALS) || !has_group {
            return Err(Errno::EINVAL);
        }
        let known = LEGACY_FLAGS | CLONE_CLEAR_SIGHAND | CLONE_INTO_CGROUP;
        let reused = CLONE_DETACHED | CLONE_SIGNAL & !CLONE_NEWTIME;
        let has = |all: u64| flags & all == all;
        let without_signal = flags & (CLONE_THREAD | CLONE_PARENT) != 0;
        let has_stack = (stack == 0) == (stack_bytes == 0)
            && stack.checked_add(stack_bytes).is_some_and(|end| end <= ADDRESSES_END);
        if flags & !known != 0
            || flags & reused != 0
            || has(CLONE_SIGHAND | CLONE_CLEAR_SIGHAND)
            || without_signal && signal != 0
            || !has_stack
        {
            return Err(Errno::EINVAL);
        }
        match () {
            () if into_group => Err(Errno::EBADF),
            // Only the table of processes gives numbers out.
            () if levels > 0 => Err(Errno::EPERM),
            () => Ok(CloneRequest { flags, signal, sp: stack + stack_bytes, tls, parent_tid, child_tid, descriptor }),
        }
    }

    /// Whether it is for a thread; what Linux refuses, and what is not to be had here, is `EINVAL`.
    fn is_for_thread(&self) -> Result<bool, Errno> {
        let flags = self.flags;
        let both = CLONE_PIDFD | CLONE_PARENT_SETTID;
        let one_place = flags & both == both && self.descriptor == self.parent_tid;
        match flags & CLONE_THREAD != 0 {
            true if flags & OF_THREADS == OF_THREADS && flags & !(OF_THREADS | FOR_THREADS) == 0 => Ok(true),
            false
                if flags & !FOR_PROCESSES == 0 && !one_place && (self.signal == 0 || self.signal == SIGCHLD.into()) =>
            {
                Ok(false)
            }
            _ => Err(Errno::EINVAL),
        }
    }
}

impl<M: UserMemory> User<M> {
    pub(crate) async fn clone(&mut self) -> SyscallResult {
        let [flags, sp, parent_tid, tls, child_tid] = array::from_fn(|index| self.argument(index));
        let (flags, signal) = (flags & LEGACY_FLAGS & !CLONE_SIGNAL, flags & CLONE_SIGNAL);
        apart!(self.clone_as(CloneRequest { flags, signal, sp, tls, parent_tid, child_tid, descriptor: parent_tid }))
    }

    /// `clone3`: a structure at argument 0, of as many bytes as argument 1 says. What Linux does not know yet must be
    /// 0.
    pub(crate) async fn clone_by_structure(&mut self) -> SyscallResult {
        let (place, bytes) = (self.argument(0), self.argument(1) as usize);
        if bytes > PAGE_BYTES {
            return Err(Errno::E2BIG.into());
        }
        if bytes < ARGUMENTS_BYTES_MIN {
            return Err(Errno::EINVAL.into());
        }
        let (mut structure, mut at) = ([0; ARGUMENTS_BYTES], ARGUMENTS_BYTES);
        // Bounded by a page. Linux checks what it does not know first.
        while at < bytes {
            let (mut more, rest) = ([0; ARGUMENTS_BYTES], bytes - at);
            let part = rest.min(more.len());
            self.get(place.wrapping_add(at as u64), &mut more[..part]).await?;
            if more.iter().any(|&byte| byte != 0) {
                return Err(Errno::E2BIG.into());
            }
            at += part;
        }
        let known = bytes.min(ARGUMENTS_BYTES);
        self.get(place, &mut structure[..known]).await?;
        apart!(self.clone_as(CloneRequest::of_structure(&structure, known)?))
    }

    async fn clone_as(&mut self, request: CloneRequest) -> SyscallResult {
        let is_for_thread = request.is_for_thread()?;
        let CloneRequest { flags, sp, tls, parent_tid, child_tid, .. } = request;
        let given = |flag, value| if flags & flag != 0 { value } else { 0 };
        let wishes = Wishes {
            set_tid: given(CLONE_CHILD_SETTID, child_tid),
            clear_tid: given(CLONE_CHILD_CLEARTID, child_tid),
            sp,
            tpidr: if flags & CLONE_SETTLS != 0 { tls } else { self.context.tpidr },
            schedule: self.schedule().to_word(),
            clears_handlers: flags & CLONE_CLEAR_SIGHAND != 0,
        };
        if is_for_thread {
            return apart!(self.make_thread(wishes, given(CLONE_PARENT_SETTID, parent_tid)));
        }
        if flags & (CLONE_VM | CLONE_VFORK) == CLONE_VM {
            return Err(Errno::ENOSYS.into());
        }
        // Siblings may change the space of a program with threads: its child gets a copy, and nobody waits for it.
        let borrows = flags & CLONE_VM != 0 && self.group.is_none();
        let child = match flags & CLONE_PIDFD {
            0 => self.fork_here(wishes, borrows).await,
            _ => apart!(self.fork_with_descriptor(wishes, borrows, request.descriptor)),
        };
        // A fork that a signal came before is made again, when that has been served.
        let child = restartable_as(SyscallEscape::RestartAlways, child)?;
        // While the child borrows the space, this process does not touch it.
        if flags & CLONE_VFORK != 0 && borrows {
            self.services.clients.procs.call(AwaitVfork { child }, ()).await?;
        }
        if flags & CLONE_PARENT_SETTID != 0 {
            // The child is made: a bad address only loses the number, as on Linux.
            let _ = self.put(parent_tid, &child.to_le_bytes()).await;
        }
        Ok(u64::from(child))
    }

    /// As `fork_here`, with a descriptor of the child, whose number goes to `place`. The child does not get it.
    async fn fork_with_descriptor(&mut self, wishes: Wishes, borrows: bool, place: u64) -> Result<u32, Errno> {
        let number = self.program.files.next_number()?;
        let board = self.services.board;
        let made = self.make_process_file(board).await?;
        // A bad address fails the call before there is a child. Afterwards a child may borrow the space.
        let forked = match self.put(place, &(number as u32).to_le_bytes()).await {
            Ok(()) => self.fork_here(wishes, borrows).await,
            Err(errno) => Err(errno),
        };
        let child = match forked {
            Ok(child) => child,
            Err(errno) => {
                self.drop_process_file(board, made).await;
                return Err(errno);
            }
        };
        // The child is there, running or ended: nothing of this is refused.
        self.follow_child(board, made, child).await;
        let added = self.add_event_file(board, made, EventSort::Process, O_RDWR | O_CLOEXEC).await;
        // No thread of the program makes a descriptor while this one has the program.
        debug_assert!(added == Ok(number), "the number was free before the fork");
        Ok(child)
    }
}
