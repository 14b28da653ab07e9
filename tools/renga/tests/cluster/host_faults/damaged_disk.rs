//! A kept disk whose damage only a board sees: the run says why in a line, with a status that no program gives.
//!
//! Not here: what the host refuses (`tests/damaged`).

use crate::support::{Disk, clusters_can_run};
use renga_damage::{DISK_DAMAGES, DiskDamage, DiskImage, SeenBy};
use renga_random::Random;
use std::fs;

const SEED: u64 = 1;
/// Kinds that `renga test` boots; `renga test --long=damage` boots all.
const DRAWN: usize = 4;
/// A board has no system to run.
const NO_INIT: i32 = 71;
const FAILED: i32 = 125;

fn kinds() -> Vec<&'static DiskDamage> {
    DISK_DAMAGES.into_iter().flatten().filter(|damage| damage.seen_by != SeenBy::Host).collect()
}

/// Runs a script on a disk with each of `kinds` of damage.
fn boot_damaged(kinds: &[&DiskDamage]) {
    let disk = Disk::new("damaged", "echo begun", &[]);
    let image = disk.image();
    let whole = fs::read(&image).expect("it was made");
    for damage in kinds {
        let mut damaged = DiskImage::new(whole.clone());
        damage.apply(&mut damaged, SEED);
        assert!(damaged.bytes != whole, "{}", damage.name);
        fs::write(&image, damaged.bytes).expect("it was made");
        let ended = disk.run_on("solo");
        let what = format!("{}\n{}", damage.name, ended.report());
        let has_begun = ended.text().contains("begun");
        println!("{}: status {}, {}", damage.name, ended.status, if has_begun { "it runs" } else { "refused" });
        if damage.seen_by == SeenBy::Nobody && has_begun {
            assert_eq!(ended.status, 0, "{what}");
            continue;
        }
        assert!(!has_begun, "{what}");
        assert!(matches!(ended.status, NO_INIT | FAILED), "{what}");
        let has_line = |text: &str| text.lines().any(|line| line.starts_with("renga: "));
        assert!(has_line(&ended.text()) || has_line(&ended.stderr), "{what}");
    }
}

/// Holds: disk-damaged.
#[test]
fn damaged_disk_drawn_kinds_end_run_with_line_and_own_status() {
    if clusters_can_run() {
        let (mut left, mut random) = (kinds(), Random::new(SEED));
        let drawn: Vec<_> = (0..DRAWN).map(|_| left.swap_remove(random.below(left.len() as u64) as usize)).collect();
        boot_damaged(&drawn);
    }
}

/// Holds: disk-damaged.
#[test]
#[ignore = "it boots a board for each kind of damage: ./renga test --long=damage"]
fn damaged_disk_all_kinds_end_run_with_line_and_own_status() {
    if clusters_can_run() {
        boot_damaged(&kinds());
    }
}
