//! Scripted programs on one board: processes, memory and files as programs see them.

use crate::support::System;
use crate::support::calls::{
    ANY, AT_FDCWD, BRK, CLONE, CLOSE, DUP3, EXECVE, FCNTL, GETPPID, HALT, KILL, LSEEK, MMAP, NANOSLEEP, NONE, ONE,
    OPENAT, PIPE2, PPOLL, READ, READV, SETITIMER, SIGACTION, SIGALRM, SIGCHLD, WAIT4, WRITE, WRITEV, error, exit, say,
    wait_status, with_console, words,
};
use crate::support::script::{Argument, Script};
use Argument::{Code, Of, Result, Value};

const EINTR: i64 = 4;

#[test]
fn init_prints_and_exits() {
    let mut init = with_console();
    say(&mut init, "hello\n");
    exit(&mut init, 7);
    let system = System::solo(&init);
    assert_eq!(system.status(), 7);
    assert_eq!(system.screen(), "hello\n");
}

/// Holds: disk-damaged.
#[test]
fn init_missing_or_damaged_is_named_on_console_with_own_status() {
    for (content, why) in [
        (None, "is not on the disk: it is damaged, or not Renga's (ENOENT)"),
        (Some(vec![0; 4096]), "is no program: the disk is damaged, or not Renga's (ENOEXEC)"),
    ] {
        let system = System::new(1, &[]);
        if let Some(content) = content {
            system.disk.add("/sbin/init", 0o100_755, 0, content);
        }
        assert_eq!(system.status(), 71, "{why}");
        assert_eq!(system.screen(), format!("renga: /sbin/init {why}; e2fsck -f checks it\n"));
    }
}

#[test]
fn halt_unmounts_and_passes_status() {
    let mut init = Script::new();
    init.call(HALT, &[Value(3)]);
    let system = System::solo(&init);
    assert_eq!(system.status(), 3);
    assert!(system.disk.unmounted.get());
}

