//! Scripted programs on one board: ranges of descriptors, bytes and pages.

use crate::support::System;
use crate::support::calls::{
    ANY, AT_FDCWD, CLOSE, DUP3, EPOLL_CREATE, EVENTFD, FCNTL, LSEEK, MMAP, NONE, ONE, OPENAT, PIPE2, READ, SETRLIMIT,
    SIGNALFD, TIMERFD_CREATE, WRITE, error, exit, expect_word, handle, words,
};
use crate::support::script::{Argument, Script};
use Argument::{Of, Value};

const MINCORE: u64 = 232;
const DUP: u64 = 23;
const COPY_FILE_RANGE: u64 = 285;
const CLOSE_RANGE: u64 = 436;

#[test]
fn close_range_closes_all_in_range() {
    let mut init = Script::new();
    let null = init.string("/dev/null");
    for number in 0..6 {
        init.call(OPENAT, &[AT_FDCWD, null, Value(2), NONE]).expect(Value(number), 1);
    }
    init.call(CLOSE_RANGE, &[Value(3), Value(2), NONE]).expect(error(22), 2);
    init.call(CLOSE_RANGE, &[Value(1), Value(2), ONE]).expect(error(22), 3);
    init.call(CLOSE_RANGE, &[Value(1), Value(2), NONE]).expect(NONE, 4);
    init.call(CLOSE_RANGE, &[Value(4), Value(u64::from(u32::MAX)), Value(4)]).expect(NONE, 5);
    for (number, flags) in [(0, NONE), (1, error(9)), (2, error(9)), (3, NONE), (4, ONE), (5, ONE)] {
        init.call(FCNTL, &[Value(number), ONE]).expect(flags, 10 + number);
    }
    init.call(CLOSE_RANGE, &[NONE, Value(u64::MAX), NONE]).expect(NONE, 6);
    init.call(CLOSE, &[NONE]).expect(error(9), 7);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

/// All that makes descriptors ends at RLIMIT_NOFILE; those above that are there stay.
#[test]
fn rlimit_nofile_refuses_further_descriptors() {
    const NOFILE: Argument = Value(7);
    const EMFILE: i64 = 24;
    let mut init = Script::new();
    let (null, none) = (init.string("/dev/null"), init.string("/none"));
    for number in 0..4 {
        init.call(OPENAT, &[AT_FDCWD, null, NONE, NONE]).expect(Value(number), 1);
    }
    let (ends, set) = (words(&mut init, &[0]), words(&mut init, &[1]));
    for (most, refused) in [(4, error(EMFILE)), (3, error(EMFILE)), (5, error(EMFILE)), (0, error(EMFILE))] {
        let limit = words(&mut init, &[most, 1024]);
        init.call(SETRLIMIT, &[NOFILE, limit]).expect(NONE, 2);
        init.call(PIPE2, &[ends, NONE]).expect(refused, 3); // of two there is room for one at most
        if most == 5 {
            init.call(DUP, &[Value(3)]).expect(Value(4), 4);
        }
        init.call(OPENAT, &[AT_FDCWD, null, NONE, NONE]).expect(refused, 5);
        init.call(DUP, &[Value(3)]).expect(refused, 6);
        init.call(FCNTL, &[Value(3), NONE, NONE]).expect(if most == 0 { error(22) } else { refused }, 7);
        init.call(DUP3, &[Value(3), Value(most + 10), NONE]).expect(error(9), 8);
        init.call(EVENTFD, &[NONE, NONE]).expect(refused, 9);
        init.call(EPOLL_CREATE, &[NONE]).expect(refused, 10);
        init.call(SIGNALFD, &[ANY, set, Value(8), NONE]).expect(refused, 11);
        init.call(TIMERFD_CREATE, &[NONE, NONE]).expect(refused, 12);
        init.call(FCNTL, &[Value(3), ONE]).expect(NONE, 13); // it is there
    }
    // Linux allocates the number before it opens the file.
    init.call(OPENAT, &[AT_FDCWD, none, NONE, NONE]).expect(error(EMFILE), 14);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn copy_file_range_and_sendfile_move_bytes() {
    let mut init = Script::new();
    let (one, other, null) = (init.string("/one"), init.string("/other"), init.string("/dev/null"));
    let (text, place) = (init.bytes(b"0123456789"), init.bytes(&[0; 16]));
    for (number, path) in [(0, one), (1, other)] {
        init.call(OPENAT, &[AT_FDCWD, path, Value(0o102), Value(0o644)]).expect(Value(number), 1);
    }
    init.call(OPENAT, &[AT_FDCWD, null, Value(2), NONE]).expect(Value(2), 2);
    init.call(WRITE, &[NONE, text, Value(10)]).expect(Value(10), 3);
    let from = words(&mut init, &[4]);
    // From an offset of one's own, to where the other file stands.
    init.call(COPY_FILE_RANGE, &[NONE, from, ONE, NONE, Value(100), NONE]).expect(Value(6), 4);
    expect_word(&mut init, from, 10, 5);
    init.call(LSEEK, &[ONE, NONE, ONE]).expect(Value(6), 6);
    init.call(LSEEK, &[NONE, NONE, NONE]).expect(NONE, 7);
    init.call(COPY_FILE_RANGE, &[NONE, NONE, ONE, NONE, Value(2), NONE]).expect(Value(2), 8);
    init.call(LSEEK, &[ONE, NONE, NONE]);
    init.call(READ, &[ONE, place, Value(16)]).expect(Value(8), 9);
    expect_word(&mut init, place, u64::from_le_bytes(*b"45678901"), 10);
    init.call(COPY_FILE_RANGE, &[Value(2), NONE, ONE, NONE, Value(2), NONE]).expect(error(22), 11);
    init.call(COPY_FILE_RANGE, &[NONE, NONE, ONE, NONE, Value(2), ONE]).expect(error(22), 12);
    init.call(COPY_FILE_RANGE, &[Value(9), NONE, ONE, NONE, Value(2), NONE]).expect(error(9), 13);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

/// No file grows beyond RLIMIT_FSIZE; what was not passed on, the file's own offset is before.
#[test]
fn rlimit_fsize_limits_writes_and_truncate() {
    const FSIZE: Argument = ONE;
    const SENDFILE: u64 = 71;
    const SIGXFSZ: u64 = 25;
    const EFBIG: i64 = 27;
    for call in [COPY_FILE_RANGE, SENDFILE] {
        let mut init = Script::new();
        let (one, other, text) = (init.string("/one"), init.string("/other"), init.bytes(b"0123456789"));
        for (number, path) in [(0, one), (1, other)] {
            init.call(OPENAT, &[AT_FDCWD, path, Value(0o102), Value(0o644)]).expect(Value(number), 1);
        }
        init.call(WRITE, &[NONE, text, Value(10)]).expect(Value(10), 2);
        init.call(LSEEK, &[NONE, NONE, NONE]).expect(NONE, 3);
        handle(&mut init, SIGXFSZ, ONE, 0); // ignored
        let limit = words(&mut init, &[4, u64::MAX]);
        init.call(SETRLIMIT, &[FSIZE, limit]).expect(NONE, 4);
        let copy: &[Argument] = match call {
            COPY_FILE_RANGE => &[NONE, NONE, ONE, NONE, Value(100), NONE],
            _ => &[ONE, NONE, NONE, Value(100)],
        };
        init.call(call, copy).expect(Value(4), 5);
        init.call(call, copy).expect(error(EFBIG), 6);
        for file in [NONE, ONE] {
            init.call(LSEEK, &[file, NONE, ONE]).expect(Value(4), 7);
        }
        exit(&mut init, 0);
        assert_eq!(System::solo(&init).status(), 0);
    }
}

#[test]
fn mincore_reports_touched_pages() {
    let mut init = Script::new();
    let (start, seen) = (init.variable(), words(&mut init, &[0]));
    init.call(MMAP, &[NONE, Value(3 * 4096), Value(3), Value(0x22), Value(u64::MAX), NONE]).keep(start);
    init.take(Of(start)).add(Value(4096)).read_word();
    init.call(MINCORE, &[Of(start), Value(3 * 4096), seen]).expect(NONE, 1);
    expect_word(&mut init, seen, 0x0100, 2);
    init.call(MINCORE, &[Value(0x10_0000), Value(4096), seen]).expect(error(12), 3);
    init.call(MINCORE, &[Value(7), Value(4096), seen]).expect(error(22), 4);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}
