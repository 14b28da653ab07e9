//! What the board writes to its UARTs, taken at the data register itself, so that each byte has its instant.
//!
//! QEMU's own UART gets the byte too: its interrupts and flags stay its own, and its output goes nowhere.

use crate::machine::{self, MachineDevice, Region, RegisterPage};
use crate::with_board;
use renga_emu_device::BoardRecord;
use std::ffi::{CStr, c_void};

struct Tap {
    uart: Region,
    /// Of the data register in the UART's region.
    offset: u64,
    record: fn(u64, u8) -> BoardRecord,
}

/// Takes over the data register of the console, a PL011 at `address`.
pub fn tap_console(address: u64) -> Option<()> {
    tap(c"/machine/soc/peripherals/uart0", c"pl011", address, 0, |time_ns, byte| BoardRecord::Console { time_ns, byte })
}

/// Takes over the data register of the log, of the auxiliary peripherals at `address`.
pub fn tap_log(address: u64) -> Option<()> {
    const DATA: u64 = 0x40;
    tap(c"/machine/unattached/aux", c"bcm2835-aux", address, DATA, |time_ns, byte| BoardRecord::Log { time_ns, byte })
}

fn tap(path: &CStr, type_name: &CStr, address: u64, offset: u64, record: fn(u64, u8) -> BoardRecord) -> Option<()> {
    let uart = MachineDevice::find(path, type_name)?.registers()?;
    let tap: *mut Tap = Box::leak(Box::new(Tap { uart, offset, record }));
    RegisterPage { read, write, argument: tap.cast(), bytes_min: 1 }.map(c"renga-uart", address + offset, 4);
    Some(())
}

extern "C" fn read(tap: *mut c_void, offset: u64, bytes: u32) -> u64 {
    // SAFETY: `tap` above passed a leaked `Tap`, which no code writes to.
    let tap = unsafe { &*tap.cast::<Tap>() };
    tap.uart.read(tap.offset + offset, bytes)
}

extern "C" fn write(tap: *mut c_void, offset: u64, value: u64, bytes: u32) {
    // SAFETY: as in `read`.
    let tap = unsafe { &*tap.cast::<Tap>() };
    if offset == 0 {
        with_board(|board| board.record((tap.record)(machine::now_ns(), value as u8)));
    }
    tap.uart.write(tap.offset + offset, value, bytes);
}