#[test]
fn brk_and_mmap_give_zero_pages() {
    let mut init = Script::new();
    let start = init.variable();
    init.call(BRK, &[NONE]).keep(start).add(Value(0x3000)).call(BRK, &[Result]);
    init.take(Of(start)).add(Value(0x2ff8)).read_word().expect(NONE, 1);
    let place = init.variable();
    init.call(MMAP, &[NONE, Value(0x2000), Value(3), Value(0x22), ANY, NONE]).keep(place);
    init.read_word().expect(NONE, 2);
    init.call(MMAP, &[NONE, Value(0x2000), Value(3), Value(0x21), ANY, NONE]).read_word().expect(NONE, 3);
    init.call(MMAP, &[NONE, Value(0x2000), Value(7), Value(0x22), ANY, NONE]).read_word().expect(NONE, 4);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn fork_memory_is_copy_on_write() {
    let mut init = with_console();
    let word = init.variable();
    init.take(Value(5)).write_word(word.address());
    let child = init.label();
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(Value(9 << 8), 1);
    init.take(Of(word)).expect(Value(5), 2);
    init.call(WAIT4, &[ANY, NONE, NONE, NONE]).expect(error(10), 3);
    exit(&mut init, 0);
    init.place(child).take(Value(6)).write_word(word.address());
    init.take(Of(word)).expect(Value(6), 4);
    init.call(GETPPID, &[]).expect(ONE, 5);
    exit(&mut init, 9);
    let system = System::solo(&init);
    assert_eq!(system.status(), 0);
}

#[test]
fn exit_releases_all_resources() {
    // Forty children, some of which exec: frames, files and slots all come back.
    let mut child = Script::new();
    exit(&mut child, 0);
    let mut init = with_console();
    let (count, again, in_child, done) = (init.variable(), init.label(), init.label(), init.label());
    let path = init.string("/bin/true");
    let arguments = init.vector(&[path]);
    init.place(again).call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(in_child);
    init.call(WAIT4, &[ANY, NONE, NONE, NONE]);
    init.take(Of(count)).add(ONE).keep(count).jump_if(Value(40), done);
    init.jump(again);
    init.place(in_child).call(EXECVE, &[path, arguments, NONE]);
    exit(&mut init, 1);
    init.place(done);
    exit(&mut init, 0);
    let system = System::new(1, &[("/sbin/init", &init), ("/bin/true", &child)]);
    assert_eq!(system.status(), 0);
    let free = system.free_frames();
    assert!(free[0] > 590, "{free:?}: only cached file pages are left");
    assert_eq!(system.disk.open_files.get(), 0);
    let references: Vec<i32> = system.disk.nodes.borrow().iter().map(|node| node.references).collect();
    assert!(references.iter().all(|&count| count == 0), "{references:?}");
}

#[test]
fn exec_passes_arguments_and_reports_errors() {
    let mut other = Script::new();
    say(&mut other, "other\n");
    exit(&mut other, 4);
    let mut init = with_console();
    let missing = init.string("/bin/missing");
    let path = init.string("/bin/other");
    let script = init.string("/bin/script");
    let arguments = init.vector(&[path]);
    init.call(EXECVE, &[missing, arguments, NONE]).expect(error(2), 1);
    init.call(EXECVE, &[NONE, arguments, NONE]).expect(error(14), 2);
    let console = init.string("/dev/console");
    init.call(EXECVE, &[console, arguments, NONE]).expect(error(13), 3);
    init.call(EXECVE, &[script, arguments, NONE]);
    exit(&mut init, 5);
    let system = System::new(1, &[("/sbin/init", &init), ("/bin/other", &other)]);
    system.disk.add("/bin/script", 0o100_755, 0, b"#!/bin/other -x\nrest\n".to_vec());
    assert_eq!(system.status(), 4);
    assert_eq!(system.screen(), "other\n");
}

#[test]
fn pipe_carries_bytes_from_child_to_parent() {
    let mut init = with_console();
    let ends = init.variable();
    init.call(PIPE2, &[ends.address(), NONE]).expect(NONE, 1);
    init.take(Of(ends)).expect(Value(2 << 32 | 1), 2);
    let child = init.label();
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.call(CLOSE, &[Value(2)]);
    let buffer = init.bytes(&[0; 64]);
    init.call(READ, &[ONE, buffer, Value(64)]).expect(Value(5), 3);
    init.call(WRITE, &[NONE, buffer, Value(5)]);
    init.call(READ, &[ONE, buffer, Value(64)]).expect(NONE, 4);
    exit(&mut init, 0);
    init.place(child);
    let text = init.bytes(b"pipe\n");
    init.call(CLOSE, &[ONE]);
    init.call(WRITE, &[Value(2), text, Value(5)]);
    exit(&mut init, 0);
    let system = System::solo(&init);
    assert_eq!(system.status(), 0);
    assert_eq!(system.screen(), "pipe\n");
}

/// Holds: user-pointers.
#[test]
fn syscall_wild_pointer_gets_efault() {
    for address in [NONE, Value(0x1234_5678), Value(0xffff_ffff_8008_0000), Value(u64::MAX - 3)] {
        let mut init = with_console();
        for (number, _) in renga_process::user::IMPLEMENTED {
            // Calls that end, wait, or change what the rest needs.
            if [93, 94, 133, 137, 139, 220, 57, 24, 1000, 1002, 101, 115, 260, 95, 73, 72, 129, 157, 436]
                .contains(number)
            {
                continue;
            }
            init.call(*number, &[address, address, address, address, address, address]);
            init.call(*number, &[NONE, address, address, address, address, address]);
        }
        init.call(WRITE, &[NONE, address, Value(10)]).expect(error(14), 1);
        init.call(READ, &[NONE, address, NONE]).expect(NONE, 2);
        say(&mut init, "alive\n");
        exit(&mut init, 0);
        let system = System::solo(&init);
        assert_eq!(system.status(), 0, "{}", system.screen());
        assert!(system.screen().ends_with("alive\n"));
    }
}

/// Holds: unknown-calls.
#[test]
fn syscall_unknown_number_is_logged_once() {
    let mut init = Script::new();
    init.call(89, &[]).expect(error(38), 1).call(89, &[]).call(4000, &[]);
    init.expect(error(38), 2);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
    let log = System::log();
    let unknown: Vec<&str> = log.iter().filter_map(|line| line.split_once("not implemented: ")).map(|p| p.1).collect();
    assert_eq!(unknown, ["acct [89, 1]", "no name [4000, 1]"]);
}

#[test]
fn vfork_shares_memory_until_exec_or_exit() {
    const VFORK: Argument = Value(0x4000 | 0x100 | 17);
    let mut other = Script::new();
    exit(&mut other, 3);
    let mut init = Script::new();
    let (word, child) = (init.variable(), init.label());
    let path = init.string("/bin/other");
    let stack = init.bytes(&[0; 256]);
    init.call(CLONE, &[VFORK, stack, NONE, NONE, NONE]).jump_if_zero(child);
    init.take(Of(word)).expect(Value(77), 1);
    wait_status(&mut init);
    init.expect(Value(3 << 8), 2);
    exit(&mut init, 0);
    init.place(child).take(Value(77)).write_word(word.address());
    let arguments = init.vector(&[path]);
    init.call(EXECVE, &[path, arguments, NONE]);
    exit(&mut init, 9);
    let system = System::new(1, &[("/sbin/init", &init), ("/bin/other", &other)]);
    assert_eq!(system.status(), 0);
}

#[test]
fn vfork_parent_resumes_with_own_memory() {
    // Both pids go to one untouched page: only one process may bring it in.
    const FLAGS: Argument = Value(0x4000 | 0x100 | 0x10_0000 | 0x100_0000 | 17);
    let (untouched, behind) = (Value(0x50_1000), Value(0x50_1008));
    let mut init = Script::new();
    let (pid, child, stack) = (init.variable(), init.label(), init.bytes(&[0; 3 * 4096]));
    init.call(CLONE, &[FLAGS, stack, untouched, NONE, behind]).keep(pid).jump_if_zero(child);
    init.take(untouched).read_word().expect(Of(pid), 1);
    init.take(behind).read_word().expect(Of(pid), 2);
    exit(&mut init, 0);
    init.place(child);
    exit(&mut init, 9);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn fork_without_free_slot_gets_eagain() {
    let mut init = Script::new();
    let (count, child, again, full) = (init.variable(), init.label(), init.label(), init.label());
    let forever = init.bytes(&[0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    init.place(again).call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.jump_if(error(11), full);
    init.take(Of(count)).add(ONE).keep(count).jump(again);
    init.place(full).take(Of(count)).expect(Value(crate::support::SLOTS as u64 - 1), 1);
    init.call(KILL, &[ANY, Value(9)]).expect(NONE, 2);
    wait_status(&mut init);
    init.expect(Value(9), 3);
    exit(&mut init, 0);
    init.place(child).call(NANOSLEEP, &[forever, NONE]);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn out_of_memory_kills_largest_program() {
    let mut init = Script::new();
    let child = init.label();
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(Value(9), 1);
    exit(&mut init, 0);
    let (again, place) = (init.label(), init.variable());
    init.place(child);
    // The second one lies below the first.
    init.call(MMAP, &[NONE, Value(500 * 4096), Value(3), Value(0x22), ANY, NONE]);
    init.call(MMAP, &[NONE, Value(500 * 4096), Value(3), Value(0x22), ANY, NONE]).keep(place);
    init.place(again).take(Of(place)).read_word();
    init.take(ONE).write_word(Argument::Of(place));
    init.take(Of(place)).add(Value(4096)).keep(place).jump(again);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn poll_one_and_several_descriptors_waits() {
    let mut init = with_console();
    let (ends, child) = (init.variable(), init.label());
    let (word, buffer) = (init.variable(), init.bytes(&[0; 8]));
    let short = init.bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0]);
    init.call(PIPE2, &[ends.address(), NONE]);
    let reader = init.bytes(&[1, 0, 0, 0, 1, 0, 0, 0]);
    let both = init.bytes(&[1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    init.call(PPOLL, &[reader, ONE, short, NONE]).expect(NONE, 1);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.call(PPOLL, &[reader, ONE, NONE, NONE]).expect(ONE, 2);
    init.take(reader).read_word().expect(Value(1 << 48 | 1 << 32 | 1), 3);
    init.call(READ, &[ONE, buffer, ONE]).expect(ONE, 4);
    init.call(PPOLL, &[both, Value(2), NONE, NONE]).expect(ONE, 5);
    init.call(CLOSE, &[Value(2)]);
    init.call(WAIT4, &[ANY, NONE, NONE, NONE]);
    init.call(READ, &[ONE, buffer, ONE]).expect(ONE, 6);
    init.call(PPOLL, &[reader, ONE, NONE, NONE]).expect(ONE, 7);
    init.take(reader).read_word().expect(Value(16 << 48 | 1 << 32 | 1), 8);
    let unknown = init.bytes(&[9, 0, 0, 0, 1, 0, 0, 0]);
    init.call(PPOLL, &[unknown, ONE, NONE, NONE]).expect(ONE, 9);
    exit(&mut init, 0);
    init.place(child);
    for _ in 0..2 {
        init.call(NANOSLEEP, &[short, NONE]).call(WRITE, &[Value(2), word.address(), ONE]);
    }
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn writev_small_vector_is_one_write() {
    let mut init = with_console();
    let (first, second) = (init.bytes(b"one "), init.bytes(b"two\n"));
    let (Argument::Address(a), Argument::Address(b)) = (first, second) else { unreachable!("bytes have addresses") };
    let words: Vec<u8> = [a, 4, b, 4].into_iter().flat_map(u64::to_le_bytes).collect();
    let parts = init.bytes(&words);
    init.call(WRITEV, &[NONE, parts, Value(2)]).expect(Value(8), 1);
    let (file, long) = (init.string("/long"), init.bytes(&[b'l'; 9000]));
    init.call(OPENAT, &[AT_FDCWD, file, Value(0o102), Value(0o644)]).expect(ONE, 2);
    init.call(WRITE, &[ONE, long, Value(9000)]).expect(Value(9000), 3);
    init.call(LSEEK, &[ONE, Value(10), NONE]).expect(Value(10), 4);
    init.call(READ, &[ONE, long, Value(9000)]).expect(Value(8990), 5);
    init.call(READ, &[ONE, long, Value(9000)]).expect(NONE, 6);
    exit(&mut init, 0);
    let system = System::solo(&init);
    assert_eq!((system.status(), system.screen().as_str()), (0, "one two\n"));
    assert_eq!(system.disk.content("/long").unwrap(), [b'l'; 9000]);
}

#[test]
fn dup_copies_and_exec_closes_cloexec() {
    let mut other = Script::new();
    other.call(WRITE, &[Value(10), NONE, NONE]).expect(NONE, 1);
    other.call(WRITE, &[Value(20), NONE, NONE]).expect(error(9), 2);
    exit(&mut other, 0);
    let mut init = with_console();
    let path = init.string("/bin/other");
    let arguments = init.vector(&[path]);
    init.call(FCNTL, &[NONE, NONE, Value(10)]).expect(Value(10), 1);
    init.call(DUP3, &[NONE, Value(20), Value(0o2_000_000)]).expect(Value(20), 2);
    init.call(DUP3, &[NONE, NONE, NONE]).expect(error(22), 3);
    init.call(DUP3, &[NONE, Value(1024), NONE]).expect(error(9), 4);
    init.call(FCNTL, &[Value(20), ONE]).expect(ONE, 5);
    init.call(EXECVE, &[path, arguments, NONE]);
    exit(&mut init, 6);
    assert_eq!(System::new(1, &[("/sbin/init", &init), ("/bin/other", &other)]).status(), 0);
}

/// A transfer of 256 MiB without a call to a server: 1024 times the same pages.
fn endless(script: &mut Script, call: u64, descriptor: Argument) {
    const BYTES: u64 = 256 << 10;
    let (place, flags) = (0x2000_0000u64, Value(0x32)); // at that place, of zeros, private
    script.call(MMAP, &[Value(place), Value(BYTES), Value(3), flags, ANY, NONE]).expect(Value(place), 80);
    let parts: Vec<u8> = (0..1024).flat_map(|_| [place, BYTES]).flat_map(u64::to_le_bytes).collect();
    let parts = script.bytes(&parts);
    script.call(call, &[descriptor, parts, Value(1024)]);
}

/// The child reports its start; init, which gets its time slice although the child never waits, kills it.
#[test]
fn transfer_huge_yields_and_can_be_killed() {
    for call in [READV, WRITEV] {
        let mut init = Script::new();
        let (ends, child, pid) = (init.variable(), init.label(), init.variable());
        let zero = init.string("/dev/zero");
        init.call(OPENAT, &[AT_FDCWD, zero, Value(2), NONE]).expect(NONE, 1);
        init.call(PIPE2, &[ends.address(), NONE]);
        init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(pid).jump_if_zero(child);
        let byte = init.variable();
        init.call(READ, &[ONE, byte.address(), ONE]).expect(ONE, 2);
        init.call(KILL, &[Of(pid), Value(9)]).expect(NONE, 3);
        wait_status(&mut init);
        init.expect(Value(9), 4);
        exit(&mut init, 0);
        init.place(child).call(WRITE, &[Value(2), byte.address(), ONE]);
        endless(&mut init, call, NONE);
        exit(&mut init, 0);
        assert_eq!(System::solo(&init).status(), 0);
    }
}

/// A short count: nothing is lost, or moved twice.
#[test]
fn transfer_huge_signal_returns_short_count() {
    let mut init = Script::new();
    let (handler, whole) = (init.label(), init.label());
    let mut bytes = [0; 32];
    bytes[8..16].copy_from_slice(&0x1000_0000u64.to_le_bytes()); // SA_RESTART
    let action = init.bytes(&bytes);
    init.take(Code(handler)).write_word(action);
    init.call(SIGACTION, &[Value(SIGALRM), action, NONE, Value(8)]).expect(NONE, 1);
    let zero = init.string("/dev/zero");
    init.call(OPENAT, &[AT_FDCWD, zero, Value(2), NONE]).expect(NONE, 2);
    let millisecond = words(&mut init, &[0, 0, 0, 1000]);
    init.call(SETITIMER, &[NONE, millisecond, NONE]).expect(NONE, 3);
    endless(&mut init, READV, NONE);
    init.jump_if(Value(256 << 20), whole).jump_if(error(EINTR), whole);
    exit(&mut init, 0);
    init.place(whole);
    exit(&mut init, 7);
    init.place(handler).end_handler();
    assert_eq!(System::solo(&init).status(), 0);
}
