//! A64 instructions, as far as the rules ask. Arm ARM (DDI 0487), chapter C4.

/// A 32-bit instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineInstruction(pub u32);

/// The register that reads as zero, or the stack pointer.
const ZERO: u32 = 31;

impl MachineInstruction {
    fn matches(self, mask: u32, value: u32) -> bool {
        self.0 & mask == value
    }
    fn field(self, low: u32, bits: u32) -> u32 {
        self.0 >> low & ((1 << bits) - 1)
    }

    /// A load, a store or a prefetch.
    pub fn is_memory(self) -> bool {
        self.matches(0x0a00_0000, 0x0800_0000)
    }
    /// A load or store of floating-point registers, or any calculation with them.
    pub fn is_floating(self) -> bool {
        self.is_memory() && self.matches(1 << 26, 1 << 26) || self.matches(0x0e00_0000, 0x0e00_0000)
    }
    /// A 64-bit multiplication that adds or subtracts a register.
    pub fn is_multiply_accumulate(self) -> bool {
        self.matches(0xff00_0000, 0x9b00_0000) && matches!(self.field(21, 3), 0 | 1 | 5) && self.field(10, 5) != ZERO
    }
    /// LDXR, STXR and their kin; also LDAR and STLR, which need no monitor.
    pub fn is_exclusive(self) -> bool {
        self.matches(0x3f80_0000, 0x0800_0000)
    }
    /// LDADD, SWP, CAS and their kin.
    pub fn is_large_system_atomic(self) -> bool {
        self.matches(0x3f20_0c00, 0x3820_0000) || self.matches(0x3fa0_7c00, 0x08a0_7c00)
    }
    /// DC ZVA.
    pub fn is_zero_by_line(self) -> bool {
        self.matches(0xffff_ffe0, 0xd50b_7420)
    }
    /// MSR TTBR0_EL1.
    pub fn writes_user_root(self) -> bool {
        self.matches(0xffff_ffe0, 0xd518_2000)
    }
    /// ISB.
    pub fn is_synchronisation(self) -> bool {
        self.matches(0xffff_f0ff, 0xd503_30df)
    }
    /// DSB.
    pub fn is_data_barrier(self) -> bool {
        self.matches(0xffff_f0ff, 0xd503_309f)
    }
    /// DSB ISH or DSB SY: of loads and stores, on all cores.
    pub fn is_barrier_of_all(self) -> bool {
        self.0 == 0xd503_3b9f || self.0 == 0xd503_3f9f
    }
    /// TLBI of EL1, but for VMALLE1 and VMALLE1IS, which forget all.
    pub fn forgets_translation(self) -> bool {
        self.matches(0xffff_f800, 0xd508_8000) && self.field(5, 3) != 0
    }
    /// Whether such a TLBI is for all cores of the inner shareable domain.
    pub fn is_broadcast(self) -> bool {
        self.field(8, 4) == 3
    }
    /// DC CVAU, of [`MachineInstruction::target`].
    pub fn cleans_code(self) -> bool {
        self.matches(0xffff_ffe0, 0xd50b_7b20)
    }
    /// DC CIVAC, DC CVAC, DC IVAC, of [`MachineInstruction::target`].
    pub fn cares_for_line(self) -> bool {
        [0xd50b_7e20, 0xd50b_7a20, 0xd508_7620].into_iter().any(|value| self.matches(0xffff_ffe0, value))
    }
    /// IC IALLUIS, IC IALLU, IC IVAU.
    pub fn forgets_instructions(self) -> bool {
        self.0 == 0xd508_711f || self.0 == 0xd508_751f || self.matches(0xffff_ffe0, 0xd50b_7520)
    }
    /// SEV.
    pub fn is_send_event(self) -> bool {
        self.0 == 0xd503_209f
    }
    /// A store of 64 bits to the address in register `base`.
    pub fn is_store_to(self, base: u32) -> bool {
        self.matches(0xffff_fc00, 0xf900_0000) && self.base() == base
    }
    /// BR.
    pub fn is_jump(self) -> bool {
        self.matches(0xffff_fc1f, 0xd61f_0000)
    }
    /// WFE.
    pub fn is_wait_for_event(self) -> bool {
        self.0 == 0xd503_205f
    }
    /// Bytes that it takes off the stack pointer: SUB (immediate) from SP, also where a loop then goes there by pages.
    pub fn stack_bytes(self) -> u64 {
        const STACK_POINTER: u32 = 31;
        if !self.matches(0xff80_0000, 0xd100_0000) || self.base() != STACK_POINTER {
            return 0;
        }
        u64::from(self.field(10, 12)) << (12 * self.field(22, 1))
    }
    /// BL or BLR.
    pub fn is_call(self) -> bool {
        self.matches(0xfc00_0000, 0x9400_0000) || self.matches(0xffff_fc1f, 0xd63f_0000)
    }
    /// B, B.cond, CBZ, TBZ, BR, RET, BL, BLR: whatever may leave the line.
    pub fn is_branch(self) -> bool {
        self.matches(0x7c00_0000, 0x1400_0000)
            || self.matches(0xfe00_0000, 0x5400_0000)
            || self.matches(0x7c00_0000, 0x3400_0000)
            || self.matches(0xfe00_0000, 0xd600_0000)
    }
    /// B, BR, RET: the next instruction does not follow it.
    pub fn leaves_the_line(self) -> bool {
        self.matches(0xfc00_0000, 0x1400_0000)
            || self.matches(0xffff_fc1f, 0xd61f_0000)
            || self.matches(0xffff_fc1f, 0xd65f_0000)
    }
    /// Where it branches, at `address`, if its target is in it: B, BL, B.cond, CBZ, TBZ.
    pub fn branches_to(self, address: u64) -> Option<u64> {
        let words = |low: u32, bits: u32| i64::from((self.field(low, bits) << (32 - bits)) as i32 >> (32 - bits));
        let words = match () {
            () if self.matches(0x7c00_0000, 0x1400_0000) => words(0, 26),
            () if self.matches(0xfe00_0000, 0x5400_0000) || self.matches(0x7e00_0000, 0x3400_0000) => words(5, 19),
            () if self.matches(0x7e00_0000, 0x3600_0000) => words(5, 14),
            () => return None,
        };
        Some(address.wrapping_add_signed(words * 4))
    }
    /// A load or store that is not of a literal and not of whole 64-bit words at an offset of such words: what
    /// early code may do with a base that is a multiple of 8.
    pub fn may_be_unaligned(self) -> bool {
        let literal = self.matches(0x3b00_0000, 0x1800_0000);
        let whole = self.matches(0xff80_0000, 0xf900_0000)
            || self.matches(0xff20_0c00, 0xf820_0800) && self.field(12, 1) == 1
            || self.matches(0xffa0_0c00, 0xf800_0400) && self.field(12, 3) == 0;
        self.is_memory() && !literal && !whole
    }
    /// ADRP.
    pub fn is_page_address(self) -> bool {
        self.matches(0x9f00_0000, 0x9000_0000)
    }
    /// A load or store with an unsigned offset from register `base`.
    pub fn is_offset_access_from(self, base: u32) -> bool {
        self.matches(0x3b00_0000, 0x3900_0000) && self.base() == base
    }
    /// The first register: the destination of ADRP, the data of a load or store.
    pub fn target(self) -> u32 {
        self.field(0, 5)
    }
    /// The register that an address is based on.
    pub fn base(self) -> u32 {
        self.field(5, 5)
    }
    /// Whether it loads a general register, and so overwrites [`MachineInstruction::target`].
    pub fn loads_target(self) -> bool {
        let single = self.matches(0x3a00_0000, 0x3800_0000) && self.field(22, 2) != 0;
        let pair = self.matches(0x3a00_0000, 0x2800_0000) && self.field(22, 1) == 1;
        let literal = self.matches(0x3b00_0000, 0x1800_0000);
        (single || pair || literal) && !self.is_floating()
    }
}
