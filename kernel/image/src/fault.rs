//! The end of a board after a fatal error: prints the place, the board's identity and what each process waited for.
//!
//! Invariant: the first thing that it does is to let go of the link's lines, which the other boards need; it waits for
//! nothing without a limit, and takes no data for whole that it can do without.

use crate::{boot_stage, directory, hardware};
use core::fmt::{self, Write};
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU8, Ordering};
use renga_arch_aarch64::cpu::ThisCore;
use renga_arch_aarch64::fault::KernelFault;
use renga_core::Wait;
use renga_hal::uart::Uart;

/// Exit status of a board that died.
pub const DEAD_STATUS: u32 = 70;
/// Tries for each byte on a line that may be stuck.
const TRIES_MAX: u32 = 100_000;

/// The console's line, taken from its owner: for last words, and for measurements.
pub struct ConsoleText(hardware::BoardUart);

impl ConsoleText {
    /// Takes the line.
    pub fn open() -> Self {
        ConsoleText(hardware::last_line())
    }
}

impl Write for ConsoleText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            let _ = (0..TRIES_MAX).any(|_| self.0.try_write(byte));
        }
        Ok(())
    }
}

/// No core.
const NO_CORE: u8 = u8::MAX;
/// Only the first core to die speaks, and ends the board; at once, if it faults while it speaks.
static DYING: AtomicU8 = AtomicU8::new(NO_CORE);

fn die(why: fmt::Arguments<'_>) -> ! {
    hardware::all_pins().release_link();
    let number = ThisCore.number();
    // In one operation: two cores may die at the same time.
    let first = DYING.compare_exchange(NO_CORE, number, Ordering::Relaxed, Ordering::Relaxed);
    if first.is_err_and(|first| first != number) {
        stand_still();
    }
    if first.is_ok() {
        let mut out = ConsoleText::open();
        let board = directory::own_board_name();
        let _ = write!(out, "\r\nboard {board}: {why}\r\n");
        if number > 0 {
            let _ = write!(out, "on core {number}\r\n");
        }
        boot_stage::set_light(true);
        if boot_stage::last() < boot_stage::Mark::Processes as u8 {
            let _ = write!(out, "boot came to {}\r\n", boot_stage::last());
        }
        let _ = write!(out, "board {board} at {} ns; processes that wait for another:\r\n", hardware::now_ns());
        for process in directory::own_processes() {
            if process.core().number() == number
                && matches!(process.wait(), Wait::Reply | Wait::ReplyElsewhere)
                && let Some(server) = process.waits_for()
            {
                let (who, whom) = (directory::kind_name(process.id()), directory::kind_name(server));
                let _ = write!(out, "  {who} {} waits for {whom} {server} (entry {})\r\n", process.id(), process.op());
            }
        }
        defmt::error!("board {=str} died: {}", board, defmt::Display2Format(&why));
    }
    end(DEAD_STATUS)
}

/// Ends the board with an exit status. A real board is reset after a failure, and halts after a stop.
pub fn end(status: u32) -> ! {
    hardware::all_pins().release_link();
    let (used, bytes) = renga_arch_aarch64::stack::use_bytes();
    defmt::info!("kernel stack: {=usize} of {=usize} bytes used", used, bytes);
    crate::logger::flush();
    match hardware::emulator_link() {
        Some(mut link) => link.exit(status),
        None if status == DEAD_STATUS => hardware::watchdog().reset(),
        None => {
            boot_stage::say(format_args!("stopped with status {status}"));
            hardware::watchdog().halt();
        }
    }
    stand_still()
}

/// Ends a board that is to start again as usual, with a message.
pub fn give_up(why: fmt::Arguments<'_>) -> ! {
    let _ = write!(ConsoleText::open(), "renga: {why}\r\n");
    defmt::warn!("{}", defmt::Display2Format(&why));
    end(DEAD_STATUS)
}

/// Resets the board, which starts from `partition`, once.
pub fn start_from(partition: u8) -> ! {
    hardware::all_pins().release_link();
    boot_stage::say(format_args!("reset, to start from partition {partition}"));
    crate::logger::flush();
    hardware::watchdog().reset_to(partition);
    stand_still()
}

/// Nothing more happens on this board.
pub fn stand_still() -> ! {
    loop {
        // SAFETY: waits; interrupts are masked, so nothing more happens on this board.
        unsafe { core::arch::asm!("wfi", options(nostack)) };
    }
}

/// Ends the board during boot, with a message for the person who started it.
pub fn refuse(why: fmt::Arguments<'_>) -> ! {
    let _ = write!(ConsoleText::open(), "renga: {why}\r\n");
    defmt::error!("board refused: {}", defmt::Display2Format(&why));
    end(DEAD_STATUS)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    match info.location() {
        Some(at) => die(format_args!("panic at {}:{}: {}", at.file(), at.line(), info.message())),
        None => die(format_args!("panic: {}", info.message())),
    }
}

#[unsafe(no_mangle)]
fn renga_kernel_fault(fault: KernelFault) -> ! {
    die(format_args!("the kernel faulted: {fault:x?}"))
}
