//! Scripted programs on one board and on two that talk by sockets.

use crate::support::System;
use crate::support::calls::{
    ACCEPT4, BIND, CLOSE, CONNECT, FORK_ON, GETPEERNAME, GETPID, GETSOCKNAME, GETSOCKOPT, KILL, LISTEN, NANOSLEEP,
    NONE, ONE, PPOLL, READ, RECVFROM, RECVMMSG, RECVMSG, SENDMMSG, SENDMSG, SENDTO, SETSOCKOPT, SHUTDOWN, SOCKET,
    SOCKETPAIR, WRITE, behind, error, exit, expect_word, handle, time, wait_status, with_console, words,
};
use crate::support::script::{Argument, Script};
use Argument::Value;

const UNIX: Argument = Value(1);
const STREAM: Argument = Value(1);
const DATAGRAM: Argument = Value(2);
const SEQUENCE: Argument = Value(5);
const PEEK: Argument = Value(2);
const DONTWAIT: Argument = Value(0x40);
const WAITALL: Argument = Value(0x100);
const NOSIGNAL: Argument = Value(0x4000);
const TWO: Argument = Value(2);
const EAGAIN: i64 = 11;
const EINVAL: i64 = 22;
const ENFILE: i64 = 23;
const EPIPE: i64 = 32;
const ENOTSOCK: i64 = 88;
const EMSGSIZE: i64 = 90;
const EAFNOSUPPORT: i64 = 97;
const EADDRINUSE: i64 = 98;
const EISCONN: i64 = 106;
const ENOTCONN: i64 = 107;
const ECONNREFUSED: i64 = 111;

fn run(boards: usize, init: &Script) {
    let system = System::new(boards, &[("/sbin/init", init)]);
    assert_eq!(system.status(), 0, "{:?}", System::log());
}

/// A `struct sockaddr_un` of an abstract name of six bytes: its address and length.
fn name(script: &mut Script, name: &[u8; 5]) -> (Argument, Argument) {
    (script.bytes(&[&[1, 0, 0][..], name].concat()), Value(8))
}

fn send(script: &mut Script, number: Argument, bytes: Argument, count: u64, flags: Argument) -> &mut Script {
    script.call(SENDTO, &[number, bytes, Value(count), flags, NONE, NONE])
}

fn receive(script: &mut Script, number: Argument, room: Argument, count: u64, flags: Argument) -> &mut Script {
    script.call(RECVFROM, &[number, room, Value(count), flags, NONE, NONE])
}

/// Of a pair the child on the other board has one end, and this process the other.
#[test]
fn socketpair_carries_bytes_between_boards() {
    for board in [0, 1] {
        let mut init = with_console();
        let (pair, child) = (init.variable(), init.label());
        let (word, room) = (init.bytes(b"wordsbed"), init.bytes(&[0; 8]));
        init.call(SOCKETPAIR, &[UNIX, STREAM, NONE, pair.address()]).expect(NONE, 1);
        init.call(FORK_ON, &[Value(board)]).jump_if_zero(child);
        init.call(CLOSE, &[TWO]).expect(NONE, 2);
        receive(&mut init, ONE, room, 4, PEEK).expect(Value(4), 3);
        receive(&mut init, ONE, room, 8, WAITALL).expect(Value(8), 4);
        expect_word(&mut init, room, u64::from_le_bytes(*b"wordsbed"), 5);
        init.call(WRITE, &[ONE, word, Value(2)]).expect(TWO, 6);
        // The child has closed its end.
        init.call(READ, &[ONE, room, Value(8)]).expect(NONE, 7);
        send(&mut init, ONE, word, 4, NOSIGNAL).expect(error(EPIPE), 8);
        wait_status(&mut init);
        init.expect(NONE, 9);
        exit(&mut init, 0);
        init.place(child);
        init.call(CLOSE, &[ONE]).expect(NONE, 10);
        init.call(WRITE, &[TWO, word, Value(4)]).expect(Value(4), 11);
        let time = words(&mut init, &[0, 3_000_000]);
        init.call(NANOSLEEP, &[time, NONE]);
        init.call(WRITE, &[TWO, behind(word, 4), Value(4)]).expect(Value(4), 12);
        init.call(READ, &[TWO, room, Value(8)]).expect(TWO, 13);
        receive(&mut init, TWO, room, 8, DONTWAIT).expect(error(EAGAIN), 14);
        exit(&mut init, 0);
        run(2, &init);
    }
}

