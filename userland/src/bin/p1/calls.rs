//! Single system calls for a trace: each behind a mark (`getppid`, twice), with computation before and after, so that
//! whatever a call leaves to others is over before the next.
//!
//! The folder has `hit`, `miss0` to `miss4`, and the programs `tiny0` to `tiny4`, which end at once with status 0.

use crate::{Outcome, compute};
use core::ffi::CStr;
use renga_userland::process::fork;
use renga_userland::syscall::{close, execute, exit, open, plain, read, wait, write};
use renga_userland::{Errno, ProgramArguments};

/// Of each kind of call.
const CALLS: usize = 5;
/// The size of a read and of a write.
const PIECE_BYTES: usize = 512;
/// Computation between two calls, rounds: some milliseconds of a board of today.
const APART: u64 = 1_000_000;
const MISSES: [&CStr; CALLS] = [c"miss0", c"miss1", c"miss2", c"miss3", c"miss4"];
const PROGRAMS: [&CStr; CALLS] = [c"tiny0", c"tiny1", c"tiny2", c"tiny3", c"tiny4"];
const GETPPID: usize = 173;
const CHDIR: usize = 49;
const O_RDWR: i32 = 2;

fn mark() {
    compute::rounds(APART);
    let _ = plain(GETPPID, [0; 3]);
    let _ = plain(GETPPID, [0; 3]);
}

fn of<T>(what: &'static str, result: Result<T, Errno>) -> Result<T, (&'static str, Errno)> {
    // Nothing else may come between a call and its end.
    compute::rounds(APART);
    result.map_err(|errno| (what, errno))
}

/// Makes them: reads that hit, reads that miss, writes, opens, closes, execs.
pub fn make(arguments: &ProgramArguments) -> Outcome {
    let folder = arguments.get(2).unwrap_or(c".");
    of("chdir", plain(CHDIR, [folder.as_ptr() as isize, 0, 0]))?;
    let mut piece = [0; PIECE_BYTES];
    let file = of("open", open(c"hit", 0))?;
    of("read", read(file, &mut piece))?;
    for _ in 0..CALLS {
        mark();
        of("read", read(file, &mut piece))?;
    }
    for name in MISSES {
        let file = of("open", open(name, 0))?;
        mark();
        of("read", read(file, &mut piece))?;
    }
    let file = of("open to write", open(c"hit", O_RDWR))?;
    of("write", write(file, &piece))?;
    for _ in 0..CALLS {
        mark();
        of("write", write(file, &piece))?;
    }
    let mut files = [0; CALLS];
    for file in &mut files {
        mark();
        *file = of("open", open(c"hit", 0))?;
    }
    for file in files {
        mark();
        of("close", close(file))?;
    }
    for program in PROGRAMS {
        let child = of("fork", fork())?;
        if child == 0 {
            mark();
            let list = [program.as_ptr().cast(), core::ptr::null()];
            execute(program, &list, arguments.environment());
            exit(127);
        }
        of("wait", wait(child as i32, 0))?;
    }
    Ok(())
}
