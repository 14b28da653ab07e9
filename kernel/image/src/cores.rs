//! The board's other cores, if its arguments ask for them (`cores=4`): each comes up with a stack, the vectors, a number,
//! a timer and a bell of its own, is woken by each of those once, and sleeps. None has processes yet (decision 0065).
//!
//! Invariant: what another core reads was written before it was fetched, and it writes [`UP`] and [`RUNG`] alone.

use crate::hardware::{board, registers};
use crate::{fault, marks};
use core::sync::atomic::{AtomicU8, Ordering};
use renga_arch_aarch64::cores::{CORES_MAX, fetch};
use renga_arch_aarch64::cpu::ThisCore;
use renga_arch_aarch64::memory::KernelMap;
use renga_arch_aarch64::mmio::Mmio;
use renga_arch_aarch64::timer::GenericTimer;
use renga_board_rpi::boards::Controllers;
use renga_board_rpi::core_bell::CoreBell;
use renga_board_rpi::interrupts::enable_timer_of;
use renga_hal::timer::Timer;

/// So long cores may take to come, and then to wake, ns.
const COMING_NS: u64 = 100_000_000;
/// A core's first sleep, ns.
const FIRST_SLEEP_NS: u64 = 1_000_000;

/// The cores that are up, a bit each.
static UP: AtomicU8 = AtomicU8::new(1);
/// Those that their bells have woken; nobody rings core 0.
static RUNG: AtomicU8 = AtomicU8::new(1);

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
    let wanted = (1u8 << count) - 1;
    wait_for(&UP, wanted, "came up", timer);
    (1..count).for_each(|core| bell_of(core).ring());
    wait_for(&RUNG, wanted, "were woken by their bells", timer);
    if count > 1 {
        marks::say(format_args!("{count} cores"));
        defmt::info!("{=u8} cores, each woken by its own timer and its bell", count);
    }
}

/// Waits until all of the `wanted` cores have done `what`.
fn wait_for(done: &AtomicU8, wanted: u8, what: &str, timer: GenericTimer) {
    let end_ns = timer.now_ns() + COMING_NS;
    while done.load(Ordering::Acquire) != wanted {
        if timer.now_ns() > end_ns {
            let done = done.load(Ordering::Acquire).count_ones();
            fault::refuse(format_args!("of {} cores {done} {what}", wanted.count_ones()));
        }
    }
}

/// The bell of another core, of a board that can have one.
fn bell_of(core: u8) -> CoreBell<Mmio> {
    match board().chip.controllers {
        Controllers::Legacy { local, .. } => CoreBell::new(registers(local), core),
        Controllers::Gic { .. } => fault::refuse(format_args!("this board's cores have no bells")),
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
    let mut bell = bell_of(ThisCore.number());
    bell.enable();
    UP.fetch_or(1 << ThisCore.number(), Ordering::Release);
    loop {
        ThisCore.wait_for_interrupt();
        if bell.is_rung() {
            bell.silence();
            RUNG.fetch_or(1 << ThisCore.number(), Ordering::Release);
        }
    }
}
