//! Making the processor see changed tables, and fetch what was stored.
//!
//! Everything is broadcast to the inner shareable domain: other cores need no call of their own.

use crate::registers::{read_register, write_register};
use renga_hal::memory::{PAGE_BYTES, PageBytes};

/// Shift of an address-space number in TTBR0 and in TLB operations.
pub const ID_SHIFT: u32 = 48;

unsafe extern "C" {
    fn renga_clear_page(page: *mut PageBytes);
}

/// Fills a page with zeros, a cache line at a time.
///
/// # Safety
/// A whole page of normal memory, at its address in the linear map, with no other user.
pub unsafe fn clear_page(page: *mut PageBytes) {
    // SAFETY: as promised; Rust code runs with translation and caches on.
    unsafe { renga_clear_page(page) };
}

/// Makes new entries visible to table walks (the return to user level does the rest).
pub fn publish_tables() {
    // SAFETY: a barrier.
    unsafe { core::arch::asm!("dsb ishst", options(nostack, preserves_flags)) };
}

/// Makes the processor forget the page at `va` of space `id`, after its entry was changed.
pub fn forget_page(id: u16, va: u64) {
    let operand = u64::from(id) << ID_SHIFT | va >> 12;
    // SAFETY: forgets cached translations only.
    unsafe {
        core::arch::asm!("dsb ishst", "tlbi vale1is, {}", "dsb ish", in(reg) operand, options(nostack, preserves_flags));
    }
}

/// Makes the processor forget all pages of space `id`.
pub fn forget_space(id: u16) {
    let operand = u64::from(id) << ID_SHIFT;
    // SAFETY: forgets cached translations only.
    unsafe {
        core::arch::asm!("dsb ishst", "tlbi aside1is, {}", "dsb ish", "isb", in(reg) operand, options(nostack, preserves_flags));
    }
}

/// Makes instruction fetches see what was stored in the page at kernel address `page`. The instruction
/// cache is dropped whole: it may be indexed by the address of another mapping.
pub fn synchronise_instructions(page: usize) {
    let line_bytes = 4usize << (read_register!("ctr_el0") >> 16 & 0xf);
    for line in (page..page + PAGE_BYTES).step_by(line_bytes) {
        // SAFETY: cleans a line that is in the linear map to the point of unification.
        unsafe { core::arch::asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: drops copies of instructions only.
    unsafe { core::arch::asm!("dsb ish", "ic ialluis", "dsb ish", "isb", options(nostack, preserves_flags)) };
}

/// Makes a user space active: from the next return to user level on, or from [`synchronise_context`].
///
/// # Safety
/// `base` is the root of well-formed tables that show user pages only, with its number.
#[inline]
pub unsafe fn activate_space(base: u64) {
    // SAFETY: the kernel runs from the other half of the address space, which this does not change.
    unsafe { write_register!("ttbr0_el1", base) };
}

/// Makes changes of control registers effective.
#[inline]
pub fn synchronise_context() {
    // SAFETY: a barrier.
    unsafe { core::arch::asm!("isb", options(nostack, preserves_flags)) };
}
