//! The effects of reading: the time of the last access, but neither the cost of opening the file again nor cached
//! lookups.

use crate::machine::{possible, run_cluster, run_on};
use renga_sim::ClusterSetup;
use renga_sim::program::{Attributes, Open, SimProgram};
use renga_sim::seed::{SeedSettings, placed};
use std::cell::Cell;
use std::rc::Rc;

const PATH: &str = "/read";
const OLD_S: (u64, u64) = (1_111_111_111, 1_222_222_222);

/// A file that was changed since it was read.
async fn make(init: &SimProgram) {
    let file = init.open(PATH, Open::Create).await.unwrap();
    init.write_all(file, b"text").await.unwrap();
    init.close(file).await.unwrap();
    init.change_times(PATH, OLD_S).await.unwrap();
}

async fn access_s(program: &SimProgram) -> u64 {
    let Attributes { times_s: (access_s, modify_s), .. } = program.attributes(PATH).await.unwrap();
    assert_eq!(modify_s, OLD_S.1);
    access_s
}

async fn read(program: &SimProgram) {
    let file = program.open(PATH, Open::Read).await.unwrap();
    assert_eq!(program.read(file, 4).await.as_deref(), Ok(&b"text"[..]));
    program.close(file).await.unwrap();
}

/// Frames of a run in which a file is opened on the other board, queried and read so often.
fn frames_of(times: u32) -> u64 {
    let init = move |init: SimProgram| async move {
        make(&init).await;
        let reads = move |program: SimProgram| async move {
            let mut seen_s = OLD_S.0;
            for _ in 0..times {
                assert_eq!(access_s(&program).await, seen_s);
                read(&program).await;
                seen_s = access_s(&program).await;
                assert!(seen_s > OLD_S.1, "it has been read: {seen_s}");
            }
            0
        };
        let pid = init.fork_on(1, reads).await.unwrap();
        assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
        assert!(access_s(&init).await > OLD_S.1);
        0
    };
    let finished = run_cluster(ClusterSetup::new(2), init);
    finished.system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum()
}

#[test]
fn page_cache_second_read_sends_no_frame() {
    if possible() {
        let (once, often) = (frames_of(1), frames_of(30));
        assert!(often <= once + 1, "{once} frames for reading once, {often} for thirty times");
    }
}

/// Frames of a run in which the other board reads a file with `content`.
fn frames_for(content: Vec<u8>) -> u64 {
    let content: &[u8] = content.leak();
    let init = move |init: SimProgram| async move {
        let file = init.open(PATH, Open::Create).await.unwrap();
        init.write_all(file, content).await.unwrap();
        init.close(file).await.unwrap();
        let read = move |program: SimProgram| async move {
            let file = program.open(PATH, Open::Read).await.unwrap();
            assert!(program.read(file, content.len()).await.unwrap() == content);
            program.close(file).await.unwrap();
            0
        };
        let pid = init.fork_on(1, read).await.unwrap();
        assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
        0
    };
    let finished = run_cluster(ClusterSetup::new(2), init);
    finished.system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum()
}

#[test]
fn link_zero_page_takes_frames_of_empty_reply() {
    if possible() {
        let page = |begin: &[u8], rest: u8| [begin, &vec![rest; 4096 - begin.len()]].concat();
        let (short, zeros, full) = (frames_for(b"t".into()), frames_for(page(b"t", 0)), frames_for(page(b"t", 1)));
        assert_eq!(zeros, short);
        assert!(full >= short + 2, "{short} frames for one byte, {full} for a page");
    }
}

/// Rounds of checks of each board.
const READS: u32 = 400;
/// Between two of them, ns: all together they take as long as it takes the file to be read in between.
const PAUSE_NS: u64 = 10_000;

#[test]
fn access_time_never_goes_back_between_boards() {
    if !possible() {
        return;
    }
    let (newest, began) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let init = move |init: SimProgram| {
        let (newest, began) = (newest.clone(), began.clone());
        async move {
            make(&init).await;
            let mut pids = Vec::new();
            for board in [1, 2] {
                let (newest, began) = (newest.clone(), began.clone());
                let reads = move |program: SimProgram| async move {
                    access_s(&program).await;
                    began.set(began.get() + 1);
                    while began.get() < 2 {
                        program.sleep(PAUSE_NS).await.unwrap();
                    }
                    for round in 0..READS {
                        if round == READS / 2 && board == 2 {
                            read(&program).await;
                        }
                        let least: u64 = newest.get();
                        let seen = access_s(&program).await;
                        assert!(seen >= least, "board {board}, read {round}: {seen} after {least}");
                        newest.set(newest.get().max(seen));
                        program.sleep(PAUSE_NS).await.unwrap();
                    }
                    0
                };
                pids.push(init.fork_on(board, reads).await.unwrap());
            }
            for pid in pids {
                assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
            }
            assert!(newest.get() > OLD_S.1);
            0
        }
    };
    let three = placed(SeedSettings { boards: 3, ..SeedSettings::PAIR }).unwrap();
    assert_eq!(run_on(three, init, |_| ()).status, 0);
}
