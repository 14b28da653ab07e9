//! Probes: places that the emulator reports when they execute, with operands. Each is a note in the kernel's ELF file,
//! in SystemTap's form (`readelf -n`): place, and operands as `bytes@register` or `bytes@[register,offset]`. In the
//! code a probe is a label, or one `nop` where the next instruction may be reached by another way too.
//! Invariant: a probe changes nothing (docs/design/emulator-and-virtual-time.md; the cluster test `probes`). Not here:
//! the listener (`tools/emu/plugin`), the meaning (`tools/trace`). Host programs have [`crate::events`] instead.

#[cfg(feature = "host")]
use super::events::Event;
use super::state::{MessagePart, Process, ProcessRef};
use core::mem::offset_of;
use core::ptr::from_ref;
#[cfg(feature = "host")]
use renga_abi::ProcId;
use renga_abi::account::AccountNumber;

/// `mark!(memory, instruction, name, operands, (registers), (offsets))`: operands name the registers and offsets in
/// braces; memory is `readonly` if what is there may have been stored just before, `nomem` if it never changes.
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

/// In a host program no emulator reads registers.
#[cfg(feature = "host")]
macro_rules! mark {
    ($memory:ident, $at:literal, $name:literal, $operands:literal, ($($register:ident: $value:expr),*), ($($offset:ident: $bytes:expr),*)) => {
        $(let _ = $value;)* $(let _ = $bytes;)*
    };
}

/// A probe that is about one process.
macro_rules! mark_process {
    ($memory:ident, $at:literal, $name:literal, $process:expr) => {
        mark!($memory, $at, $name, "4@[{p},{id}]", (p: from_ref::<MessagePart>($process)), (id: offset_of!(MessagePart, word)))
    };
}

