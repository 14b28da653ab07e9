//! The turn of a program whose home is another core.
//!
//! Not here: whether it goes before this core's own programs (`Core::guest`), when the core looks at what else there is (its loop).

use renga_arch_aarch64::user_mode::enter_guest;
use renga_core::Core;
use renga_core::seat::Guest;
use renga_rt::user::Exit;

/// Runs a guest of `core`, whose own programs' floating-point state is in no register, until its trap, or an interrupt. `now_ns` is called
/// before and after; the alarm is set for the end of its turn.
pub fn run(core: &Core, mut guest: Guest, now_ns: impl Fn() -> u64) -> Exit {
    let (begin_ns, space) = (now_ns(), guest.space());
    // SAFETY: its home has made the word, and the process there keeps the space until the turn is back.
    let exit = unsafe { enter_guest(guest.context(), space) };
    let end_ns = now_ns();
    core.stamp(end_ns);
    guest.ran(core, end_ns - begin_ns, exit);
    exit
}
