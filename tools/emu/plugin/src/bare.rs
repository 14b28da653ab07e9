//! A board that is offered no device of the emulator's: the block that resets it is as on silicon, and nothing is where
//! the emulator's page would be.
//!
//! Invariant: an access to that page ends the run, so that a run to its end shows that none happened.

use crate::machine::RegisterPage;
use crate::{fail, with_board};
use renga_emu_device::machine::MachineFacts;
use renga_emu_device::{power_block, registers};
use std::ffi::c_void;

/// Puts both where a board of these facts has them.
pub fn map(facts: &MachineFacts) {
    let page = |read, write| RegisterPage { read, write, argument: std::ptr::null_mut(), bytes_min: 4 };
    page(read_nothing, write_nothing).map(c"renga-nothing", facts.page, registers::PAGE_BYTES);
    page(read_power, write_power).map(c"renga-power", facts.power, power_block::BLOCK_BYTES);
}

fn touched(offset: u64) -> ! {
    fail(&format!("the board touched the emulator's device, which it has not, at {offset:#x}"))
}

extern "C" fn read_nothing(_: *mut c_void, offset: u64, _: u32) -> u64 {
    touched(offset)
}

extern "C" fn write_nothing(_: *mut c_void, offset: u64, _: u64, _: u32) {
    touched(offset)
}

extern "C" fn read_power(_: *mut c_void, offset: u64, _: u32) -> u64 {
    u64::from(with_board(|board| board.read_power(offset)))
}

extern "C" fn write_power(_: *mut c_void, offset: u64, value: u64, _: u32) {
    with_board(|board| board.write_power(offset, value as u32));
}
