//! An exception that the kernel itself caused: always a bug, and the end of the board.

use crate::registers::read_register;

/// What is known of the exception.
#[derive(Clone, Copy, Debug)]
pub struct KernelFault {
    /// Which vector was taken: 0 to 15 in the order of the vector table.
    pub vector: u64,
    /// ESR_EL1.
    pub syndrome: u64,
    /// Where it happened (ELR_EL1).
    pub pc: u64,
    /// The address touched (FAR_EL1), when the syndrome says that there is one.
    pub address: u64,
    /// The stack pointer at the time: in the guard page after an overflow.
    pub sp: u64,
    /// The link register at the time.
    pub link: u64,
}

unsafe extern "Rust" {
    /// Provided by the image: says what happened and ends the board. It runs on the emergency stack,
    /// and must not take for granted that any kernel data is whole.
    safe fn renga_kernel_fault(fault: KernelFault) -> !;
}

/// Called by the vectors on the emergency stack.
#[unsafe(no_mangle)]
extern "C" fn renga_arch_fault(vector: u64, sp: u64, link: u64) -> ! {
    renga_kernel_fault(KernelFault {
        vector,
        syndrome: read_register!("esr_el1"),
        pc: read_register!("elr_el1"),
        address: read_register!("far_el1"),
        sp,
        link,
    })
}
