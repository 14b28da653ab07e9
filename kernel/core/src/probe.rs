//! Probes: places in the code of which the emulator tells when they are reached, and what they are about.
//!
//! Each is a note in the kernel's ELF file, in SystemTap's form (`readelf -n` shows it): where it is, and where its
//! operands are then, as `bytes@register` or `bytes@[register,offset]`. Whoever listens reads them there, so that the
//! board need not. In the code it is a label, or one `nop` where the next instruction may be reached by another way too.
//!
//! Invariant: a probe changes nothing, and a label costs nothing (docs/design/emulator-and-virtual-time.md; the cluster test `probes`). Not here: who
//! listens (`tools/emu/plugin`), what it means (`tools/trace`). Host programs have [`crate::events`] instead.

use crate::account::AccountNumber;
#[cfg(feature = "host")]
use crate::events::Event;
use crate::process::{Me, Process};
use core::mem::offset_of;
use core::ptr::from_ref;

/// `mark!(memory, instruction, name, operands, (registers), (offsets))`: operands name the registers and offsets in braces;
/// memory is `readonly` if what is there may have been stored just before, `nomem` if it never changes.
#[cfg(not(feature = "host"))]
macro_rules! mark {
    ($memory:ident, $at:literal, $name:literal, $operands:literal, ($($register:ident: $value:expr),*), ($($offset:ident: $bytes:expr),*)) => {
        // SAFETY: at most a `nop`; the note is in a section that is not loaded.
        unsafe {
            core::arch::asm!(
                concat!("990: ", $at),
                ".pushsection .note.stapsdt, \"?\", \"note\"",
                ".balign 4",
                ".4byte 992f - 991f, 995f - 993f, 3",
                "991: .asciz \"stapsdt\"",
                "992: .balign 4",
                "993: .8byte 990b, 0, 0",
                ".asciz \"renga\"",
                concat!(".asciz \"", $name, "\""),
                concat!(".asciz \"", $operands, "\""),
                "995: .balign 4",
                ".popsection",
                $($register = in(reg) $value,)*
                $($offset = const $bytes,)*
                options($memory, nostack, preserves_flags),
            );
        }
    };
}

/// In a host program nobody reads registers.
#[cfg(feature = "host")]
macro_rules! mark {
    ($memory:ident, $at:literal, $name:literal, $operands:literal, ($($register:ident: $value:expr),*), ($($offset:ident: $bytes:expr),*)) => {
        $(let _ = $value;)* $(let _ = $bytes;)*
    };
}

/// A probe that is about one process.
macro_rules! mark_process {
    ($memory:ident, $at:literal, $name:literal, $process:expr) => {
        mark!($memory, $at, $name, "4@[{p},{id}]", (p: from_ref::<Process>($process)), (id: offset_of!(Process, word)))
    };
}

