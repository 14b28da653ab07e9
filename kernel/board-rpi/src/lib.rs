//! The boards: where their devices stand, and the drivers for those.
//!
//! Each driver owns its registers and nothing else, and implements a trait of `renga-hal` where there
//! is one. Datasheets: BCM2835 ARM Peripherals ("the datasheet"), BCM2836 QA7 (core-local interrupts),
//! Arm PL011 TRM, SD Physical Layer Simplified Specification 3.01.
//!
//! Not here: the processor (`renga-arch-aarch64`), the users of the devices (`renga-image`).
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod arguments;
pub mod boards;
pub mod bus_pins;
pub mod core_ipi;
pub mod emulator_link;
pub mod firmware_mailbox;
pub mod gic;
pub mod gpio;
pub mod interrupts;
pub mod mini_uart;
pub mod pl011;
pub mod power;
pub mod random;
pub mod sd_card;
pub mod sd_supply;
pub mod shared_lines;
pub mod spi_master;
pub mod spi_slave;

mod atags;
mod device_tree;
mod sd_host;
mod sd_transfer;

#[cfg(test)]
mod silicon;
