//! Programs that start at once: children wait at a barrier, and execute when it opens.

use crate::{Outcome, say};
use renga_userland::ProgramArguments;
use renga_userland::process::{exit_code, fork};
use renga_userland::syscall::{close, execute, exit, now_ns, pipe, read, wait};

/// ENOEXEC: a program did not run, or not well.
const ENOEXEC: renga_userland::Errno = renga_userland::Errno(8);

/// Runs the program `count` times at once; says how many, and ns until all have ended.
pub fn raise(arguments: &ProgramArguments, count: u64) -> Outcome {
    let program = arguments.get(2).unwrap_or(c"");
    let (gate, key) = pipe().map_err(|errno| ("pipe", errno))?;
    for _ in 0..count {
        if fork().map_err(|errno| ("fork", errno))? == 0 {
            let _ = close(key);
            let _ = read(gate, &mut [0]);
            let list = [program.as_ptr().cast(), core::ptr::null()];
            execute(program, &list, arguments.environment());
            exit(127);
        }
    }
    // Time for all of them to come to the gate.
    crate::compute::rounds(200_000 * count);
    let begin_ns = now_ns();
    close(key).map_err(|errno| ("close", errno))?;
    for _ in 0..count {
        let (_, status) = wait(-1, 0).map_err(|errno| ("wait", errno))?;
        if exit_code(status) != 0 {
            return Err(("the program", ENOEXEC));
        }
    }
    say("storm", &[count, now_ns() - begin_ns]);
    Ok(())
}
