//! Pages that a program touches for the first time.

use crate::files::megabyte;
use crate::measurement::{Of, RoundTimes, UnixMeasurement};
use core::hint::black_box;
use renga_userland::ProgramArguments;
use renga_userland::syscall::{close, map_file, map_memory, now_ns, read, unmap_memory};

/// Memory, and a file that is cached.
pub const ALL: &[UnixMeasurement] = &[
    UnixMeasurement { name: "page-zero", take: anonymous },
    UnixMeasurement { name: "page-file", take: mapped },
    UnixMeasurement { name: "page-file-again", take: mapped_again },
];

const MEMORY_BYTES: usize = 4 << 20;
const FILE_BYTES: usize = 1 << 20;
const PAGE_BYTES: usize = 4096;

/// Writes to each page of fresh memory.
fn anonymous(_: &ProgramArguments) -> RoundTimes {
    let memory = map_memory(MEMORY_BYTES).of("mmap")?;
    let begin_ns = now_ns();
    memory.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *black_box(byte) = 1);
    let ns = now_ns() - begin_ns;
    unmap_memory(memory);
    Ok(((MEMORY_BYTES / PAGE_BYTES) as u64, ns))
}

/// Reads from each page of a mapped file that was read before, but not mapped.
fn mapped(_: &ProgramArguments) -> RoundTimes {
    let file = megabyte()?;
    let mut page = [0; PAGE_BYTES];
    while read(file, &mut page).of("read")? > 0 {}
    let taken = touch(file);
    close(file).of("close")?;
    taken
}

/// The same again, in a mapping of its own.
fn mapped_again(_: &ProgramArguments) -> RoundTimes {
    let file = megabyte()?;
    touch(file)?;
    let taken = touch(file);
    close(file).of("close")?;
    taken
}

fn touch(file: i32) -> RoundTimes {
    let content = map_file(file, FILE_BYTES).of("mmap")?;
    let begin_ns = now_ns();
    content.iter().step_by(PAGE_BYTES).for_each(|byte| {
        black_box(*black_box(byte));
    });
    Ok(((FILE_BYTES / PAGE_BYTES) as u64, now_ns() - begin_ns))
}
