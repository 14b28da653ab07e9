//! The board's other cores, if its arguments ask for them (`cores=4`): each comes up with a stack, the vectors, a number
//! and a timer of its own, is woken by that once, and sleeps. None has processes yet (decision 0065).
//!
//! Invariant: what another core reads was written before it was fetched, and it writes [`UP`] alone.

use crate::hardware::{board, registers};
use crate::{fault, marks};
use core::sync::atomic::{AtomicU8, Ordering};
use renga_arch_aarch64::cores::{CORES_MAX, fetch};
use renga_arch_aarch64::cpu::ThisCore;
use renga_arch_aarch64::memory::KernelMap;
use renga_arch_aarch64::timer::GenericTimer;
use renga_board_rpi::boards::Controllers;
use renga_board_rpi::interrupts::enable_timer_of;
use renga_hal::timer::Timer;

/// So long cores may take to come, ns.
const COMING_NS: u64 = 100_000_000;
/// A core's first sleep, ns.
const FIRST_SLEEP_NS: u64 = 1_000_000;

/// The cores that are up, a bit each.
static UP: AtomicU8 = AtomicU8::new(1);

/// Fetches the cores below `count` and waits until their timers have woken them; the others sleep for ever.
///
/// # Safety
/// Once, by core 0, when the kernel's map and the board are known.
pub unsafe fn start(count: u32, timer: GenericTimer) {
    let count = match (u8::try_from(count), board().chip.controllers) {
        (Ok(1), _) => 1,
        (Ok(count @ 2..=CORES_MAX), Controllers::Legacy { .. }) => count,
        _ => fault::refuse(format_args!("{count} cores cannot be started on this board")),
    };
    ThisCore.keep_number(0);
    // SAFETY: once, by this function's own condition; `renga_core_main` uses the map and the board.
    unsafe { fetch(count) };
    let (wanted, end_ns) = ((1u8 << count) - 1, timer.now_ns() + COMING_NS);
    while UP.load(Ordering::Acquire) != wanted {
        if timer.now_ns() > end_ns {
            let up = UP.load(Ordering::Acquire).count_ones();
            fault::refuse(format_args!("of {count} cores {up} came up"));
        }
    }
    if count > 1 {
        marks::say(format_args!("{count} cores"));
        defmt::info!("{=u8} cores, each woken by its own timer", count);
    }
}

/// Where another core begins, on its own stack.
#[unsafe(no_mangle)]
extern "C" fn renga_core_main(core: u64) -> ! {
    // SAFETY: the first thing that this core does; core 0 installed the map before it fetched this one.
    unsafe { KernelMap::join() };
    ThisCore.keep_number(core as u8);
    if let Controllers::Legacy { local, .. } = board().chip.controllers {
        enable_timer_of(&mut registers(local), ThisCore.number());
    }
    let mut timer = GenericTimer::new();
    let wake_ns = timer.now_ns() + FIRST_SLEEP_NS;
    timer.set_alarm_ns(Some(wake_ns));
    while timer.now_ns() < wake_ns {
        ThisCore.wait_for_interrupt();
    }
    timer.set_alarm_ns(None);
    UP.fetch_or(1 << ThisCore.number(), Ordering::Release);
    loop {
        ThisCore.wait_for_interrupt();
    }
}
