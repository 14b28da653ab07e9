//! The kernel's log: defmt frames on the second serial line, decoded on the host.
//!
//! Invariant: one frame at a time; the board has one core that logs and nothing interrupts the
//! kernel, so `acquire` never finds the line taken. Not here: what is logged.

use crate::once::Once;
use core::cell::RefCell;
use core::sync::atomic::{AtomicBool, Ordering};
use renga_arch_aarch64::mmio::Mmio;
use renga_board_rpi::mini_uart::MiniUart;
use renga_rt::ProcId;

struct Line {
    uart: MiniUart<Mmio>,
    encoder: defmt::Encoder,
}

/// Looks at the line until the log of a board that ends is given up: about a second, longer than a full buffer takes.
const FLUSH_TRIES_MAX: u32 = 4_000_000;

static MORE: AtomicBool = AtomicBool::new(false);
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

/// Sends what the line has room for; whether something is left, for which the line will interrupt.
pub fn send() -> bool {
    let mut more = false;
    with_line(|uart, _| more = uart.send());
    MORE.store(more, Ordering::Relaxed);
    more
}

/// Whether something waits to be sent.
pub fn has_more() -> bool {
    MORE.load(Ordering::Relaxed)
}

/// Sends what is left: a board that ends has nothing else to do.
pub fn flush() {
    let _ = (0..FLUSH_TRIES_MAX).any(|_| !send());
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
        send();
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
