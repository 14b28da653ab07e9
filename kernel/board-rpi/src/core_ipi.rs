//! The IPI of a core, which interrupts it until it is silenced: of a BCM2837 the first mailbox of that core's
//! controller (QA7, 4.8), of a BCM2711 the first interrupt of software (GIC Architecture Specification 2.0, 4.3.15).
//!
//! Invariant: stores before a send are visible when the core is interrupted, and the core's stores after an
//! acknowledgement come behind it. Not here: when an IPI is sent (`kernel/sync`).

use crate::gic;
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
const PENDING: u32 = 1;

/// The IPI of one core. Any core may ring by a handle; all else is the core's own.
pub struct CoreIpi<R> {
    registers: R,
    core: u8,
    way: Way,
}

/// How a chip's cores interrupt each other.
enum Way {
    /// BCM2837.
    Mailbox,
    /// BCM2711.
    Software,
}

impl<R: Registers> CoreIpi<R> {
    /// That of `core` of a BCM2837; `local` are the cores' registers.
    pub fn mailbox(local: R, core: u8) -> Self {
        CoreIpi { registers: local, core, way: Way::Mailbox }
    }

    /// That of `core` of a BCM2711, by the `distributor` of its GIC-400.
    pub fn software(distributor: R, core: u8) -> Self {
        CoreIpi { registers: distributor, core, way: Way::Software }
    }

    /// Lets it interrupt the core, which nothing has pending yet.
    pub fn enable(&mut self) {
        self.acknowledge();
        let (register, value) = match self.way {
            Way::Mailbox => (local::CORE0_MAILBOX_CONTROL + 4 * usize::from(self.core), local::FIRST_MAILBOX),
            Way::Software => gic::IPI_ENABLE,
        };
        self.write(register, value);
    }

    /// Interrupts the core.
    pub fn send(&mut self) {
        let (register, value) = match self.way {
            Way::Mailbox => (self.mailbox_at(local::CORE0_MAILBOX_SET), PENDING),
            Way::Software => gic::send_ipi(self.core),
        };
        self.write(register, value);
    }

    /// Whether it was pending and not silenced.
    pub fn is_pending(&self) -> bool {
        let (register, bits) = match self.way {
            Way::Mailbox => (self.mailbox_at(local::CORE0_MAILBOX_CLEAR), u32::MAX),
            Way::Software => gic::IPI_PENDING,
        };
        self.registers.fence();
        let pending = self.registers.read(register) & bits != 0;
        self.registers.fence();
        pending
    }

    /// Forgets that it was pending.
    pub fn acknowledge(&mut self) {
        let (register, value) = match self.way {
            Way::Mailbox => (self.mailbox_at(local::CORE0_MAILBOX_CLEAR), u32::MAX),
            Way::Software => gic::IPI_ACKNOWLEDGE,
        };
        self.write(register, value);
    }

    fn mailbox_at(&self, of_core_0: usize) -> usize {
        of_core_0 + local::CORE_STRIDE * usize::from(self.core)
    }

    fn write(&mut self, register: usize, value: u32) {
        self.registers.fence();
        self.registers.write(register, value);
        self.registers.fence();
    }
}
