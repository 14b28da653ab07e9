//! One name among few and among many.
//!
//! A directory's names are all links of one file, so that the disk needs no inode for each. The names looked up were
//! created long before and not used since: more than any cache of names keeps. Not here: files of their own
//! (`files.rs`).

use crate::measurement::{Of, RoundTimes, UnixMeasurement};
use core::ffi::CStr;
use renga_userland::Errno;
use renga_userland::syscall::{close, link, make_directory, now_ns, open_with_mode, status, unlink};
use renga_userland::text::Decimal;

/// For each size, in this order: the first makes the directory, the last removes it.
pub const ALL: &[UnixMeasurement] = &[
    UnixMeasurement { name: "fill-10", take: |_| fill(10) },
    UnixMeasurement { name: "find-10", take: |_| find(10) },
    UnixMeasurement { name: "miss-10", take: |_| miss(10) },
    UnixMeasurement { name: "make-10", take: |_| make(10) },
    UnixMeasurement { name: "drop-10", take: |_| drop(10) },
    UnixMeasurement { name: "clear-10", take: |_| clear(10) },
    UnixMeasurement { name: "fill-10000", take: |_| fill(10_000) },
    UnixMeasurement { name: "find-10000", take: |_| find(10_000) },
    UnixMeasurement { name: "miss-10000", take: |_| miss(10_000) },
    UnixMeasurement { name: "make-10000", take: |_| make(10_000) },
    UnixMeasurement { name: "drop-10000", take: |_| drop(10_000) },
    UnixMeasurement { name: "clear-10000", take: |_| clear(10_000) },
];

const FOLDER: &CStr = c"/tmp/unix-names";
/// Names that are measured.
const ASKED: u64 = 10;
/// Behind all numbers of names that are there.
const NEW: u64 = 20_000;
const O_WRONLY_CREAT: i32 = 0o101;
const AT_REMOVEDIR: i32 = 0x200;

fn each(numbers: impl Iterator<Item = u64>, operation: impl Fn(&CStr) -> Result<(), Errno>) -> RoundTimes {
    let (begin_ns, mut count) = (now_ns(), 0);
    for number in numbers {
        operation(NamePath::of(number).path()).of("a name")?;
        count += 1;
    }
    Ok((count, now_ns() - begin_ns))
}

fn fill(names: u64) -> RoundTimes {
    make_directory(FOLDER, 0o755).of("mkdir")?;
    let first = NamePath::of(0);
    close(open_with_mode(first.path(), O_WRONLY_CREAT, 0o644).of("open")?).of("close")?;
    each(1..names, |path| link(first.path(), path))
}

/// The first names, which the others have driven out of caches of names if there are many.
fn find(_: u64) -> RoundTimes {
    each(0..ASKED, |path| status(path).map(|_| ()))
}

fn miss(_: u64) -> RoundTimes {
    let missing = |path: &CStr| if status(path) == Err(Errno(2)) { Ok(()) } else { Err(Errno(17)) };
    each(NEW..NEW + ASKED, missing)
}

fn make(_: u64) -> RoundTimes {
    let first = NamePath::of(0);
    each(2 * NEW..2 * NEW + ASKED, |path| link(first.path(), path))
}

fn drop(_: u64) -> RoundTimes {
    each(2 * NEW..2 * NEW + ASKED, |path| unlink(path, 0))
}

fn clear(names: u64) -> RoundTimes {
    let taken = each(0..names, |path| unlink(path, 0));
    unlink(FOLDER, AT_REMOVEDIR).of("rmdir")?;
    taken
}

/// The path of a name.
struct NamePath([u8; 40]);

impl NamePath {
    fn of(number: u64) -> NamePath {
        let mut bytes = [0; 40];
        let (folder, number) = (FOLDER.to_bytes(), Decimal::new(number));
        let parts = folder.iter().chain(b"/name-").chain(number.digits());
        bytes.iter_mut().zip(parts).for_each(|(byte, part)| *byte = *part);
        NamePath(bytes)
    }

    fn path(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"")
    }
}