/// Probes that say no more than which process.
macro_rules! mark_processes {
    ($($(#[$doc:meta])* $function:ident: $memory:ident, $at:literal, $name:literal;)*) => {$(
        $(#[$doc])* #[inline(always)]
        pub(crate) fn $function(process: &MessagePart) {
            mark_process!($memory, $at, $name, process);
        }
    )*};
}

mark_processes! {
    /// `process` waits for a call.
    wait_for_call: readonly, "", "wait-call";
    /// `process` waits for a notification.
    wait_for_notification: readonly, "", "wait-notification";
    /// `process` waits for its time slice, after others.
    wait_for_time_slice: nomem, "nop", "wait-turn";
    /// `process` is notified.
    notify: nomem, "nop", "notify";
    /// The program of `process` is entered.
    enter: nomem, "", "enter";
    /// As [`enter`], on another core than the process's.
    enter_elsewhere: nomem, "nop", "enter";
}

/// The event that `caller` makes the call in its header.
#[cfg(feature = "host")]
fn called(caller: &MessagePart) -> Event {
    let server = ProcId::from_word(caller.destination.get());
    Event::Call { caller: caller.id(), server, op: caller.op.get() as u8 }
}

/// `caller` makes the call in its header.
#[inline(always)]
pub(crate) fn call(caller: ProcessRef) {
    #[cfg(feature = "host")]
    caller.record(|| called(caller.part()));
    mark!(readonly, "", "call", "4@[{c},{id}] 4@[{c},{to}] 4@[{c},{op}]", (c: from_ref(caller.part())),
        (id: offset_of!(MessagePart, word), to: offset_of!(MessagePart, destination), op: offset_of!(MessagePart, op)));
}

/// As [`call`], of a server that passes the call of `caller` on.
#[inline(always)]
pub(crate) fn forward(caller: ProcessRef) {
    #[cfg(feature = "host")]
    caller.record(|| called(caller.part()));
    mark!(readonly, "nop", "forward", "4@[{c},{id}] 4@[{c},{to}] 4@[{c},{op}]", (c: from_ref(caller.part())),
        (id: offset_of!(MessagePart, word), to: offset_of!(MessagePart, destination), op: offset_of!(MessagePart, op)));
}

/// `server`, which waited, has the call of `caller`.
#[inline(always)]
pub(crate) fn accept(server: &MessagePart, caller: &MessagePart) {
    mark!(readonly, "", "accept", "4@[{s},{id}] 4@[{c},{id}] 4@[{c},{op}]", (s: from_ref(server), c: from_ref(caller)),
        (id: offset_of!(MessagePart, word), op: offset_of!(MessagePart, op)));
}

/// As [`accept`], of a call that has waited.
#[inline(always)]
pub(crate) fn accept_waiting(server: &MessagePart, caller: &MessagePart) {
    mark!(readonly, "nop", "accept", "4@[{s},{id}] 4@[{c},{id}] 4@[{c},{op}]", (s: from_ref(server), c: from_ref(caller)),
        (id: offset_of!(MessagePart, word), op: offset_of!(MessagePart, op)));
}

/// The call of `caller` is answered.
#[inline(always)]
pub(crate) fn reply(caller: ProcessRef) {
    #[cfg(feature = "host")]
    caller.record(|| Event::Reply { caller: caller.part().id() });
    mark!(readonly, "", "reply", "4@[{c},{id}] 4@[{c},{to}] 4@[{c},{op}]", (c: from_ref(caller.part())),
        (id: offset_of!(MessagePart, word), to: offset_of!(MessagePart, destination), op: offset_of!(MessagePart, op)));
}

/// `process` gets the core from the ready queue.
#[inline(always)]
pub(crate) fn dispatch(process: &'static Process) {
    #[cfg(feature = "host")]
    process.any().record(|| Event::Dispatch { process: process.id() });
    mark_process!(nomem, "", "dispatch", process);
}

/// `process` works for account `number` from now on, and servers whose calls come from it.
#[inline(always)]
pub(crate) fn account(process: &MessagePart, number: AccountNumber) {
    mark!(nomem, "nop", "account", "4@[{p},{id}] 2@{n}", (p: from_ref(process), n: u64::from(number.0)),
        (id: offset_of!(MessagePart, word)));
}

/// The program of `process` has left the core: it trapped, or was stopped.
#[inline(always)]
pub(crate) fn trap(process: &'static Process) {
    #[cfg(feature = "host")]
    process.any().record(|| Event::UserTrap { process: process.id() });
    mark_process!(nomem, "", "trap", process);
}

/// As [`trap`], on another core than the process's.
#[inline(always)]
pub(crate) fn trap_elsewhere(process: ProcessRef) {
    #[cfg(feature = "host")]
    process.record(|| Event::UserTrap { process: process.part().id() });
    mark_process!(nomem, "nop", "trap", process.part());
}

/// The core has nothing to do and waits for an interrupt.
#[inline(always)]
pub fn idle() {
    mark!(nomem, "nop", "idle", "", (), ());
}

/// The alarm is due.
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

/// A probe of another crate, declared by [`probe!`](crate::probe!): its name, and what its `N` operands are.
pub trait Probe<const N: usize> {
    /// The name, two words of 8 bytes each, padded with 0.
    const NAME: [u64; 2];
    /// Bytes of each operand.
    const BYTES: [u64; N];
    /// Whether the next instruction may be reached by another way too, so that the probe is an instruction of its own.
    const IS_NOP: bool;

    /// Passes the probe, which is about `operands`.
    #[inline(always)]
    fn mark(operands: [u64; N])
    where
        Self: Sized,
    {
        mark_operands::<Self, N>(operands);
    }

    /// Passes the probe, which is about `process` and `operands`.
    #[inline(always)]
    fn mark_process(process: &Process, operands: [u64; N])
    where
        Self: Sized,
    {
        mark_process_operands::<Self, N>(process, operands);
    }
}

/// Operands that a probe of another crate has at most.
const OPERANDS_MAX: usize = 4;

/// The name of a probe as words.
///
/// # Panics
/// When compiled, if it is longer than 16 bytes.
pub const fn name_words(name: &str) -> [u64; 2] {
    let (bytes, mut words, mut at) = (name.as_bytes(), [0; 2], 0);
    assert!(bytes.len() <= 16, "a probe's name has at most 16 bytes");
    while at < bytes.len() {
        words[at / 8] |= (bytes[at] as u64) << (at % 8 * 8);
        at += 1;
    }
    words
}

/// Declares probes, for [`Me::probe`](crate::Me::probe) and [`Probe::mark`]: a name, and the bytes of each operand.
///
/// ```
/// renga_core::probe! {
///     /// The medium is asked for blocks: the first, how many, whether they are written.
///     Disk = "disk" [8, 4, 1];
///     /// The medium is done.
///     DiskEnd = "disk-end" [];
/// }
/// # fn transfer(me: &renga_core::Me) {
/// me.probe(Disk, [7, 1, 0]);
/// me.probe(DiskEnd, []);
/// # }
/// ```
///
/// A name in `label` needs no instruction: the next one is reached from here only.
#[macro_export]
macro_rules! probe {
    ($($(#[$doc:meta])* $P:ident = $($label:ident)? $name:literal [$($bytes:literal),*];)*) => {$(
        $(#[$doc])*
        pub struct $P;
        impl $crate::probe::Probe<{ <[u64]>::len(&[$($bytes),*]) }> for $P {
            const NAME: [u64; 2] = $crate::probe::name_words($name);
            const BYTES: [u64; <[u64]>::len(&[$($bytes),*])] = [$($bytes),*];
            const IS_NOP: bool = true $(&& $crate::probe!(@$label))?;
        }
    )*};
    (@label) => { false };
}

/// `mark_named!(probe, operands, (registers), (offsets))`: as [`mark!`], of a probe whose name and kind are constants.
#[cfg(not(feature = "host"))]
macro_rules! mark_named {
    ($P:ident, $operands:literal, ($($register:ident: $value:expr),*), ($($constant:ident: $number:expr),*)) => {
        // SAFETY: at most a `nop`; the note is in a section that is not loaded.
        unsafe {
            core::arch::asm!(
                "990:",
                ".if {nop}",
                "nop",
                ".endif",
                ".pushsection .note.stapsdt, \"?\", \"note\"",
                ".balign 4",
                ".4byte 992f - 991f, 995f - 993f, 3",
                "991: .asciz \"stapsdt\"",
                "992: .balign 4",
                "993: .8byte 990b, 0, 0",
                ".asciz \"renga\"",
                ".irp word, {n0}, {n1}",
                ".irp shift, 0, 8, 16, 24, 32, 40, 48, 56",
                ".if (\\word >> \\shift) & 255",
                ".byte (\\word >> \\shift) & 255",
                ".endif",
                ".endr",
                ".endr",
                ".byte 0",
                concat!(".asciz \"", $operands, "\""),
                "995: .balign 4",
                ".popsection",
                $($register = in(reg) $value,)*
                $($constant = const $number,)*
                nop = const $P::IS_NOP as u64,
                n0 = const $P::NAME[0],
                n1 = const $P::NAME[1],
                options(nomem, nostack, preserves_flags),
            );
        }
    };
}

/// In a host program no emulator reads registers.
#[cfg(feature = "host")]
macro_rules! mark_named {
    ($P:ident, $operands:literal, ($($register:ident: $value:expr),*), ($($constant:ident: $number:expr),*)) => {
        {
            $(let _ = $value;)*
            $(let _ = $number;)*
        }
    };
}

/// Bytes of operand `at`, of a probe that has it.
const fn bytes<P: Probe<N>, const N: usize>(at: usize) -> u64 {
    if at < N { P::BYTES[at] } else { 0 }
}

#[inline(always)]
fn mark_operands<P: Probe<N>, const N: usize>(operands: [u64; N]) {
    const { assert!(N <= OPERANDS_MAX, "a probe has at most 4 operands") };
    let at = |which: usize| if which < N { operands[which] } else { 0 };
    match N {
        0 => mark_named!(P, "", (), ()),
        1 => mark_named!(P, "{b0}@{v0}", (v0: at(0)), (b0: bytes::<P, N>(0))),
        2 => {
            mark_named!(P, "{b0}@{v0} {b1}@{v1}", (v0: at(0), v1: at(1)), (b0: bytes::<P, N>(0), b1: bytes::<P, N>(1)));
        }
        3 => mark_named!(P, "{b0}@{v0} {b1}@{v1} {b2}@{v2}", (v0: at(0), v1: at(1), v2: at(2)),
            (b0: bytes::<P, N>(0), b1: bytes::<P, N>(1), b2: bytes::<P, N>(2))),
        _ => mark_named!(P, "{b0}@{v0} {b1}@{v1} {b2}@{v2} {b3}@{v3}", (v0: at(0), v1: at(1), v2: at(2), v3: at(3)),
            (b0: bytes::<P, N>(0), b1: bytes::<P, N>(1), b2: bytes::<P, N>(2), b3: bytes::<P, N>(3))),
    }
}

#[inline(always)]
fn mark_process_operands<P: Probe<N>, const N: usize>(process: &Process, operands: [u64; N]) {
    const { assert!(N < OPERANDS_MAX, "a probe about a process has at most 3 operands") };
    let at = |which: usize| if which < N { operands[which] } else { 0 };
    let p = from_ref::<MessagePart>(process);
    match N {
        0 => mark_named!(P, "4@[{p},{id}]", (p: p), (id: offset_of!(MessagePart, word))),
        1 => {
            mark_named!(P, "4@[{p},{id}] {b0}@{v0}", (p: p, v0: at(0)), (id: offset_of!(MessagePart, word), b0: bytes::<P, N>(0)))
        }
        2 => mark_named!(P, "4@[{p},{id}] {b0}@{v0} {b1}@{v1}", (p: p, v0: at(0), v1: at(1)),
            (id: offset_of!(MessagePart, word), b0: bytes::<P, N>(0), b1: bytes::<P, N>(1))),
        _ => mark_named!(P, "4@[{p},{id}] {b0}@{v0} {b1}@{v1} {b2}@{v2}", (p: p, v0: at(0), v1: at(1), v2: at(2)),
            (id: offset_of!(MessagePart, word), b0: bytes::<P, N>(0), b1: bytes::<P, N>(1), b2: bytes::<P, N>(2))),
    }
}
