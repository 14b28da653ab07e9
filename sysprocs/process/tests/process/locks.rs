//! Scripted programs on two boards: locks on bytes of a file exclude wherever their holders are.

use crate::support::calls::{
    ANY, AT_FDCWD, CLOSE, EXIT, FCNTL, FORK_ON, NANOSLEEP, NONE, ONE, OPENAT, WAIT4, behind, error, exit, expect_word,
    words,
};
use crate::support::script::{Argument, Script};
use crate::support::{LOCKS, System};
use Argument::{Of, Value};

const GETLK: Argument = Value(5);
const SETLK: Argument = Value(6);
const SETLKW: Argument = Value(7);
const READ: u64 = 0;
const WRITE: u64 = 1;
const UNLOCK: u64 = 2;

/// A `struct flock` of `length` bytes from `start` on.
fn range(script: &mut Script, kind: u64, start: u64, length: u64) -> Argument {
    words(script, &[kind, start, length, 0])
}

fn expect_child(script: &mut Script, status: u64) {
    let place = script.variable();
    script.call(WAIT4, &[ANY, place.address(), NONE, NONE]);
    script.take(Of(place)).expect(Value(status << 8), 80);
}

fn sleep(script: &mut Script, ms: u64) {
    let time = words(script, &[0, ms * 1_000_000]);
    script.call(NANOSLEEP, &[time, NONE]).expect(NONE, 81);
}

/// A script with a file as descriptor 0.
fn with_file() -> Script {
    let mut init = Script::new();
    let file = init.string("/file");
    init.call(OPENAT, &[AT_FDCWD, file, Value(0o102), Value(0o644)]).expect(NONE, 90);
    init
}

/// Holds: timers-locks.
#[test]
fn file_lock_excludes_other_boards_until_holder_exits() {
    let mut init = with_file();
    let child = init.label();
    let (mine, inside) = (range(&mut init, WRITE, 10, 10), range(&mut init, READ, 15, 1));
    let (beside, free) = (range(&mut init, WRITE, 20, 0), range(&mut init, UNLOCK, 0, 0));
    init.call(FCNTL, &[NONE, SETLK, mine]).expect(NONE, 1);
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    sleep(&mut init, 20);
    init.call(FCNTL, &[NONE, SETLK, free]).expect(NONE, 2);
    // The child has it until it ends, which only its end shows.
    let again = range(&mut init, WRITE, 0, 0);
    sleep(&mut init, 1);
    init.call(FCNTL, &[NONE, SETLK, again]).expect(error(11), 3);
    init.call(FCNTL, &[NONE, SETLKW, again]).expect(NONE, 4);
    expect_child(&mut init, 0);
    exit(&mut init, 0);

    init.place(child).call(FCNTL, &[NONE, SETLK, inside]).expect(error(11), 5);
    init.call(FCNTL, &[NONE, SETLK, beside]).expect(NONE, 6);
    let wanted = range(&mut init, READ, 0, 100);
    init.call(FCNTL, &[NONE, GETLK, wanted]).expect(NONE, 7);
    expect_word(&mut init, wanted, WRITE, 8);
    expect_word(&mut init, behind(wanted, 8), 10, 9);
    expect_word(&mut init, behind(wanted, 16), 10, 10);
    expect_word(&mut init, behind(wanted, 24), 1, 11); // init's
    init.call(FCNTL, &[NONE, SETLKW, inside]).expect(NONE, 12);
    sleep(&mut init, 20);
    exit(&mut init, 0);
    assert_eq!(System::new(2, &[("/sbin/init", &init)]).status(), 0, "{:?}", System::log());
}

#[test]
fn file_lock_deadlock_is_reported() {
    let mut init = with_file();
    let child = init.label();
    let (first, second) = (range(&mut init, WRITE, 0, 1), range(&mut init, WRITE, 1, 1));
    init.call(FCNTL, &[NONE, SETLK, first]).expect(NONE, 1);
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    sleep(&mut init, 10);
    init.call(FCNTL, &[NONE, SETLKW, second]).expect(error(35), 2);
    let free = range(&mut init, UNLOCK, 0, 0);
    init.call(FCNTL, &[NONE, SETLK, free]).expect(NONE, 3);
    expect_child(&mut init, 0);
    exit(&mut init, 0);
    init.place(child).call(FCNTL, &[NONE, SETLK, second]).expect(NONE, 4);
    init.call(FCNTL, &[NONE, SETLKW, first]).expect(NONE, 5);
    exit(&mut init, 0);
    assert_eq!(System::new(2, &[("/sbin/init", &init)]).status(), 0, "{:?}", System::log());
}

/// As POSIX has it: any descriptor of the file that is closed takes the process's locks along.
#[test]
fn file_lock_close_releases_and_table_is_bounded() {
    let mut init = with_file();
    let (child, file) = (init.label(), init.string("/file"));
    init.call(OPENAT, &[AT_FDCWD, file, NONE, NONE]).expect(ONE, 1);
    for start in 0..LOCKS as u64 - 1 {
        let one = range(&mut init, WRITE, 2 * start, 1);
        init.call(FCNTL, &[NONE, SETLK, one]).expect(NONE, 2);
    }
    let one_more = range(&mut init, WRITE, 100, 1);
    init.call(FCNTL, &[NONE, SETLK, one_more]).expect(error(37), 3);
    init.call(FCNTL, &[ONE, SETLK, one_more]).expect(error(9), 4); // not open for writing
    let odd = range(&mut init, 7, 0, 1);
    init.call(FCNTL, &[NONE, SETLK, odd]).expect(error(22), 5);
    init.call(CLOSE, &[ONE]).expect(NONE, 6);
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    expect_child(&mut init, 0);
    exit(&mut init, 0);
    let all = range(&mut init, WRITE, 0, 0);
    init.place(child).call(FCNTL, &[NONE, SETLK, all]).expect(NONE, 7);
    init.call(EXIT, &[NONE]);
    assert_eq!(System::new(2, &[("/sbin/init", &init)]).status(), 0, "{:?}", System::log());
}
