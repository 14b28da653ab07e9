//! What a board without the disk makes: in one call, and whatever comes in between, only what has a name is left of it.

use crate::machine::{Finished, LIMIT_NS, elsewhere, finish, possible, run, run_cluster, run_on, setup};
use renga_abi::Errno;
use renga_random::Random;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::{SimSystem, image, placement};
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const PLACE: &str = "/made";
const PAIR: &str = include_str!("../../../../sysprocs/systems/pair.toml");

fn file(number: u64) -> String {
    format!("{PLACE}/file{number}")
}

/// Removes all that is in the place, and the place.
async fn clear(program: &SimProgram, most: u64) {
    for number in 0..most {
        let removed = program.unlink(&file(number)).await;
        assert!(matches!(removed, Ok(()) | Err(Errno::ENOENT)), "{removed:?}");
        let removed = program.remove_directory(&format!("{PLACE}/folder{number}")).await;
        assert!(matches!(removed, Ok(()) | Err(Errno::ENOENT)), "{removed:?}");
    }
    program.remove_directory(PLACE).await.unwrap();
    program.sync_all().await.unwrap();
}

/// Creates and writes `count` files on board 1, each after a lookup of their folder and the removal of an absent name,
/// as an archive's are, perhaps gives them a mode, and perhaps syncs; the frames that were sent.
fn frames_of(count: u64, changes: bool, syncs: bool) -> u64 {
    let frames = |finished: Finished| finished.system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum();
    let init = move |init: SimProgram| async move {
        let there = move |program: SimProgram| async move {
            program.make_directory(PLACE).await.unwrap();
            program.change_mode(PLACE, 0o700).await.unwrap();
            for number in 0..count {
                assert_eq!(program.status(PLACE, true).await.unwrap().mode, 0o040_700);
                assert_eq!(program.unlink(&file(number)).await, Err(Errno::ENOENT));
                let file = program.open(&file(number), Open::Create).await.unwrap();
                assert_eq!(program.write(file, b"text").await, Ok(4));
                program.close(file).await.unwrap();
                if changes {
                    program.change_mode(&self::file(number), 0o600).await.unwrap();
                }
            }
            if syncs {
                program.sync_all().await.unwrap();
            }
        };
        elsewhere(&init, there).await;
        0
    };
    frames(run_on(placement(PAIR).unwrap(), init, |_| ()))
}

/// Holds: create-one-call.
#[test]
fn create_open_and_lease_take_one_remote_call() {
    if possible() {
        let (few, many) = (frames_of(2, false, false), frames_of(10, false, false));
        let each = (many - few) as f64 / 8.0;
        println!("{few} frames for 2 files, {many} for 10: {each} each");
        assert!(each <= EACH_MAX, "{each} frames a file");
    }
}

/// A whole page takes four frames, and a flush is two calls: one brings page and attributes, one ends the lease.
#[test]
fn flush_of_small_file_sends_its_bytes_only() {
    if possible() {
        for changes in [false, true] {
            let each = |syncs| (frames_of(10, changes, syncs) - frames_of(2, changes, syncs)) as f64 / 8.0;
            let (created, synced) = (each(false), each(true));
            println!("{created} frames for a file, {synced} with its flush, changed mode: {changes}");
            assert!(synced - created <= FLUSHED_MAX, "{created} frames for a file, {synced} with its flush");
        }
    }
}

/// Frames of a flush: two calls of two.
const FLUSHED_MAX: f64 = 4.0;

/// Makes `count` files on board 1, one after the other, and removes each after reading its status, opening and closing
/// it; the frames that were sent.
fn frames_of_removals(count: u64) -> u64 {
    let init = move |init: SimProgram| async move {
        let there = move |program: SimProgram| async move {
            program.make_directory(PLACE).await.unwrap();
            for number in 0..count {
                let made = program.open(&file(number), Open::Create).await.unwrap();
                program.close(made).await.unwrap();
                assert_eq!(program.status(&file(number), true).await.unwrap().links, 1);
                let again = program.open(&file(number), Open::Read).await.unwrap();
                program.close(again).await.unwrap();
                program.unlink(&file(number)).await.unwrap();
                assert_eq!(program.status(&file(number), true).await, Err(Errno::ENOENT));
                assert_eq!(program.status(PLACE, true).await.unwrap().links, 2);
            }
        };
        elsewhere(&init, there).await;
        0
    };
    let finished = run_on(placement(PAIR).unwrap(), init, |_| ());
    finished.system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum()
}

#[test]
fn unlink_of_own_file_takes_one_remote_call() {
    if possible() {
        let (few, many) = (frames_of_removals(2), frames_of_removals(10));
        let each = (many - few) as f64 / 8.0;
        println!("{few} frames for 2 files, {many} for 10: {each} each");
        assert!(each <= REMOVED_MAX, "{each} frames a file");
    }
}

/// Frames of a file that is made and removed: two calls of at most four.
const REMOVED_MAX: f64 = 8.0;

