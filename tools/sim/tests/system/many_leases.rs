//! A board that writes more files than may be leased at once: their data go to the disk's board, and no commit comes
//! early, which would write to the medium what may yet be removed.

use crate::machine::{elsewhere, finish, possible, run_to, setup};
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::{SimSystem, image};
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
/// Of the small system's 48 inodes 12 may be leased.
const FILES: u32 = 24;
const PLACE: &str = "/many";

#[test]
fn leases_flushed_for_room_are_not_committed() {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let init = move |init: SimProgram| {
        let step = step.clone();
        async move {
            init.make_directory(PLACE).await.unwrap();
            init.sync_all().await.unwrap();
            let there = move |program: SimProgram| {
                let step = step.clone();
                async move {
                    for number in 0..FILES {
                        let file = program.open(&format!("{PLACE}/{number}"), Open::Create).await.unwrap();
                        assert_eq!(program.write(file, b"text").await, Ok(4));
                        program.close(file).await.unwrap();
                    }
                    step.set(1);
                }
            };
            elsewhere(&init, there).await;
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 4_000 * MS);
    let committed = image::recover(&system.disk.content()).unwrap();
    let names: Vec<&String> = committed.keys().filter(|path| path.starts_with(PLACE) && *path != PLACE).collect();
    assert!(names.is_empty(), "a power cut would leave {names:?}");
    finish(&mut system);
}
