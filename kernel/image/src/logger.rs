//! The kernel's log: defmt frames on the second serial line, decoded on the host.
//!
//! Invariant: one frame at a time, of the core that holds the line from `acquire` to `release`; nothing interrupts the
//! kernel meanwhile. Not here: what is logged.

use crate::once::Once;
use core::cell::RefCell;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use renga_arch_aarch64::cpu::ThisCore;
use renga_arch_aarch64::mmio::Mmio;
use renga_board_rpi::mini_uart::MiniUart;
use renga_rt::ProcId;

struct SerialLine {
    uart: MiniUart<Mmio>,
    encoder: defmt::Encoder,
}

/// Polls of the line until the log of a board that ends is given up: about a second, longer than a full buffer takes.
const FLUSH_TRIES_MAX: u32 = 4_000_000;

/// Polls of the lock until it is taken for lost: its holder panicked in the middle of a frame.
const HOLD_TRIES_MAX: u32 = 10_000_000;
/// No core has locked the line.
const NO_CORE: u8 = u8::MAX;

static MORE: AtomicBool = AtomicBool::new(false);
static LINE: Once<LockedLine> = Once::new();
/// The core that has the line.
static HOLDER: AtomicU8 = AtomicU8::new(NO_CORE);

/// The line, for the core that has locked it.
struct LockedLine(RefCell<SerialLine>);

// SAFETY: only `with_line` reaches it, on the core that is the holder.
unsafe impl Sync for LockedLine {}

/// Locks the line for this core; false if it had the lock already.
fn lock_line() -> bool {
    let own = ThisCore.number();
    if HOLDER.load(Ordering::Relaxed) == own {
        return false;
    }
    let take = |_| HOLDER.compare_exchange_weak(NO_CORE, own, Ordering::Acquire, Ordering::Relaxed).is_ok();
    (0..HOLD_TRIES_MAX).any(take)
}

/// Lets the line go, if this core has it.
fn unlock_line() {
    let _ = HOLDER.compare_exchange(ThisCore.number(), NO_CORE, Ordering::Release, Ordering::Relaxed);
}

/// Sends the log to `uart` from now on.
pub fn start(uart: MiniUart<Mmio>) {
    LINE.set(LockedLine(RefCell::new(SerialLine { uart, encoder: defmt::Encoder::new() })));
}

fn with_line(use_line: impl FnOnce(&mut MiniUart<Mmio>, &mut defmt::Encoder)) {
    if HOLDER.load(Ordering::Relaxed) == ThisCore.number()
        && let Some(line) = LINE.get()
        && let Ok(mut line) = line.0.try_borrow_mut()
    {
        let SerialLine { uart, encoder } = &mut *line;
        use_line(uart, encoder);
    }
}

/// Sends what the line has room for; whether something is left, for which the line will interrupt.
pub fn send() -> bool {
    let (mut more, taken) = (false, lock_line());
    with_line(|uart, _| more = uart.send());
    if taken {
        unlock_line();
    }
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

// SAFETY: from `acquire` to `release` this core holds the line, or writes nothing, with interrupts masked.
unsafe impl defmt::Logger for Logger {
    fn acquire() {
        lock_line();
        with_line(|uart, encoder| encoder.start_frame(|bytes| uart.write(bytes)));
    }
    unsafe fn flush() {}
    unsafe fn release() {
        with_line(|uart, encoder| encoder.end_frame(|bytes| uart.write(bytes)));
        send();
        unlock_line();
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