/// What a board drops when it has removed a file is that file's only, and not while a program has it open.
#[test]
fn unlink_of_own_written_file_drops_its_data_after_last_close() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        let there = |program: SimProgram| async move {
            program.make_directory(PLACE).await.unwrap();
            for round in 0..3_u8 {
                let files = [
                    program.open(&file(0), Open::Create).await.unwrap(),
                    program.open(&file(1), Open::Create).await.unwrap(),
                ];
                for (written, byte) in files.into_iter().zip([round, 100 + round]) {
                    program.write_all(written, &[byte; 20_000]).await.unwrap();
                }
                let open = program.open(&file(0), Open::Read).await.unwrap();
                program.close(files[0]).await.unwrap();
                program.unlink(&file(0)).await.unwrap();
                assert_eq!(program.read_all(open, 4_096).await.unwrap(), [round; 20_000], "it is open");
                program.close(open).await.unwrap();
                program.close(files[1]).await.unwrap();
                program.unlink(&file(1)).await.unwrap();
                let kept = program.open(&file(2), Open::Create).await.unwrap();
                program.write_all(kept, &[200 + round; 20_000]).await.unwrap();
                assert_eq!(program.sync(kept).await, Ok(()), "nothing is lost");
                program.close(kept).await.unwrap();
            }
        };
        elsewhere(&init, there).await;
        init.sync_all().await.unwrap();
        let kept = init.open(&file(2), Open::Read).await.unwrap();
        assert_eq!(init.read_all(kept, 4_096).await.unwrap(), [202; 20_000]);
        0
    };
    assert_eq!(run_on(placement(PAIR).unwrap(), init, |_| ()).status, 0);
}

/// Frames of a file: the call and its answer; at the end its page is flushed, in pieces, and the lease ends.
const EACH_MAX: f64 = 12.0;

/// Creates folders until `count` exist; each check of the place shows at least those that exist.
async fn make_folders(program: SimProgram, from: u64, count: u64) {
    for made in 0..count {
        program.make_directory(&format!("{PLACE}/folder{}", from + made)).await.unwrap();
        let links = program.status(PLACE, true).await.unwrap().links;
        assert!(u64::from(links) >= 3 + made, "{links} links after {} folders of its own", made + 1);
    }
}

#[test]
fn create_by_two_programs_in_one_directory_is_consistent() {
    if !possible() {
        return;
    }
    const EACH: u64 = 12;
    let init = |init: SimProgram| async move {
        init.make_directory(PLACE).await.unwrap();
        let free = init.free().await.unwrap();
        let mut makers = Vec::new();
        for (number, board) in [(0, 1), (1, 1), (2, 0)] {
            let maker = move |program: SimProgram| async move {
                make_folders(program, number * EACH, EACH).await;
                0
            };
            makers.push(init.fork_on(board, maker).await.unwrap());
        }
        for pid in makers {
            assert_eq!(init.wait(pid).await, Ok((pid, 0)));
        }
        let all = move |program: SimProgram| async move {
            assert_eq!(u64::from(program.status(PLACE, true).await.unwrap().links), 2 + 3 * EACH);
            for number in 0..3 * EACH {
                assert_eq!(program.status(&format!("{PLACE}/folder{number}"), true).await.unwrap().links, 2);
            }
        };
        elsewhere(&init, all).await;
        all(init.clone()).await;
        for number in 0..3 * EACH {
            init.remove_directory(&format!("{PLACE}/folder{number}")).await.unwrap();
        }
        init.sync_all().await.unwrap();
        assert_eq!(init.free().await.unwrap(), free);
        0
    };
    assert_eq!(run_cluster(ClusterSetup::new(2), init).status, 0);
}

#[test]
fn create_without_file_process_caches_nothing() {
    if !possible() {
        return;
    }
    const MOST: u64 = 40;
    let init = |init: SimProgram| async move {
        let free = init.free().await.unwrap();
        let there = |program: SimProgram| async move {
            program.make_directory(PLACE).await.unwrap();
            let mut open = Vec::new();
            let refused = loop {
                match program.open(&file(open.len() as u64), Open::Create).await {
                    Ok(file) => open.push(file),
                    Err(errno) => break errno,
                }
            };
            assert_eq!((refused, open.len()), (Errno::ENFILE, 32));
            for file in open {
                program.close(file).await.unwrap();
            }
        };
        elsewhere(&init, there).await;
        clear(&init, MOST).await;
        assert_eq!(init.free().await.unwrap(), free);
        0
    };
    run(init, |_| ());
}

