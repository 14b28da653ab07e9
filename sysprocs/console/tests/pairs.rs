//! Pseudo-terminals as those at both of their sides see them.
mod support;

use renga_console::termios::{ECHO, ICANON, ISIG, TOSTOP, Termios, VMIN, VTIME};
use renga_proto::console::{JobControl, KeyboardSignal, TERMIOS_BYTES, WindowSize};
use renga_proto::pipe::{ERROR, HANG_UP, NO_PROGRAM, READABLE, WRITABLE};
use renga_proto::terminals::{
    BoardDied, ChangeWindow, DescribePair, DropSide, HoldSide, MakePair, NextPair, OpenSlave, OwnPair, PRIORITY,
    PairAttributes, PairFacts, PairJobs, PairRequest, PairWindow, PollSide, ReadSide, TerminalHandle, Terminals,
    WriteSide, pair_name, pair_of,
};
use renga_rt::{Client, Errno};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use support::{PAIRS, Pair, QUIET, Rig, rig};

#[test]
fn pair_keys_are_edited_and_echoed_as_on_the_console() {
    rig().run(|mut pair| async move {
        assert_eq!((pair.read().await, pair.shown().await), (Err(Errno::EAGAIN), Err(Errno::EAGAIN)));
        assert_eq!(pair.press(b"hex\x7fy\r").await, (6, QUIET));
        assert_eq!(pair.shown().await.unwrap(), b"hex\x08 \x08y\r\n");
        assert_eq!(pair.control(pair.slave, PairRequest::Bytes, 0).await, Ok(4));
        assert_eq!(pair.read().await.unwrap(), b"hey\n");
        assert_eq!(pair.write(b"a\nb").await, Ok(3));
        assert_eq!(pair.control(pair.master, PairRequest::Bytes, 0).await, Ok(4));
        assert_eq!(pair.shown().await.unwrap(), b"a\r\nb");
        assert_eq!(pair.calls.call(ReadSide { at: pair.slave, nonblocking: false }, &mut [][..]).await, Ok(0));
    });
}

#[test]
fn pair_signal_key_ends_write_and_says_for_whom() {
    rig().run(|mut pair| async move {
        assert_eq!(pair.press(b"ab\x03cd").await, (3, QUIET), "there is no group");
        pair.jobs(42, 40).await;
        assert_eq!(pair.calls.call(PairJobs { at: pair.master }, ()).await.map(|jobs| jobs.session), Ok(40));
        assert_eq!(pair.press(b"x\x1ay\n").await, (2, KeyboardSignal { signal: 20, group: 42 }));
        assert_eq!(pair.press(b"y\n").await, (2, QUIET));
        assert_eq!(pair.read().await.unwrap(), b"y\n", "what was typed before is flushed");
        assert_eq!(pair.shown().await.unwrap(), b"^Zy\r\n", "and what was not shown yet");
        pair.change(|termios| termios.local &= !ISIG).await;
        assert_eq!(pair.press(b"\x03\n").await, (2, QUIET));
    });
}

#[test]
fn pair_window_change_is_for_the_foreground_group() {
    rig().run(|mut pair| async move {
        let change = ChangeWindow { at: pair.master, rows: 5, columns: 9 };
        assert_eq!(pair.calls.call(change, ()).await, Ok(QUIET));
        pair.jobs(42, 40).await;
        assert_eq!(pair.calls.call(change, ()).await, Ok(QUIET), "it is as before");
        let change = ChangeWindow { rows: 6, ..change };
        assert_eq!(pair.calls.call(change, ()).await, Ok(KeyboardSignal { signal: 28, group: 42 }));
        let window = pair.calls.call(PairWindow { at: pair.slave }, ()).await;
        assert_eq!(window, Ok(WindowSize { rows: 6, columns: 9 }));
    });
}

