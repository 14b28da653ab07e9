//! The endless loop of a core that is not the first: its system processes, then sleep. It has no devices and no programs.
//!
//! Invariant: it looks for letters before each dispatch, and sleeps only when none is there and nobody is ready; alarms
//! are looked at whenever it is idle and at least every `DISPATCHES_PER_LOOK` dispatches. Not here: the first core
//! (`executor.rs`).

use renga_arch_aarch64::cpu::ThisCore;
use renga_arch_aarch64::timer::GenericTimer;
use renga_core::Core;
use renga_hal::timer::Timer;

/// Dispatches between two looks at the alarms.
const DISPATCHES_PER_LOOK: u32 = 32;

/// Runs `core`, for ever.
pub fn run(core: &'static Core, mut timer: GenericTimer) -> ! {
    core.stamp(timer.now_ns());
    loop {
        for _ in 0..DISPATCHES_PER_LOOK {
            core.take_letters();
            if !core.dispatch_by(|| timer.now_ns()) {
                break;
            }
        }
        core.expire_alarms(timer.now_ns());
        if core.has_ready() {
            continue;
        }
        if core.leave() {
            timer.set_alarm_ns(core.next_alarm_ns());
            ThisCore.wait_for_interrupt();
            core.stamp(timer.now_ns());
        }
        core.look_again();
    }
}
