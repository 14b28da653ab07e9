//! Scripted programs on one board: transfers of several pieces, at an offset or where the file stands.

use crate::support::System;
use crate::support::calls::{AT_FDCWD, LSEEK, NONE, ONE, OPENAT, PIPE2, error, exit, expect_word, words};
use crate::support::script::{Argument, Script};
use Argument::Value;

const PWRITE: u64 = 68;
const PREADV: u64 = 69;
const PWRITEV: u64 = 70;
const PREADV2: u64 = 286;
const PWRITEV2: u64 = 287;

/// RWF_APPEND.
const APPEND: u64 = 16;

/// More than a page.
const LONG: usize = 5000;
const HERE: Argument = Value(u64::MAX);
const TWO: Argument = Value(2);
const EBADF: i64 = 9;
const EINVAL: i64 = 22;
const ESPIPE: i64 = 29;
const EOPNOTSUPP: i64 = 95;

/// A vector of these pieces, four bytes each.
fn vector(script: &mut Script, pieces: [Argument; 2]) -> Argument {
    let parts = pieces.map(|piece| if let Argument::Address(at) = piece { [at, 4] } else { unreachable!("a place") });
    words(script, parts.as_flattened())
}

#[test]
fn preadv2_uses_offset_or_file_position() {
    let mut init = Script::new();
    let (path, one, two) = (init.string("/file"), init.bytes(b"one "), init.bytes(b"two\n"));
    let read = words(&mut init, &[0; 2]);
    let Argument::Address(at) = read else { unreachable!("bytes have addresses") };
    let (out, back) = (vector(&mut init, [one, two]), vector(&mut init, [read, Argument::Address(at + 4)]));
    init.call(OPENAT, &[AT_FDCWD, path, Value(0o102), Value(0o644)]).expect(NONE, 1);
    init.call(PWRITEV, &[NONE, out, TWO, Value(3), NONE]).expect(Value(8), 2);
    init.call(PWRITEV2, &[NONE, out, TWO, Value(11), NONE, NONE]).expect(Value(8), 3);
    init.call(LSEEK, &[NONE, NONE, ONE]).expect(NONE, 4); // neither has moved it
    init.call(PWRITEV2, &[NONE, out, ONE, HERE, NONE, Value(2)]).expect(Value(4), 5); // RWF_DSYNC
    init.call(PWRITEV2, &[NONE, out, ONE, HERE, NONE, Value(4 | 1)]).expect(Value(4), 6); // RWF_SYNC, RWF_HIPRI
    init.call(PREADV2, &[NONE, back, TWO, HERE, NONE, NONE]).expect(Value(8), 7);
    expect_word(&mut init, read, u64::from_le_bytes(*b"wo\none t"), 8);
    init.call(LSEEK, &[NONE, NONE, ONE]).expect(Value(16), 9);
    init.call(PREADV, &[NONE, back, TWO, NONE, NONE]).expect(Value(8), 10);
    expect_word(&mut init, read, u64::from_le_bytes(*b"one one "), 11);
    init.call(PREADV2, &[NONE, back, TWO, Value(15), NONE, ONE]).expect(Value(4), 12);
    init.call(PREADV2, &[NONE, back, TWO, NONE, NONE, Value(APPEND)]).expect(error(EOPNOTSUPP), 13);
    for call in [PREADV2, PWRITEV2] {
        for unknown in [8, 64, 1 << 31] {
            init.call(call, &[NONE, out, TWO, NONE, NONE, Value(unknown)]).expect(error(EOPNOTSUPP), 13);
        }
        init.call(call, &[NONE, out, TWO, Value(-2i64 as u64), NONE, NONE]).expect(error(EINVAL), 14);
        init.call(call, &[ONE, out, TWO, HERE, NONE, Value(64)]).expect(error(EBADF), 15);
    }
    // A pipe has no offsets.
    let ends = words(&mut init, &[0]);
    init.call(PIPE2, &[ends, NONE]).expect(NONE, 16);
    init.call(PWRITEV2, &[TWO, out, TWO, NONE, NONE, NONE]).expect(error(ESPIPE), 17);
    init.call(PWRITEV2, &[TWO, out, TWO, HERE, NONE, NONE]).expect(Value(8), 18);
    init.call(PREADV2, &[ONE, back, TWO, HERE, NONE, NONE]).expect(Value(8), 19);
    exit(&mut init, 0);
    let system = System::solo(&init);
    assert_eq!(system.status(), 0);
    assert_eq!(system.disk.content("/file").unwrap(), b"one one wo\none two\n");
}

/// Whose offset moves only if that was to be used; also for a file that is for appending anyway.
#[test]
fn pwritev2_append_goes_to_end() {
    let mut init = Script::new();
    let (path, one, two) = (init.string("/file"), init.bytes(b"one "), init.bytes(b"two\n"));
    let out = vector(&mut init, [one, two]);
    let Argument::Address(long) = init.bytes(&[b'x'; LONG]) else { unreachable!("bytes have addresses") };
    let long_out = words(&mut init, &[long, LONG as u64]);
    let at_start = Value(0);
    init.call(OPENAT, &[AT_FDCWD, path, Value(0o102), Value(0o644)]).expect(NONE, 1);
    init.call(PWRITEV2, &[NONE, out, TWO, at_start, NONE, Value(APPEND)]).expect(Value(8), 2);
    init.call(PWRITEV2, &[NONE, out, ONE, at_start, NONE, Value(APPEND)]).expect(Value(4), 3);
    init.call(LSEEK, &[NONE, NONE, ONE]).expect(NONE, 4);
    init.call(PWRITEV2, &[NONE, long_out, ONE, at_start, NONE, Value(APPEND)]).expect(Value(LONG as u64), 5);
    init.call(LSEEK, &[NONE, NONE, ONE]).expect(NONE, 6);
    init.call(PWRITEV2, &[NONE, out, ONE, HERE, NONE, Value(APPEND)]).expect(Value(4), 7);
    init.call(LSEEK, &[NONE, NONE, ONE]).expect(Value(16 + LONG as u64), 8);
    init.call(PWRITEV2, &[NONE, long_out, ONE, HERE, NONE, Value(APPEND)]).expect(Value(LONG as u64), 9);
    init.call(LSEEK, &[NONE, NONE, ONE]).expect(Value(16 + 2 * LONG as u64), 10);
    init.call(OPENAT, &[AT_FDCWD, path, Value(0o2001), NONE]).expect(ONE, 11);
    init.call(PWRITE, &[ONE, two, Value(4), at_start]).expect(Value(4), 12);
    init.call(PWRITE, &[ONE, Argument::Address(long), Value(LONG as u64), at_start]).expect(Value(LONG as u64), 13);
    init.call(PWRITEV2, &[ONE, out, TWO, at_start, NONE, NONE]).expect(Value(8), 14);
    init.call(LSEEK, &[ONE, NONE, ONE]).expect(NONE, 15);
    // Of a pipe it means nothing.
    let ends = words(&mut init, &[0]);
    init.call(PIPE2, &[ends, NONE]).expect(NONE, 16);
    init.call(PWRITEV2, &[Value(3), out, TWO, HERE, NONE, Value(APPEND)]).expect(Value(8), 17);
    exit(&mut init, 0);
    let system = System::solo(&init);
    assert_eq!(system.status(), 0);
    let x = "x".repeat(LONG);
    let expected = format!("one two\none {x}one {x}two\n{x}one two\n");
    assert_eq!(String::from_utf8(system.disk.content("/file").unwrap()).unwrap(), expected);
}