#[test]
fn pair_master_learns_that_slave_is_left_and_open_again() {
    rig().run(|mut pair| async move {
        pair.jobs(42, 40).await;
        assert_eq!(pair.write(b"last").await, Ok(4));
        assert_eq!(pair.drop_side(pair.slave).await, Ok(QUIET));
        assert_eq!(pair.events(pair.master, NO_PROGRAM).await, READABLE | WRITABLE | HANG_UP);
        assert_eq!(pair.shown().await.unwrap(), b"last");
        assert_eq!(pair.shown().await, Err(Errno::EIO));
        assert_eq!(pair.read().await, Err(Errno::ESTALE));
        assert_eq!(pair.press(b"typed ahead\n").await, (12, QUIET));
        let again =
            pair.calls.call(OpenSlave { number: pair.slave.number, generation: pair.slave.generation }, ()).await;
        assert_eq!(again, Ok(pair.slave));
        assert_eq!(pair.read().await.unwrap(), b"typed ahead\n");
        assert_eq!(pair.calls.call(PairJobs { at: pair.slave }, ()).await.map(|jobs| jobs.session), Ok(0));
        assert_eq!(pair.events(pair.master, NO_PROGRAM).await & HANG_UP, 0);
    });
}

#[test]
fn pair_slave_is_hung_up_with_its_master() {
    let rig = rig();
    rig.run(|mut pair| async move {
        pair.jobs(42, 40).await;
        let Pair { master, slave, .. } = pair;
        assert_eq!(pair.calls.call(HoldSide { at: master }, ()).await, Ok(()));
        assert_eq!(pair.drop_side(master).await, Ok(QUIET), "somebody has it still");
        assert_eq!(pair.drop_side(master).await, Ok(KeyboardSignal { signal: 1, group: 40 }));
        let next = pair.calls.call(MakePair { user: 0 }, ()).await.unwrap();
        assert_ne!(next.number, slave.number, "its slave is open");
        assert_eq!(pair.drop_side(next).await, Ok(QUIET));
        assert_eq!(pair.events(slave, NO_PROGRAM).await, READABLE | WRITABLE | ERROR | HANG_UP);
        assert_eq!((pair.read().await.unwrap(), pair.write(b"x").await), (vec![], Err(Errno::EIO)));
        let get = pair.calls.call(PairAttributes { at: slave }, &mut [0; TERMIOS_BYTES][..]).await;
        assert_eq!(get, Err(Errno::EIO));
        assert_eq!(
            pair.calls.call(OpenSlave { number: slave.number, generation: slave.generation }, ()).await,
            Err(Errno::ENOENT)
        );
        let jobs = JobControl { group: 42, session: 40, nonblocking: false };
        assert_eq!(pair.calls.call(PairJobs { at: master }, ()).await, Ok(jobs), "until the leader ends");
        let nobody = JobControl { group: 0, session: 0, nonblocking: false };
        assert_eq!(pair.calls.call(PairJobs { at: slave }, ()).await, Ok(nobody));
        assert_eq!(pair.drop_side(slave).await, Ok(QUIET));
        assert_eq!(pair.drop_side(slave).await, Err(Errno::ESTALE));
    });
    rig.run(|mut pair| async move {
        assert_eq!(pair.drop_side(pair.master).await, Ok(QUIET), "there is no session");
        assert_eq!(pair.drop_side(pair.slave).await, Ok(QUIET));
        let next = pair.calls.call(MakePair { user: 0 }, ()).await.unwrap();
        assert!(next.number == pair.slave.number && next.generation != pair.slave.generation);
        assert_eq!(pair.read().await, Err(Errno::ESTALE));
    });
}

/// More than a pair has room for, each byte as its place says.
const LONG: &[u8] = &{
    let (mut bytes, mut at) = ([0; 4100], 0);
    while at < bytes.len() {
        (bytes[at], at) = (b'0' + (at % 61) as u8, at + 1);
    }
    bytes
};

/// What side `at` gets in one read.
fn bytes_of(rig: &Rig, at: TerminalHandle, bytes: usize) -> Vec<u8> {
    let (server, got) = (rig.server, Rc::new(RefCell::new(Vec::new())));
    let out = got.clone();
    rig.board.client(move |me| async move {
        let mut calls: Client<Terminals> = Client::new(&me, server);
        let mut read = vec![0; bytes];
        let count = calls.call(ReadSide { at, nonblocking: true }, &mut read[..]).await.unwrap();
        read.truncate(count as usize);
        *out.borrow_mut() = read;
    });
    rig.board.run();
    got.take()
}

