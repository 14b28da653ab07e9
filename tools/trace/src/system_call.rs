//! The names of system calls.

use syscalls::aarch64::Sysno;

/// The name of a system call, as Linux numbers it.
pub fn system_call_name(number: u32) -> String {
    let known = Sysno::new(number as usize);
    known.map_or_else(|| format!("call {number}"), |known| known.name().to_string())
}
