//! Scripted programs on two boards that open fifos.

use crate::support::System;
use crate::support::calls::{
    AT_FDCWD, CLOSE, FORK_ON, NANOSLEEP, NONE, ONE, OPENAT, READ, WRITE, error, exit, wait_status, with_console, words,
};
use crate::support::script::{Argument, Script};
use Argument::Value;

const ENXIO: i64 = 6;
const READ_ONLY: Argument = Value(0);
const WRITE_ONLY: Argument = Value(1);
const READ_WRITE: Argument = Value(2);
const WRITE_NOW: Argument = Value(0o4001);

fn system(init: &Script) -> System {
    let system = System::new(2, &[("/sbin/init", init)]);
    system.disk.add("/fifo", 0o010_644, 0, Vec::new());
    system
}

fn open(script: &mut Script, how: Argument) -> &mut Script {
    let path = script.string("/fifo");
    script.call(OPENAT, &[AT_FDCWD, path, how, NONE])
}

/// The reader waits for a writer, which comes later from the other board; or the other way round.
#[test]
fn fifo_open_on_two_boards_waits_for_partner() {
    for init_reads in [true, false] {
        let mut init = with_console();
        let child = init.label();
        init.call(FORK_ON, &[ONE]).jump_if_zero(child);
        let (bytes, room) = (init.bytes(b"word"), init.bytes(&[0; 4]));
        let read = |script: &mut Script| {
            open(script, READ_ONLY).expect(ONE, 1);
            script.call(READ, &[ONE, room, Value(4)]).expect(Value(4), 2);
            script.call(READ, &[ONE, room, Value(4)]).expect(NONE, 3);
        };
        let write = |script: &mut Script| {
            open(script, WRITE_ONLY).expect(ONE, 4);
            script.call(WRITE, &[ONE, bytes, Value(4)]).expect(Value(4), 5);
        };
        if init_reads {
            read(&mut init)
        } else {
            write(&mut init)
        }
        init.call(CLOSE, &[ONE]).expect(NONE, 6);
        wait_status(&mut init);
        init.expect(NONE, 7);
        // No process has it open any more.
        open(&mut init, WRITE_NOW).expect(error(ENXIO), 8);
        exit(&mut init, 0);
        init.place(child);
        let time = words(&mut init, &[0, 5_000_000]);
        init.call(NANOSLEEP, &[time, NONE]);
        if init_reads {
            write(&mut init)
        } else {
            read(&mut init)
        }
        exit(&mut init, 0);
        let system = system(&init);
        assert_eq!(system.status(), 0, "{init_reads}: {:?}", System::log());
        assert!(system.disk.nodes.borrow().iter().all(|node| node.name != "/fifo" || node.references == 0));
    }
}

/// Both ends are one descriptor's, also in a child on the other board.
#[test]
fn fifo_opened_read_write_is_inherited() {
    let mut init = with_console();
    let child = init.label();
    open(&mut init, READ_WRITE).expect(ONE, 1);
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    let (bytes, room) = (init.bytes(b"word"), init.bytes(&[0; 8]));
    init.call(READ, &[ONE, room, Value(8)]).expect(Value(4), 2);
    wait_status(&mut init);
    init.expect(NONE, 3);
    open(&mut init, WRITE_NOW).expect(Value(2), 4);
    init.call(CLOSE, &[ONE]).expect(NONE, 5);
    open(&mut init, WRITE_NOW).expect(error(ENXIO), 6);
    exit(&mut init, 0);
    init.place(child);
    init.call(WRITE, &[ONE, bytes, Value(4)]).expect(Value(4), 7);
    exit(&mut init, 0);
    let system = system(&init);
    assert_eq!(system.status(), 0, "{:?}", System::log());
}
