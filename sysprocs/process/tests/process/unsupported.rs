//! `statx`, descriptors that only name a file, and calls about what is not here: they fail as a Linux without it fails.

use crate::support::System;
use crate::support::calls::{AT_FDCWD, FCNTL, MMAP, NONE, ONE, OPENAT, PIPE2, error, exit, with_console};
use crate::support::script::{Argument, Script};
use Argument::Value;

const STATX: u64 = 291;
const AT_EMPTY_PATH: Argument = Value(0x1000);
const MODE_OF_CONSOLE: u64 = 0o20_600;
const ENOENT: i64 = 2;
const EBADF: i64 = 9;
const EINVAL: i64 = 22;
const ESPIPE: i64 = 29;
const ELOOP: i64 = 40;
const O_CREAT: u64 = 0o100;
const EOPNOTSUPP: i64 = 95;

/// Calls with arguments, and what each must come to.
fn expect_all(init: &mut Script, calls: &[(u64, &[Argument], Argument)]) {
    for (place, (number, arguments, expected)) in calls.iter().enumerate() {
        init.call(*number, arguments).expect(*expected, place as u64 + 1);
    }
    exit(init, 0);
    assert_eq!(System::solo(init).status(), 0, "the number of the call that came to something else");
}

#[test]
fn path_lookup_changed_underneath_is_retried() {
    let mut init = with_console();
    let (seldom, always) = (init.string("/moved-8"), init.string("/moved-99"));
    let calls: &[(u64, &[Argument], Argument)] = &[
        (OPENAT, &[AT_FDCWD, seldom, Value(O_CREAT), NONE], ONE),
        (OPENAT, &[AT_FDCWD, always, Value(O_CREAT), NONE], error(ELOOP)),
    ];
    expect_all(&mut init, calls);
}

#[test]
fn statx_matches_stat() {
    let mut init = with_console();
    let (empty, console, none) = (init.string(""), init.string("/dev/console"), init.string("/none"));
    let buffer = init.bytes(&[0xff; 264]);
    init.call(STATX, &[NONE, empty, AT_EMPTY_PATH, Value(0x7ff), buffer]).expect(NONE, 50);
    for (place, (offset, expected)) in [
        (0, 4096 << 32 | 0x7ff),
        // Group, mode, and nothing.
        (24, MODE_OF_CONSOLE << 32),
        (80, 0),
        // Major and minor number of the device.
        (128, 1 << 32 | 5),
        (248, 0),
        (256, u64::MAX),
    ]
    .into_iter()
    .enumerate()
    {
        init.take(buffer).add(Value(offset)).read_word().expect(Value(expected), 60 + place as u64);
    }
    init.call(STATX, &[AT_FDCWD, console, NONE, NONE, buffer]).expect(NONE, 51);
    let calls: &[(u64, &[Argument], Argument)] = &[
        (STATX, &[AT_FDCWD, none, NONE, NONE, buffer], error(ENOENT)),
        (STATX, &[AT_FDCWD, empty, NONE, NONE, buffer], error(ENOENT)),
        (STATX, &[Value(77), empty, AT_EMPTY_PATH, NONE, buffer], error(EBADF)),
        (STATX, &[NONE, empty, AT_EMPTY_PATH, Value(0x8000_0000), buffer], error(EINVAL)),
        (STATX, &[NONE, empty, Value(0x1001), NONE, buffer], error(EINVAL)),
        (STATX, &[NONE, empty, Value(0x7000), NONE, buffer], error(EINVAL)),
    ];
    expect_all(&mut init, calls);
}

/// They are refused as on a file system of Linux that has none, so that programs make one with a name and remove that.
/// Holds: open-flags.
#[test]
fn open_tmpfile_is_unsupported() {
    const O_TMPFILE: u64 = 0o20_040_000;
    const ENOTDIR: i64 = 20;
    let mut init = with_console();
    let (directory, file, none) = (init.string("/"), init.string("/file"), init.string("/none"));
    let calls: &[(u64, &[Argument], Argument)] = &[
        (OPENAT, &[AT_FDCWD, file, Value(O_CREAT), Value(0o644)], ONE),
        (OPENAT, &[AT_FDCWD, directory, Value(O_TMPFILE | 2), Value(0o600)], error(EOPNOTSUPP)),
        (OPENAT, &[AT_FDCWD, directory, Value(O_TMPFILE | 1), Value(0o600)], error(EOPNOTSUPP)),
        (OPENAT, &[AT_FDCWD, directory, Value(O_TMPFILE), Value(0o600)], error(EINVAL)),
        (OPENAT, &[AT_FDCWD, file, Value(O_TMPFILE | 2), Value(0o600)], error(ENOTDIR)),
        (OPENAT, &[AT_FDCWD, none, Value(O_TMPFILE | 2), Value(0o600)], error(ENOENT)),
        (OPENAT, &[AT_FDCWD, directory, Value(2), NONE], error(21)), // EISDIR, of what is meant
    ];
    expect_all(&mut init, calls);
}

