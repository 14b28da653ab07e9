//! A disk that becomes full while the other board holds files, for which more blocks are kept than it needs.

use crate::machine::{finish, possible, run, setup};
use renga_abi::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::{SimSystem, SystemSetup, medium};
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const PAGE: usize = 4096;
/// Files that the other board has leased: so few that no flush is due.
const FILES: usize = 5;
/// Far more pages than the disk has blocks.
const PAGES_MAX: usize = 1 << 16;

/// Writes a page to each of some files; they are leased from then on, unless `sync` ends that.
async fn write_pages(program: &SimProgram, sync: bool) -> Vec<u64> {
    let mut files = Vec::new();
    for number in 0..FILES {
        let file = program.open(&format!("/file{number}"), Open::Create).await.unwrap();
        assert_eq!(program.write_at(file, 0, &[number as u8; PAGE]).await, Ok(PAGE));
        if sync {
            program.sync(file).await.unwrap();
        }
        files.push(file);
    }
    files
}

/// Pages that a program can write on the disk's board before there is no room.
async fn fill(program: &SimProgram, path: &str) -> usize {
    let file = program.open(path, Open::Create).await.unwrap();
    for page in 0..PAGES_MAX {
        match program.write_at(file, (page * PAGE) as u64, &[7; PAGE]).await {
            Ok(PAGE) => {}
            refused => {
                assert_eq!(refused, Err(Errno::ENOSPC));
                program.close(file).await.unwrap();
                return page;
            }
        }
    }
    panic!("the disk takes everything")
}

/// How many pages find room beside files that the other board has written; `leased`: while it has the leases.
fn pages_that_find_room(leased: bool) -> usize {
    let (step, pages) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let filled = pages.clone();
    run(
        move |init| {
            let (step, filled) = (step.clone(), filled.clone());
            async move {
                let steps = step.clone();
                let there = move |program: SimProgram| {
                    let step = steps.clone();
                    async move {
                        let files = write_pages(&program, !leased).await;
                        step.set(1);
                        while step.get() < 2 {
                            program.sleep(MS).await.unwrap();
                        }
                        for (number, file) in files.into_iter().enumerate() {
                            assert_eq!(program.sync(file).await, Ok(()), "file {number}");
                            assert_eq!(program.read_at(file, 0, PAGE).await.unwrap(), [number as u8; PAGE]);
                            program.close(file).await.unwrap();
                        }
                        0
                    }
                };
                let pid = init.fork_on(1, there).await.unwrap();
                while step.get() < 1 {
                    init.sleep(MS).await.unwrap();
                }
                filled.set(fill(&init, "/full").await);
                step.set(2);
                assert_eq!(init.wait(pid).await, Ok((pid, 0)));
                0
            }
        },
        |_| (),
    );
    pages.get()
}

#[test]
fn disk_full_reservations_of_others_are_returned_first() {
    if !possible() {
        return;
    }
    let (without, beside) = (pages_that_find_room(false), pages_that_find_room(true));
    assert!(without > 1_000, "{without} pages");
    assert_eq!(beside, without, "pages that find room beside leases, and without them");
}

/// Writes pages until there is no room; `written` counts them.
async fn write_until_full(program: SimProgram, path: String, written: Rc<Cell<u32>>) -> u8 {
    let file = program.open(&path, Open::Create).await.unwrap();
    while program.write(file, &[1; PAGE]).await == Ok(PAGE) {
        written.set(written.get() + 1);
    }
    program.close(file).await.unwrap();
    0
}

#[test]
fn disk_full_unlink_frees_blocks_of_waiting_files() {
    if !possible() {
        return;
    }
    const WRITERS: usize = 4;
    let written = Rc::new(Cell::new(0));
    let (setup, programs) = setup(
        ClusterSetup::new(2),
        move |init| {
            let written = written.clone();
            async move {
                let lease_files = |program: SimProgram| async move {
                    let files = write_pages(&program, false).await;
                    program.sleep(10_000 * MS).await.unwrap();
                    for file in files {
                        program.close(file).await.unwrap();
                    }
                    0
                };
                init.fork_on(1, lease_files).await.unwrap();
                init.sleep(20 * MS).await.unwrap();
                for number in 0..WRITERS {
                    let written = written.clone();
                    let writes = move |program| write_until_full(program, format!("/full{number}"), written.clone());
                    init.fork_on(0, writes).await.unwrap();
                }
                // Until they wait: for the medium, or for a commit that makes room.
                let mut before = 0;
                while before < 1_600 || written.get() != before {
                    before = written.get();
                    init.sleep(MS / 2).await.unwrap();
                }
                for number in 0..WRITERS {
                    init.unlink(&format!("/full{number}")).await.unwrap();
                }
                for _ in 0..=WRITERS {
                    assert_eq!(init.wait(u64::MAX).await.map(|(_, status)| status), Ok(0));
                }
                0
            }
        },
        |_| (),
    );
    let mut system = SimSystem::boot(&SystemSetup { medium: medium("sd"), ..setup }, &programs);
    finish(&mut system);
}
