//! Uses files and memory together with others, by shared mappings: for tests.
//!
//! `sharing alternate map|file FILE ME COUNT`: adds one to the first word of FILE whenever it is even (ME 0) or odd (ME
//! 1), until it is COUNT; by a mapping, or by reading and writing. `sharing memory COUNT`: the same between parent and
//! child, in memory without a file. `sharing store FILE OFFSET`: stores a word by a mapping and `msync`s it.
//! `sharing end FILE`: cuts the file that it maps and uses what was cut. `sharing self FILE`: reads and writes a file
//! from and to its own mapping. `sharing errors FILE`: what `mmap` and its like refuse. `sharing spin FILE ME COUNT`:
//! as `alternate map`, without yielding the processor while it waits; ME 0 says how long two stores took.
//! `sharing add FILE COUNT`: adds one to the second word COUNT times, by exclusive loads and stores.
//! `sharing sequence write|read FILE COUNT`: writes each number up to COUNT to one page after the other; or sees that
//! no page is ever behind one that was read before it and comes after it. `sharing keep FILE`: stores again and again.
//! `sharing apart FILE BOARD COUNT`: alternates with a child on that board, by a mapping that was made before.
#![no_std]
#![no_main]

use core::ffi::CStr;
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};
use renga_userland::cluster::fork_on;
use renga_userland::process::{exit_code, fork};
use renga_userland::syscall::{
    exit, map_as, map_shared, now_ns, open, open_with_mode, plain, read_at, transfer_mapped, wait, write, write_at,
};
use renga_userland::text::{Decimal, complain, parse};
use renga_userland::{Errno, ProgramArguments, program};

program!(main);

const PAGE_BYTES: usize = 4096;
const SEQUENCE_PAGES: usize = 4;
const O_RDWR: i32 = 2;
const O_WRONLY: i32 = 1;
const O_CREAT: i32 = 0o100;
const FTRUNCATE: usize = 46;
const SCHED_YIELD: usize = 124;
const MPROTECT: usize = 226;
const MSYNC: usize = 227;
const MLOCK: usize = 228;
const MS_SYNC: isize = 4;
const READ: isize = 1;
const WRITE: isize = 2;
const SHARED: isize = 1;
const PRIVATE: isize = 2;
const ANONYMOUS: isize = 0x20;

fn main(arguments: ProgramArguments) -> i32 {
    let text = |index| arguments.get(index).unwrap_or(c"");
    let number = |index| parse(text(index).to_bytes()).unwrap_or(0);
    let done = match text(1).to_bytes() {
        b"alternate" => alternate_by(text(2).to_bytes() == b"map", text(3), number(4), number(5)),
        b"memory" => memory(number(2)),
        b"store" => store(text(2), number(3)),
        b"end" => end(text(2)),
        b"self" => with_itself(text(2)),
        b"errors" => errors(text(2)),
        b"spin" => spin(text(2), number(3), number(4)),
        b"add" => add(text(2), number(3)),
        b"sequence" => sequence(text(2).to_bytes() == b"write", text(3), number(4)),
        b"keep" => keep(text(2)),
        b"apart" => apart(text(2), number(3), number(4)),
        _ => {
            complain(&[b"usage: sharing alternate|memory|store|end|self|errors|spin|add|sequence|keep|apart ...\n"]);
            return 2;
        }
    };
    match done {
        Ok(()) => 0,
        Err(errno) => {
            say(&[b"errno ", Decimal::new(errno.0.into()).digits(), b"\n"]);
            1
        }
    }
}

fn say(parts: &[&[u8]]) {
    for part in parts {
        let _ = write(1, part);
    }
}

/// The file, of a page at least.
fn file(path: &CStr) -> Result<i32, Errno> {
    let file = open_with_mode(path, O_RDWR | O_CREAT, 0o644)?;
    let mut last = [0];
    if read_at(file, &mut last, PAGE_BYTES as u64 - 1)? == 0 {
        plain(FTRUNCATE, [file as isize, PAGE_BYTES as isize, 0])?;
    }
    Ok(file)
}

