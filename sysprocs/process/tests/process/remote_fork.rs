//! Scripted programs on two boards: forks onto another board, pipes and signals across.

use crate::support::System;
use crate::support::calls::{
    ANY, AT_FDCWD, CLONE, CLOSE, EXECVE, FORK_ON, GETPGID, GETPID, GETPPID, KILL, LSEEK, NANOSLEEP, NONE, ONE, OPENAT,
    PIPE2, READ, SETPGID, SIGCHLD, WAIT4, WRITE, exit, with_console,
};
use crate::support::script::{Argument, Script};
use Argument::{Of, Value};

fn expect_child(script: &mut Script, status: u64) {
    let place = script.variable();
    script.call(WAIT4, &[ANY, place.address(), NONE, NONE]);
    script.take(Of(place)).expect(Value(status), 80);
}

/// Holds: remote-child.
#[test]
fn remote_fork_carries_whole_process_state() {
    let mut init = with_console();
    let file = init.string("/file");
    let (child, word) = (init.label(), init.variable());
    let text = init.bytes(b"parent child ");
    init.call(OPENAT, &[AT_FDCWD, file, Value(0o102), Value(0o644)]).expect(ONE, 1);
    init.call(WRITE, &[ONE, text, Value(7)]).expect(Value(7), 2);
    init.take(Value(4711)).write_word(word.address());
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    init.keep(word);
    expect_child(&mut init, 6 << 8);
    // The offset is shared: the child wrote behind the parent.
    init.call(LSEEK, &[ONE, NONE, ONE]).expect(Value(13), 3);
    // The child's memory was its own.
    init.take(Of(word)).expect(Value(9), 4);
    exit(&mut init, 0);
    init.place(child).take(Of(word)).expect(Value(4711), 5);
    init.take(ONE).write_word(word.address());
    let place = init.bytes(b"parent child "[7..].try_into().unwrap_or(&[0; 6]));
    init.call(WRITE, &[ONE, place, Value(6)]).expect(Value(6), 6);
    init.call(GETPPID, &[]).expect(ONE, 7);
    init.call(GETPID, &[]).expect(Value(9), 8);
    let said = init.bytes(b"from b\n");
    init.call(WRITE, &[NONE, said, Value(7)]);
    exit(&mut init, 6);
    let system = System::new(2, &[("/sbin/init", &init)]);
    let before = system.boards.len();
    assert_eq!((system.status(), before), (0, 2), "{:?}", System::log());
    assert_eq!(system.disk.content("/file").unwrap(), b"parent child ");
    assert_eq!(system.screen(), "from b\n");
    assert_eq!(system.disk.open_files.get(), 0);
    assert!(system.free_frames().iter().all(|&free| free > 590), "{:?}", system.free_frames());
}

/// Holds: remote-pipes.
#[test]
fn remote_pipeline_moves_bytes_between_boards() {
    let mut tool = Script::new();
    let (buffer, count, end, again) = (tool.bytes(&[0; 3000]), tool.variable(), tool.label(), tool.label());
    tool.place(again).call(READ, &[Value(1), buffer, Value(3000)]).keep(count).jump_if_zero(end);
    tool.call(WRITE, &[NONE, buffer, Of(count)]).jump(again);
    tool.place(end);
    exit(&mut tool, 12);
    let mut init = with_console();
    let (ends, there) = (init.variable(), init.label());
    let path = init.string("/bin/tool");
    let arguments = init.vector(&[path]);
    init.call(PIPE2, &[ends.address(), NONE]);
    init.call(FORK_ON, &[ONE]).jump_if_zero(there);
    let text = init.bytes(&[b'x'; 5000]);
    init.call(CLOSE, &[ONE]);
    for _ in 0..3 {
        init.call(WRITE, &[Value(2), text, Value(5000)]).expect(Value(5000), 1);
    }
    init.call(CLOSE, &[Value(2)]);
    expect_child(&mut init, 12 << 8);
    exit(&mut init, 0);
    init.place(there).call(CLOSE, &[Value(2)]);
    init.call(EXECVE, &[path, arguments, NONE]);
    exit(&mut init, 1);
    let system = System::new(2, &[("/sbin/init", &init), ("/bin/tool", &tool)]);
    assert_eq!(system.status(), 0, "{:?}", System::log());
    assert_eq!(system.screen(), "x".repeat(15000));
}

#[test]
fn remote_signals_and_groups_reach_other_boards() {
    let mut init = with_console();
    let (child, pid) = (init.label(), init.variable());
    let forever = init.bytes(&[0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    init.call(FORK_ON, &[ONE]).keep(pid).jump_if_zero(child);
    init.call(SETPGID, &[Of(pid), NONE]).expect(NONE, 1);
    init.call(GETPGID, &[Of(pid)]).expect(Of(pid), 2);
    init.call(KILL, &[Of(pid), NONE]).expect(NONE, 3);
    init.call(29, &[NONE, Value(0x5410), pid.address()]);
    expect_child(&mut init, 2);
    init.call(KILL, &[Of(pid), NONE]).expect(Value(-3i64 as u64), 4);
    exit(&mut init, 0);
    init.place(child).call(NANOSLEEP, &[forever, NONE]);
    exit(&mut init, 1);
    let system = System::new(2, &[("/sbin/init", &init)]);
    for _ in 0..2000 {
        // Not to the end of the sleep: only until nothing is ready.
        system.boards.iter().zip(&system.machines).for_each(|(&board, &machine)| {
            board.run();
            crate::support::script::run_slice(board, machine);
        });
    }
    assert_eq!(system.switch.0.get(), None);
    system.press(b"\x03");
    assert_eq!(system.status(), 0, "{:?}", System::log());
}

#[test]
fn remote_fork_bad_target_is_refused() {
    let mut init = Script::new();
    init.call(FORK_ON, &[Value(5)]).expect(Value(-22i64 as u64), 1);
    init.call(FORK_ON, &[ANY]).expect(Value(-22i64 as u64), 2);
    let (child, again, full, count) = (init.label(), init.label(), init.label(), init.variable());
    let forever = init.bytes(&[0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    init.place(again).call(FORK_ON, &[ONE]).jump_if_zero(child);
    init.jump_if(Value(-11i64 as u64), full);
    init.take(Of(count)).add(ONE).keep(count).jump(again);
    init.place(full).take(Of(count)).expect(Value(crate::support::SLOTS as u64), 3);
    init.call(KILL, &[ANY, Value(9)]).expect(NONE, 4);
    for _ in 0..crate::support::SLOTS {
        expect_child(&mut init, 9);
    }
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    exit(&mut init, 0);
    init.place(child).call(NANOSLEEP, &[forever, NONE]);
    exit(&mut init, 0);
    let system = System::new(2, &[("/sbin/init", &init)]);
    assert_eq!(system.status(), 0, "{:?}", System::log());
    assert!(system.free_frames()[1] > 595, "{:?}", system.free_frames());
}
