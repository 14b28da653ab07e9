//! A cluster that brings itself another kernel: from the disk's board over the link to each board's own card, tried by
//! all, kept by all or by none.

use super::bare::{bare, cards, programs, put, update_of};
use crate::support::{Scratch, clusters_can_run};
use std::time::Duration;

/// Both boards try what their cards have beside the kernel that they run; at its second start a waits until it has kept
/// it.
const TRY: &str = r#"case $(cat /proc/renga/start) in
"starts 1"*) renga-update --try; sleep 600;;
*) until grep -q 'usual 2' /proc/renga/start; do sleep 1; done; head -n 3 /proc/renga/start; remote -b b head -n 3 /proc/renga/start;;
esac"#;

/// Holds: update-all.
#[test]
#[ignore = "half a minute of both cores: renga test --long=update"]
fn update_joint_trial_keeps_kernel_on_all_boards() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("try-both");
    let ended = bare(&cards(&scratch, "pair"), "pair", TRY).end().expect_status(0);
    let expected = "starts 2\nruns 2\nusual 2\nstarts 2\nruns 2\nusual 2";
    assert_eq!(programs(&ended), expected, "{}", ended.report());
}

/// b writes a kernel to its own card from the disk of a, tries the one that it has twice, and keeps that.
const OF_B: &str = r#"remote -b b renga-update --own --try 2>&-; echo $?
until remote -b b true; do sleep 1; done 2>&-
remote -b b renga-update --own --status
remote -b b renga-update --own --write /update; echo $?
remote -b b renga-update --own --keep
remote -b b renga-update --own --write /update
remote -b b renga-update --own --status"#;

/// Holds: cards-bare, update-safe.
#[test]
#[ignore = "a minute of both cores: renga test --long=update"]
fn update_of_board_b_counts_its_boots() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("update-b");
    let folder = cards(&scratch, "pair");
    let update = renga_images::card::update(&[7; 3000], &[8; 700]).expect("there is room");
    put(&scratch, &folder.join("lab-a-pi3.img"), &update);
    let ended = bare(&folder, "pair", OF_B).end().expect_status(0);
    let expected = "137
b start 2 partition 1 whole - usual\nb start 2 partition 2 whole runs -
renga-update: the kernel that runs is being tried: keep it first
1
b written to partition 1
b start 2 partition 1 whole - -\nb start 2 partition 2 whole runs usual";
    assert_eq!(programs(&ended), expected, "{}", ended.report());
    assert!(ended.text().contains("renga: boot 4") && ended.text().contains("renga: stopped with status 0"));
    assert!(ended.stderr.contains("board b is reset, to start from partition 2"), "{}", ended.report());
}

/// a alone tries another kernel than b's, and waits at its second start until it is given up.
const ALONE: &str = r#"case $(cat /proc/renga/start) in
"starts 1"*) renga-update --own --write /update; renga-update --own --try; sleep 600;;
"starts 2"*) renga-update --keep; echo $?; sleep 600;;
*) head -n 3 /proc/renga/start; remote -b b head -n 3 /proc/renga/start;;
esac"#;

/// While boards do not all run the kernel that one tries, it is no use: the board that is left alone goes back.
/// Holds: update-all.
#[test]
#[ignore = "half a minute of both cores: renga test --long=update"]
fn update_kernel_missing_on_one_board_is_not_kept() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("alone");
    let folder = cards(&scratch, "pair");
    put(&scratch, &folder.join("lab-a-pi3.img"), &update_of(&scratch, "pair", false));
    let ended = bare(&folder, "pair", ALONE).end().expect_status(0);
    let expected = "a written to partition 2
renga-update: this board runs another kernel than the one that is tried
renga-update: board b: failed
1
starts 3\nruns 1\nusual 1\nstarts 1\nruns 1\nusual 1";
    assert_eq!(programs(&ended), expected, "{}", ended.report());
}

/// The kernel crosses the pins, of which every edge is emulated.
const PATIENCE: Duration = Duration::from_secs(3600);

/// a brings both boards the kernel, and waits at its second start until it has kept it.
const ALL: &str = r#"case $(cat /proc/renga/start) in
"starts 1"*) renga-update /update; sleep 600;;
*) until grep -q 'usual 2' /proc/renga/start; do sleep 1; done; renga-update --status;;
esac"#;

/// Holds: update-all.
#[test]
#[ignore = "minutes, as the kernel crosses the pins: renga test --long=update"]
fn update_distributed_kernel_is_kept_when_all_boards_run_it() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("update-both");
    let folder = cards(&scratch, "pair");
    put(&scratch, &folder.join("lab-a-pi3.img"), &update_of(&scratch, "pair", false));
    let ended = bare(&folder, "pair", ALL).within(PATIENCE).end().expect_status(0);
    let expected = "b written to partition 2\na written to partition 2
b start 2 partition 1 whole - -\nb start 2 partition 2 whole runs usual
a start 2 partition 1 whole - -\na start 2 partition 2 whole runs usual";
    assert_eq!(programs(&ended), expected, "{}", ended.report());
}
