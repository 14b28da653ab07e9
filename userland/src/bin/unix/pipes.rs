//! Null calls, and bytes between two programs.

use crate::measurement::{FailedCall, Of, RoundTimes, UnixMeasurement, rounds};
use renga_userland::ProgramArguments;
use renga_userland::process::fork;
use renga_userland::syscall::{close, exit, map_memory, now_ns, pipe, plain, read, wait, write};

/// Null calls first: they need nothing.
pub const ALL: &[UnixMeasurement] = &[
    UnixMeasurement { name: "getppid", take: null_call },
    UnixMeasurement { name: "clock", take: clock },
    UnixMeasurement { name: "pipe-round-trip", take: round_trip },
    UnixMeasurement { name: "pipe-one-way", take: one_way },
    UnixMeasurement { name: "pipe-64k", take: throughput },
];

const GETPPID: usize = 173;
const NULL_CALLS: u64 = 4000;
const ROUND_TRIPS: u64 = 2000;
const ONE_WAYS: u64 = 20_000;
const BLOCK_BYTES: usize = 64 << 10;
const BLOCKS: u64 = 256;

fn null_call(_: &ProgramArguments) -> RoundTimes {
    rounds(NULL_CALLS, |_| plain(GETPPID, [0, 0, 0]).of("getppid").map(|_| ()))
}

fn clock(_: &ProgramArguments) -> RoundTimes {
    rounds(NULL_CALLS, |_| {
        now_ns();
        Ok(())
    })
}

/// A byte to another program and another one back.
fn round_trip(_: &ProgramArguments) -> RoundTimes {
    let (question, answer) = (pipe().of("pipe")?, pipe().of("pipe")?);
    let child = fork().of("fork")?;
    if child == 0 {
        let _ = close(question.1);
        let mut byte = [0];
        // Until the other has closed its end.
        while read(question.0, &mut byte) == Ok(1) && write(answer.1, &byte) == Ok(1) {}
        exit(0);
    }
    let mut byte = [0];
    let taken = rounds(ROUND_TRIPS, |_| {
        write(question.1, &[1]).of("write")?;
        read(answer.0, &mut byte).of("read").map(|_| ())
    });
    for end in [question.0, question.1, answer.0, answer.1] {
        close(end).of("close")?;
    }
    wait(child as i32, 0).of("wait")?;
    taken
}

/// One byte after the other to another program, as fast as it takes them.
fn one_way(_: &ProgramArguments) -> RoundTimes {
    let mut byte = [0];
    from_child(&[1], ONE_WAYS, &mut byte)
}

/// Blocks to another program; counts bytes.
fn throughput(_: &ProgramArguments) -> RoundTimes {
    let block = map_memory(BLOCK_BYTES).of("mmap")?;
    let place = map_memory(BLOCK_BYTES).of("mmap")?;
    block.fill(1);
    place.fill(2);
    from_child(block, BLOCKS, place)
}

/// Reads what a child writes, `count` times `block`; bytes and ns from the first read on.
fn from_child(block: &[u8], count: u64, place: &mut [u8]) -> RoundTimes {
    let (reader, writer) = pipe().of("pipe")?;
    let child = fork().of("fork")?;
    if child == 0 {
        for _ in 0..count {
            let _ = write(writer, block);
        }
        exit(0);
    }
    close(writer).of("close")?;
    let first = read(reader, place).of("read")?;
    let begin_ns = now_ns();
    let mut bytes = 0;
    loop {
        match read(reader, place).of("read")? {
            0 => break,
            length => bytes += length as u64,
        }
    }
    let ns = now_ns() - begin_ns;
    close(reader).of("close")?;
    wait(child as i32, 0).of("wait")?;
    let expected = count * block.len() as u64 - first as u64;
    if bytes == expected { Ok((bytes, ns)) } else { Err(short()) }
}

/// EIO: bytes were lost.
fn short() -> FailedCall {
    FailedCall { what: "reading all", errno: renga_userland::Errno(5) }
}
