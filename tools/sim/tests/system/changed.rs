//! Mode, owner and times that a board changes of a file which it holds: there at once, and seen everywhere.

use crate::hang::over_a_hang;
use crate::machine::{LIMIT_NS, elsewhere, possible, run_cluster, run_to, setup};
use renga_sim::ClusterSetup;
use renga_sim::program::{Attributes, Open, SimProgram};
use renga_sim::system::SimSystem;
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const PATH: &str = "/changed";
const TIMES_S: (u64, u64) = (1_111_111_111, 1_222_222_222);
const CHANGED: Attributes = Attributes { mode: 0o2640, owner: (7, 8), times_s: TIMES_S };

/// A file that this board holds, with something written.
async fn make(program: &SimProgram) {
    let file = program.open(PATH, Open::Create).await.unwrap();
    assert_eq!(program.write(file, b"text").await, Ok(4));
    program.close(file).await.unwrap();
}

async fn change(program: &SimProgram) {
    program.change_mode(PATH, 0o6750).await.unwrap();
    program.change_owner(PATH, CHANGED.owner).await.unwrap();
    assert_eq!(program.attributes(PATH).await.unwrap().mode, 0o750, "not for the next owner");
    program.change_mode(PATH, CHANGED.mode).await.unwrap();
    program.change_times(PATH, TIMES_S).await.unwrap();
}

/// Frames of a run in which a board changes a file that it holds so often.
fn frames_of(changes: u32) -> u64 {
    let init = move |init: SimProgram| async move {
        let there = move |program: SimProgram| async move {
            make(&program).await;
            let file = program.open(PATH, Open::Change).await.unwrap();
            assert_eq!(program.write(file, b"TEXT").await, Ok(4));
            for _ in 0..changes {
                program.change_mode(PATH, 0o600).await.unwrap();
                program.change_mode_of(file, CHANGED.mode).await.unwrap();
                program.change_owner(PATH, CHANGED.owner).await.unwrap();
                program.change_times(PATH, TIMES_S).await.unwrap();
            }
            program.close(file).await.unwrap();
        };
        elsewhere(&init, there).await;
        if changes > 0 {
            assert_eq!(init.attributes(PATH).await, Ok(CHANGED));
        }
        0
    };
    let finished = run_cluster(ClusterSetup::new(2), init);
    finished.system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum()
}

/// Holds: lookup-cached.
#[test]
fn attributes_changed_under_lease_send_no_frame() {
    if possible() {
        let (once, often) = (frames_of(1), frames_of(30));
        assert!(often <= once + 1, "{once} frames for changing once, {often} for thirty times");
    }
}

/// Holds: leases-coherent.
#[test]
fn attributes_changed_by_one_board_are_seen_by_other() {
    if !possible() {
        return;
    }
    let step = Rc::new(Cell::new(0));
    let init = move |init: SimProgram| {
        let step = step.clone();
        async move {
            let steps = step.clone();
            let there = move |program: SimProgram| async move {
                make(&program).await;
                change(&program).await;
                steps.set(1);
                while steps.get() < 2 {
                    program.sleep(MS).await.unwrap();
                }
                assert_eq!(program.attributes(PATH).await, Ok(Attributes { mode: 0o600, ..CHANGED }));
                program.change_mode(PATH, 0o604).await.unwrap();
                let file = program.open(PATH, Open::Change).await.unwrap();
                assert_eq!(program.write(file, b"more").await, Ok(4));
                program.change_mode_of(file, 0o640).await.unwrap();
                program.close(file).await.unwrap();
            };
            let child = move |program: SimProgram| async move {
                there(program).await;
                0
            };
            let pid = init.fork_on(1, child).await.unwrap();
            while step.get() < 1 {
                init.sleep(MS).await.unwrap();
            }
            assert_eq!(init.attributes(PATH).await, Ok(CHANGED));
            init.change_mode(PATH, 0o600).await.unwrap();
            step.set(2);
            assert_eq!(init.wait(pid).await, Ok((pid, 0)));
            let Attributes { mode, owner, times_s: (access_s, modify_s) } = init.attributes(PATH).await.unwrap();
            assert_eq!((mode, owner, access_s), (0o640, CHANGED.owner, TIMES_S.0));
            assert_ne!(modify_s, TIMES_S.1, "it has been written since");
            0
        }
    };
    assert_eq!(run_cluster(ClusterSetup::new(2), init).status, 0);
}