/// A `struct sockaddr_in` of a board and its length: 10.0.0.1 is the first's.
fn port(script: &mut Script, last: u8, port: u8) -> (Argument, Argument) {
    let bytes = [2, 0, 0x20, port, if last == 0 { 127 } else { 10 }, 0, 0, last.max(1), 0, 0, 0, 0, 0, 0, 0, 0];
    (script.bytes(&bytes), Value(16))
}

/// A listener at all addresses of the first board: who connects from a board comes from that board's address.
#[test]
fn socket_internet_listener_accepts_from_other_board() {
    for board in [0, 1] {
        let mut init = with_console();
        let child = init.label();
        let free = port(&mut init, 0, 2);
        let (loopback, other, reached) = (port(&mut init, 0, 1), port(&mut init, 2, 1), port(&mut init, 1, 1));
        // Its address lies at a whole word.
        let (room, from, size) = (init.bytes(&[0; 24]), 4, words(&mut init, &[16]));
        init.call(SOCKET, &[TWO, STREAM, NONE]).expect(ONE, 1);
        init.call(BIND, &[ONE, other.0, other.1]).expect(error(99), 2);
        let any = init.bytes(&[2, 0, 0x20, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        init.call(BIND, &[ONE, any, Value(16)]).expect(NONE, 3);
        init.call(SOCKET, &[TWO, STREAM, NONE]).expect(TWO, 4);
        init.call(BIND, &[TWO, loopback.0, loopback.1]).expect(error(EADDRINUSE), 5);
        init.call(CONNECT, &[TWO, loopback.0, loopback.1]).expect(error(ECONNREFUSED), 6);
        init.call(GETSOCKNAME, &[TWO, room, size]).expect(NONE, 6);
        expect_word(&mut init, room, 2, 24); // its automatic port is given back
        init.call(BIND, &[TWO, free.0, free.1]).expect(NONE, 25);
        init.call(CLOSE, &[TWO]).expect(NONE, 7);
        init.call(LISTEN, &[ONE, ONE]).expect(NONE, 8);
        init.call(FORK_ON, &[Value(board)]).jump_if_zero(child);
        init.call(ACCEPT4, &[ONE, behind(room, from), size, NONE]).expect(TWO, 9);
        let last = board as u8 + 1;
        expect_word(&mut init, behind(room, 8), u64::from_le_bytes([10, 0, 0, last, 0, 0, 0, 0]), 10);
        init.call(READ, &[TWO, room, Value(8)]).expect(Value(3), 11);
        init.call(WRITE, &[TWO, room, TWO]).expect(TWO, 12);
        wait_status(&mut init);
        init.expect(NONE, 13);
        // A port is free again as soon as it is closed.
        init.call(CLOSE, &[ONE]).expect(NONE, 14);
        init.call(SOCKET, &[TWO, STREAM, NONE]).expect(ONE, 15);
        init.call(BIND, &[ONE, reached.0, reached.1]).expect(NONE, 16);
        exit(&mut init, 0);
        init.place(child);
        init.call(CLOSE, &[ONE]).expect(NONE, 17);
        init.call(SOCKET, &[TWO, STREAM, NONE]).expect(ONE, 18);
        init.call(CONNECT, &[ONE, reached.0, reached.1]).expect(NONE, 19);
        init.call(GETPEERNAME, &[ONE, room, size]).expect(NONE, 20);
        expect_word(&mut init, room, u64::from_le_bytes([2, 0, 0x20, 1, 10, 0, 0, 1]), 21);
        init.call(WRITE, &[ONE, room, Value(3)]).expect(Value(3), 22);
        init.call(READ, &[ONE, room, Value(8)]).expect(TWO, 23);
        exit(&mut init, 0);
        run(2, &init);
    }
}

/// The listener on one board, who connects on the other.
#[test]
fn socket_listener_accepts_from_other_board() {
    for board in [0, 1] {
        let mut init = with_console();
        let child = init.label();
        let (at, length) = name(&mut init, b"hello");
        let (bytes, room, size) = (init.bytes(b"question"), init.bytes(&[0; 16]), init.bytes(&[16, 0, 0, 0]));
        init.call(SOCKET, &[UNIX, STREAM, NONE]).expect(ONE, 1);
        init.call(LISTEN, &[ONE, ONE]).expect(error(EINVAL), 2);
        init.call(BIND, &[ONE, at, length]).expect(NONE, 3);
        init.call(SOCKET, &[UNIX, STREAM, NONE]).expect(TWO, 4);
        init.call(BIND, &[TWO, at, length]).expect(error(EADDRINUSE), 5);
        init.call(CONNECT, &[TWO, at, length]).expect(error(ECONNREFUSED), 6);
        init.call(GETPEERNAME, &[TWO, room, size]).expect(error(ENOTCONN), 7);
        init.call(CLOSE, &[TWO]).expect(NONE, 8);
        init.call(LISTEN, &[ONE, ONE]).expect(NONE, 9);
        init.call(FORK_ON, &[Value(board)]).jump_if_zero(child);
        // SOCK_NONBLOCK of the connection.
        init.call(ACCEPT4, &[ONE, room, size, Value(0o4000)]).expect(TWO, 10);
        expect_word(&mut init, size, 2, 11);
        init.call(READ, &[TWO, room, Value(8)]).expect(error(EAGAIN), 12);
        let entry = init.bytes(&[2, 0, 0, 0, 1, 0, 0, 0]);
        init.call(PPOLL, &[entry, ONE, NONE, NONE]).expect(ONE, 13);
        init.call(READ, &[TWO, room, Value(8)]).expect(Value(8), 14);
        expect_word(&mut init, room, u64::from_le_bytes(*b"question"), 15);
        init.call(WRITE, &[TWO, bytes, Value(5)]).expect(Value(5), 16);
        let credentials = (init.bytes(&[0xff; 16]), init.bytes(&[12, 0, 0, 0]));
        init.call(GETSOCKOPT, &[TWO, ONE, Value(17), credentials.0, credentials.1]).expect(NONE, 17);
        init.call(SHUTDOWN, &[TWO, ONE]).expect(NONE, 18);
        wait_status(&mut init);
        init.expect(NONE, 19);
        init.call(CLOSE, &[ONE]).expect(NONE, 20);
        exit(&mut init, 0);
        init.place(child);
        init.call(CLOSE, &[ONE]).expect(NONE, 21);
        init.call(SOCKET, &[UNIX, STREAM, NONE]).expect(ONE, 22);
        init.call(CONNECT, &[ONE, at, length]).expect(NONE, 23);
        init.call(CONNECT, &[ONE, at, length]).expect(error(EISCONN), 24);
        let time = words(&mut init, &[0, 3_000_000]);
        init.call(NANOSLEEP, &[time, NONE]);
        init.call(WRITE, &[ONE, bytes, Value(8)]).expect(Value(8), 25);
        let (other, size) = (init.bytes(&[0; 16]), init.bytes(&[16, 0, 0, 0, 0, 0, 0, 0]));
        init.call(GETPEERNAME, &[ONE, other, size]).expect(NONE, 26);
        expect_word(&mut init, size, 8, 27);
        expect_word(&mut init, other, u64::from_le_bytes([1, 0, 0, b'h', b'e', b'l', b'l', b'o']), 28);
        init.call(READ, &[ONE, room, Value(8)]).expect(Value(5), 29);
        init.call(READ, &[ONE, room, Value(8)]).expect(NONE, 30);
        exit(&mut init, 0);
        run(2, &init);
    }
}

#[test]
fn socket_datagrams_reach_other_board_and_are_answered() {
    let mut init = with_console();
    let child = init.label();
    let (first, second) = (name(&mut init, b"first"), name(&mut init, b"secon"));
    let (bytes, room) = (init.bytes(b"datagram"), init.bytes(&[0; 8]));
    let (from, size) = (init.bytes(&[0; 16]), words(&mut init, &[16]));
    init.call(SOCKET, &[UNIX, DATAGRAM, NONE]).expect(ONE, 1);
    init.call(BIND, &[ONE, first.0, first.1]).expect(NONE, 2);
    init.call(LISTEN, &[ONE, ONE]).expect(error(95), 3);
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    // One that is cut, one that is answered.
    init.call(RECVFROM, &[ONE, room, Value(4), Value(0x20), from, size]).expect(Value(8), 4);
    expect_word(&mut init, size, 8, 5);
    init.call(RECVFROM, &[ONE, room, Value(8), NONE, from, size]).expect(NONE, 6);
    init.call(SENDTO, &[ONE, bytes, Value(8), NONE, from, Value(8)]).expect(Value(8), 7);
    wait_status(&mut init);
    init.expect(NONE, 8);
    init.call(SENDTO, &[ONE, bytes, Value(8), NONE, from, Value(8)]).expect(error(ECONNREFUSED), 9);
    exit(&mut init, 0);
    init.place(child);
    init.call(CLOSE, &[ONE]).expect(NONE, 10);
    init.call(SOCKET, &[UNIX, DATAGRAM, NONE]).expect(ONE, 11);
    init.call(BIND, &[ONE, second.0, second.1]).expect(NONE, 12);
    send(&mut init, ONE, bytes, 8, NONE).expect(error(ENOTCONN), 13);
    init.call(CONNECT, &[ONE, first.0, first.1]).expect(NONE, 14);
    init.call(WRITE, &[ONE, bytes, Value(8)]).expect(Value(8), 15);
    send(&mut init, ONE, bytes, 0, NONE).expect(NONE, 16);
    init.call(READ, &[ONE, room, Value(8)]).expect(Value(8), 17);
    expect_word(&mut init, room, u64::from_le_bytes(*b"datagram"), 18);
    exit(&mut init, 0);
    run(2, &init);
}

/// Messages of two buffers, one by one and several in a call; and what is refused.
/// Holds: sockets.
#[test]
fn socket_messages_and_options_match_linux() {
    let mut init = with_console();
    let pair = init.variable();
    let (bytes, room) = (init.bytes(b"onetwo.."), init.bytes(&[0; 16]));
    let parts = words(&mut init, &[address(bytes), 3, address(bytes) + 3, 3]);
    let places = words(&mut init, &[address(room), 2, address(room) + 8, 8]);
    let header = |init: &mut Script, parts| words(init, &[0, 0, address(parts), 2, 0, 0, 0, 0]);
    let (sent, received) = (header(&mut init, parts), header(&mut init, places));
    init.call(SOCKETPAIR, &[UNIX, SEQUENCE, NONE, pair.address()]).expect(NONE, 1);
    init.call(SENDMSG, &[ONE, sent, NONE]).expect(Value(6), 2);
    init.call(RECVMSG, &[TWO, received, NONE]).expect(Value(6), 3);
    expect_word(&mut init, room, u64::from_le_bytes(*b"on\0\0\0\0\0\0"), 4);
    expect_word(&mut init, behind(room, 8), u64::from_le_bytes(*b"etwo\0\0\0\0"), 5);
    init.call(SENDMMSG, &[ONE, sent, ONE, NONE]).expect(ONE, 6);
    init.call(RECVMMSG, &[TWO, received, TWO, Value(0x1_0040), NONE]).expect(ONE, 7);
    expect_word(&mut init, behind(received, 56), 6, 8);
    init.call(RECVMSG, &[TWO, received, DONTWAIT]).expect(error(EAGAIN), 9);
    let most = init.bytes(&[7; 4097]);
    send(&mut init, ONE, most, 4097, NONE).expect(error(EMSGSIZE), 10);
    send(&mut init, ONE, most, 4096, NONE).expect(Value(4096), 11);
    let (value, size) = (init.bytes(&[0; 8]), init.bytes(&[4, 0, 0, 0, 0, 0, 0, 0]));
    for (option, wanted) in [(3, 5), (4, 0), (30, 0), (39, 1), (7, 65536)] {
        init.call(GETSOCKOPT, &[ONE, ONE, Value(option), value, size]).expect(NONE, 12);
        expect_word(&mut init, value, wanted, 13);
    }
    init.call(SETSOCKOPT, &[ONE, ONE, TWO, value, Value(4)]).expect(NONE, 14);
    init.call(SETSOCKOPT, &[ONE, ONE, Value(99), value, Value(4)]).expect(error(92), 15);
    init.call(SETSOCKOPT, &[ONE, Value(6), ONE, value, Value(4)]).expect(error(95), 16);
    init.call(GETSOCKNAME, &[ONE, room, size]).expect(NONE, 17);
    init.call(SOCKET, &[Value(99), STREAM, NONE]).expect(error(EAFNOSUPPORT), 18);
    init.call(LISTEN, &[NONE, ONE]).expect(error(ENOTSOCK), 19);
    // All sockets of the board: none is left for one more, and one given back is free.
    for number in 3..6 {
        init.call(SOCKET, &[UNIX, STREAM, NONE]).expect(Value(number), 20);
    }
    init.call(SOCKET, &[UNIX, STREAM, NONE]).expect(error(ENFILE), 21);
    init.call(CLOSE, &[Value(4)]).expect(NONE, 22);
    init.call(SOCKET, &[UNIX, DATAGRAM, NONE]).expect(Value(4), 23);
    let (at, length) = name(&mut init, b"named");
    init.call(BIND, &[Value(3), at, length]).expect(NONE, 24);
    init.call(LISTEN, &[Value(3), ONE]).expect(NONE, 25);
    init.call(CONNECT, &[Value(4), at, length]).expect(error(ECONNREFUSED), 26);
    send(&mut init, Value(4), bytes, 1, NONE).expect(error(ENOTCONN), 27);
    exit(&mut init, 0);
    run(1, &init);
}

fn address(argument: Argument) -> u64 {
    match argument {
        Argument::Address(at) => at,
        _ => unreachable!(),
    }
}

/// A message that goes along with the descriptor `number`.
fn message_with(init: &mut Script, bytes: Argument, count: u64, number: u64) -> Argument {
    let part = words(init, &[address(bytes), count]);
    let control = words(init, &[20, 1 << 32 | 1, number]);
    words(init, &[0, 0, address(part), 1, address(control), 24, 0])
}

/// A record is whole or refused, and a receiver without room for descriptors is
/// told so.
#[test]
fn socket_messages_with_descriptors_are_not_cut_silently() {
    let mut init = with_console();
    let (pair, bytes) = (init.variable(), init.bytes(&[7; 4104]));
    let (long, short) = (message_with(&mut init, bytes, 4097, 0), message_with(&mut init, bytes, 1, 0));
    let part = words(&mut init, &[address(bytes), 8]);
    let bare = words(&mut init, &[0, 0, address(part), 1, 0, 0, 0]);
    for (sort, first) in [(SEQUENCE, 1), (STREAM, 3)] {
        let [one, other] = [Value(first), Value(first + 1)];
        init.call(SOCKETPAIR, &[UNIX, sort, NONE, pair.address()]).expect(NONE, 1);
        if first == 1 {
            init.call(SENDMSG, &[one, long, NONE]).expect(error(EMSGSIZE), 2);
        }
        init.call(SENDMSG, &[one, short, NONE]).expect(ONE, 3);
        init.call(RECVMSG, &[other, bare, NONE]).expect(ONE, 4);
        expect_word(&mut init, behind(bare, 48), 8, 5); // MSG_CTRUNC
        init.call(WRITE, &[one, bytes, TWO]).expect(TWO, 6);
        init.call(RECVMSG, &[other, bare, NONE]).expect(TWO, 7);
        expect_word(&mut init, behind(bare, 48), 0, 8);
    }
    exit(&mut init, 0);
    run(1, &init);
}

/// Of a call that waits for a limited time a handler's wish to restart it counts for nothing.
#[test]
fn socket_wait_with_limit_is_not_restarted_after_a_signal() {
    const SA_RESTART: u64 = 0x1000_0000;
    const RECEIVE_TIME: Argument = Value(20);
    for (limit_s, board, result) in [(0, 0, Value(4)), (1, 0, error(4)), (0, 1, Value(4)), (1, 1, error(4))] {
        let mut init = with_console();
        let (pair, child, handler) = (init.variable(), init.label(), init.label());
        let (parent, room) = (init.variable(), init.bytes(b"12345678"));
        let limit = words(&mut init, &[limit_s, 0]);
        init.call(GETPID, &[]).keep(parent);
        init.call(SOCKETPAIR, &[UNIX, STREAM, NONE, pair.address()]).expect(NONE, 1);
        init.call(SETSOCKOPT, &[ONE, ONE, RECEIVE_TIME, limit, Value(16)]).expect(NONE, 2);
        handle(&mut init, 10, Argument::Code(handler), SA_RESTART);
        init.call(FORK_ON, &[Value(board)]).jump_if_zero(child);
        init.call(READ, &[ONE, room, Value(4)]).expect(result, 3);
        receive(&mut init, ONE, room, 4, PEEK).expect(result, 4);
        wait_status(&mut init);
        init.expect(NONE, 5);
        exit(&mut init, 0);
        init.place(handler).end_handler();
        init.place(child);
        for _ in 0..2 {
            let time = time(&mut init, 5);
            init.call(NANOSLEEP, &[time, NONE]);
            init.call(KILL, &[Argument::Of(parent), Value(10)]).expect(NONE, 6);
            if limit_s == 0 {
                init.call(NANOSLEEP, &[time, NONE]);
                init.call(WRITE, &[TWO, room, Value(4)]).expect(Value(4), 7);
            }
        }
        exit(&mut init, 0);
        run(2, &init);
    }
}
