//! Appends of several programs to one file do not mix, however long they are and wherever they lie in memory.

use crate::machine::{possible, run};
use renga_sim::program::{Open, Program};

const PATH: &str = "/log";
const RECORDS: u64 = 60;
/// Lengths of records, bytes: some lie in one page of the file, some in two, some in three.
const LENGTHS: [usize; 5] = [9_000, 100, 4_096, 5_001, 12_288];
const WRITERS: [u8; 4] = *b"abcd";

/// Appends records of `letter`, each of one write, when all are there.
async fn append(program: Program, letter: u8, begin: u64) -> u8 {
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

#[test]
fn lines_of_two_boards_come_out_whole() {
    if !possible() {
        return;
    }
    let finished = run(
        |init| async move {
            let mut pids = Vec::new();
            let (begin, all) = init.pipe().await.unwrap();
            for (place, letter) in WRITERS.into_iter().enumerate() {
                let writer = move |program: Program| append(program, letter, begin);
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
