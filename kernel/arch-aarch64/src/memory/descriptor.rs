//! Translation-table descriptors: 4 KiB granule, stage 1, EL1&0. Arm ARM (DDI 0487) D8.3.
//!
//! Invariant: every descriptor of this file that lets the kernel write forbids it to execute, and none for user pages
//! lets it. A program may write what it executes if it insists.

use super::frame_record::Prepared;
use renga_hal::memory::Access;

const VALID: u64 = 1 << 0;
const TABLE_OR_PAGE: u64 = 1 << 1;
const ATTRIBUTE_DEVICE: u64 = 1 << 2;
const USER: u64 = 1 << 6;
const READ_ONLY: u64 = 1 << 7;
const INNER_SHAREABLE: u64 = 3 << 8;
const ACCESSED: u64 = 1 << 10;
const NOT_GLOBAL: u64 = 1 << 11;
const KERNEL_NEVER_EXECUTES: u64 = 1 << 53;
const USER_NEVER_EXECUTES: u64 = 1 << 54;
const ADDRESS: u64 = 0x0000_ffff_ffff_f000;
/// In an invalid descriptor all other bits are ours: a page that its program may not touch.
const WITHHELD: u64 = 1 << 55;
/// The processor ignores this bit (D8.3: bits 55 to 58 are software's): the page is counted by a shared page table.
const SHARED_TABLES: u64 = 1 << SHARED_TABLES_SHIFT;
const SHARED_TABLES_SHIFT: u32 = 56;

const NORMAL: u64 = VALID | INNER_SHAREABLE | ACCESSED;
const NEVER_EXECUTED: u64 = KERNEL_NEVER_EXECUTES | USER_NEVER_EXECUTES;

/// An entry of a translation table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor(pub u64);

/// What the kernel does with a part of its own map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelUse {
    /// Code.
    Execute,
    /// Constants.
    Read,
    /// Everything else.
    ReadWrite,
}

impl Descriptor {
    /// Nothing.
    pub const EMPTY: Self = Self(0);

    /// A table of the next level.
    pub const fn table(physical: u64) -> Self {
        Self(physical | TABLE_OR_PAGE | VALID)
    }

    /// A page of a user program.
    pub const fn user_page(physical: u64, prepared: Prepared) -> Self {
        let rights = match prepared.access() {
            Access::None => return Self(physical | WITHHELD),
            Access::Read => READ_ONLY | USER_NEVER_EXECUTES,
            Access::ReadWrite => USER_NEVER_EXECUTES,
            Access::ReadExecute => READ_ONLY,
            Access::ReadWriteExecute => 0,
        };
        Self(physical | NORMAL | TABLE_OR_PAGE | USER | NOT_GLOBAL | KERNEL_NEVER_EXECUTES | rights)
    }

    /// A page of the kernel.
    pub const fn kernel_page(physical: u64, usage: KernelUse) -> Self {
        let rights = match usage {
            KernelUse::Execute => READ_ONLY | USER_NEVER_EXECUTES,
            KernelUse::Read => READ_ONLY | NEVER_EXECUTED,
            KernelUse::ReadWrite => NEVER_EXECUTED,
        };
        Self(physical | NORMAL | TABLE_OR_PAGE | rights)
    }

    /// 2 MiB of memory for the kernel to read and write.
    pub const fn memory_block(physical: u64) -> Self {
        Self(physical | NORMAL | NEVER_EXECUTED)
    }

    /// 2 MiB of device registers.
    pub const fn device_block(physical: u64) -> Self {
        Self(physical | VALID | ATTRIBUTE_DEVICE | ACCESSED | NEVER_EXECUTED)
    }

    /// Whether there is nothing.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the processor may have a copy of it.
    pub const fn is_valid(self) -> bool {
        self.0 & VALID != 0
    }

    /// Whether, above the lowest level, it is a table of the next one.
    pub const fn is_table(self) -> bool {
        self.0 & TABLE_OR_PAGE != 0
    }

    /// Whether the kernel may execute it.
    pub const fn kernel_executes(self) -> bool {
        self.0 & KERNEL_NEVER_EXECUTES == 0
    }

    /// Whether the kernel may write it.
    pub const fn kernel_writes(self) -> bool {
        self.0 & READ_ONLY == 0
    }

    /// Whether programs may use it.
    pub const fn is_programs(self) -> bool {
        self.0 & USER != 0
    }

    /// Whether a program may write the page.
    #[inline(always)]
    pub const fn program_writes(self) -> bool {
        self.0 & (VALID | READ_ONLY) == VALID
    }

    /// The physical address of the page, block or table.
    pub const fn physical(self) -> u64 {
        self.0 & ADDRESS
    }

    /// The same user page; what could be written can be read only.
    pub const fn without_writing(self) -> Self {
        if self.is_valid() { Self(self.0 | READ_ONLY) } else { self }
    }

    /// The same page, counted by a shared page table.
    pub const fn as_shared_tables(self) -> Self {
        Self(self.0 | SHARED_TABLES)
    }

    /// The same page, counted by itself.
    pub const fn as_its_own(self) -> Self {
        Self(self.0 & !SHARED_TABLES)
    }

    /// Counted as `other` is.
    pub const fn marked_as(self, other: Self) -> Self {
        Self(self.0 | other.0 & SHARED_TABLES)
    }

    /// All bits, or none for a page that a shared page table counts. Branch-free, since callers scan whole tables.
    pub const fn unless_shared_tables(self) -> u64 {
        self.0 & (self.0 >> SHARED_TABLES_SHIFT & 1).wrapping_sub(1)
    }

    /// Whether it is counted by a shared page table.
    pub const fn is_of_shared_table(self) -> bool {
        self.0 & SHARED_TABLES != 0
    }

    /// The access of a user page.
    pub const fn access(self) -> Access {
        if self.0 & VALID == 0 {
            Access::None
        } else {
            Access::from_flags(true, self.0 & READ_ONLY == 0, self.0 & USER_NEVER_EXECUTES == 0)
        }
    }
}