/// Probes that say no more than which process.
macro_rules! mark_processes {
    ($($(#[$doc:meta])* $function:ident: $memory:ident, $at:literal, $name:literal;)*) => {$(
        $(#[$doc])* #[inline(always)]
        pub(crate) fn $function(process: &Process) {
            mark_process!($memory, $at, $name, process);
        }
    )*};
}

mark_processes! {
    /// `process` waits for a call.
    wait_for_call: readonly, "", "wait-call";
    /// `process` waits for a notification.
    wait_for_notification: readonly, "", "wait-notification";
    /// `process` waits for its turn, after others.
    wait_for_turn: nomem, "nop", "wait-turn";
    /// `process` is notified.
    notify: nomem, "nop", "notify";
    /// The program of `process` is entered.
    enter: nomem, "", "enter";
    /// As [`enter`], on another core than the process's.
    enter_elsewhere: nomem, "nop", "enter";
}

/// `caller` makes the call in its header.
#[inline(always)]
pub(crate) fn call(caller: &Process) {
    #[cfg(feature = "host")]
    caller.core.record(|| Event::called(caller));
    mark!(readonly, "", "call", "4@[{c},{id}] 4@[{c},{to}] 4@[{c},{op}]", (c: from_ref(caller)),
        (id: offset_of!(Process, word), to: offset_of!(Process, destination), op: offset_of!(Process, op)));
}

/// As [`call`], of a server that passes the call of `caller` on.
#[inline(always)]
pub(crate) fn forward(caller: &Process) {
    #[cfg(feature = "host")]
    caller.core.record(|| Event::called(caller));
    mark!(readonly, "nop", "forward", "4@[{c},{id}] 4@[{c},{to}] 4@[{c},{op}]", (c: from_ref(caller)),
        (id: offset_of!(Process, word), to: offset_of!(Process, destination), op: offset_of!(Process, op)));
}

/// `server`, which waited, has the call of `caller`.
#[inline(always)]
pub(crate) fn accept(server: &Process, caller: &Process) {
    mark!(readonly, "", "accept", "4@[{s},{id}] 4@[{c},{id}] 4@[{c},{op}]", (s: from_ref(server), c: from_ref(caller)),
        (id: offset_of!(Process, word), op: offset_of!(Process, op)));
}

/// As [`accept`], of a call that has waited.
#[inline(always)]
pub(crate) fn accept_waiting(server: &Process, caller: &Process) {
    mark!(readonly, "nop", "accept", "4@[{s},{id}] 4@[{c},{id}] 4@[{c},{op}]", (s: from_ref(server), c: from_ref(caller)),
        (id: offset_of!(Process, word), op: offset_of!(Process, op)));
}

/// The call of `caller` is answered.
#[inline(always)]
pub(crate) fn reply(caller: &Process) {
    #[cfg(feature = "host")]
    caller.core.record(|| Event::Reply { caller: caller.id() });
    mark!(readonly, "", "reply", "4@[{c},{id}] 4@[{c},{to}] 4@[{c},{op}]", (c: from_ref(caller)),
        (id: offset_of!(Process, word), to: offset_of!(Process, destination), op: offset_of!(Process, op)));
}

/// `process` gets the core from the ready queue.
#[inline(always)]
pub(crate) fn dispatch(process: &Process) {
    #[cfg(feature = "host")]
    process.core.record(|| Event::Dispatch { process: process.id() });
    mark_process!(nomem, "", "dispatch", process);
}

/// `process` works for account `number` from now on, and servers whose calls come from it.
#[inline(always)]
pub(crate) fn account(process: &Process, number: AccountNumber) {
    mark!(nomem, "nop", "account", "4@[{p},{id}] 2@{n}", (p: from_ref(process), n: u64::from(number.0)),
        (id: offset_of!(Process, word)));
}

/// The program of `process` has left the core: it trapped, or was stopped.
#[inline(always)]
pub(crate) fn trap(process: &Process) {
    #[cfg(feature = "host")]
    process.core.record(|| Event::UserTrap { process: process.id() });
    mark_process!(nomem, "", "trap", process);
}

/// As [`trap`], on another core than the process's.
#[inline(always)]
pub(crate) fn trap_elsewhere(process: &Process) {
    #[cfg(feature = "host")]
    process.core.record(|| Event::UserTrap { process: process.id() });
    mark_process!(nomem, "nop", "trap", process);
}

/// The core has nothing to do and waits for an interrupt.
#[inline(always)]
pub fn idle() {
    mark!(nomem, "nop", "idle", "", (), ());
}

/// The alarm has gone off.
#[inline(always)]
pub fn interrupt_alarm() {
    mark!(nomem, "nop", "interrupt-alarm", "", (), ());
}
/// Of the devices, these want attention; perhaps none.
#[inline(always)]
pub fn interrupt_devices(console: bool, log: bool, link: bool) {
    let sources = u64::from(console) | u64::from(log) << 1 | u64::from(link) << 2;
    mark!(readonly, "", "interrupt-devices", "1@{s}", (s: sources), ());
}

/// Probes of [`Me`] that say no more than which process.
macro_rules! mark_me {
    ($($(#[$doc:meta])* $name:ident = $probe:literal;)*) => {$(
        $(#[$doc])* #[inline(always)]
        pub fn $name(&self) {
            mark_process!(nomem, "nop", $probe, self.0);
        }
    )*};
}

impl Me {
    mark_me! {
        /// Probe: the slot's program has ended.
        probe_program_end = "program-end";
        /// Probe: the medium is done.
        probe_disk_end = "disk-end";
        /// Probe: a commit of the file system begins.
        probe_commit = "commit";
        /// Probe: the commit is over.
        probe_commit_end = "commit-end";
    }

    /// Probe: the program of this process has made the system call `number`.
    #[inline(always)]
    pub fn probe_system_call(&self, number: u64) {
        mark!(nomem, "", "system-call", "4@[{p},{id}] 4@{n}", (p: from_ref(self.0), n: number), (id: offset_of!(Process, word)));
    }

    /// Probe: the program of this process has touched memory that it may not, or may not yet: to read (0), write, execute.
    #[inline(always)]
    pub fn probe_fault(&self, address: u64, kind: u64) {
        mark!(nomem, "nop", "fault", "4@[{p},{id}] 8@{a} 1@{k}", (p: from_ref(self.0), a: address, k: kind),
            (id: offset_of!(Process, word)));
    }

    /// Probe: this slot has the program `pid` from now on, or what it has is called so.
    #[inline(always)]
    pub fn probe_program(&self, pid: u32, name: &[u8; 16]) {
        let [first, rest] = [0, 8].map(|at| name[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)));
        mark!(nomem, "nop", "program", "4@[{p},{id}] 4@{n} 8@{f} 8@{r}",
            (p: from_ref(self.0), n: u64::from(pid), f: first, r: rest), (id: offset_of!(Process, word)));
    }

    /// Probe: this process has its medium read, or if it `writes` write, so many blocks from `first` on.
    #[inline(always)]
    pub fn probe_disk(&self, first: u64, blocks: usize, writes: bool) {
        mark!(nomem, "nop", "disk", "4@[{p},{id}] 8@{f} 4@{b} 1@{w}",
            (p: from_ref(self.0), f: first, b: blocks, w: u64::from(writes)), (id: offset_of!(Process, word)));
    }
}

/// This board has the token of the link from now on.
#[inline(always)]
pub fn token() {
    mark!(nomem, "nop", "token", "", (), ());
}

/// `board` may keep page `page` of inode `ino`.
#[inline(always)]
pub fn lease(ino: u32, board: u8, page: u32) {
    mark!(nomem, "nop", "lease", "4@{i} 1@{b} 4@{p}", (i: u64::from(ino), b: u64::from(board), p: u64::from(page)), ());
}

/// `board` is asked to give up the pages `from..to` of inode `ino`.
#[inline(always)]
pub fn recall(ino: u32, board: u8, from: u32, to: u32) {
    mark!(nomem, "nop", "recall", "4@{i} 1@{b} 4@{f} 4@{t}",
        (i: u64::from(ino), b: u64::from(board), f: u64::from(from), t: u64::from(to)), ());
}

/// `board` has given them up.
#[inline(always)]
pub fn recall_end(ino: u32, board: u8) {
    mark!(nomem, "nop", "recall-end", "4@{i} 1@{b}", (i: u64::from(ino), b: u64::from(board)), ());
}