fn alternate_by(by_mapping: bool, path: &CStr, me: u32, count: u32) -> Result<(), Errno> {
    let file = file(path)?;
    if by_mapping {
        return alternate(&map_shared(file, PAGE_BYTES)?[0], me, count);
    }
    let mut word = [0; 4];
    loop {
        read_at(file, &mut word, 0)?;
        let now = u32::from_le_bytes(word);
        match now {
            now if now >= count => return Ok(()),
            now if now % 2 == me => drop(write_at(file, &(now + 1).to_le_bytes(), 0)?),
            _ => drop(plain(SCHED_YIELD, [0; 3])),
        }
    }
}

fn alternate(word: &AtomicU32, me: u32, count: u32) -> Result<(), Errno> {
    loop {
        match word.load(SeqCst) {
            now if now >= count => return Ok(()),
            now if now % 2 == me => word.store(now + 1, SeqCst),
            _ => drop(plain(SCHED_YIELD, [0; 3])),
        }
    }
}

fn spin(path: &CStr, me: u32, count: u32) -> Result<(), Errno> {
    let word = &map_shared(file(path)?, PAGE_BYTES)?[0];
    let (mut first, mut stores) = (0, 0);
    loop {
        match word.load(SeqCst) {
            now if now >= count => break,
            now if now % 2 == me => {
                word.store(now + 1, SeqCst);
                // The first is of a program whose partner is still to be started.
                stores += 1;
                if stores == 2 {
                    first = now_ns();
                }
            }
            _ => {}
        }
    }
    if me == 0 && stores > 2 {
        say(&[b"two stores took ", Decimal::new((now_ns() - first) / (stores - 2) / 1000).digits(), b" us\n"]);
    }
    Ok(())
}

fn add(path: &CStr, count: u32) -> Result<(), Errno> {
    let word = &map_shared(file(path)?, PAGE_BYTES)?[1];
    (0..count).for_each(|_| drop(word.fetch_add(1, SeqCst)));
    Ok(())
}

fn sequence(writes: bool, path: &CStr, count: u32) -> Result<(), Errno> {
    let file = file(path)?;
    if writes {
        plain(FTRUNCATE, [file as isize, (SEQUENCE_PAGES * PAGE_BYTES) as isize, 0])?;
    }
    let mut last = [0];
    while read_at(file, &mut last, (SEQUENCE_PAGES * PAGE_BYTES) as u64 - 1)? == 0 {}
    let words = map_shared(file, SEQUENCE_PAGES * PAGE_BYTES)?;
    let word = |page: usize| &words[page * PAGE_BYTES / 4 + 2];
    if writes {
        (1..=count).for_each(|number| (0..SEQUENCE_PAGES).for_each(|page| word(page).store(number, SeqCst)));
        return Ok(());
    }
    let (mut least, mut passes) = (0, 0);
    while least < count {
        least = word(SEQUENCE_PAGES - 1).load(SeqCst);
        passes += 1;
        let mut before = least;
        for page in (0..SEQUENCE_PAGES - 1).rev() {
            let now = word(page).load(SeqCst);
            if now < before {
                say(&[b"page ", Decimal::new(page as u64).digits(), b" is old\n"]);
                return Ok(());
            }
            before = now;
        }
    }
    say(&[b"in order", if passes > 1 { b"\n" } else { b", in one pass\n" }]);
    Ok(())
}

fn keep(path: &CStr) -> Result<(), Errno> {
    let word = &map_shared(file(path)?, PAGE_BYTES)?[0];
    loop {
        word.store(1, SeqCst);
        plain(SCHED_YIELD, [0; 3])?;
    }
}

fn apart(path: &CStr, board: u32, count: u32) -> Result<(), Errno> {
    let words = map_shared(file(path)?, PAGE_BYTES)?;
    if fork_on(board)? == 0 {
        exit(i32::from(alternate(&words[0], 1, count).is_err()));
    }
    alternate(&words[0], 0, count)?;
    let (_, status) = wait(-1, 0)?;
    say(&[b"apart ", Decimal::new(words[0].load(SeqCst).into()).digits()]);
    say(&[b" child ", Decimal::new(exit_code(status) as u64).digits(), b"\n"]);
    Ok(())
}

