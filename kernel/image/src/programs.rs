//! The way into the user programs of one home, shared by the loop of its core, which enters them, and the user-process
//! slots, which ask for their floating-point state.
//!
//! Invariant: used between polls or inside one, never both at once: one core, no nesting. Before a remote task is
//! entered, this core's program leaves the registers ([`Programs::make_room`]).

use core::cell::RefCell;
use renga_arch_aarch64::memory::FrameMemory;
use renga_arch_aarch64::user_mode::UserMode;
use renga_core::Core;
use renga_hal::memory::Frame;
use renga_rt::user::{Exit, UserContext};

/// User mode of this core.
pub struct Programs(RefCell<UserMode>);

impl Programs {
    /// Shares `mode`.
    pub fn new(mode: UserMode) -> Self {
        Programs(RefCell::new(mode))
    }

    /// Runs a program until it traps or an interrupt is pending.
    #[inline(always)]
    pub fn enter(&self, memory: &FrameMemory, context: &mut UserContext, space: Frame) -> Exit {
        self.0.borrow_mut().enter(memory, context, space)
    }

    /// Gives programs of `core`, their home, slices on the other cores.
    #[inline(never)]
    pub fn send_remote_slices(&self, core: &'static Core, memory: &FrameMemory) {
        core.send_remote_slices(|context, space| {
            self.flush(context);
            memory.space_word(Frame(space))
        });
    }

    /// Takes the floating-point state of whichever program's is in the registers out of them.
    pub fn make_room(&self) {
        self.0.borrow_mut().leave_fp();
    }

    /// Puts the program's floating-point state into its context.
    pub fn flush(&self, context: &mut UserContext) {
        self.0.borrow_mut().flush_fp(context);
    }
}
