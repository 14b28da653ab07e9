//! A folder of which its creating board knows all names, whatever becomes of its mode, owner and times: until another
//! board creates a name there, it is removed, or the session ends.

use crate::hang::over_a_hang;
use crate::machine::{Finished, LIMIT_NS, elsewhere, possible, run_on, run_to, setup};
use renga_abi::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::{SimSystem, SystemSetup, placement};
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const PAIR: &str = include_str!("../../../../sysprocs/systems/pair.toml");
const FOLDER: &str = "/folder";
const NEW: &str = "/folder/new";
/// A file that the board has created there itself.
const OWN: &str = "/folder/own";
const OLD: &str = "/old";
const MOVED: &str = "/moved";

/// A change to the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    OpenFile,
    MakeNode,
    MakeFolder,
    MakeLink,
    Link,
    RenameInto,
    /// Another place for it, where a file is created.
    Move,
    /// It is removed; another one of its name has its number, and something in it.
    Again,
}

const CHANGES: [Change; 8] = [
    Change::OpenFile,
    Change::MakeNode,
    Change::MakeFolder,
    Change::MakeLink,
    Change::Link,
    Change::RenameInto,
    Change::Move,
    Change::Again,
];

impl Change {
    /// What is new then.
    fn path(self) -> &'static str {
        if self == Change::Move { "/moved/new" } else { NEW }
    }

    /// Whether the board has created something there before.
    fn is_second(self) -> bool {
        self != Change::Again
    }

    async fn make(self, program: &SimProgram) {
        let made = match self {
            Change::OpenFile => open_and_close(program, NEW, Open::Create).await,
            Change::MakeNode => program.make_file(NEW, 0o600).await,
            Change::MakeFolder => program.make_directory(NEW).await,
            Change::MakeLink => program.make_link("/etc/motd", NEW).await,
            Change::Link => program.link("/etc/motd", NEW).await,
            Change::RenameInto => {
                program.make_file(OLD, 0o600).await.unwrap();
                program.rename(OLD, NEW).await
            }
            Change::Move => {
                program.rename(FOLDER, MOVED).await.unwrap();
                program.make_file(self.path(), 0o600).await
            }
            Change::Again => {
                program.remove_directory(FOLDER).await.unwrap();
                program.sync_all().await.unwrap();
                program.make_directory(FOLDER).await.unwrap();
                program.make_file(NEW, 0o600).await
            }
        };
        assert_eq!(made, Ok(()), "{self:?}");
    }

    async fn clear(self, program: &SimProgram) {
        let path = self.path();
        let done =
            if self == Change::MakeFolder { program.remove_directory(path).await } else { program.unlink(path).await };
        assert!(matches!(done, Ok(()) | Err(Errno::ENOENT)), "{self:?}: {done:?}");
        let folder = if self == Change::Move { MOVED } else { FOLDER };
        if self.is_second() {
            program.unlink(&OWN.replace(FOLDER, folder)).await.unwrap();
        }
        program.remove_directory(folder).await.unwrap();
    }
}

async fn open_and_close(program: &SimProgram, path: &str, how: Open) -> Result<(), Errno> {
    let file = program.open(path, how).await?;
    program.close(file).await
}

/// The way of checking whether a name exists.
#[derive(Clone, Copy, Debug)]
enum Check {
    Status,
    Open,
    Unlink,
    MakeFolder,
    Exclusively,
}

const CHECKS: [Check; 5] = [Check::Status, Check::Open, Check::Unlink, Check::MakeFolder, Check::Exclusively];

impl Check {
    /// There is something.
    async fn run(self, program: &SimProgram, change: Change) {
        let path = change.path();
        let folder = change == Change::MakeFolder;
        // The folder's own name is leased by then.
        program.status(path.rsplit_once('/').unwrap().0, true).await.unwrap();
        let (progress, wanted) = match self {
            Check::Status => (program.status(path, false).await.map(drop), Ok(())),
            Check::Open => (open_and_close(program, path, Open::Read).await, Ok(())),
            Check::Unlink => (program.unlink(path).await, if folder { Err(Errno::EISDIR) } else { Ok(()) }),
            Check::MakeFolder => (program.make_directory(path).await, Err(Errno::EEXIST)),
            Check::Exclusively => (program.link("/etc/motd", path).await, Err(Errno::EEXIST)),
        };
        assert_eq!(progress, wanted, "{change:?} {self:?}");
    }
}

/// Makes the folder, so that all its names are known here.
async fn make(program: &SimProgram) {
    program.make_directory(FOLDER).await.unwrap();
    program.change_mode(FOLDER, 0o700).await.unwrap();
    program.change_owner(FOLDER, (7, 8)).await.unwrap();
    program.change_times(FOLDER, (1, 2)).await.unwrap();
    assert_eq!(program.unlink(NEW).await, Err(Errno::ENOENT));
    assert_eq!(open_and_close(program, NEW, Open::Read).await, Err(Errno::ENOENT));
}

