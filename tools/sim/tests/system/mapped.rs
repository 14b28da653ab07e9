//! One file that programs of both boards map, and write by the mapping: no program ever sees stale data, and both make
//! progress.
//!
//! In the first test two programs alternate, as in `leases.rs`, and also store and load by a mapping of the whole file.
//! In the second each waits for the other's store, without any other signal. In the third some store without ever
//! waiting, and one more wants to store or to load, too.

use crate::leases::{Game, games_of};
use crate::machine::{elsewhere, finish, possible, run, run_cluster, run_to, setup};
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::SimSystem;
use std::cell::Cell;
use std::rc::Rc;

const PATH: &str = "/spun";
const ROUNDS: u32 = 60;
const PAGE: u64 = 4096;
/// How long a program waits between two polls, ns: a time longer than a page's transfer would hide that boards take it
/// from each other.
const PAUSE_NS: u64 = 30_000;

#[test]
fn mmap_store_on_one_board_is_loaded_on_other() {
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
async fn spin(program: SimProgram, at: u64, (mine, parties): (u32, u32)) {
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

/// Holds: mapped-fair.
#[test]
fn mmap_spinning_reader_sees_remote_store() {
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
                    let child = move |program: SimProgram| async move {
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

/// On a board that holds a file the inode's process does not know of what was written behind its end, nor of the hole
/// before that.
#[test]
fn mmap_page_skipped_by_write_is_zero() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        let there = |program: SimProgram| async move {
            let file = program.open(PATH, Open::Create).await.unwrap();
            assert_eq!(program.write_at(file, 0, &[3; 100]).await, Ok(100));
            assert_eq!(program.write_at(file, 15 * PAGE, &[5; 100]).await, Ok(100));
            let address = program.map_shared(file, 16 * PAGE).await.unwrap();
            assert_eq!(program.load(address + 5 * PAGE, 4).await, [0; 4]);
            program.store(address + 7 * PAGE, &[7; 4]).await;
            assert_eq!(program.load(address + 7 * PAGE, 5).await, [7, 7, 7, 7, 0]);
            assert_eq!(program.load(address + 15 * PAGE, 4).await, [5; 4]);
            assert_eq!(program.read_at(file, 9 * PAGE - 2, 4).await, Ok(vec![0; 4]));
            program.close(file).await.unwrap();
        };
        elsewhere(&init, there).await;
        let file = init.open(PATH, Open::Read).await.unwrap();
        let read = init.read_all(file, 4096).await.unwrap();
        init.close(file).await.unwrap();
        assert_eq!(read.len() as u64, 15 * PAGE + 100);
        let written = |at: u64, byte: u8, bytes: usize| read[at as usize..][..bytes].iter().all(|found| *found == byte);
        assert!(written(0, 3, 100) && written(7 * PAGE, 7, 4) && written(15 * PAGE, 5, 100));
        assert_eq!(read.iter().filter(|byte| **byte != 0).count(), 204);
        0
    };
    run_cluster(ClusterSetup::new(2), init);
}

/// Times that a program stores beside others that never stop.
const STORES: u32 = 20;
/// The time limit, ns: each of them may cost the transfer of a page here and back, and the stores of two others.
const STORES_NS_MAX: u64 = 20 * 10_000_000;

/// When the program that counts starts, ns: a store from each of two boards takes some 4 ms.
const BEGINS_NS: [u64; 2] = [0, 1_900_000];

/// What a program does with its word.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    /// Stores all the time, until another one has counted [`STORES`].
    StoresOn,
    /// Stores so often, and counts.
    Stores,
    /// Loads, what another one stores, so often, and counts.
    Loads,
}

/// A program on `board`, and the place of its word in the file.
#[derive(Clone, Copy)]
struct Party {
    board: u8,
    at: u64,
    does: Does,
    /// When it begins, ns.
    begin_ns: u64,
}

async fn take_part(program: SimProgram, Party { at, does, begin_ns, .. }: Party, progress: Rc<Cell<u32>>) {
    program.sleep(begin_ns).await.unwrap();
    let file = program.open(PATH, Open::Change).await.unwrap();
    let address = program.map_shared(file, 4 * PAGE).await.unwrap() + at;
    // The limit of the run is the bound.
    for word in 1.. {
        if progress.get() == STORES {
            break;
        }
        match does {
            Does::Loads => drop(program.load(address, 4).await),
            Does::Stores | Does::StoresOn => program.store(address, &u32::to_le_bytes(word)).await,
        }
        if does == Does::StoresOn {
            // Time passes here at calls only.
            program.pid().await;
        } else {
            progress.set(word);
            program.sleep(PAUSE_NS).await.unwrap();
        }
    }
    program.close(file).await.unwrap();
}

fn take_part_beside(parties: &'static [Party]) {
    let progress = Rc::new(Cell::new(0));
    let seen = progress.clone();
    let init = move |init: SimProgram| {
        let progress = progress.clone();
        async move {
            let file = init.open(PATH, Open::Create).await.unwrap();
            init.truncate(file, 4 * PAGE).await.unwrap();
            init.close(file).await.unwrap();
            let mut children = Vec::new();
            for &party in parties {
                let progress = progress.clone();
                let child = move |program: SimProgram| {
                    let progress = progress.clone();
                    async move {
                        take_part(program, party, progress).await;
                        0
                    }
                };
                children.push(init.fork_on(party.board, child).await.unwrap());
            }
            for child in children {
                assert_eq!(init.wait(child).await.unwrap(), (child, 0));
            }
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &seen, STORES, STORES_NS_MAX);
    println!("{} ns", system.cluster.now_ns());
    finish(&mut system);
}

/// Holds: mapped-fair.
#[test]
fn mmap_beside_endless_writers_makes_progress() {
    if !possible() {
        return;
    }
    let party = |board, at, does, begin_ns| Party { board, at, does, begin_ns };
    for (greedy, page) in [(0, 0), (0, PAGE), (1, 0), (1, PAGE)] {
        let (first, other) = (party(greedy, 0, Does::StoresOn, 0), 1 - greedy);
        // The phase of its start decides which board comes between its request and the reply.
        for (does, begin_ns) in BEGINS_NS.into_iter().flat_map(|ns| [(Does::Stores, ns), (Does::Loads, ns)]) {
            let counts = party(other, page + 4, does, begin_ns);
            take_part_beside(Vec::from([first, counts]).leak());
            // And beside one of its own board.
            take_part_beside(Vec::from([first, party(other, 0, Does::StoresOn, 0), counts]).leak());
        }
    }
}
