//! The kernel's log: defmt frames on the second serial line, decoded on the host.
//!
//! Invariant: one frame at a time; the board has one core that logs and nothing interrupts the
//! kernel, so `acquire` never finds the line taken. Not here: what is logged.

use crate::once::Once;
use core::cell::RefCell;
use renga_arch_aarch64::mmio::Mmio;
use renga_board_rpi::mini_uart::MiniUart;
use renga_rt::ProcId;

struct Line {
    uart: MiniUart<Mmio>,
    encoder: defmt::Encoder,
}

static LINE: Once<RefCell<Line>> = Once::new();

/// Sends the log to `uart` from now on.
pub fn start(uart: MiniUart<Mmio>) {
    LINE.set(RefCell::new(Line { uart, encoder: defmt::Encoder::new() }));
}

fn with_line(use_line: impl FnOnce(&mut MiniUart<Mmio>, &mut defmt::Encoder)) {
    if let Some(line) = LINE.get()
        && let Ok(mut line) = line.try_borrow_mut()
    {
        let Line { uart, encoder } = &mut *line;
        use_line(uart, encoder);
    }
}

#[defmt::global_logger]
struct Logger;

// SAFETY: `acquire` to `release` is not interrupted: one core logs, with interrupts masked.
unsafe impl defmt::Logger for Logger {
    fn acquire() {
        with_line(|uart, encoder| encoder.start_frame(|bytes| uart.write(bytes)));
    }
    unsafe fn flush() {}
    unsafe fn release() {
        with_line(|uart, encoder| encoder.end_frame(|bytes| uart.write(bytes)));
    }
    unsafe fn write(bytes: &[u8]) {
        with_line(|uart, encoder| encoder.write(bytes, |bytes| uart.write(bytes)));
    }
}

defmt::timestamp!("{=u64:us}", crate::hardware::now_ns() / 1000);

/// Takes the log lines of system processes.
pub fn process_log(who: ProcId, text: &'static str, figures: [u64; 2]) {
    let kind = crate::directory::kind_name(who);
    defmt::info!("{=str} {=u16}: {=str} {=u64:#x} {=u64:#x}", kind, who.index, text, figures[0], figures[1]);
}