#[test]
fn create_on_full_disk_changes_nothing() {
    if !possible() {
        return;
    }
    const MOST: u64 = 10_000;
    let init = |init: SimProgram| async move {
        let free = init.free().await.unwrap();
        let there = move |program: SimProgram| async move {
            program.make_directory(PLACE).await.unwrap();
            let mut made = 0;
            // Each takes an inode, and a block.
            let refused = loop {
                match program.make_directory(&format!("{PLACE}/folder{made}")).await {
                    Ok(()) => made += 1,
                    Err(errno) => break errno,
                }
            };
            assert_eq!(refused, Errno::ENOSPC);
            assert!(made + 10 > free.0.min(free.1) && made < MOST, "{made} of {free:?}");
            assert_eq!(program.status(&format!("{PLACE}/folder{made}"), true).await, Err(Errno::ENOENT));
            let opened = program.open(&file(0), Open::Create).await;
            if let Ok(file) = opened {
                assert_eq!(program.write(file, b"x").await, Err(Errno::ENOSPC));
                program.close(file).await.unwrap();
            }
        };
        elsewhere(&init, there).await;
        clear(&init, free.0 + 1).await;
        assert_eq!(init.free().await.unwrap(), free);
        0
    };
    run(init, |_| ());
}

/// Makes files and folders, and writes some, as long as it can or until it is `over`.
async fn make_on(program: SimProgram, over: Rc<Cell<bool>>) -> u8 {
    let mut number = 0;
    while !over.get() {
        number += 1;
        let folder = format!("{PLACE}/folder{}", number % FOLDERS);
        if number % 3 == 0 {
            let _ = program.make_directory(&folder).await;
        }
        if let Ok(file) = program.open(&file(number % FILES), Open::Create).await {
            let _ = program.write(file, b"text").await;
            if number % 2 == 0 {
                let _ = program.close(file).await;
            }
        }
        let _ = program.unlink(&file((number + FILES / 2) % FILES)).await;
        if number % 5 == 0 {
            let _ = program.remove_directory(&folder).await;
        }
    }
    0
}
const FILES: u64 = 12;
const FOLDERS: u64 = 4;

/// Creates them on board 1 whenever that is up.
async fn keep_making(init: SimProgram, deaths: Rc<Cell<bool>>) -> u8 {
    init.make_directory(PLACE).await.unwrap();
    init.sync_all().await.unwrap();
    init.remove_directory(PLACE).await.unwrap();
    init.sync_all().await.unwrap();
    let free = init.free().await.unwrap();
    init.make_directory(PLACE).await.unwrap();
    while deaths.get() {
        match init.fork_on(1, |program| make_on(program, Rc::default())).await {
            Ok(pid) => assert_eq!(init.wait(pid).await, Ok((pid, 9))),
            Err(errno) => assert_eq!(errno, Errno::EHOSTDOWN),
        }
        init.sleep(MS).await.unwrap();
    }
    clear(&init, FILES).await;
    assert_eq!(init.free().await.unwrap(), free, "something has no name and is not free");
    0
}

#[test]
fn create_interrupted_by_board_failure_leaks_nothing() {
    if !possible() {
        return;
    }
    for seed in 1..=4 {
        let deaths = Rc::new(Cell::new(true));
        let more = deaths.clone();
        let (setup, programs) = setup(ClusterSetup::new(2), move |init| keep_making(init, more.clone()), |_| ());
        let mut system = SimSystem::boot(&setup, &programs);
        let mut random = Random::new(seed);
        for death in 0..10 {
            system.cluster.run_until(system.cluster.now_ns() + 5 * MS + random.below(30 * MS));
            deaths.set(death < 9);
            system.cluster.kill(1);
            system.cluster.run_until(system.cluster.now_ns() + random.below(150 * MS));
            system.reboot(1);
        }
        finish(&mut system);
    }
}

#[test]
fn create_interrupted_by_disk_board_cut_is_consistent() {
    if !possible() {
        return;
    }
    for seed in 1..=4 {
        let over = Rc::new(Cell::new(false));
        let (progress, lives) = (over.clone(), Rc::new(Cell::new(0)));
        let init = move |init: SimProgram| {
            let (progress, lives) = (progress.clone(), lives.clone());
            async move {
                lives.set(lives.get() + 1);
                let _ = init.make_directory(PLACE).await;
                if lives.get() == 1 {
                    init.sync_all().await.unwrap();
                    let progress = progress.clone();
                    init.fork_on(1, move |program| make_on(program, progress)).await.unwrap();
                }
                while !progress.get() {
                    init.sleep(MS).await.unwrap();
                }
                // Its last change is over.
                init.sleep(100 * MS).await.unwrap();
                0
            }
        };
        let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
        let mut system = SimSystem::boot(&setup, &programs);
        let mut random = Random::new(seed);
        for _ in 0..8 {
            system.cluster.run_until(system.cluster.now_ns() + 30 * MS + random.below(40 * MS));
            system.cluster.kill(0);
            system.cluster.run_until(system.cluster.now_ns() + random.below(150 * MS));
            system.reboot(0);
        }
        system.cluster.run_until(system.cluster.now_ns() + 300 * MS);
        over.set(true);
        let status = system.run(LIMIT_NS);
        assert_eq!(status, Some(0), "seed {seed}: {:#?} {:?}", system.wait_graph(), SimSystem::log());
        // What has no name would be found here.
        image::check(&system.disk.content()).unwrap();
    }
}
