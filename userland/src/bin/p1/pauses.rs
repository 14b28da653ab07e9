//! One byte after the other through a pipe; both ends compute between two of them.

use crate::{EINVAL, Outcome, compute, say};
use renga_userland::syscall::{now_ns, read, sleep, write};

/// Until the receiver waits, on whatever board and machine, ns: what is sent before then lies in the pipe, and is
/// received without the sender.
const READY_NS: u64 = 3_000_000_000;

/// Sends to standard output, once the receiver waits.
pub fn send(count: u64, pause_ns: u64) -> Outcome {
    let rounds = compute::rounds_in(pause_ns);
    sleep(READY_NS);
    for _ in 0..count {
        compute::rounds(rounds);
        write(1, &[1]).map_err(|errno| ("write", errno))?;
    }
    Ok(())
}

/// Receives from standard input; says the pause, the count, and ns from the first byte to the end of the last
/// computation.
pub fn receive(count: u64, pause_ns: u64) -> Outcome {
    let rounds = compute::rounds_in(pause_ns);
    let (mut byte, mut begin_ns) = ([0], 0);
    for place in 0..count {
        if read(0, &mut byte).map_err(|errno| ("read", errno))? == 0 {
            return Err(("reading all", EINVAL));
        }
        if place == 0 {
            begin_ns = now_ns();
        }
        compute::rounds(rounds);
    }
    say("received", &[pause_ns, count, now_ns() - begin_ns]);
    Ok(())
}
