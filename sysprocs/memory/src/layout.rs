//! Where things are in a user program's address space. There is no randomisation: runs repeat.
//!
//! From low to high: nothing below [`MAP_START`]; programs linked to fixed addresses (from 4 MiB on,
//! as the Debian ones are) with their break behind them; position-independent programs at
//! [`PROGRAM_BASE`] with their break behind them; the dynamic linker at [`INTERPRETER_BASE`];
//! mappings from [`MMAP_END`] downwards; a gap; the stack; the page that signal handlers return to.
//!
//! Not here: what is mapped where (`area.rs`).

use renga_hal::memory::{PAGE_BYTES, USER_END};

/// Bytes of a page, as addresses count.
pub const PAGE: u64 = PAGE_BYTES as u64;
/// Nothing is ever mapped below: null pointers with an offset fault.
pub const MAP_START: u64 = 0x1_0000;
/// Where position-independent programs are loaded.
pub const PROGRAM_BASE: u64 = 0x40_0000_0000;
/// Where the dynamic linker is loaded.
pub const INTERPRETER_BASE: u64 = 0x60_0000_0000;
/// The page with the instructions that a signal handler returns to, in every space.
pub const TRAMPOLINE: u64 = USER_END - 2 * PAGE;
/// End of the stack, and of all that a program may map or unmap.
pub const STACK_END: u64 = USER_END - 16 * PAGE;
/// Bytes that a stack may grow to, whatever its limit.
pub const STACK_BYTES_MAX: u64 = 64 << 20;
/// Bytes below the stack that stay free, so that an overflow faults.
pub const STACK_GAP_BYTES: u64 = 1 << 20;
/// Mappings whose place the program leaves open end here.
pub const MMAP_END: u64 = STACK_END - STACK_BYTES_MAX - STACK_GAP_BYTES;

/// `mov x8, #139; svc #0`: the system call `rt_sigreturn`.
pub const TRAMPOLINE_CODE: [u32; 2] = [0xd280_1168, 0xd400_0001];

/// The page that contains `address`.
pub const fn page_down(address: u64) -> u64 {
    address & !(PAGE - 1)
}

/// The end of the last page that contains a byte before `address`; none beyond 64 bits.
pub const fn page_up(address: u64) -> Option<u64> {
    match address.checked_add(PAGE - 1) {
        Some(end) => Some(page_down(end)),
        None => None,
    }
}
