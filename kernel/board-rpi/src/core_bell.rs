//! The bell of a core of a BCM2837: the first mailbox of that core's controller (QA7, 4.8), which interrupts the core for
//! as long as anything is in it.
//!
//! Invariant: what was written before a ring is there when the core is interrupted, and what the core writes after a
//! silence comes behind it. Not here: who rings, and when (`kernel/cores`).

use renga_hal::registers::Registers;

mod local {
    pub const CORE0_MAILBOX_CONTROL: usize = 0x50;
    pub const FIRST_MAILBOX: u32 = 1;
    /// Of the first mailbox of core 0; that of the next core is `CORE_STRIDE` further on.
    pub const CORE0_MAILBOX_SET: usize = 0x80;
    pub const CORE0_MAILBOX_CLEAR: usize = 0xc0;
    pub const CORE_STRIDE: usize = 0x10;
}

/// What a ring puts into the mailbox: it holds bits, so a second one adds nothing.
const RUNG: u32 = 1;

/// The bell of one core. Each core may have a handle to it.
pub struct CoreBell<R> {
    local: R,
    core: usize,
}

impl<R: Registers> CoreBell<R> {
    /// That of `core`; `local` are the cores' registers.
    pub fn new(local: R, core: u8) -> Self {
        CoreBell { local, core: usize::from(core) }
    }

    /// Lets it interrupt the core, which nothing has rung yet.
    pub fn enable(&mut self) {
        self.silence();
        self.local.write(local::CORE0_MAILBOX_CONTROL + 4 * self.core, local::FIRST_MAILBOX);
        self.local.fence();
    }

    /// Interrupts the core.
    pub fn ring(&mut self) {
        self.local.fence();
        self.local.write(local::CORE0_MAILBOX_SET + local::CORE_STRIDE * self.core, RUNG);
        self.local.fence();
    }

    /// Whether it was rung and not silenced.
    pub fn is_rung(&self) -> bool {
        self.local.fence();
        let rung = self.local.read(local::CORE0_MAILBOX_CLEAR + local::CORE_STRIDE * self.core) != 0;
        self.local.fence();
        rung
    }

    /// Forgets that it was rung.
    pub fn silence(&mut self) {
        self.local.fence();
        self.local.write(local::CORE0_MAILBOX_CLEAR + local::CORE_STRIDE * self.core, u32::MAX);
        self.local.fence();
    }
}
