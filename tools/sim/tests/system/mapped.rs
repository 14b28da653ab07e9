//! One file that programs of both boards map, and write by it: nobody ever sees what is old, and both get on.
//!
//! In the first test two programs take turns, as in `leases.rs`, and also store and load by a mapping of the whole file; in the
//! second each waits for what the other stores, and nothing else tells it to go on.

use crate::leases::{Game, games_of};
use crate::machine::{possible, run};
use renga_sim::program::{Open, Program};

const PATH: &str = "/spun";
const ROUNDS: u32 = 60;
const PAGE: u64 = 4096;
/// How long a program waits between two looks, ns: longer than a page takes to come it would hide that boards take it
/// from each other.
const PAUSE_NS: u64 = 30_000;

#[test]
fn what_one_board_stores_the_other_loads() {
    if !possible() {
        return;
    }
    let game = |seed, burst, pages| Game { seed, burst, pages, mapped: true };
    games_of(&[
        game(1, 1, 6),
        game(0x5eed, 25, 6),
        game(0xfeed_f00d, 8, 6),
        game(0x1234_5678_9abc, 2, 6),
        game(0xbeef, 10, 60),
    ]);
}

/// Adds one to word `at` of the file whenever it is `mine` in rounds of `parties`.
async fn spin(program: Program, at: u64, (mine, parties): (u32, u32)) {
    let file = program.open(PATH, Open::Change).await.unwrap();
    let address = program.map_shared(file, 4 * PAGE).await.unwrap() + at;
    loop {
        let word = program.load(address, 4).await;
        let now = word.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        match now {
            now if now >= ROUNDS * parties => break,
            now if now % parties == mine => program.store(address, &(now + 1).to_le_bytes()).await,
            _ => program.sleep(PAUSE_NS).await.unwrap(),
        }
    }
    program.close(file).await.unwrap();
}

#[test]
fn who_waits_for_what_another_board_stores_gets_it() {
    if !possible() {
        return;
    }
    // One pair, two pairs of which one is for another page, and three programs of which two are on one board.
    for parties in [
        &[(0, 0, 0, 2), (1, 0, 1, 2)][..],
        &[(0, 0, 0, 2), (1, 0, 1, 2), (1, PAGE, 0, 2), (0, PAGE, 1, 2)],
        &[(0, 0, 0, 3), (1, 0, 1, 3), (1, 0, 2, 3)],
    ] {
        let finished = run(
            move |init| async move {
                let file = init.open(PATH, Open::Create).await.unwrap();
                init.truncate(file, 4 * PAGE).await.unwrap();
                init.close(file).await.unwrap();
                let mut children = Vec::new();
                for &(board, at, mine, parties) in parties {
                    let child = move |program: Program| async move {
                        spin(program, at, (mine, parties)).await;
                        0
                    };
                    children.push(init.fork_on(board, child).await.unwrap());
                }
                for child in children {
                    assert_eq!(init.wait(child).await.unwrap(), (child, 0));
                }
                0
            },
            |_| (),
        );
        for &(_, at, _, count) in parties {
            let at = at as usize;
            assert_eq!(finished.files[PATH][at..at + 4], (ROUNDS * count).to_le_bytes());
        }
    }
}
