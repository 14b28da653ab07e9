//! The host of the board's card in front of QEMU's, if the card is to be slow.
//!
//! Invariant: what a register shows is `renga_emu_device::slow_card`'s; QEMU's host does the rest.

use crate::machine::{MachineDevice, Region, RegisterPage};
use crate::with_board;
use renga_emu_device::slow_card::BLOCK_BYTES;
use std::ffi::c_void;

/// Puts it over QEMU's at `address`, which is the result.
pub fn overlay(address: u64) -> Option<Region> {
    let own = MachineDevice::find(c"/machine/soc/peripherals/sdhci", c"generic-sdhci")?.registers()?;
    let page = RegisterPage { read, write, argument: std::ptr::null_mut(), bytes_min: 4 };
    page.map(c"renga-card", address, BLOCK_BYTES);
    Some(own)
}

extern "C" fn read(_: *mut c_void, offset: u64, _: u32) -> u64 {
    u64::from(with_board(|board| board.read_card(offset)))
}

extern "C" fn write(_: *mut c_void, offset: u64, value: u64, _: u32) {
    with_board(|board| board.write_card(offset, value as u32));
}
