//! How far boot has come: a number on the console and on the board's light, so that a boot that dies says where.
//!
//! In the emulator the console is the programs' alone, and boot stages go to the log.

use crate::hardware;
use core::fmt::{Arguments, Write};
use core::sync::atomic::{AtomicU8, Ordering};
use renga_board_rpi::boards::Light;
use renga_hal::gpio::Function;

/// Stages of boot, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The serial lines work.
    Lines = 1,
    /// Memory is known.
    Memory = 2,
    /// The card has answered.
    Card = 3,
    /// All processes are there.
    Processes = 4,
}

static LAST: AtomicU8 = AtomicU8::new(0);

/// Notes that boot has come to `mark`; the light is on after odd ones.
pub fn mark(mark: Mark) {
    let number = mark as u8;
    LAST.store(number, Ordering::Relaxed);
    set_light(number % 2 == 1);
    say(format_args!("boot {number}"));
}

/// Prints for the person at a real board's console.
pub fn say(what: Arguments<'_>) {
    if !hardware::emulated() {
        let _ = write!(crate::fault::ConsoleText::open(), "renga: {what}\r\n");
    }
}

/// How far boot came.
pub fn last() -> u8 {
    LAST.load(Ordering::Relaxed)
}

/// Switches the board's own light.
pub fn set_light(on: bool) {
    match hardware::board().light {
        Light::Pin { pin, on_high } => {
            let mut pins = hardware::all_pins();
            if on == on_high {
                pins.set(1 << pin)
            } else {
                pins.clear(1 << pin)
            }
            pins.set_function(pin, Function::Output);
        }
        Light::Firmware(_) => {
            let _ = hardware::with_firmware(|firmware| firmware.set_light(on));
        }
    }
}
