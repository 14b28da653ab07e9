//! Directories that a board lists from its own cache.

use crate::machine::{elsewhere, possible, run_cluster};
use renga_abi::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};

const STEP_BYTES: u64 = 4096;
/// More names than fit into one block.
const NAMES: u32 = 300;

fn name(number: u32) -> String {
    format!("/tree/a-name-of-some-length-{number}")
}

async fn fill_tree(program: &SimProgram) {
    program.make_directory("/tree").await.unwrap();
    for number in 0..NAMES {
        let file = program.open(&name(number), Open::Create).await.unwrap();
        program.close(file).await.unwrap();
    }
}

/// Frames of a run in which a board lists a directory so often.
fn frames_of(times: u32) -> u64 {
    let init = move |init: SimProgram| async move {
        fill_tree(&init).await;
        let there = move |program: SimProgram| async move {
            let mut first = None;
            for _ in 0..times {
                let listed = program.list("/tree", STEP_BYTES).await.unwrap();
                assert_eq!(listed.len(), NAMES as usize + 2);
                assert_eq!(*first.get_or_insert_with(|| listed.clone()), listed);
            }
        };
        elsewhere(&init, there).await;
        0
    };
    let finished = run_cluster(ClusterSetup::new(2), init);
    finished.system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum()
}

/// Holds: lookup-cached.
#[test]
fn listing_repeated_sends_no_frame() {
    if possible() {
        let (once, often) = (frames_of(1), frames_of(20));
        assert!(often <= once + 1, "{once} frames for listing once, {often} for twenty times");
    }
}

/// What each board lists after a change that the other board, or it itself, has made.
async fn lists_alike(init: &SimProgram, path: &'static str) {
    let here = init.list(path, STEP_BYTES).await;
    let there = move |program: SimProgram| async move {
        for step in [STEP_BYTES, 64] {
            assert_eq!(program.list(path, step).await, here);
        }
    };
    elsewhere(init, there).await;
}

/// Holds: leases-coherent.
#[test]
fn listing_after_change_by_either_board_is_the_owners() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        fill_tree(&init).await;
        lists_alike(&init, "/tree").await;
        init.unlink(&name(7)).await.unwrap();
        lists_alike(&init, "/tree").await;
        init.rename(&name(8), "/moved").await.unwrap();
        lists_alike(&init, "/tree").await;
        lists_alike(&init, "/").await;
        let there = |program: SimProgram| async move {
            let listed = |names: Vec<String>, name: &str| names.iter().any(|listed| listed == name);
            program.make_directory("/tree/made").await.unwrap();
            assert!(listed(program.list("/tree", STEP_BYTES).await.unwrap(), "made"));
            program.rename("/tree/made", "/tree/renamed").await.unwrap();
            let names = program.list("/tree", STEP_BYTES).await.unwrap();
            assert!(listed(names.clone(), "renamed") && !listed(names, "made"));
            program.remove_directory("/tree/renamed").await.unwrap();
            assert!(!listed(program.list("/tree", STEP_BYTES).await.unwrap(), "renamed"));
        };
        elsewhere(&init, there).await;
        lists_alike(&init, "/tree").await;
        0
    };
    assert_eq!(run_cluster(ClusterSetup::new(2), init).status, 0);
}

/// Holds: leases-coherent.
#[test]
fn listing_of_removed_directory_is_empty() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        init.make_directory("/short").await.unwrap();
        let there = |program: SimProgram| async move {
            let directory = program.open("/short", Open::Read).await.unwrap();
            assert_eq!(program.list("/short", STEP_BYTES).await.unwrap(), [".", ".."]);
            assert_eq!(program.read(directory, 64).await, Err(Errno::EISDIR));
            program.remove_directory("/short").await.unwrap();
            for _ in 0..2 {
                assert!(program.list_open(directory, STEP_BYTES).await.unwrap().is_empty());
            }
            program.close(directory).await.unwrap();
        };
        elsewhere(&init, there).await;
        0
    };
    assert_eq!(run_cluster(ClusterSetup::new(2), init).status, 0);
}

/// On either board.
#[test]
fn listing_behind_any_end_is_empty() {
    if !possible() {
        return;
    }
    let lists_nothing = |program: SimProgram| async move {
        let directory = program.open("/", Open::Read).await.unwrap();
        for offset in [1 << 20, i64::MAX & !0xfff] {
            program.seek(directory, offset, 0).await.unwrap();
            assert!(program.list_open(directory, STEP_BYTES).await.unwrap().is_empty(), "{offset}");
        }
        program.close(directory).await.unwrap();
    };
    let init = move |init: SimProgram| async move {
        elsewhere(&init, lists_nothing).await;
        lists_nothing(init).await;
        0
    };
    assert_eq!(run_cluster(ClusterSetup::new(2), init).status, 0);
}

/// A buffer without room for an entry is refused.
#[test]
fn listing_without_room_is_refused() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        let there = |program: SimProgram| async move {
            assert_eq!(program.list("/", 8).await, Err(Errno::EINVAL));
        };
        elsewhere(&init, there).await;
        0
    };
    assert_eq!(run_cluster(ClusterSetup::new(2), init).status, 0);
}
