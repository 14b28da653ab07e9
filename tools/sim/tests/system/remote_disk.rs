//! The disk on a board of its own, the file system on another: power cuts of either, and of both.

use crate::machine::{LIMIT_NS, possible, run_on, run_to, setup};
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::seed::{SeedSettings, placed};
use renga_sim::system::image::FileContents;
use renga_sim::system::{SimSystem, SystemSetup, image};
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const REMOTE_DISK: SeedSettings = SeedSettings { remote_disk: true, ..SeedSettings::PAIR };
const FILES: u8 = 0;
const DISK: u8 = 1;
/// More than one run of blocks of the medium.
const BYTES: usize = 150_000;

fn text() -> Vec<u8> {
    (0..BYTES).map(|at| (at / 7) as u8).collect()
}

#[test]
fn remote_disk_serves_programs_of_both_boards() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        let file = init.open("/long", Open::Truncate).await.unwrap();
        init.write_all(file, &text()).await.unwrap();
        init.sync(file).await.unwrap();
        let reader = |program: SimProgram| async move {
            let file = program.open("/long", Open::Read).await.unwrap();
            assert_eq!(program.read_all(file, 4096).await.unwrap(), text());
            let other = program.open("/other", Open::Truncate).await.unwrap();
            program.write_all(other, b"of the disk's board").await.unwrap();
            0
        };
        let pid = init.fork_on(DISK, reader).await.unwrap();
        assert_eq!(init.wait(pid).await, Ok((pid, 0)));
        0
    };
    let done = run_on(placed(REMOTE_DISK).unwrap(), init, |_| ());
    assert_eq!((done.status, done.files.get("/long")), (0, Some(&text())));
    assert_eq!(done.files.get("/other").map(Vec::as_slice), Some(&b"of the disk's board"[..]));
}

/// After a program has synced `/kept` and written `/lost`, `cut` boards lose their power and return; what is on the
/// medium when the second incarnation of the file system's board has stopped.
fn left_after(cut: &[u8]) -> FileContents {
    let (progress, all_boots) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (step, boots) = (progress.clone(), all_boots.clone());
    let init = move |init: SimProgram| {
        let (step, boots) = (step.clone(), boots.clone());
        async move {
            boots.set(boots.get() + 1);
            if boots.get() > 1 {
                let again = init.open("/kept", Open::Read).await.unwrap();
                assert_eq!(init.read_all(again, 4096).await.unwrap(), text());
                return 0;
            }
            let kept = init.open("/kept", Open::Truncate).await.unwrap();
            init.write_all(kept, &text()).await.unwrap();
            init.sync(kept).await.unwrap();
            let lost = init.open("/lost", Open::Truncate).await.unwrap();
            init.write_all(lost, b"lost").await.unwrap();
            step.set(1);
            init.sleep(u64::MAX >> 2).await.unwrap();
            1
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&SystemSetup { placement: placed(REMOTE_DISK).unwrap(), ..setup }, &programs);
    run_to(&mut system, &progress, 1, 4_000 * MS);
    cut.iter().for_each(|board| system.cluster.kill(*board));
    system.cluster.run_until(system.cluster.now_ns() + 1_000 * MS);
    // The file system's board first: it waits for the disk.
    for board in cut {
        system.reboot(*board);
        system.cluster.run_until(system.cluster.now_ns() + 1_000 * MS);
    }
    assert_eq!(system.run(LIMIT_NS), Some(0), "{:#?} {:?}", system.wait_graph(), SimSystem::log());
    image::check(&system.disk.content()).unwrap()
}

#[test]
fn remote_disk_synced_file_survives_power_cuts() {
    if !possible() {
        return;
    }
    for cut in [&[FILES][..], &[FILES, DISK]] {
        let files = left_after(cut);
        assert_eq!(files.get("/kept"), Some(&text()), "{cut:?}");
        assert!(files.get("/lost").is_none_or(Vec::is_empty), "{cut:?}");
    }
}

/// While the disk is away syncs fail; when it is back the file system goes on.
#[test]
fn remote_disk_failure_fails_syncs_until_it_returns() {
    if !possible() {
        return;
    }
    let (progress, all_boots) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (step, boots) = (progress.clone(), all_boots.clone());
    let init = move |init: SimProgram| {
        let (step, boots) = (step.clone(), boots.clone());
        async move {
            boots.set(boots.get() + 1);
            if boots.get() > 1 {
                return 0;
            }
            let kept = init.open("/kept", Open::Truncate).await.unwrap();
            init.write_all(kept, &text()).await.unwrap();
            init.sync(kept).await.unwrap();
            step.set(1);
            wait_for(&init, &step, 2).await;
            init.write_at(kept, 0, b"away").await.unwrap();
            assert!(init.sync(kept).await.is_err(), "the disk does not answer");
            step.set(3);
            wait_for(&init, &step, 4).await;
            let motd = init.open("/etc/motd", Open::Read).await.unwrap();
            assert_eq!(init.read_all(motd, 4096).await.as_deref(), Ok(&b"renga\n"[..]));
            init.write_at(kept, 0, b"back").await.unwrap();
            assert_eq!(init.sync(kept).await, Ok(()));
            let new = init.open("/new", Open::Truncate).await.unwrap();
            init.write_all(new, b"new").await.unwrap();
            assert_eq!(init.sync(new).await, Ok(()));
            step.set(5);
            init.sleep(u64::MAX >> 2).await.unwrap();
            1
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&SystemSetup { placement: placed(REMOTE_DISK).unwrap(), ..setup }, &programs);
    let pause = |system: &mut SimSystem| system.cluster.run_until(system.cluster.now_ns() + 200 * MS);
    run_to(&mut system, &progress, 1, 4_000 * MS);
    system.cluster.kill(DISK);
    pause(&mut system);
    progress.set(2);
    run_to(&mut system, &progress, 3, 20_000 * MS);
    system.reboot(DISK);
    pause(&mut system);
    progress.set(4);
    run_to(&mut system, &progress, 5, 40_000 * MS);
    system.cluster.kill(FILES);
    pause(&mut system);
    system.reboot(FILES);
    assert_eq!(system.run(LIMIT_NS), Some(0), "{:#?} {:?}", system.wait_graph(), SimSystem::log());
    let files = image::check(&system.disk.content()).unwrap();
    assert_eq!(files.get("/kept").map(|kept| &kept[..4]), Some(&b"back"[..]));
    assert_eq!(files.get("/new").map(Vec::as_slice), Some(&b"new"[..]));
}

async fn wait_for(program: &SimProgram, step: &Cell<u32>, wanted: u32) {
    while step.get() < wanted {
        program.sleep(MS).await.unwrap();
    }
}
