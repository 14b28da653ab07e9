//! The way into user programs, shared by the executor, which enters them, and the user-process
//! slots, which ask for their floating-point state.
//!
//! Invariant: used between polls or inside one, never both at once: one core, no nesting.

use core::cell::RefCell;
use renga_arch_aarch64::memory::FrameMemory;
use renga_arch_aarch64::user_mode::UserMode;
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

    /// Puts the program's floating-point state into its context.
    pub fn flush(&self, context: &mut UserContext) {
        self.0.borrow_mut().flush_fp(context);
    }
}
