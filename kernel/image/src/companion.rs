//! The endless loop of a core that is not the programs' home: its system processes, then the turn of a program that the home has sent,
//! then sleep. It has no devices.
//!
//! Invariant: it looks for letters before each dispatch, and runs a program or sleeps only when none is there and nobody is
//! ready; alarms are looked at whenever it is idle and at least every `DISPATCHES_PER_LOOK` dispatches. Not here: the home
//! (`executor.rs`), whose turn it is (`renga_core::seat`).

use renga_arch_aarch64::cpu::ThisCore;
use renga_arch_aarch64::timer::GenericTimer;
use renga_arch_aarch64::user_mode::enter_guest;
use renga_core::Core;
use renga_core::probe;
use renga_core::seat::Guest;
use renga_hal::timer::Timer;
use renga_rt::user::Exit;

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
        match core.guest() {
            Some(guest) => run_guest(core, guest, &mut timer),
            None => sleep(core, &mut timer),
        }
    }
}

fn sleep(core: &'static Core, timer: &mut GenericTimer) {
    if core.leave() {
        probe::idle();
        timer.set_alarm_ns(core.next_alarm_ns());
        ThisCore.wait_for_interrupt();
        core.stamp(timer.now_ns());
    }
    core.look_again();
}

/// Runs a program of the home until its trap, an interrupt or the end of its turn.
fn run_guest(core: &'static Core, mut guest: Guest, timer: &mut GenericTimer) {
    if guest.is_over() {
        return guest.go_back(core, Exit::Interrupt);
    }
    if core.leave() {
        let begin_ns = timer.now_ns();
        let end_ns = begin_ns + guest.left_ns();
        timer.set_alarm_ns(Some(core.next_alarm_ns().map_or(end_ns, |alarm_ns| alarm_ns.min(end_ns))));
        let space = guest.space();
        // SAFETY: the home has made the word, and the process there keeps the space until the turn is back.
        let exit = unsafe { enter_guest(guest.context(), space) };
        let now_ns = timer.now_ns();
        core.stamp(now_ns);
        guest.ran(core, now_ns - begin_ns, exit);
    }
    core.look_again();
}
