//! Firmware that leaves a board as no emulator does: memory and registers full of garbage, interrupts and pin events
//! on, the image loaded where it was not linked.
//!
//! It boots in the kernel's place, with the kernel 4 KiB behind its start, and jumps there. Invariant: it leaves the
//! kernel alone, and the firmware's data for it (`x0`, the first 512 KiB, and 2 MiB from 128 MiB on). It knows the
//! devices of a BCM2837 only. Not here: the joining of the two (`tools/cluster/src/garbage.rs`).

#![no_std]
#![no_main]

core::arch::global_asm!(include_str!("garbage.S"));

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
