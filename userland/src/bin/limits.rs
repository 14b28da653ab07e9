//! Takes as much of a resource as requested or as it gets, and prints how much that was: for tests of limits.
//!
//! `limits WHAT COUNT`: `files`, `pipes`, `children` (all at once), `memory` (MiB, touched), `areas` (mappings that do
//! not join), `poll` (descriptors at once), `stack` (KiB of calls); `limits bomb` makes children that do so, for ever.
//! It says `WHAT N`, and ` errno E` if it was refused more.
#![no_std]
#![no_main]

use core::hint::black_box;
use renga_userland::process::{exit_code, fork};
use renga_userland::syscall::{call, duplicate, exit, map_memory, open, pipe, plain, read, wait, write};
use renga_userland::text::{Decimal, complain, parse};
use renga_userland::{Errno, ProgramArguments, program};

program!(main);

const PAGE_BYTES: usize = 4096;
const MIB: usize = 1 << 20;
const MPROTECT: usize = 226;
const PPOLL: usize = 73;
const ENOMEM: Errno = Errno(12);
const POLLIN: u16 = 1;
/// Most descriptors that `poll` takes.
const POLLED_MAX: usize = 1024;

fn main(arguments: ProgramArguments) -> i32 {
    let what = arguments.get(1).map_or(&b""[..], |what| what.to_bytes());
    let count = arguments.get(2).and_then(|count| parse(count.to_bytes())).unwrap_or(0);
    let taken = match what {
        b"files" => take(count, || open(c"/etc/passwd", 0).map(drop)),
        b"pipes" => take(count, || pipe().map(drop)),
        b"children" => children(count),
        b"memory" => take(count, touch_a_mebibyte),
        b"areas" => areas(count),
        b"poll" => poll(count),
        b"stack" => (descend(count), None),
        b"bomb" => bomb(),
        _ => {
            complain(&[b"usage: limits files|pipes|children|memory|areas|poll|stack COUNT, or bomb\n"]);
            return 2;
        }
    };
    say(what, taken);
    0
}

/// How much there was, and why there was no more.
type RefusedAfter = (u32, Option<Errno>);

fn take(count: u32, mut one: impl FnMut() -> Result<(), Errno>) -> RefusedAfter {
    for taken in 0..count {
        if let Err(errno) = one() {
            return (taken, Some(errno));
        }
    }
    (count, None)
}

fn say(what: &[u8], (count, refused): RefusedAfter) {
    let _ = write(1, what);
    let _ = write(1, b" ");
    let _ = write(1, Decimal::new(count.into()).digits());
    if let Some(errno) = refused {
        let _ = write(1, b" errno ");
        let _ = write(1, Decimal::new(errno.0.into()).digits());
    }
    let _ = write(1, b"\n");
}

fn touch_a_mebibyte() -> Result<(), Errno> {
    let memory = map_memory(MIB)?;
    memory.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *byte = 1);
    Ok(())
}

/// All of them live at once, and end when the pipe that they read from ends.
fn children(count: u32) -> RefusedAfter {
    let Ok((from, to)) = pipe() else { return (0, None) };
    let taken = take(count, || match fork()? {
        0 => {
            let _ = plain(57, [to as isize, 0, 0]);
            let _ = read(from, &mut [0]);
            exit(0)
        }
        _ => Ok(()),
    });
    let _ = plain(57, [to as isize, 0, 0]);
    // Bounded by the number of children.
    let mut well = 0;
    while let Ok((_, status)) = wait(-1, 0) {
        well += u32::from(exit_code(status) == 0);
    }
    if well == taken.0 { taken } else { (well, Some(ENOMEM)) }
}

/// Pages of a mapping, alternately readable and writable: as many areas.
fn areas(count: u32) -> RefusedAfter {
    let Ok(memory) = map_memory(count as usize * PAGE_BYTES) else { return (0, Some(ENOMEM)) };
    let mut at = memory.as_mut_ptr() as isize;
    let mut access = 1;
    take(count, || {
        // SAFETY: a page of ours that nothing else refers to any more.
        unsafe { call(MPROTECT, [at, PAGE_BYTES as isize, access, 0, 0, 0]) }?;
        (at, access) = (at + PAGE_BYTES as isize, 4 - access);
        Ok(())
    })
}

/// One pipe's end under many numbers, all ready: how many are.
fn poll(count: u32) -> RefusedAfter {
    let mut entries = [0u64; POLLED_MAX];
    let Ok((from, to)) = pipe() else { return (0, None) };
    let _ = write(to, b"x");
    let count = (count as usize).min(POLLED_MAX);
    for (index, entry) in entries[..count].iter_mut().enumerate() {
        let number = index as i32;
        if number > to && duplicate(from, number).is_err() {
            return (index as u32, Some(Errno(24)));
        }
        let number = if number > to { number } else { from };
        *entry = u64::from(number as u32) | u64::from(POLLIN) << 32;
    }
    // SAFETY: the address is that of `count` entries of 8 bytes; no time limit, no mask.
    match unsafe { call(PPOLL, [entries.as_mut_ptr() as isize, count as isize, 0, 0, 8, 0]) } {
        Ok(ready) => (ready as u32, None),
        Err(errno) => (0, Some(errno)),
    }
}

/// Calls itself until its frames take so many KiB.
#[inline(never)]
fn descend(kib: u32) -> u32 {
    let frame = black_box([kib as u8; 1024]);
    if kib == 0 {
        return 0;
    }
    let deeper = descend(kib - 1);
    u32::from(frame[kib as usize % 1024] == kib as u8) + deeper
}

fn bomb() -> ! {
    loop {
        if fork().is_err() {
            // Full: it stays, and tries again.
            let _ = plain(124, [0, 0, 0]);
        }
    }
}
