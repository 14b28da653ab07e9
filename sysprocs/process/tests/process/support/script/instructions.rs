//! The instructions that scripts are made of, as AArch64 encodes them (Arm ARM, DDI 0487, C4).

/// As many ones as a field has bits.
const fn ones(bits: u32) -> u32 {
    (1 << bits) - 1
}

/// The field of so many bits from `low` on, perhaps with a sign.
fn field(word: u32, low: u32, bits: u32, signed: bool) -> i32 {
    let unused = u32::BITS - bits;
    let top = word >> low << unused;
    if signed { top as i32 >> unused } else { (top >> unused) as i32 }
}

/// One line for each instruction: its fields, each with its lowest bit and how many it has, and all other bits.
macro_rules! instructions { (
    $($(#[$doc:meta])* $Name:ident { $($field:ident: $type:ty = $low:literal + $bits:literal),* } = $fixed:literal;)*
) => {
    /// An instruction of a script.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Instruction { $($(#[$doc])* $Name { $($field: $type),* },)* }

    impl Instruction {
        /// As the processor reads it.
        pub fn encode(self) -> u32 {
            match self { $(Self::$Name { $($field),* } => $fixed $(| ($field as u32 & ones($bits)) << $low)*,)* }
        }

        /// The instruction that `word` is, if it is one of these.
        pub fn decode(word: u32) -> Option<Self> {
            $(if word & !(0 $(| ones($bits) << $low)*) == $fixed {
                return Some(Self::$Name { $($field: field(word, $low, $bits, <$type>::MIN != 0) as $type),* });
            })*
            None
        }
    }
} }
instructions! {
    /// `movz xd, #value, lsl #(16 * part)`.
    MoveWide { register: u8 = 0 + 5, value: u16 = 5 + 16, part: u8 = 21 + 2 } = 0xd280_0000;
    /// `movk xd, #value, lsl #(16 * part)`.
    MoveKeep { register: u8 = 0 + 5, value: u16 = 5 + 16, part: u8 = 21 + 2 } = 0xf280_0000;
    /// `mov xd, xm`.
    Move { to: u8 = 0 + 5, from: u8 = 16 + 5 } = 0xaa00_03e0;
    /// `add xd, xn, xm`.
    Add { to: u8 = 0 + 5, left: u8 = 5 + 5, right: u8 = 16 + 5 } = 0x8b00_0000;
    /// `cmp xn, xm`, of which only "equal" is kept.
    Compare { left: u8 = 5 + 5, right: u8 = 16 + 5 } = 0xeb00_001f;
    /// `ldr xt, [xn]`.
    Load { to: u8 = 0 + 5, address: u8 = 5 + 5 } = 0xf940_0000;
    /// `str xt, [xn]`.
    Store { from: u8 = 0 + 5, address: u8 = 5 + 5 } = 0xf900_0000;
    /// `b` by so many instructions.
    Branch { by: i32 = 0 + 26 } = 0x1400_0000;
    /// `b.eq` by so many instructions.
    BranchEqual { by: i32 = 5 + 19 } = 0x5400_0000;
    /// `cbz x0` by so many instructions.
    BranchZero { by: i32 = 5 + 19 } = 0xb400_0000;
    /// `cbnz x0` by so many instructions.
    BranchNotZero { by: i32 = 5 + 19 } = 0xb500_0000;
    /// `blr xn`.
    CallRegister { register: u8 = 5 + 5 } = 0xd63f_0000;
    /// `ret`.
    Return {} = 0xd65f_03c0;
    /// `svc #0`.
    SystemCall {} = 0xd400_0001;
    /// `brk #0`.
    Breakpoint {} = 0xd420_0000;
}
