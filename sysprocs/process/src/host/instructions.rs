//! The instructions that scripts are made of, as AArch64 encodes them (Arm ARM, DDI 0487, C4).

/// An instruction of a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instruction {
    /// `movz xd, #value, lsl #(16 * part)`.
    MoveWide { register: u8, value: u16, part: u8 },
    /// `movk xd, #value, lsl #(16 * part)`.
    MoveKeep { register: u8, value: u16, part: u8 },
    /// `mov xd, xm`.
    Move { to: u8, from: u8 },
    /// `add xd, xn, xm`.
    Add { to: u8, left: u8, right: u8 },
    /// `cmp xn, xm`, of which only "equal" is kept.
    Compare { left: u8, right: u8 },
    /// `ldr xt, [xn]`.
    Load { to: u8, address: u8 },
    /// `str xt, [xn]`.
    Store { from: u8, address: u8 },
    /// `b` by so many instructions.
    Branch { by: i32 },
    /// `b.eq` by so many instructions.
    BranchEqual { by: i32 },
    /// `cbz x0` by so many instructions.
    BranchZero { by: i32 },
    /// `cbnz x0` by so many instructions.
    BranchNotZero { by: i32 },
    /// `blr xn`.
    CallRegister { register: u8 },
    /// `ret`.
    Return,
    /// `svc #0`.
    SystemCall,
    /// `brk #0`.
    Breakpoint,
}

const MOVZ: u32 = 0xd280_0000;
const MOVK: u32 = 0xf280_0000;
const MOV: u32 = 0xaa00_03e0;
const ADD: u32 = 0x8b00_0000;
const CMP: u32 = 0xeb00_001f;
const LDR: u32 = 0xf940_0000;
const STR: u32 = 0xf900_0000;
const B: u32 = 0x1400_0000;
const B_EQ: u32 = 0x5400_0000;
const CBZ: u32 = 0xb400_0000;
const CBNZ: u32 = 0xb500_0000;
const BLR: u32 = 0xd63f_0000;
const RET: u32 = 0xd65f_03c0;
const SVC: u32 = 0xd400_0001;
const BRK: u32 = 0xd420_0000;
const OFFSET_19: u32 = 0x7_ffff;

impl Instruction {
    /// As the processor reads it.
    pub fn encode(self) -> u32 {
        let at = |register: u8, place: u32| u32::from(register) << place;
        let offset = |by: i32| (by as u32 & OFFSET_19) << 5;
        match self {
            Self::MoveWide { register, value, part } => {
                MOVZ | u32::from(part) << 21 | u32::from(value) << 5 | at(register, 0)
            }
            Self::MoveKeep { register, value, part } => {
                MOVK | u32::from(part) << 21 | u32::from(value) << 5 | at(register, 0)
            }
            Self::Move { to, from } => MOV | at(from, 16) | at(to, 0),
            Self::Add { to, left, right } => ADD | at(right, 16) | at(left, 5) | at(to, 0),
            Self::Compare { left, right } => CMP | at(right, 16) | at(left, 5),
            Self::Load { to, address } => LDR | at(address, 5) | at(to, 0),
            Self::Store { from, address } => STR | at(address, 5) | at(from, 0),
            Self::Branch { by } => B | by as u32 & 0x3ff_ffff,
            Self::BranchEqual { by } => B_EQ | offset(by),
            Self::BranchZero { by } => CBZ | offset(by),
            Self::BranchNotZero { by } => CBNZ | offset(by),
            Self::CallRegister { register } => BLR | at(register, 5),
            Self::Return => RET,
            Self::SystemCall => SVC,
            Self::Breakpoint => BRK,
        }
    }

    /// The instruction that `word` is, if it is one of these.
    pub fn decode(word: u32) -> Option<Self> {
        let register = |place: u32| (word >> place & 0x1f) as u8;
        let wide = |word: u32| ((word >> 5) as u16, (word >> 21 & 3) as u8);
        let by = ((word >> 5 & OFFSET_19) as i32) << 13 >> 13;
        Some(match word {
            RET => Self::Return,
            SVC => Self::SystemCall,
            BRK => Self::Breakpoint,
            _ if word & 0xff80_0000 == MOVZ => {
                let (value, part) = wide(word);
                Self::MoveWide { register: register(0), value, part }
            }
            _ if word & 0xff80_0000 == MOVK => {
                let (value, part) = wide(word);
                Self::MoveKeep { register: register(0), value, part }
            }
            _ if word & 0xffe0_ffe0 == MOV => Self::Move { to: register(0), from: register(16) },
            _ if word & 0xffe0_fc00 == ADD => Self::Add { to: register(0), left: register(5), right: register(16) },
            _ if word & 0xffe0_fc1f == CMP => Self::Compare { left: register(5), right: register(16) },
            _ if word & 0xffff_fc00 == LDR => Self::Load { to: register(0), address: register(5) },
            _ if word & 0xffff_fc00 == STR => Self::Store { from: register(0), address: register(5) },
            _ if word & 0xfc00_0000 == B => Self::Branch { by: (word as i32) << 6 >> 6 },
            _ if word & 0xff00_001f == B_EQ => Self::BranchEqual { by },
            _ if word & 0xff00_001f == CBZ => Self::BranchZero { by },
            _ if word & 0xff00_001f == CBNZ => Self::BranchNotZero { by },
            _ if word & 0xffff_fc1f == BLR => Self::CallRegister { register: register(5) },
            _ => return None,
        })
    }
}
