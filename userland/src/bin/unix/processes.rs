//! Making programs.

use crate::measurement::{FailedCall, Of, RoundTimes, UnixMeasurement, rounds};
use core::ffi::CStr;
use renga_userland::ProgramArguments;
use renga_userland::process::{exit_code, fork};
use renga_userland::syscall::{execute, exit, map_memory, unmap_memory, wait};

/// From a small program, from one with much memory, and whole programs.
pub const ALL: &[UnixMeasurement] = &[
    UnixMeasurement { name: "fork", take: fork_small },
    UnixMeasurement { name: "fork-8m", take: fork_large },
    UnixMeasurement { name: "spawn-tiny", take: spawn_tiny },
    UnixMeasurement { name: "spawn-cat", take: spawn_cat },
];

const ROUNDS: u64 = 20;
const LARGE_BYTES: usize = 8 << 20;
const PAGE_BYTES: usize = 4096;

fn fork_small(_: &ProgramArguments) -> RoundTimes {
    rounds(ROUNDS, |_| fork_and_wait())
}

/// Of a program that has written to 8 MB.
fn fork_large(_: &ProgramArguments) -> RoundTimes {
    let memory = map_memory(LARGE_BYTES).of("mmap")?;
    memory.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *byte = 1);
    let taken = rounds(ROUNDS, |_| fork_and_wait());
    unmap_memory(memory);
    taken
}

fn fork_and_wait() -> Result<(), FailedCall> {
    let child = fork().of("fork")?;
    if child == 0 {
        exit(0);
    }
    wait(child as i32, 0).of("wait").map(|_| ())
}

fn spawn_tiny(arguments: &ProgramArguments) -> RoundTimes {
    spawn(c"/usr/lib/renga/nothing", &[c"nothing"], arguments)
}

/// Busybox, statically linked with the C library; it finds an empty file.
fn spawn_cat(arguments: &ProgramArguments) -> RoundTimes {
    spawn(c"/bin/cat", &[c"cat", c"/dev/null"], arguments)
}

/// Fork, exec in the child, and wait for its end.
fn spawn(path: &CStr, words: &[&CStr], arguments: &ProgramArguments) -> RoundTimes {
    let mut list = [core::ptr::null(); 3];
    for (place, word) in list.iter_mut().zip(words) {
        *place = word.as_ptr().cast();
    }
    rounds(ROUNDS, |_| {
        let child = fork().of("fork")?;
        if child == 0 {
            execute(path, &list, arguments.environment());
            exit(127);
        }
        let (_, status) = wait(child as i32, 0).of("wait")?;
        let ended = exit_code(status);
        // ENOEXEC: it did not run, or not well.
        if ended == 0 { Ok(()) } else { Err(FailedCall { what: "exec", errno: renga_userland::Errno(8) }) }
    })
}
