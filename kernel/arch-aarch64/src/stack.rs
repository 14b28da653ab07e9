//! How deep the kernel's stack has been: boot fills it with a word, and what is not that word any more was used.
//!
//! Invariant: only reads. A depth that was reached without writing there is not seen; compiled code writes at least the
//! return address of each function that calls another. Not here: what a single function may take (the check of the
//! image).

use renga_hal::memory::PAGE_BYTES;

/// The fill of an unused stack (`boot.S`): no address, and no likely count.
const UNUSED: u64 = 0xa5a5_5a5a_c3c3_3c3c;

core::arch::global_asm!(".global STACK_UNUSED", ".equ STACK_UNUSED, {}", const UNUSED);

/// Bytes of the stack that were used at any time since boot, and bytes that it has.
pub fn use_bytes() -> (usize, usize) {
    unsafe extern "C" {
        static __stack_guard: u8;
        static __stack_top: u8;
    }
    let bottom = (&raw const __stack_guard).addr() + PAGE_BYTES;
    let bytes = (&raw const __stack_top).addr() - bottom;
    let is_unused = |place: &usize| {
        // SAFETY: a word of the kernel's stack, which is mapped and lives for ever; volatile, since functions that have
        // returned wrote it.
        unsafe { core::ptr::with_exposed_provenance::<u64>(bottom + place * 8).read_volatile() == UNUSED }
    };
    let unused = (0..bytes / 8).take_while(is_unused).count();
    (bytes - unused * 8, bytes)
}
