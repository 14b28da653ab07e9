//! CRC-32C by the processor's own instructions: eight bytes each.
//!
//! Invariant: as the tables of `renga-wire` give it; the boards' chips (Cortex-A53, Cortex-A72) have the instructions,
//! which [`is_there`] confirms. Not here: what is summed (`renga-wire`).

use crate::registers::read_register;

/// `ID_AA64ISAR0_EL1`: the field that says whether there are CRC instructions.
const CRC32_SHIFT: u32 = 16;
const FIELD: u64 = 0xf;

/// `instruction!(name, register form, sum, value)`: the sum behind `value`.
macro_rules! instruction {
    ($name:literal, $form:literal, $sum:expr, $value:expr) => {{
        let (mut sum, value): (u32, u64) = ($sum, u64::from($value));
        // SAFETY: it computes one register from two. A processor without it stops as undefined: see `is_there`.
        unsafe {
            core::arch::asm!(
                ".arch_extension crc",
                concat!($name, " {sum:w}, {sum:w}, {value:", $form, "}"),
                sum = inlateout(reg) sum,
                value = in(reg) value,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sum
    }};
}

/// Whether the processor has the instructions.
pub fn is_there() -> bool {
    read_register!("id_aa64isar0_el1") >> CRC32_SHIFT & FIELD != 0
}

/// CRC-32C of `bytes`.
#[inline]
pub fn crc32c(bytes: &[u8]) -> u32 {
    let (eights, rest) = bytes.as_chunks::<8>();
    let sum = eights.iter().fold(u32::MAX, |sum, eight| instruction!("crc32cx", "x", sum, u64::from_le_bytes(*eight)));
    let (fours, rest) = rest.as_chunks::<4>();
    let sum = fours.iter().fold(sum, |sum, four| instruction!("crc32cw", "w", sum, u32::from_le_bytes(*four)));
    !rest.iter().fold(sum, |sum, byte| instruction!("crc32cb", "w", sum, *byte))
}