/// Holds: no-attributes.
#[test]
fn xattr_calls_are_refused() {
    let mut init = with_console();
    let (console, none, name) = (init.string("/dev/console"), init.string("/none"), init.string("user.x"));
    let mut calls = Vec::new();
    for number in [5, 6, 8, 9, 14, 15] {
        calls.push((number, [console, name], error(EOPNOTSUPP)));
        calls.push((number, [none, name], error(ENOENT)));
    }
    for number in [7, 10, 16] {
        calls.push((number, [NONE, name], error(EOPNOTSUPP)));
        calls.push((number, [Value(77), name], error(EBADF)));
    }
    for (number, there, not_there) in
        [(11, console, (none, ENOENT)), (12, console, (none, ENOENT)), (13, NONE, (Value(77), EBADF))]
    {
        calls.push((number, [there, NONE], NONE));
        calls.push((number, [not_there.0, NONE], error(not_there.1)));
    }
    let calls: Vec<_> =
        calls.iter().map(|(number, arguments, expected)| (*number, &arguments[..], *expected)).collect();
    expect_all(&mut init, &calls);
}

#[test]
fn fadvise_is_checked_and_fallocate_is_refused() {
    let mut init = with_console();
    let (ends, file) = (init.bytes(&[0; 8]), init.string("/file"));
    init.call(PIPE2, &[ends, NONE]).expect(NONE, 50);
    init.call(OPENAT, &[AT_FDCWD, file, Value(0o102), Value(0o644)]).expect(Value(3), 51);
    let calls: &[(u64, &[Argument], Argument)] = &[
        (223, &[Value(3), NONE, NONE, Value(2)], NONE),
        (223, &[Value(3), NONE, NONE, Value(6)], error(EINVAL)),
        (223, &[ONE, NONE, NONE, Value(2)], error(ESPIPE)),
        (223, &[Value(77), NONE, NONE, Value(2)], error(EBADF)),
        (47, &[Value(3), NONE, NONE, Value(4096)], error(EOPNOTSUPP)),
        (47, &[ONE, NONE, NONE, Value(4096)], error(ESPIPE)),
        (47, &[Value(77), NONE, NONE, Value(4096)], error(EBADF)),
    ];
    expect_all(&mut init, calls);
}

/// Holds: open-flags.
#[test]
fn open_path_descriptor_refuses_data() {
    const O_PATH: u64 = 0o10_000_000;
    const O_NOFOLLOW: u64 = 0o100_000;
    let mut init = with_console();
    let (file, link, empty, buffer) =
        (init.string("/sbin/init"), init.string("/link"), init.string(""), init.bytes(&[0; 256]));
    init.call(OPENAT, &[AT_FDCWD, link, Value(O_PATH | O_NOFOLLOW), NONE]).expect(ONE, 50);
    init.call(STATX, &[ONE, empty, AT_EMPTY_PATH, NONE, buffer]).expect(NONE, 51);
    init.take(buffer).add(Value(24)).read_word().expect(Value(0o120_777 << 32), 52);
    init.call(OPENAT, &[AT_FDCWD, file, Value(O_PATH | 2), NONE]).expect(Value(2), 53);
    let mut calls: Vec<(u64, [Argument; 6], Argument)> = Vec::new();
    for number in [ONE, Value(2)] {
        // Reading, writing, and changing: mode, owner, times, size; and what is on the medium.
        for call in [63, 64, 65, 66, 67, 68, 52, 55, 46, 82] {
            calls.push((call, [number, buffer, ONE, NONE, NONE, NONE], error(EBADF)));
        }
        calls.push((88, [number, NONE, NONE, NONE, NONE, NONE], error(EBADF)));
        // Nor is it moved, locked or changed; its flags say what it is.
        for (call, arguments) in [(62, [NONE, NONE]), (32, [Value(2), NONE]), (FCNTL, [Value(4), NONE])] {
            calls.push((call, [number, arguments[0], arguments[1], NONE, NONE, NONE], error(EBADF)));
        }
        calls.push((FCNTL, [number, Value(6), buffer, NONE, NONE, NONE], error(EBADF)));
        calls.push((FCNTL, [number, Value(3), NONE, NONE, NONE, NONE], Value(O_PATH)));
    }
    calls.push((MMAP, [NONE, Value(4096), ONE, Value(2), Value(2), NONE], error(EBADF)));
    calls.push((OPENAT, [AT_FDCWD, link, Value(O_NOFOLLOW), NONE, NONE, NONE], error(ELOOP)));
    calls.push((OPENAT, [AT_FDCWD, link, Value(O_PATH | O_NOFOLLOW | 0o40_000), NONE, NONE, NONE], error(ELOOP)));
    let calls: Vec<_> =
        calls.iter().map(|(number, arguments, expected)| (*number, &arguments[..], *expected)).collect();
    expect_all(&mut init, &calls);
}
