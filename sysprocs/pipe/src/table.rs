//! The table of pipe processes.
//!
//! Invariant: a number is given out at most once until it comes back.

use renga_proto::slots::{PipeTable, PipeTableCall};
use renga_rt::{Errno, Never, Port};

/// Pipes that a board may have; the placement check holds it.
const PIPES_MAX: usize = 64;

/// Serves the numbers below `pipes`.
pub async fn pipe_table(mut port: Port<PipeTable>, pipes: usize) -> Never {
    let mut taken = [false; PIPES_MAX];
    let pipes = pipes.min(PIPES_MAX);
    loop {
        match port.accept().await {
            PipeTableCall::TakePipe(call) => {
                let free = taken[..pipes].iter().position(|taken| !taken);
                if let Some(number) = free {
                    taken[number] = true;
                }
                call.reply(free.map(|number| number as u16).ok_or(Errno::ENFILE));
            }
            PipeTableCall::FreePipe(call) => {
                let number = usize::from(call.entry().pipe);
                let held = number < pipes && core::mem::replace(&mut taken[number], false);
                call.reply(if held { Ok(()) } else { Err(Errno::EINVAL) });
            }
        }
    }
}
