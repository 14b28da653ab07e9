//! Boards whose session with the disk's board ends while they live: what they have written and not synced.

use crate::hang::over_a_hang;
use crate::machine::possible;
use renga_abi::Errno;
use renga_sim::program::{Open, SimProgram};
use std::future::Future;

const MS: u64 = 1_000_000;
const PATH: &str = "/written";
const PAGES: usize = 10;
const PAGE: usize = 4096;
/// Long enough for all to be well again.
const WELL_NS: u64 = 3_000 * MS;

fn written() -> Vec<u8> {
    (0..PAGES * PAGE).map(|at| (at / PAGE + at % 251) as u8).collect()
}

async fn write_all_of_it(program: &SimProgram) -> u64 {
    let file = program.open(PATH, Open::Truncate).await.unwrap();
    for (page, bytes) in written().chunks(PAGE).enumerate() {
        assert_eq!(program.write_at(file, (page * PAGE) as u64, bytes).await, Ok(PAGE));
    }
    file
}

async fn read_all_of_it(program: &SimProgram) -> Vec<u8> {
    let file = program.open(PATH, Open::Read).await.unwrap();
    let read = program.read_at(file, 0, 2 * PAGES * PAGE).await.unwrap();
    program.close(file).await.unwrap();
    read
}

/// Holds: session-flush.
#[test]
fn orphaned_lease_keeps_closed_files_data() {
    if !possible() {
        return;
    }
    over_a_hang(
        |program, step| async move {
            let file = write_all_of_it(&program).await;
            program.close(file).await.unwrap();
            step.set(1);
        },
        // No program waits for a board that does not answer.
        |init| async move { assert_eq!(read_all_of_it(&init).await, b"", "nothing has been flushed") },
        |init, _| async move {
            init.sleep(WELL_NS).await.unwrap();
            assert!(read_all_of_it(&init).await == written());
        },
        |_| (),
    );
}

#[test]
fn orphaned_lease_keeps_data_of_open_writer() {
    if !possible() {
        return;
    }
    over_a_hang(
        |program, step| async move {
            let file = write_all_of_it(&program).await;
            step.set(1);
            while step.get() < 3 {
                program.sleep(MS).await.unwrap();
            }
            // It still holds the file, as far as it knows; what it asks for first finds that the session is over.
            assert_eq!(program.write_at(file, 0, b"again").await, Ok(5));
            assert_eq!(program.read_at(file, 0, 6).await, Ok([b"again".as_slice(), &written()[5..6]].concat()));
            assert_eq!(program.sync(file).await, Err(Errno::EIO));
            program.sleep(WELL_NS).await.unwrap();
            assert_eq!(program.write_at(file, 9, b"!").await, Ok(1));
            assert_eq!(program.sync(file).await, Ok(()));
            assert_eq!(program.close(file).await, Ok(()));
            step.set(4);
        },
        |_| async {},
        |init, step| async move {
            while step.get() < 4 {
                init.sleep(MS).await.unwrap();
            }
            let whole = written();
            assert!(read_all_of_it(&init).await == [b"again", &whole[5..9], b"!", &whole[10..]].concat());
        },
        |_| (),
    );
}

/// Holds: session-flush.
#[test]
fn orphaned_lease_superseded_reports_error_once() {
    if !possible() {
        return;
    }
    over_a_hang(
        |program, step| async move {
            let file = write_all_of_it(&program).await;
            step.set(1);
            while step.get() < 3 {
                program.sleep(MS).await.unwrap();
            }
            program.sleep(WELL_NS).await.unwrap();
            assert_eq!([program.sync(file).await, program.sync(file).await], [Err(Errno::EIO), Ok(())]);
            assert_eq!(program.read_at(file, 0, 10).await.as_deref(), Ok(b"changed".as_slice()));
            assert_eq!(program.close(file).await, Ok(()));
            step.set(4);
        },
        |init| async move {
            let file = init.open(PATH, Open::Change).await.unwrap();
            assert_eq!(init.write_at(file, 0, b"changed").await, Ok(7));
            init.close(file).await.unwrap();
        },
        |init, step| async move {
            while step.get() < 4 {
                init.sleep(MS).await.unwrap();
            }
            assert_eq!(read_all_of_it(&init).await, b"changed");
        },
        |_| (),
    );
}

/// What board 1 does as soon as it goes on, by the one file that it has written.
fn at_once<F: Future<Output = ()> + 'static>(after: impl Fn(SimProgram, u64) -> F + Clone + 'static, found: Vec<u8>) {
    over_a_hang(
        move |program, step| {
            let after = after.clone();
            async move {
                let file = write_all_of_it(&program).await;
                step.set(1);
                while step.get() < 3 {
                    program.sleep(MS).await.unwrap();
                }
                after(program, file).await;
                step.set(4);
            }
        },
        |_| async {},
        move |init, step| {
            let found = found.clone();
            async move {
                while step.get() < 4 {
                    init.sleep(MS).await.unwrap();
                }
                assert!(read_all_of_it(&init).await == found);
            }
        },
        |_| (),
    );
}

/// Opens the file as soon as there is a session again.
async fn open_again(program: &SimProgram, how: Open) -> u64 {
    loop {
        match program.open(PATH, how).await {
            Ok(file) => return file,
            Err(errno) => assert_eq!(errno, Errno::EHOSTDOWN),
        }
        program.sleep(MS).await.unwrap();
    }
}

#[test]
fn orphaned_lease_fsync_flushes_data() {
    if !possible() {
        return;
    }
    let after = |program: SimProgram, file| async move {
        // The first call learns of the end; before there is a session again none may claim more than is true.
        while let Err(errno) = program.sync(file).await {
            assert_eq!(errno, Errno::EIO);
            program.sleep(MS).await.unwrap();
        }
        program.close(file).await.unwrap();
    };
    at_once(after, written());
}

#[test]
fn orphaned_lease_append_follows_earlier_data() {
    if !possible() {
        return;
    }
    let after = |program: SimProgram, file| async move {
        let appending = open_again(&program, Open::Append).await;
        program.write_all(appending, b"behind").await.unwrap();
        program.close(appending).await.unwrap();
        program.close(file).await.unwrap();
    };
    at_once(after, [written(), b"behind".to_vec()].concat());
}

#[test]
fn orphaned_lease_second_open_file_continues_at_end() {
    if !possible() {
        return;
    }
    let after = |program: SimProgram, file| async move {
        let second = open_again(&program, Open::Change).await;
        assert_eq!(program.write_at(second, 2, b"second").await, Ok(6));
        assert_eq!(program.write_at(file, 8, b"first").await, Ok(5));
        program.close(second).await.unwrap();
        program.close(file).await.unwrap();
    };
    let whole = written();
    at_once(after, [&whole[..2], b"secondfirst", &whole[13..]].concat());
}
