//! What the kernel's tables allow it, and what a trial of the board's user memory comes to: to be compared with the
//! imitation on the host.

use crate::once::Once;
use core::fmt::Write;
use renga_arch_aarch64::memory::{FrameMemory, Survey};
use renga_hal::trial::{MemoryTrial, ROUNDS};

static DIGESTS: Once<[u64; ROUNDS + 1]> = Once::new();

/// Before any frame is in use.
pub fn try_out(memory: &FrameMemory) {
    DIGESTS.set(MemoryTrial::digests(memory));
}

/// The lines' form is what `renga bench rendezvous` reads.
pub fn say(out: &mut impl Write) {
    let kernel = Survey::of_kernel();
    let _ = write!(out, "bench kernel-rights = {} {} {}\r\n", kernel.executable, kernel.writable, kernel.both);
    let _ = write!(out, "bench kernel-shares = {} 0 0\r\n", kernel.of_programs);
    for (round, digest) in DIGESTS.get().into_iter().flatten().enumerate() {
        let _ = write!(out, "bench user-memory-{round} = {digest:x} 0 0\r\n");
    }
}
