//! The board's pins in front of QEMU's own model of them, if the coordinator wires them to other boards'.
//!
//! QEMU's model gets what is written to the function words too, since it switches the SD card between its two hosts.
//!
//! Invariant: what a register shows and does is `renga_emu_device::pins`'s.

use crate::machine::{MachineDevice, Region, RegisterPage};
use crate::with_board;
use renga_emu_device::pins::BLOCK_BYTES;
use std::ffi::c_void;

/// Puts the pins over QEMU's at `address`, which are the result.
pub fn overlay(address: u64) -> Option<Region> {
    let own = MachineDevice::find(c"/machine/soc/peripherals/gpio", c"bcm2835_gpio")?.registers()?;
    let page = RegisterPage { read, write, argument: std::ptr::null_mut(), bytes_min: 4 };
    page.map(c"renga-pins", address, BLOCK_BYTES);
    Some(own)
}

extern "C" fn read(_: *mut c_void, offset: u64, _: u32) -> u64 {
    u64::from(with_board(|board| board.read_pins(offset)))
}

extern "C" fn write(_: *mut c_void, offset: u64, value: u64, _: u32) {
    with_board(|board| board.write_pins(offset, value as u32));
}
