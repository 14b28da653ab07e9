//! Entering a user program, and what brought the processor back.
//!
//! Invariant: floating-point registers belong to the program that `fp_owner` names; the kernel is
//! compiled without them. They are switched only when another program is entered.
//!
//! Not here: which program runs, and for how long (`renga-core` and the image).

use crate::memory::{FrameMemory, activate_space, deactivate};
use crate::registers::read_register;
use core::mem::offset_of;
use renga_abi::user::{AccessKind, Exit, FpPlace, FpState, Trap, UserContext};
use renga_hal::memory::{Frame, USER_END};

/// The result of `renga_enter_user` for an interrupt; no syndrome has this value.
const INTERRUPTED: u64 = u64::MAX;

/// No slot: the floating-point registers have no program's state.
const NO_OWNER: u64 = u64::MAX;

/// Bytes of an instruction.
const INSTRUCTION_BYTES: u64 = 4;

// What vectors.S takes for granted.
const _: () = {
    assert!(offset_of!(UserContext, x) == 0);
    assert!(offset_of!(UserContext, sp) == 248);
    assert!(offset_of!(UserContext, pc) == 256);
    assert!(offset_of!(UserContext, pstate) == 264);
    assert!(offset_of!(UserContext, tpidr) == 272);
    assert!(offset_of!(FpState, fpcr) == 512);
};

unsafe extern "C" {
    /// Runs the program until its next exception; returns ESR_EL1 or [`INTERRUPTED`]. The program's
    /// address space must be active.
    fn renga_enter_user(context: *mut UserContext) -> u64;
    fn renga_fp_save(state: *mut FpState);
    fn renga_fp_load(state: *const FpState);
}

/// A core's means to run user programs.
pub struct UserMode {
    /// By slot, from `first` on: the state of programs whose `fp_place` is the processor, except of `fp_owner`.
    fp: &'static mut [FpState],
    first: usize,
    fp_owner: u64,
}

impl UserMode {
    /// For programs of as many slots as `fp` has places, from `first` on.
    pub fn new(first: u16, fp: &'static mut [FpState]) -> Self {
        Self { fp, first: first.into(), fp_owner: NO_OWNER }
    }

    /// Runs the program until it traps or an interrupt is pending. Panics when `space` is no address
    /// space of `memory`, or the slot is none of ours: bugs of the caller.
    #[inline(always)]
    pub fn enter(&mut self, memory: &FrameMemory, context: &mut UserContext, space: Frame) -> Exit {
        memory.activate(space);
        if self.fp_owner != context.slot || context.fp_place != FpPlace::Processor {
            self.switch_fp(context);
        }
        // SAFETY: the context is exclusively borrowed; vectors.S runs the program at EL0 whatever the context says; the
        // space maps user pages only; the kernel's registers are restored before the return.
        let syndrome = unsafe { renga_enter_user(context) };
        memory.deactivate();
        decode(syndrome, context)
    }

    /// Puts the program's floating-point state into `context.fp`, to be read, changed or copied.
    pub fn flush_fp(&mut self, context: &mut UserContext) {
        if context.fp_place == FpPlace::Context {
            return;
        }
        if self.fp_owner == context.slot {
            // SAFETY: writes the registers to a state that is ours; offsets are checked above.
            unsafe { renga_fp_save(&raw mut context.fp) };
            self.fp_owner = NO_OWNER;
        } else {
            context.fp = self.fp[context.slot as usize - self.first];
        }
        context.fp_place = FpPlace::Context;
    }

    /// Takes the state that is in the registers out of them: to the place of its program.
    pub fn leave_fp(&mut self) {
        if self.fp_owner != NO_OWNER {
            let owner = &mut self.fp[self.fp_owner as usize - self.first];
            // SAFETY: writes the registers to a state that is ours; offsets are checked above.
            unsafe { renga_fp_save(owner) };
            self.fp_owner = NO_OWNER;
        }
    }

    #[cold]
    fn switch_fp(&mut self, context: &mut UserContext) {
        let slot = (context.slot as usize).wrapping_sub(self.first);
        assert!(slot < self.fp.len(), "user-process slot {} has no place for its floating-point state", context.slot);
        if self.fp_owner != context.slot {
            self.leave_fp();
        }
        let state = if context.fp_place == FpPlace::Context { &context.fp } else { &self.fp[slot] };
        // SAFETY: reads a whole state; the kernel uses none of the registers that change.
        unsafe { renga_fp_load(state) };
        context.fp_place = FpPlace::Processor;
        self.fp_owner = context.slot;
    }
}

