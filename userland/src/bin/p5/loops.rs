//! The same computation on several cores at once.

use crate::Outcome;
use crate::children::BarrierWords;
use crate::computation::compute;
use crate::line::OutputLine;
use core::sync::atomic::Ordering;
use renga_userland::Errno;
use renga_userland::syscall::{now_ns, wait};

/// More cores than a board has.
const CORES_MAX: usize = 8;
const ECHILD: Errno = Errno(10);

/// A process on each of the `cores`; says `loop CORE NS` for each.
pub fn run(instructions: u32, cores: impl Iterator<Item = u32>) -> Outcome {
    let shared = BarrierWords::make()?;
    let (mut placed, mut count) = ([0; CORES_MAX], 0);
    for core in cores.take(CORES_MAX) {
        let place = count;
        shared.start(core, || {
            shared.arrive();
            shared.pass();
            let begin_ns = now_ns();
            compute(instructions);
            shared.word(place).store((now_ns() - begin_ns) as u32, Ordering::SeqCst);
            Ok(())
        })?;
        placed[count] = core;
        count += 1;
    }
    shared.await_all(count as u32);
    shared.open();
    for _ in 0..count {
        match wait(-1, 0) {
            Ok((_, 0)) => {}
            Ok(_) => return Err(("a process", ECHILD)),
            Err(errno) => return Err(("wait", errno)),
        }
    }
    for (place, core) in placed.iter().take(count).enumerate() {
        let taken_ns = shared.word(place).load(Ordering::SeqCst);
        OutputLine::new(b"loop").number(u64::from(*core)).number(u64::from(taken_ns)).say();
    }
    Ok(())
}
