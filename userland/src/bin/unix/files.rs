//! Paths, files and the medium.

use crate::measurement::{FailedCall, Of, RoundTimes, UnixMeasurement, rounds, rounds_by};
use core::ffi::CStr;
use renga_userland::ProgramArguments;
use renga_userland::syscall::{
    close, make_directory, map_memory, now_ns, open, open_with_mode, plain, read, read_at, status, unlink,
    unmap_memory, used_ns, write,
};
use renga_userland::text::Decimal;

/// What is small first; at last what fills every cache.
pub const ALL: &[UnixMeasurement] = &[
    UnixMeasurement { name: "stat", take: |_| stat(TWO_NAMES) },
    UnixMeasurement { name: "stat-four", take: |_| stat(FOUR_NAMES) },
    UnixMeasurement { name: "open-close", take: |_| open_close(TWO_NAMES) },
    UnixMeasurement { name: "open-close-four", take: |_| open_close(FOUR_NAMES) },
    UnixMeasurement { name: "stat-longest", take: |_| stat_longest() },
    UnixMeasurement { name: "sync", take: |_| rounds(ROUNDS, |_| plain(SYNC, [0; 3]).of("sync").map(|_| ())) },
    UnixMeasurement { name: "pread-1", take: |_| read_blocks_at(1) },
    UnixMeasurement { name: "pread-4k", take: |_| read_blocks_at(4 << 10) },
    UnixMeasurement { name: "pread-64k", take: |_| read_blocks_at(64 << 10) },
    UnixMeasurement { name: "read-1m-by-1k", take: |_| read_megabyte(1 << 10) },
    UnixMeasurement { name: "read-1m-by-4k", take: |_| read_megabyte(4 << 10) },
    UnixMeasurement { name: "read-1m-by-64k", take: |_| read_megabyte(64 << 10) },
    UnixMeasurement { name: "create", take: create_many },
    UnixMeasurement { name: "stat-many", take: stat_many },
    UnixMeasurement { name: "unlink", take: unlink_many },
    UnixMeasurement { name: "write-fsync", take: |_| write_and_sync(now_ns) },
    UnixMeasurement { name: "fsync-used", take: |_| write_and_sync(used_ns) },
    UnixMeasurement { name: "read-16m-first", take: read_much_first },
    UnixMeasurement { name: "write-16m", take: write_much },
    UnixMeasurement { name: "read-16m-again", take: read_much_again },
];

const O_WRONLY: i32 = 1;
const O_CREAT: i32 = 0o100;
const O_TRUNC: i32 = 0o1000;
const NEW: i32 = O_WRONLY | O_CREAT | O_TRUNC;
const MODE: u32 = 0o644;
const AT_REMOVEDIR: i32 = 0x200;
const FSYNC: usize = 82;
const SYNC: usize = 81;
/// The longest run of `stat` calls.
const LONGEST_NS: u64 = 200_000_000;

/// Two names long, and four; on every disk.
const TWO_NAMES: &CStr = c"/etc/passwd";
const FOUR_NAMES: &CStr = c"/usr/lib/renga/nothing";
const MEGABYTE: &CStr = c"/tmp/unix-megabyte";
const MUCH: &CStr = c"/tmp/unix-much";
/// 16 MB without other readers; on the disk of a bench.
const UNREAD: &CStr = c"/bench/unread";
const MANY: &CStr = c"/tmp/unix-many";
const BLOCK_BYTES: usize = 64 << 10;
const MEGABYTE_BYTES: u64 = 1 << 20;
const MUCH_BYTES: u64 = 16 << 20;
const FILES: u64 = 1000;
const ROUNDS: u64 = 100;
const SYNC_ROUNDS: u64 = 10;

fn stat(path: &CStr) -> RoundTimes {
    rounds(ROUNDS, |_| status(path).of("stat").map(|_| ()))
}

/// The longest of many, beside whatever else runs.
fn stat_longest() -> RoundTimes {
    let (begin_ns, mut longest_ns) = (now_ns(), 0);
    let mut before_ns = begin_ns;
    while before_ns - begin_ns < LONGEST_NS {
        status(TWO_NAMES).of("stat")?;
        let after_ns = now_ns();
        longest_ns = longest_ns.max(after_ns - before_ns);
        before_ns = after_ns;
    }
    Ok((1, longest_ns))
}

fn open_close(path: &CStr) -> RoundTimes {
    rounds(ROUNDS, |_| close(open(path, 0).of("open")?).of("close"))
}

/// A file of 1 MB, created if missing, open for reading.
pub fn megabyte() -> Result<i32, FailedCall> {
    file_of(MEGABYTE, MEGABYTE_BYTES)
}

fn file_of(path: &CStr, bytes: u64) -> Result<i32, FailedCall> {
    // `struct stat` has the size in its seventh word.
    if status(path).is_ok_and(|facts| facts[6] == bytes) {
        return open(path, 0).of("open");
    }
    let file = open_with_mode(path, NEW, MODE).of("open")?;
    let block = map_memory(BLOCK_BYTES).of("mmap")?;
    block.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at / 7) as u8);
    for _ in 0..bytes / BLOCK_BYTES as u64 {
        write(file, block).of("write")?;
    }
    unmap_memory(block);
    close(file).of("close")?;
    open(path, 0).of("open")
}

