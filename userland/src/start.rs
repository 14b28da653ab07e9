//! The first instruction of a program, and what happens when it panics.

use crate::syscall;
use core::arch::naked_asm;
use core::panic::PanicInfo;

unsafe extern "Rust" {
    /// The program: `program!` defines it.
    fn renga_program(stack: *const usize) -> i32;
}

/// # Safety
/// Entered by the kernel only, with the stack as the AArch64 Linux ABI lays it out.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn _start() -> ! {
    naked_asm!("mov x29, xzr", "mov x30, xzr", "mov x0, sp", "b {enter}", enter = sym enter)
}

extern "C" fn enter(stack: *const usize) -> ! {
    // SAFETY: `stack` is the initial stack pointer, as `renga_program` wants it.
    syscall::exit(unsafe { renga_program(stack) })
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    let _ = syscall::write(2, b"program panicked\n");
    syscall::exit(101)
}

/// Makes `$main: fn(Arguments) -> i32` the program.
#[macro_export]
macro_rules! program {
    ($main:path) => {
        /// # Safety
        /// Called once, by the start-up code, with the initial stack pointer.
        #[unsafe(no_mangle)]
        unsafe extern "Rust" fn renga_program(stack: *const usize) -> i32 {
            // SAFETY: passed on from the kernel, unchanged.
            $main(unsafe { $crate::ProgramArguments::new(stack) })
        }
    };
}