/// On the shipped pair, whose boards have room for all names.
fn run_pair<F: Future<Output = u8> + 'static>(init: impl Fn(SimProgram) -> F + Clone + 'static) -> Finished {
    let finished = run_on(placement(PAIR).unwrap(), init, |_| ());
    assert_eq!(finished.status, 0);
    finished
}

#[test]
fn complete_directory_sees_entries_made_elsewhere() {
    if !possible() {
        return;
    }
    let step = Rc::new(Cell::new(0));
    let init = move |init: SimProgram| {
        let step = step.clone();
        async move {
            let progress = step.clone();
            let there = move |program: SimProgram| async move {
                for own in [false, true] {
                    for (change, check) in CHANGES.into_iter().flat_map(|change| CHECKS.map(|check| (change, check))) {
                        make(&program).await;
                        if change.is_second() {
                            open_and_close(&program, OWN, Open::Create).await.unwrap();
                        }
                        if own {
                            change.make(&program).await;
                        } else {
                            progress.set(progress.get() + 1);
                            while progress.get() % 2 == 1 {
                                program.sleep(MS).await.unwrap();
                            }
                        }
                        check.run(&program, change).await;
                        change.clear(&program).await;
                    }
                }
                0
            };
            let pid = init.fork_on(1, there).await.unwrap();
            for change in CHANGES.into_iter().flat_map(|change| CHECKS.map(|_| change)) {
                while step.get() % 2 == 0 {
                    init.sleep(MS).await.unwrap();
                }
                change.make(&init).await;
                step.set(step.get() + 1);
            }
            assert_eq!(init.wait(pid).await, Ok((pid, 0)));
            0
        }
    };
    run_pair(init);
}

/// Frames of both boards when board 1 asks so often for what is not there.
fn frames_of(times: u32) -> u64 {
    let init = move |init: SimProgram| async move {
        let there = move |program: SimProgram| async move {
            make(&program).await;
            open_and_close(&program, OWN, Open::Create).await.unwrap();
            program.change_mode(FOLDER, 0o750).await.unwrap();
            for _ in 0..times {
                assert_eq!(program.make_directory(FOLDER).await, Err(Errno::EEXIST));
                assert_eq!(program.unlink(NEW).await, Err(Errno::ENOENT));
                assert_eq!(program.status(NEW, true).await, Err(Errno::ENOENT));
                assert_eq!(open_and_close(&program, NEW, Open::Read).await, Err(Errno::ENOENT));
            }
        };
        elsewhere(&init, there).await;
        0
    };
    run_pair(init).system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum()
}

#[test]
fn complete_directory_made_here_answers_without_frames() {
    if possible() {
        let (once, often) = (frames_of(1), frames_of(30));
        assert!(often <= once + 1, "{once} frames for checking once, {often} for thirty times");
    }
}

/// The new name is visible on board 1, as soon as it exists.
async fn check_there(init: &SimProgram) {
    let there = |program: SimProgram| async move {
        Check::Open.run(&program, Change::MakeNode).await;
        0
    };
    let pid = loop {
        match init.fork_on(1, there).await {
            Ok(pid) => break pid,
            Err(errno) => assert_eq!(errno, Errno::EHOSTDOWN),
        }
        init.sleep(MS).await.unwrap();
    };
    assert_eq!(init.wait(pid).await, Ok((pid, 0)));
}

#[test]
fn complete_directory_is_forgotten_with_session() {
    if !possible() {
        return;
    }
    over_a_hang(
        |program, step| async move {
            make(&program).await;
            step.set(1);
        },
        |init| async move { Change::MakeNode.make(&init).await },
        |init, _| async move { check_there(&init).await },
        |_| (),
    );
}

/// A board fails, and restarts, when board 1 knows the folder; a name is created there meanwhile, or when it is back.
fn over_a_death(dies: u8) {
    let (progress, lives) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let step = progress.clone();
    let init = move |init: SimProgram| {
        let (step, lives) = (step.clone(), lives.clone());
        async move {
            lives.set(lives.get() + 1);
            if lives.get() == 1 {
                let steps = step.clone();
                let there = move |program: SimProgram| async move {
                    make(&program).await;
                    program.sync_all().await.unwrap();
                    steps.set(1);
                    program.sleep(u64::MAX >> 2).await.unwrap();
                    0
                };
                let pid = init.fork_on(1, there).await.unwrap();
                assert_eq!(init.wait(pid).await, Ok((pid, 9)), "it counts as killed");
            }
            Change::MakeNode.make(&init).await;
            step.set(2);
            check_there(&init).await;
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let setup = SystemSetup { placement: placement(PAIR).unwrap(), ..setup };
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 1_000 * MS);
    system.cluster.kill(dies);
    if dies != 0 {
        run_to(&mut system, &progress, 2, 1_000 * MS);
    }
    system.reboot(dies);
    assert_eq!(system.run(LIMIT_NS), Some(0), "{:#?} {:?}", system.wait_graph(), SimSystem::log());
}

#[test]
fn complete_directory_of_dead_board_delays_nobody() {
    if possible() {
        over_a_death(1);
    }
}

#[test]
fn complete_directory_is_forgotten_when_disk_board_fails() {
    if possible() {
        over_a_death(0);
    }
}