/// Reads here and there in a file that is cached, into memory that is there.
fn read_blocks_at(bytes: usize) -> RoundTimes {
    /// Every seventh block, until all are read.
    const STRIDE: u64 = 7;
    let file = megabyte()?;
    let place = map_memory(BLOCK_BYTES).of("mmap")?;
    read_all(file, place)?;
    let blocks = MEGABYTE_BYTES / bytes as u64;
    let taken = rounds(ROUNDS, |round| {
        let offset = round * STRIDE % blocks * bytes as u64;
        read_at(file, &mut place[..bytes], offset).of("pread").map(|_| ())
    });
    unmap_memory(place);
    close(file).of("close")?;
    taken
}

/// Reads 1 MB that is cached from start to end; counts bytes.
fn read_megabyte(block_bytes: usize) -> RoundTimes {
    let first = megabyte()?;
    let place = map_memory(BLOCK_BYTES).of("mmap")?;
    read_all(first, place)?;
    let file = megabyte()?;
    let taken = read_all(file, &mut place[..block_bytes]);
    unmap_memory(place);
    close(first).of("close")?;
    close(file).of("close")?;
    taken
}

fn read_all(file: i32, place: &mut [u8]) -> RoundTimes {
    let (begin_ns, mut bytes) = (now_ns(), 0);
    loop {
        match read(file, place).of("read")? {
            0 => return Ok((bytes, now_ns() - begin_ns)),
            length => bytes += length as u64,
        }
    }
}

fn create_many(_: &ProgramArguments) -> RoundTimes {
    make_directory(MANY, 0o755).of("mkdir")?;
    each_of_many(|path| close(open_with_mode(path, NEW, MODE).of("open")?).of("close"))
}

fn stat_many(_: &ProgramArguments) -> RoundTimes {
    each_of_many(|path| status(path).of("stat").map(|_| ()))
}

fn unlink_many(_: &ProgramArguments) -> RoundTimes {
    let taken = each_of_many(|path| unlink(path, 0).of("unlink"));
    unlink(MANY, AT_REMOVEDIR).of("rmdir")?;
    taken
}

fn each_of_many(mut operation: impl FnMut(&CStr) -> Result<(), FailedCall>) -> RoundTimes {
    let begin_ns = now_ns();
    for number in 0..FILES {
        operation(NumberedPath::of(number).path())?;
    }
    Ok((FILES, now_ns() - begin_ns))
}

/// Adds a block to a file and waits for the medium, by `clock`.
fn write_and_sync(clock: fn() -> u64) -> RoundTimes {
    let file = open_with_mode(c"/tmp/unix-synced", NEW, MODE).of("open")?;
    let block = [1; 4096];
    let taken = rounds_by(clock, SYNC_ROUNDS, |_| {
        write(file, &block).of("write")?;
        plain(FSYNC, [file as isize, 0, 0]).of("fsync").map(|_| ())
    });
    close(file).of("close")?;
    unlink(c"/tmp/unix-synced", 0).of("unlink")?;
    taken
}

/// 16 MB to a new file; counts bytes.
fn write_much(_: &ProgramArguments) -> RoundTimes {
    let begin_ns = now_ns();
    let file = file_of(MUCH, MUCH_BYTES)?;
    let ns = now_ns() - begin_ns;
    close(file).of("close")?;
    Ok((MUCH_BYTES, ns))
}

/// As much that is in no cache yet, from start to end; counts bytes.
fn read_much_first(_: &ProgramArguments) -> RoundTimes {
    let place = map_memory(BLOCK_BYTES).of("mmap")?;
    let file = open(UNREAD, 0).of("open")?;
    let taken = read_all(file, place);
    unmap_memory(place);
    close(file).of("close")?;
    taken
}

/// The file of `write_much` from start to end, for the second time; counts bytes.
fn read_much_again(_: &ProgramArguments) -> RoundTimes {
    let place = map_memory(BLOCK_BYTES).of("mmap")?;
    let first = file_of(MUCH, MUCH_BYTES)?;
    read_all(first, place)?;
    close(first).of("close")?;
    let file = file_of(MUCH, MUCH_BYTES)?;
    let taken = read_all(file, place);
    unmap_memory(place);
    close(file).of("close")?;
    unlink(MUCH, 0).of("unlink")?;
    taken
}

/// The path of one of many files.
struct NumberedPath([u8; 40]);

impl NumberedPath {
    fn of(number: u64) -> NumberedPath {
        let mut bytes = [0; 40];
        let (folder, number) = (MANY.to_bytes(), Decimal::new(number));
        let digits = number.digits();
        bytes[..folder.len()].copy_from_slice(folder);
        bytes[folder.len()] = b'/';
        bytes[folder.len() + 1..folder.len() + 1 + digits.len()].copy_from_slice(digits);
        NumberedPath(bytes)
    }

    fn path(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"")
    }
}