/// Two readers and a writer wait; how their calls ended.
#[test]
fn pair_waiting_calls_end_when_other_side_acts_or_goes() {
    let rig = rig();
    let (server, ends) = (rig.server, Rc::new(RefCell::new(Vec::<(&str, Result<u32, Errno>)>::new())));
    let handle = Rc::new(Cell::new(None));
    let made = handle.clone();
    rig.run(move |mut pair| async move {
        pair.change(|termios| termios.local &= !(ICANON | ECHO)).await;
        made.set(Some((pair.master, pair.slave)));
    });
    let (master, slave) = handle.get().unwrap();
    let reader = |name, at| {
        let out = ends.clone();
        let process = rig.board.client(move |me| async move {
            let mut calls: Client<Terminals> = Client::new(&me, server);
            let read = calls.call(ReadSide { at, nonblocking: false }, &mut [0; 8][..]).await;
            out.borrow_mut().push((name, read));
        });
        rig.board.run();
        process
    };
    let writer = |name, at, bytes: &'static [u8]| {
        let out = ends.clone();
        rig.board.client(move |me| async move {
            let mut calls: Client<Terminals> = Client::new(&me, server);
            let write = WriteSide { at, nonblocking: false, checked: false };
            let written = calls.call(write, bytes).await.map(|written| written.bytes);
            out.borrow_mut().push((name, written));
        });
        rig.board.run();
    };
    let cancelled = reader("cancelled", slave);
    reader("slave", slave);
    reader("master", master);
    cancelled.cancel_wait();
    rig.board.run();
    assert_eq!(ends.take(), [("cancelled", Err(Errno::EINTR))]);
    writer("keys", master, b"ab");
    writer("text", slave, b"xyz");
    assert_eq!(ends.take(), [("keys", Ok(2)), ("slave", Ok(2)), ("text", Ok(3)), ("master", Ok(3))]);
    writer("much", slave, &[b'-'; 4096]);
    writer("more", slave, b"++");
    assert_eq!(ends.take(), [("much", Ok(4096))]);
    reader("room", master);
    assert_eq!(ends.take(), [("room", Ok(8)), ("more", Ok(2))]);
    // A long writer goes on where it was.
    for _ in 0..511 {
        reader("eight", master);
    }
    ends.take();
    writer("long", slave, LONG);
    assert_eq!(ends.take(), []);
    reader("eight", master);
    assert_eq!(ends.take(), [("eight", Ok(8)), ("long", Ok(4100))]);
    let rest = bytes_of(&rig, master, 4096);
    assert!(rest.len() > 4000 && LONG.ends_with(&rest), "{} bytes", rest.len());
    reader("slave", slave);
    let out = ends.clone();
    rig.board.client(move |me| async move {
        let mut calls: Client<Terminals> = Client::new(&me, server);
        let ended = calls.call(DropSide { at: master }, ()).await.map(|signal| signal.signal.into());
        out.borrow_mut().push(("closed", ended));
    });
    rig.board.run();
    assert_eq!(ends.take(), [("closed", Ok(0)), ("slave", Err(Errno::EIO))]);
}

#[test]
fn pair_stopped_output_waits() {
    rig().run(|mut pair| async move {
        assert_eq!(pair.press(b"\x13").await, (1, QUIET));
        assert_eq!(pair.write(b"x").await, Err(Errno::EAGAIN));
        assert_eq!(pair.events(pair.slave, NO_PROGRAM).await, 0);
        assert_eq!(pair.press(b"\x11").await, (1, QUIET));
        assert_eq!(pair.write(b"x").await, Ok(1));
        assert_eq!(pair.control(pair.slave, PairRequest::Flow, 0).await, Ok(0));
        assert_eq!(pair.write(b"y").await, Err(Errno::EAGAIN));
        assert_eq!(pair.control(pair.slave, PairRequest::Flow, 1).await, Ok(0));
        assert_eq!(pair.control(pair.slave, PairRequest::Flow, 2).await, Ok(0));
        assert_eq!(pair.shown().await.unwrap(), b"x\x13");
        assert_eq!(pair.control(pair.slave, PairRequest::Flow, 4).await, Err(Errno::EINVAL));
        assert_eq!(pair.control(pair.slave, PairRequest::Flush, 3).await, Err(Errno::EINVAL));
        pair.press(b"line\n").await;
        assert_eq!(pair.control(pair.slave, PairRequest::Flush, 0).await, Ok(0));
        assert_eq!((pair.read().await, pair.shown().await), (Err(Errno::EAGAIN), Ok(b"line\r\n".to_vec())));
        pair.write(b"lost").await.unwrap();
        assert_eq!(pair.control(pair.slave, PairRequest::Flush, 1).await, Ok(0));
        assert_eq!(pair.shown().await, Err(Errno::EAGAIN));
    });
}

