//! Appends of several programs to one file do not mix, however long they are and wherever they lie in memory.

use crate::machine::{possible, run};
use renga_abi::Errno;
use renga_sim::program::{Open, SimProgram};

const PATH: &str = "/log";
const RECORDS: u64 = 60;
/// Lengths of records, bytes: some lie in one page of the file, some in two, some in three.
const LENGTHS: [usize; 5] = [9_000, 100, 4_096, 5_001, 12_288];
const WRITERS: [u8; 4] = *b"abcd";

/// Appends records of `letter`, each of one write, when all are present.
async fn append(program: SimProgram, letter: u8, begin: u64) -> u8 {
    assert_eq!(program.read(begin, 1).await.unwrap().len(), 1);
    let file = program.open(PATH, Open::Append).await.unwrap();
    for record in 0..RECORDS {
        let bytes = LENGTHS[(record as usize + usize::from(letter)) % LENGTHS.len()];
        let mut line = vec![letter; bytes];
        line[bytes - 1] = b'\n';
        assert_eq!(program.write(file, &line).await, Ok(bytes));
        // So that records of one fall into those of another.
        program.sleep(20_000 + record * u64::from(letter) % 13 * 10_000).await.unwrap();
    }
    program.close(file).await.unwrap();
    0
}

/// Holds: appends.
#[test]
fn append_lines_of_two_boards_stay_whole() {
    if !possible() {
        return;
    }
    let finished = run(
        |init| async move {
            let mut pids = Vec::new();
            let (begin, all) = init.pipe().await.unwrap();
            for (place, letter) in WRITERS.into_iter().enumerate() {
                let writer = move |program: SimProgram| append(program, letter, begin);
                pids.push(init.fork_on(place as u8 % 2, writer).await.unwrap());
            }
            init.write_all(all, &WRITERS).await.unwrap();
            for pid in pids {
                assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
            }
            0
        },
        |_| (),
    );
    let log = &finished.files[PATH];
    for letter in WRITERS {
        let lines = log.split_inclusive(|byte| *byte == b'\n').filter(|line| line[0] == letter);
        let lengths: Vec<usize> = lines
            .inspect(|line| assert!(line[..line.len() - 1].iter().all(|byte| *byte == letter)))
            .map(<[u8]>::len)
            .collect();
        let wanted = (0..RECORDS as usize).map(|record| LENGTHS[(record + usize::from(letter)) % LENGTHS.len()]);
        assert!(lengths.iter().copied().eq(wanted), "{}: {lengths:?}", letter as char);
    }
}

/// The size that no file exceeds, bytes.
const FILE_BYTES_MAX: u64 = 2_196_873_666_560;

/// Writes of all kinds that reach behind the largest size: what fits is written, as Linux has it.
async fn write_to_the_last_byte(program: &SimProgram) {
    for bytes in [9_000, 200] {
        let file = program.open(PATH, Open::Append).await.unwrap();
        program.truncate(file, FILE_BYTES_MAX - 100).await.unwrap();
        assert_eq!(program.write(file, &vec![7; bytes]).await, Ok(100), "of {bytes}");
        assert_eq!(program.write(file, &vec![7; bytes]).await, Err(Errno::EFBIG), "of {bytes}");
        program.close(file).await.unwrap();
    }
    let file = program.open(PATH, Open::Change).await.unwrap();
    assert_eq!(program.read_at(file, FILE_BYTES_MAX - 101, 300).await.unwrap()[99..], [7, 7]);
    assert_eq!(program.write_at(file, FILE_BYTES_MAX - 50, &[8; 200]).await, Ok(50));
    assert_eq!(program.write_at(file, FILE_BYTES_MAX, b"8").await, Err(Errno::EFBIG));
    // It can be inspected afterwards.
    program.truncate(file, 0).await.unwrap();
    program.close(file).await.unwrap();
}

#[test]
fn append_up_to_largest_file_size_succeeds() {
    if !possible() {
        return;
    }
    run(
        |init| async move {
            let file = init.open(PATH, Open::Create).await.unwrap();
            init.close(file).await.unwrap();
            write_to_the_last_byte(&init).await;
            let there = |program: SimProgram| async move {
                write_to_the_last_byte(&program).await;
                0
            };
            let pid = init.fork_on(1, there).await.unwrap();
            assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
            0
        },
        |_| (),
    );
}