fn memory(count: u32) -> Result<(), Errno> {
    let words = map_shared(-1, 2 * PAGE_BYTES)?;
    let word = &words[PAGE_BYTES / 4];
    if fork()? == 0 {
        exit(i32::from(alternate(word, 1, count).is_err()));
    }
    alternate(word, 0, count)?;
    let (_, status) = wait(-1, 0)?;
    say(&[b"memory ", Decimal::new(word.load(SeqCst).into()).digits()]);
    say(&[b" child ", Decimal::new(exit_code(status) as u64).digits(), b"\n"]);
    Ok(())
}

fn store(path: &CStr, offset: u32) -> Result<(), Errno> {
    let words = map_shared(file(path)?, PAGE_BYTES)?;
    words[offset as usize / 4].store(0x6567_6e61, SeqCst);
    plain(MSYNC, [words.as_ptr() as isize, PAGE_BYTES as isize, MS_SYNC])?;
    say(&[b"stored\n"]);
    Ok(())
}

fn end(path: &CStr) -> Result<(), Errno> {
    let file = file(path)?;
    plain(FTRUNCATE, [file as isize, 2 * PAGE_BYTES as isize, 0])?;
    let words = map_shared(file, 2 * PAGE_BYTES)?;
    words[PAGE_BYTES / 4].store(1, SeqCst);
    words[1].store(1, SeqCst);
    plain(FTRUNCATE, [file as isize, 4, 0])?;
    say(&[b"first ", Decimal::new(words[0].load(SeqCst).into()).digits()]);
    say(&[b" behind the end ", Decimal::new(words[1].load(SeqCst).into()).digits(), b"\n"]);
    words[PAGE_BYTES / 4].store(2, SeqCst);
    say(&[b"what was cut is there\n"]);
    Ok(())
}

fn with_itself(path: &CStr) -> Result<(), Errno> {
    let file = file(path)?;
    let words = map_shared(file, PAGE_BYTES)?;
    words[0].store(7, SeqCst);
    // The page is source and target at once.
    for writes in [false, true, false] {
        let moved = transfer_mapped(writes, file, &words[..64], 8)?;
        say(&[Decimal::new(moved as u64).digits(), b" "]);
    }
    say(&[Decimal::new(words[2].load(SeqCst).into()).digits(), b"\n"]);
    Ok(())
}

fn errors(path: &CStr) -> Result<(), Errno> {
    let (both, reads, writes) = (file(path)?, open(path, 0)?, open(path, O_WRONLY)?);
    let null = open(c"/dev/null", O_RDWR)?;
    let folder = open(c"/", 0)?;
    let map = |access, kind, file, offset| map_as(PAGE_BYTES, access, kind, file, offset);
    print_error(b"no file", map(READ, SHARED, 99, 0));
    print_error(b"no kind", map(READ, 0, both, 0));
    print_error(b"no length", map_as(0, READ, SHARED, both, 0));
    print_error(b"no page", map(READ, SHARED, both, 1));
    print_error(b"not writable", map(READ | WRITE, SHARED, reads, 0));
    print_error(b"not readable", map(READ, PRIVATE, writes, 0));
    print_error(b"no mapping", map(READ, SHARED, null, 0));
    print_error(b"a directory", map(READ, SHARED, folder, 0));
    let at = map(READ, SHARED, reads, 0)? as isize;
    let page = PAGE_BYTES as isize;
    print_error(b"mprotect", plain(MPROTECT, [at, page, READ | WRITE]));
    print_error(b"msync", plain(MSYNC, [at + 1, page, MS_SYNC]));
    print_error(b"msync", plain(MSYNC, [at, page, 5]));
    print_error(b"msync", plain(MSYNC, [0x10_0000, page, MS_SYNC]));
    print_error(b"mlock", plain(MLOCK, [0x10_0000, page, 0]));
    print_error(b"mlock", plain(MLOCK, [at + 1, 1, 0]));
    print_error(b"memory", map(READ | WRITE, SHARED | ANONYMOUS, -1, 0).map(|_| 0));
    Ok(())
}

fn print_error(what: &[u8], result: Result<usize, Errno>) {
    let errno = result.err().map_or(0, |errno| errno.0);
    say(&[what, b" ", Decimal::new(errno.into()).digits(), b"\n"]);
}