#[test]
fn pair_packets_say_what_happened() {
    rig().run(|mut pair| async move {
        assert_eq!(pair.control(pair.master, PairRequest::Packets, 1).await, Ok(0));
        assert_eq!(pair.control(pair.master, PairRequest::AskPackets, 0).await, Ok(1));
        pair.write(b"text").await.unwrap();
        assert_eq!(pair.shown().await.unwrap(), b"\0text");
        pair.press(b"\x13").await;
        assert_eq!(pair.events(pair.master, NO_PROGRAM).await, READABLE | WRITABLE | PRIORITY);
        assert_eq!(pair.shown().await.unwrap(), [4]);
        pair.press(b"\x11").await;
        assert_eq!(pair.shown().await.unwrap(), [8]);
        pair.control(pair.slave, PairRequest::Flush, 2).await.unwrap();
        assert_eq!(pair.shown().await.unwrap(), [3]);
        pair.change(|termios| termios.input = 0).await;
        assert_eq!(pair.shown().await.unwrap(), [16]);
        pair.change(|termios| termios.input = Termios::INITIAL.input).await;
        assert_eq!(pair.shown().await.unwrap(), [32]);
        for stops in [0, 1] {
            pair.control(pair.slave, PairRequest::Flow, stops).await.unwrap();
        }
        assert_eq!(pair.shown().await.unwrap(), [8], "the last of what contradicts");
        assert_eq!(pair.shown().await, Err(Errno::EAGAIN));
    });
}

#[test]
fn pair_raw_reader_waits_for_bytes_and_time() {
    let rig = rig();
    rig.run(|mut pair| async move {
        let characters = |least, tenths| {
            move |termios: &mut Termios| {
                termios.local &= !(ICANON | ECHO);
                (termios.characters[VMIN], termios.characters[VTIME]) = (least, tenths);
            }
        };
        pair.change(characters(3, 0)).await;
        pair.press(b"ab").await;
        assert_eq!(pair.events(pair.slave, NO_PROGRAM).await, WRITABLE);
        assert_eq!(pair.read().await.unwrap(), b"ab", "who does not wait gets what there is");
        pair.press(b"abcd").await;
        let mut out = [0; 2];
        assert_eq!(pair.calls.call(ReadSide { at: pair.slave, nonblocking: false }, &mut out[..]).await, Ok(2));
        pair.change(characters(0, 0)).await;
        assert_eq!(pair.read().await.unwrap(), b"cd");
        let read = ReadSide { at: pair.slave, nonblocking: false };
        assert_eq!(pair.calls.call(read, &mut out[..]).await, Ok(0), "no bytes, and no time");
    });
}

/// As Linux 6.18 does it: 4,095 bytes wait at most, in either mode. The reader gets each byte that a write counted.
#[test]
fn pair_keys_without_room_are_refused_and_not_lost() {
    for canonical in [true, false] {
        rig().run(move |mut pair| async move {
            if !canonical {
                pair.change(|termios| termios.local &= !ICANON).await;
            }
            let keys: Vec<u8> = (0..600).flat_map(|number| format!("{number:07}\n").into_bytes()).collect();
            let mut taken = pair.press(&keys[..4000]).await.0 as usize;
            taken += pair.press(&keys[taken..]).await.0 as usize;
            assert_eq!(taken, 4095, "canonical: {canonical}");
            let mut read = Vec::new();
            while let Ok(bytes) = pair.read().await {
                read.extend(bytes);
                if taken < keys.len() {
                    taken += pair.press(&keys[taken..]).await.0 as usize;
                }
            }
            assert!(read == keys, "{} bytes", read.len());
        });
    }
}