#[test]
fn truncation_of_leased_file_keeps_changed_attributes() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        let there = |program: SimProgram| async move {
            make(&program).await;
            change(&program).await;
        };
        elsewhere(&init, there).await;
        let file = init.open(PATH, Open::Truncate).await.unwrap();
        init.close(file).await.unwrap();
        let Attributes { mode, owner, .. } = init.attributes(PATH).await.unwrap();
        assert_eq!((mode, owner), (CHANGED.mode, CHANGED.owner));
        0
    };
    assert_eq!(run_cluster(ClusterSetup::new(2), init).status, 0);
}

#[test]
fn exec_after_remote_chmod_succeeds() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        let there = |program: SimProgram| async move {
            let tool = program.open("/bin/tool", Open::Read).await.unwrap();
            let code = program.read_all(tool, 4096).await.unwrap();
            program.close(tool).await.unwrap();
            let file = program.open("/tool", Open::Create).await.unwrap();
            program.write_all(file, &code).await.unwrap();
            program.close(file).await.unwrap();
            program.change_mode("/tool", 0o755).await.unwrap();
        };
        elsewhere(&init, there).await;
        let child = |child: SimProgram| async move { panic!("{:?}", child.execute("/tool", &["/tool"]).await) };
        let pid = init.fork(child).await.unwrap();
        assert_eq!(init.wait(pid).await, Ok((pid, 5 << 8)));
        0
    };
    let finished = crate::machine::run(init, |programs| programs.add("/bin/tool", |_| async { 5 }));
    assert_eq!(finished.status, 0);
}

#[test]
fn attributes_synced_survive_disk_board_failure() {
    if !possible() {
        return;
    }
    let (progress, lives) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let step = progress.clone();
    let init = move |init: SimProgram| {
        let (step, lives) = (step.clone(), lives.clone());
        async move {
            lives.set(lives.get() + 1);
            if lives.get() == 1 {
                let there = move |program: SimProgram| async move {
                    make(&program).await;
                    let file = program.open(PATH, Open::Change).await.unwrap();
                    assert_eq!(program.write(file, b"TEXT").await, Ok(4));
                    change(&program).await;
                    program.sync(file).await.unwrap();
                    step.set(1);
                    program.sleep(u64::MAX >> 2).await.unwrap();
                    0
                };
                init.fork_on(1, there).await.unwrap();
                init.sleep(u64::MAX >> 2).await.unwrap();
            }
            assert_eq!(init.attributes(PATH).await, Ok(CHANGED));
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 1_000 * MS);
    system.cluster.kill(0);
    system.reboot(0);
    assert_eq!(system.run(LIMIT_NS), Some(0), "{:#?} {:?}", system.wait_graph(), SimSystem::log());
}

/// The mode of a file that a board changed before its session ended; if `superseded`, another board changed it
/// meanwhile.
fn mode_after_a_hang(superseded: bool) -> u16 {
    let mode = Rc::new(Cell::new(0));
    let progress = mode.clone();
    over_a_hang(
        |program, step| async move {
            make(&program).await;
            program.sync_all().await.unwrap();
            let file = program.open(PATH, Open::Change).await.unwrap();
            assert_eq!(program.write(file, b"TEXT").await, Ok(4));
            program.change_mode_of(file, 0o604).await.unwrap();
            program.close(file).await.unwrap();
            step.set(1);
        },
        move |init| async move {
            assert_eq!(init.attributes(PATH).await.unwrap().mode, 0o644, "nothing has been flushed");
            if superseded {
                init.change_mode(PATH, 0o640).await.unwrap();
            }
        },
        move |init, _| {
            let progress = progress.clone();
            async move {
                init.sleep(3_000 * MS).await.unwrap();
                progress.set(init.attributes(PATH).await.unwrap().mode);
            }
        },
        |_| (),
    );
    mode.get()
}

#[test]
fn attributes_of_orphaned_lease_are_flushed_unless_superseded() {
    if possible() {
        assert_eq!([false, true].map(mode_after_a_hang), [0o604, 0o640]);
    }
}
