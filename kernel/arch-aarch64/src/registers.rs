//! Reading and writing system registers by name.

/// The value of a system register that can be read without side effects.
macro_rules! read_register {
    ($name:literal) => {{
        let value: u64;
        // SAFETY: the registers named in this crate have no side effect when read at EL1.
        unsafe { core::arch::asm!(concat!("mrs {}, ", $name), out(reg) value, options(nomem, nostack, preserves_flags)) };
        value
    }};
}

/// Writes a system register. The caller's `unsafe` block says why the value is right.
macro_rules! write_register {
    ($name:literal, $value:expr) => {
        core::arch::asm!(concat!("msr ", $name, ", {}"), in(reg) $value, options(nostack, preserves_flags))
    };
}

pub(crate) use {read_register, write_register};