#[test]
fn pair_background_writer_is_refused_where_set() {
    rig().run(|mut pair| async move {
        pair.change(|termios| termios.local |= TOSTOP).await;
        assert_eq!(pair.write(b"x").await, Err(Errno::EPERM));
        let checked = WriteSide { at: pair.slave, nonblocking: false, checked: true };
        assert_eq!(pair.calls.call(checked, &b"x"[..]).await.map(|written| written.bytes), Ok(1));
        assert_eq!(pair.press(b"k").await, (1, QUIET));
    });
}

#[test]
fn pair_waiters_are_woken_and_pairs_are_listed() {
    let rig = rig();
    let wakes = rig.wakes;
    rig.run(move |mut pair| async move {
        assert_eq!(
            pair.calls.call(PollSide { at: pair.slave, events: READABLE, slot: 5, seen: 0 }, ()).await.unwrap().events,
            0
        );
        assert!(wakes.take().is_none());
        pair.press(b"\n").await;
        assert_eq!(wakes.take(), Some((0, [1 << 5, 0, 0, 0])));
        assert_eq!(pair.calls.call(NextPair { from: 0 }, ()).await, Ok(0));
        assert_eq!(pair.calls.call(NextPair { from: 1 }, ()).await, Err(Errno::ENOENT));
        let facts = PairFacts { generation: pair.slave.generation, mode: 0o620, user: 7, group: 5 };
        assert_eq!(pair.calls.call(DescribePair { number: 0 }, ()).await, Ok(facts));
        let own = OwnPair { number: 0, generation: facts.generation, mode: u16::MAX, user: 9, group: u32::MAX };
        assert_eq!(pair.calls.call(own, ()).await, Ok(()));
        assert_eq!(pair.calls.call(DescribePair { number: 0 }, ()).await, Ok(PairFacts { user: 9, ..facts }));
        assert_eq!(pair.calls.call(DescribePair { number: 1 }, ()).await, Err(Errno::ENOENT));
        assert_eq!(pair.calls.call(DescribePair { number: 9 }, ()).await, Err(Errno::ENOENT));
        let second = pair.calls.call(MakePair { user: 0 }, ()).await.unwrap();
        assert_eq!(second.number, 1);
        // This board's sides go with it; a failed board's are free.
        assert_eq!(pair.calls.call(BoardDied { board: 0 }, ()).await, Ok(()));
        assert_eq!(pair.calls.call(NextPair { from: 0 }, ()).await, Err(Errno::ENOENT));
        assert_eq!(pair.calls.call(MakePair { user: 0 }, ()).await.map(|at| at.number), Ok(0));
    });
    assert_eq!((pair_name(2, 3), pair_of(67)), (67, (2, 3)));
    assert_eq!(pair_of(pair_name(7, 31)), (7, 31));
}

#[test]
fn pair_after_another_begins_anew() {
    rig().run(|mut pair| async move {
        assert_eq!(pair.press(&[19]).await, (1, QUIET), "what is written waits");
        let old = pair.slave;
        assert_eq!(pair.drop_side(pair.slave).await, Ok(QUIET));
        assert_eq!(pair.drop_side(pair.master).await, Ok(QUIET));
        let mut pair = Pair::open(pair.calls).await;
        assert_eq!(pair.slave.number, old.number);
        assert_eq!(pair.write(b"at once").await, Ok(7));
        let of_old = OpenSlave { number: old.number, generation: old.generation };
        assert_eq!(pair.calls.call(of_old, ()).await, Err(Errno::ENOENT), "checked before, and another's now");
        let own = OwnPair { number: old.number, generation: old.generation, mode: 0o666, user: 1, group: 1 };
        assert_eq!(pair.calls.call(own, ()).await, Err(Errno::ENOENT));
    });
}

#[test]
fn last_pairs_are_kept_for_root() {
    rig().run(|mut pair| async move {
        let mut made = 1;
        while pair.calls.call(MakePair { user: 1000 }, ()).await.is_ok() {
            made += 1;
        }
        let of_root = pair.calls.call(MakePair { user: 0 }, ()).await;
        assert!(of_root.is_ok());
        assert_eq!(pair.calls.call(MakePair { user: 0 }, ()).await, Err(Errno::ENOSPC), "all are in use");
        assert_eq!(made, PAIRS - 1);
    });
}
