//! The path of the working directory, which a board knows by the names that it caches.

use crate::machine::{elsewhere, possible, run_cluster};
use renga_abi::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::SimProgram;

async fn make_tree(program: &SimProgram) {
    for path in ["/one", "/one/two", "/one/two/three"] {
        program.make_directory(path).await.unwrap();
    }
}

/// Frames of a run in which a board gets the path so often.
fn frames_of(times: u32) -> u64 {
    let init = move |init: SimProgram| async move {
        make_tree(&init).await;
        let there = move |program: SimProgram| async move {
            program.change_directory("/one/two/three").await.unwrap();
            for _ in 0..times {
                assert_eq!(program.working_directory().await.unwrap(), "/one/two/three");
            }
            program.change_directory("/").await.unwrap();
            for _ in 0..times {
                assert_eq!(program.working_directory().await.unwrap(), "/");
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
fn working_directory_repeated_sends_no_frame() {
    if possible() {
        let (once, often) = (frames_of(1), frames_of(20));
        assert!(often <= once + 1, "{once} frames for once, {often} for twenty times");
    }
}

/// Holds: leases-coherent.
#[test]
fn working_directory_after_rename_by_either_board_is_the_new_one() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        make_tree(&init).await;
        init.change_directory("/one/two").await.unwrap();
        let there = |program: SimProgram| async move {
            for _ in 0..2 {
                assert_eq!(program.working_directory().await.unwrap(), "/one/two");
            }
            program.rename("/one", "/moved").await.unwrap();
            for _ in 0..2 {
                assert_eq!(program.working_directory().await.unwrap(), "/moved/two");
            }
            program.change_directory("three").await.unwrap();
            assert_eq!(program.working_directory().await.unwrap(), "/moved/two/three");
            program.remove_directory("/moved/two/three").await.unwrap();
            assert_eq!(program.working_directory().await, Err(Errno::ENOENT));
            program.make_directory("/moved/two/three").await.unwrap();
            assert_eq!(program.working_directory().await, Err(Errno::ENOENT));
        };
        elsewhere(&init, there).await;
        assert_eq!(init.working_directory().await.unwrap(), "/moved/two");
        let there = |program: SimProgram| async move {
            assert_eq!(program.working_directory().await.unwrap(), "/moved/two");
        };
        elsewhere(&init, there).await;
        init.rename("/moved", "/again").await.unwrap();
        let there = |program: SimProgram| async move {
            assert_eq!(program.working_directory().await.unwrap(), "/again/two");
        };
        elsewhere(&init, there).await;
        0
    };
    assert_eq!(run_cluster(ClusterSetup::new(2), init).status, 0);
}
