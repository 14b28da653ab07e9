//! What the hardware does, as traits and plain data.
//!
//! The kernel image chooses the drivers that implement these traits; a user of a device sees the trait only, so that
//! the same code runs on a board, on a host imitation and in the simulator. Every trait is usable as a trait object.
//!
//! Not here: what a register does (`renga-board-rpi`), any instruction (`renga-arch-aarch64`), and the state of
//! a user program (`renga_abi::user`).
#![no_std]
#![forbid(unsafe_code)]

pub mod block;
pub mod boot_record;
mod frame;
pub mod gpio;
pub mod irq;
pub mod link;
pub mod memory;
pub mod power;
pub mod registers;
pub mod shared;
pub mod shared_tables;
pub mod spi;
pub mod start_card;
pub mod timer;
pub mod trial;
pub mod uart;
