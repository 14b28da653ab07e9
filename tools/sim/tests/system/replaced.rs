//! A file that replaces another one by rename: its data are at the disk's board before its name is.

use crate::machine::{LIMIT_NS, finish, possible, run_to, setup};
use renga_abi::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::{SimSystem, image};
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const PAGE: usize = 4096;
const FILE: &str = "/file";
const NEW: &str = "/file.new";

/// Content of `pages` pages, no two of which are alike.
fn version(number: u8, pages: usize) -> Vec<u8> {
    (0..pages * PAGE).map(|at| number ^ (at / PAGE + at % 251) as u8).collect()
}

async fn write(program: &SimProgram, path: &str, content: &[u8]) {
    let file = program.open(path, Open::Create).await.unwrap();
    program.write_all(file, content).await.unwrap();
    program.close(file).await.unwrap();
}

async fn read(program: &SimProgram, path: &str) -> Vec<u8> {
    let file = program.open(path, Open::Read).await.unwrap();
    let mut content = Vec::new();
    loop {
        let more = program.read(file, PAGE).await.unwrap();
        if more.is_empty() {
            break;
        }
        content.extend(more);
    }
    program.close(file).await.unwrap();
    content
}

/// Board 1 replaces a file by one of `pages` pages; `fail` cuts boards as soon as the rename has returned, and lets the
/// run end.
fn replace_then(pages: usize, fail: impl FnOnce(&mut SimSystem)) -> Vec<u8> {
    let (progress, starts) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (step, started) = (progress.clone(), starts.clone());
    let init = move |init: SimProgram| {
        let (step, started) = (step.clone(), started.clone());
        async move {
            started.set(started.get() + 1);
            if started.get() > 1 {
                return 0;
            }
            write(&init, FILE, &version(1, pages)).await;
            init.sync_all().await.unwrap();
            let replace = move |program: SimProgram| async move {
                write(&program, NEW, &version(2, pages)).await;
                program.rename(NEW, FILE).await.unwrap();
                step.set(1);
                program.sleep(u64::MAX >> 2).await.unwrap();
                1
            };
            let pid = init.fork_on(1, replace).await.unwrap();
            init.wait(pid).await.unwrap();
            assert!(read(&init, FILE).await == version(2, pages), "the new version is not whole");
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 60_000 * MS);
    fail(&mut system);
    image::check(&system.disk.content()).unwrap().remove(FILE).unwrap()
}

/// Holds: rename-ordered.
#[test]
fn replaced_file_is_whole_new_version_after_its_board_fails() {
    if !possible() {
        return;
    }
    // Fewer pages than are flushed under the lock of names, and more.
    for pages in [3, 100] {
        let content = replace_then(pages, |system| {
            system.cluster.kill(1);
            system.cluster.run_until(system.cluster.now_ns() + 500 * MS);
            system.reboot(1);
            finish(system);
        });
        assert!(content == version(2, pages), "{pages} pages");
    }
}

/// Holds: rename-ordered.
#[test]
fn replaced_file_is_one_whole_version_after_a_power_cut() {
    if !possible() {
        return;
    }
    let content = replace_then(3, |system| {
        system.cluster.kill(0);
        system.cluster.kill(1);
        system.cluster.run_until(system.cluster.now_ns() + 500 * MS);
        system.reboot(0);
        system.reboot(1);
        assert_eq!(system.run(LIMIT_NS), Some(0), "{:?}", SimSystem::log());
    });
    assert!([1, 2].iter().any(|&number| content == version(number, 3)));
}

/// Other names change while the data of a large file are flushed for its rename.
#[test]
fn replacing_large_file_leaves_lock_of_names_to_others() {
    if !possible() {
        return;
    }
    const PAGES: usize = 300;
    let step = Rc::new(Cell::new(0));
    let init = move |init: SimProgram| {
        let step = step.clone();
        async move {
            write(&init, FILE, b"old").await;
            let renaming = step.clone();
            let replace = move |program: SimProgram| async move {
                write(&program, NEW, &version(2, PAGES)).await;
                renaming.set(1);
                program.rename(NEW, FILE).await.unwrap();
                renaming.set(2);
                0
            };
            let pid = init.fork_on(1, replace).await.unwrap();
            while step.get() < 1 {
                init.sleep(MS / 10).await.unwrap();
            }
            let mut made = 0;
            while step.get() < 2 {
                init.make_file("/other", 0o644).await.unwrap();
                init.unlink("/other").await.unwrap();
                assert_eq!(init.unlink("/other").await, Err(Errno::ENOENT));
                made += 1;
            }
            // Of some twenty pieces each leaves room for others but the first.
            assert!(made > 10, "others had the lock of names {made} times");
            assert_eq!(init.wait(pid).await, Ok((pid, 0)));
            assert!(read(&init, FILE).await == version(2, PAGES));
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    finish(&mut SimSystem::boot(&setup, &programs));
}