/// Runs a program of another core, in the space of which that core's `FrameMemory::space_word` is `space`, until it
/// traps or an interrupt is pending. Its floating-point registers come with the context and go with it: this core keeps
/// none.
///
/// # Safety
/// `space` is such a word, of a space that lives meanwhile.
///
/// # Panics
/// If the floating-point registers are not in the context.
pub unsafe fn enter_remote_task(context: &mut UserContext, space: u64) -> Exit {
    assert!(context.fp_place == FpPlace::Context, "a guest brings its floating-point registers along");
    // SAFETY: by this function's own condition a root's table, which maps user pages only; the registers as in
    // `UserMode::enter`.
    let syndrome = unsafe {
        activate_space(space);
        renga_fp_load(&raw const context.fp);
        renga_enter_user(context)
    };
    deactivate();
    // SAFETY: writes the registers to a state that is ours; offsets are checked above.
    unsafe { renga_fp_save(&raw mut context.fp) };
    decode(syndrome, context)
}

/// Exception classes and fault status codes: Arm ARM (DDI 0487) D24.2.40.
mod syndrome {
    pub const CLASS_SHIFT: u32 = 26;
    pub const WFX: u64 = 0x01;
    pub const UNKNOWN: u64 = 0x00;
    pub const ILLEGAL_STATE: u64 = 0x0e;
    pub const SVC: u64 = 0x15;
    pub const SYSTEM_REGISTER: u64 = 0x18;
    pub const SVE: u64 = 0x19;
    pub const FETCH_ABORT: u64 = 0x20;
    pub const PC_ALIGNMENT: u64 = 0x22;
    pub const DATA_ABORT: u64 = 0x24;
    pub const SP_ALIGNMENT: u64 = 0x26;
    pub const BREAKPOINT: u64 = 0x3c;

    pub const WRITE: u64 = 1 << 6;
    pub const CACHE_MAINTENANCE: u64 = 1 << 8;
    pub const STATUS: u64 = 0x3f;
    pub const STATUS_KIND: u64 = 0x3c;
    pub const TRANSLATION: u64 = 0x04;
    pub const ACCESS_FLAG: u64 = 0x08;
    pub const PERMISSION: u64 = 0x0c;
    pub const ADDRESS_SIZE: u64 = 0x00;
    pub const ALIGNMENT: u64 = 0x21;
}

#[inline]
fn decode(syndrome: u64, context: &mut UserContext) -> Exit {
    if syndrome >> syndrome::CLASS_SHIFT == syndrome::SVC {
        return Exit::Trap(Trap::Syscall);
    }
    if syndrome == INTERRUPTED {
        return Exit::Interrupt;
    }
    decode_fault(syndrome, context)
}

#[cold]
fn decode_fault(syndrome: u64, context: &mut UserContext) -> Exit {
    let address = read_register!("far_el1");
    Exit::Trap(match syndrome >> syndrome::CLASS_SHIFT {
        syndrome::WFX => {
            // Waiting is the kernel's business: the instruction does nothing.
            context.pc += INSTRUCTION_BYTES;
            return Exit::Interrupt;
        }
        syndrome::FETCH_ABORT => memory_fault(syndrome, address, AccessKind::Execute),
        syndrome::DATA_ABORT => {
            let writes = syndrome & (syndrome::WRITE | syndrome::CACHE_MAINTENANCE) == syndrome::WRITE;
            memory_fault(syndrome, address, if writes { AccessKind::Write } else { AccessKind::Read })
        }
        syndrome::PC_ALIGNMENT => Trap::Alignment { address },
        syndrome::SP_ALIGNMENT => Trap::Alignment { address: context.sp },
        syndrome::UNKNOWN | syndrome::ILLEGAL_STATE | syndrome::SYSTEM_REGISTER | syndrome::SVE => Trap::Undefined,
        syndrome::BREAKPOINT => Trap::Breakpoint,
        _ => Trap::OtherFault { syndrome },
    })
}

fn memory_fault(syndrome: u64, address: u64, kind: AccessKind) -> Trap {
    let present = match syndrome & syndrome::STATUS_KIND {
        syndrome::TRANSLATION | syndrome::ADDRESS_SIZE => false,
        // What the kernel has there is not the program's to know.
        syndrome::ACCESS_FLAG | syndrome::PERMISSION => address < USER_END,
        _ if syndrome & syndrome::STATUS == syndrome::ALIGNMENT => return Trap::Alignment { address },
        _ => return Trap::OtherFault { syndrome },
    };
    Trap::PageFault { address, kind, present }
}
