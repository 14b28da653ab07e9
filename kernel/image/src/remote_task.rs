//! The slice of a program whose home is another core.
//!
//! Not here: its order among this core's own programs, when the core checks for other work (its loop).

use renga_arch_aarch64::user_mode::enter_remote_task;
use renga_core::Core;
use renga_core::remote_run_queue::RemoteTask;
use renga_rt::user::Exit;

/// Runs a remote task on `core`, whose own programs' floating-point state is in no register, from `begin_ns`, which is
/// now, until its trap, or an interrupt, when `now_ns` is called. The alarm is set for the end of its slice.
#[inline]
pub fn run(core: &Core, mut remote_task: RemoteTask, begin_ns: u64, now_ns: impl FnOnce() -> u64) -> Exit {
    let space = remote_task.space();
    // SAFETY: its home has computed the word, and the process there keeps the space until the slice returns.
    let exit = unsafe { enter_remote_task(remote_task.context(), space) };
    let end_ns = now_ns();
    core.stamp(end_ns);
    remote_task.ran(core, end_ns - begin_ns, exit);
    exit
}
