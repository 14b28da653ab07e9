//! The frame that a signal handler finds on its stack, as Linux/AArch64 lays it out.
//!
//! `struct rt_sigframe`: `siginfo_t` (128 bytes), `ucontext_t` with its `sigcontext`, whose reserved
//! part has the floating-point record and an end mark; behind it the frame record of the interrupted
//! function. The rest of the reserved part is left as it is (arch/arm64/kernel/signal.c).
//!
//! Invariant: whatever a program puts there, what is read back is its own registers only.

use crate::signals::{SignalSet, UNSTOPPABLE};
use crate::user::state::AlternateStack;
use crate::user::state::fields::{put_ints, put_words, word_at};
use renga_hal::memory::PAGE_BYTES;
use renga_proto::procs::Cause;
use renga_rt::user::{FpPlace, PSTATE_USER, UserContext};

/// Where a signal comes from, for `siginfo_t`.
#[derive(Clone, Copy, Debug)]
pub enum SignalOrigin {
    /// A fault of the program itself.
    Fault {
        /// `si_code`.
        code: u32,
        address: u64,
    },
    /// A process sent it, or an event caused it.
    Sent {
        cause: Cause,
        /// Of a timer: how often it had expired by then, beyond the first time.
        overruns: u32,
    },
}

/// The stack pointer's alignment.
pub const ALIGNMENT: u64 = 16;
const INFO_BYTES: usize = 128;
/// Where the `ucontext_t` begins.
pub const UCONTEXT_OFFSET: u64 = INFO_BYTES as u64;
const STACK: usize = INFO_BYTES + 16;
const MASK: usize = INFO_BYTES + 40;
const SIGCONTEXT: usize = INFO_BYTES + 176;
const REGISTERS: usize = SIGCONTEXT + 8;
const SP: usize = REGISTERS + 31 * 8;
const PC: usize = SP + 8;
const PSTATE: usize = PC + 8;
const RESERVED: usize = SIGCONTEXT + 288;
const RESERVED_BYTES: usize = 4096;
const FP_MAGIC: u32 = 0x4650_8001;
const FP_BYTES: usize = 528;
/// What the floating-point record begins with.
const FP_HEAD: u64 = FP_MAGIC as u64 | (FP_BYTES as u64) << 32;
const FP_REGISTERS: usize = RESERVED + 16;
const END: usize = RESERVED + FP_BYTES;
/// Bytes that are written, from the frame's start on.
pub const WRITTEN_BYTES: usize = END + 16;
/// Where the frame record is.
pub const RECORD_OFFSET: u64 = (RESERVED + RESERVED_BYTES) as u64;
/// Bytes of the whole frame.
pub const FRAME_BYTES: u64 = RECORD_OFFSET + 16;
const _: () = assert!(WRITTEN_BYTES <= PAGE_BYTES && FRAME_BYTES == 4704);

type FramePage = [u8; PAGE_BYTES];

/// `si_code`: a timer expired.
pub const SI_TIMER: i32 = -2;

/// The `siginfo_t` of `signal`.
pub fn signal_info(signal: u8, origin: SignalOrigin) -> [u8; INFO_BYTES] {
    let mut info = [0; INFO_BYTES];
    put_ints(&mut info, [(0, signal.into())]);
    match origin {
        SignalOrigin::Fault { code, address } => {
            put_ints(&mut info, [(8, code)]);
            put_words(&mut info, [(16, address)]);
        }
        // Behind who sent it is the user, or of a timer how often it has expired.
        SignalOrigin::Sent { cause: Cause { code, sender, value, .. }, overruns } => {
            let behind = if code == SI_TIMER { overruns } else { sender.uid };
            put_ints(&mut info, [(8, code as u32), (16, sender.pid), (20, behind)]);
            put_words(&mut info, [(24, value)]);
        }
    }
    info
}

/// Writes the frame of a program whose floating-point state is in `context`; how many bytes.
pub fn write(
    page: &mut FramePage,
    context: &UserContext,
    (signal, origin): (u8, SignalOrigin),
    mask: SignalSet,
    stack: AlternateStack,
) -> usize {
    page[..WRITTEN_BYTES].fill(0);
    page[..INFO_BYTES].copy_from_slice(&signal_info(signal, origin));
    put_words(page, [(STACK, stack.address), (STACK + 16, stack.bytes), (MASK, mask)]);
    let fault_address = if let SignalOrigin::Fault { address, .. } = origin { address } else { 0 };
    put_words(page, [(SIGCONTEXT, fault_address)]);
    put_words(page, core::array::from_fn::<_, 31, _>(|index| (REGISTERS + 8 * index, context.x[index])));
    put_words(page, [(SP, context.sp), (PC, context.pc), (PSTATE, context.pstate & PSTATE_USER)]);
    let fp_status = context.fp.fpsr & 0xffff_ffff | context.fp.fpcr << 32;
    put_words(page, [(RESERVED, FP_HEAD), (RESERVED + 8, fp_status)]);
    for (index, register) in context.fp.v.iter().enumerate() {
        let at = FP_REGISTERS + 16 * index;
        page[at..at + 16].copy_from_slice(&register.to_le_bytes());
    }
    WRITTEN_BYTES
}

/// Reads a frame back into the registers; the signal mask. `None`: it has no floating-point record.
pub fn read(page: &FramePage, context: &mut UserContext) -> Option<SignalSet> {
    if word_at(page, RESERVED) != FP_HEAD {
        return None;
    }
    for (index, register) in context.x.iter_mut().enumerate() {
        *register = word_at(page, REGISTERS + 8 * index);
    }
    context.sp = word_at(page, SP);
    context.pc = word_at(page, PC);
    context.pstate = word_at(page, PSTATE) & PSTATE_USER;
    let status = word_at(page, RESERVED + 8);
    context.fp.fpsr = status & 0xffff_ffff;
    context.fp.fpcr = status >> 32;
    for (index, register) in context.fp.v.iter_mut().enumerate() {
        let at = FP_REGISTERS + 16 * index;
        *register = u128::from(word_at(page, at)) | u128::from(word_at(page, at + 8)) << 64;
    }
    context.fp_place = FpPlace::Context;
    Some(word_at(page, MASK) & !UNSTOPPABLE)
}
