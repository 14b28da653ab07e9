//! The AArch64 processor: boot, exceptions, translation, user mode, the generic timer.
//!
//! Address map: user programs below 2^39 (TTBR0); all physical memory and devices, and with them the
//! kernel image, from [`physical::LINEAR_BASE`] on (TTBR1); devices that lie too high for that, below it.
//!
//! Invariants: the kernel runs at EL1 with all exceptions masked, on one stack a core, and has no
//! user address in sight; nothing that the kernel may write is executable.
//!
//! Not here: what stands at which address (`renga-board-rpi`), which of this runs when (`renga-image`).
#![no_std]

mod registers;

pub mod boot;
pub mod cores;
pub mod cpu;
pub mod crc;
pub mod fault;
pub mod memory;
pub mod mmio;
pub mod physical;
pub mod shared;
pub mod stack;
pub mod timer;
pub mod user_mode;
