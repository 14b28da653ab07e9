//! The status of files that a board has leased for writing: it reports that itself, and nobody sees an older one after.

use crate::machine::{elsewhere, possible, run_cluster};
use renga_sim::ClusterSetup;
use renga_sim::program::{AT_FDCWD, Open, SimProgram};
use std::cell::RefCell;
use std::rc::Rc;

const PATH: &str = "/file";

/// Frames of a run in which a board makes and writes a file, and reads its status so often.
fn frames_of(times: u32) -> u64 {
    let init = move |init: SimProgram| async move {
        let there = move |program: SimProgram| async move {
            let file = program.open(PATH, Open::Create).await.unwrap();
            for _ in 0..times {
                assert_eq!(program.write(file, b"text").await, Ok(4));
                let (one, other) = (program.status_bytes(file, "").await, program.status_bytes(AT_FDCWD, PATH).await);
                assert_eq!(one, other);
                let again = program.open(PATH, Open::Read).await.unwrap();
                program.close(again).await.unwrap();
            }
            program.close(file).await.unwrap();
        };
        elsewhere(&init, there).await;
        0
    };
    let finished = run_cluster(ClusterSetup::new(2), init);
    finished.system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum()
}

/// Holds: lookup-cached.
#[test]
fn status_of_leased_file_sends_no_frame() {
    if possible() {
        let (once, often) = (frames_of(1), frames_of(20));
        assert!(often <= once + 1, "{once} frames for reading it once, {often} for twenty times");
    }
}

/// Holds: leases-coherent.
#[test]
fn status_completed_by_holder_is_the_owners() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        let found = Rc::new(RefCell::new(Vec::new()));
        let seen = found.clone();
        let there = move |program: SimProgram| async move {
            let file = program.open(PATH, Open::Create).await.unwrap();
            program.write_all(file, &[7; 60_000]).await.unwrap();
            program.change_mode(PATH, 0o4755).await.unwrap();
            program.change_owner(PATH, (7, 8)).await.unwrap();
            program.write_all(file, &[8; 20_000]).await.unwrap();
            program.close(file).await.unwrap();
            *seen.borrow_mut() = program.status_bytes(AT_FDCWD, PATH).await.unwrap();
        };
        elsewhere(&init, there).await;
        let found = found.take();
        assert_eq!(init.status_bytes(AT_FDCWD, PATH).await.unwrap(), found, "while it is leased");
        init.sync_all().await.unwrap();
        assert_eq!(init.status_bytes(AT_FDCWD, PATH).await.unwrap(), found, "and written back");
        let again = move |program: SimProgram| async move {
            assert_eq!(program.status_bytes(AT_FDCWD, PATH).await.unwrap(), found);
        };
        elsewhere(&init, again).await;
        0
    };
    assert_eq!(run_cluster(ClusterSetup::new(2), init).status, 0);
}

/// A page that leaves no room for attributes comes after them.
#[test]
fn flush_of_full_page_brings_attributes_first() {
    if !possible() {
        return;
    }
    const FULL: [u8; 4090] = [b'x'; 4090];
    let init = |init: SimProgram| async move {
        let there = |program: SimProgram| async move {
            let full = program.open("/full", Open::Create).await.unwrap();
            program.write_all(full, &FULL).await.unwrap();
            program.close(full).await.unwrap();
            program.change_mode("/full", 0o600).await.unwrap();
        };
        elsewhere(&init, there).await;
        assert_eq!(init.status("/full", true).await.unwrap().mode, 0o100_600);
        let full = init.open("/full", Open::Read).await.unwrap();
        assert_eq!(init.read_all(full, 4096).await.unwrap(), FULL);
        0
    };
    let finished = run_cluster(ClusterSetup::new(2), init);
    assert_eq!((finished.status, finished.files["/full"].as_slice()), (0, &FULL[..]));
}
