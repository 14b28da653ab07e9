//! Boards that start from their cards without any device of the emulator's: identity, count of starts, randomness, the
//! link and the reset are their own; and they update their own kernel.

use crate::support::{Ended, Renga, Scratch, clusters_can_run};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Cards of a system of Pi 3s.
pub(super) fn cards(scratch: &Scratch, system: &str) -> PathBuf {
    let folder = scratch.join("cards");
    let made = Renga::command(&["image", "--board", "pi3", "--name", "lab", "--system", system]);
    made.with(["--out".as_ref(), folder.as_os_str()]).end().expect_status(0);
    folder
}

pub(super) fn bare(folder: &Path, system: &str, script: &str) -> Renga {
    let run = Renga::script(script).with(["--cards".as_ref(), folder.as_os_str()]);
    run.with(["--bare", "--system", system])
}

/// What programs wrote, without what the kernel says on a board's own console.
pub(super) fn programs(ended: &Ended) -> String {
    let text = ended.text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("renga: ")).collect();
    lines.join("\n")
}

/// Both boards' names, a pipe between them, a file of b's read on a, how both have started.
const SCRIPT: &str = r#"uname -n; remote -b b uname -n; seq 1000 | remote -b b sort -rn | tail -n 1
remote -b b sh -c 'echo of b > /tmp/f'; cat /tmp/f; date +%Y
for b in a b; do remote -b $b renga-update --own --status; done"#;

const EXPECTED: &str = "a\nb\n1\nof b\n2026
a start 1 partition 1 whole runs usual\na start 1 partition 2 whole - -
b start 1 partition 1 whole runs usual\nb start 1 partition 2 whole - -";

/// Holds: cards-bare.
#[test]
fn bare_boards_form_cluster() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("bare");
    let ended = bare(&cards(&scratch, "pair"), "pair", SCRIPT).end().expect_status(0);
    assert_eq!(programs(&ended), EXPECTED, "{}", ended.report());
    assert!(ended.text().contains("renga: boot 2") && ended.text().contains("renga: stopped with status 0"));
}

/// A board that brings itself another kernel goes on with the same script when it is started again.
const UPDATE: &str = r#"if [ -e /begun ]; then
    for i in 1 2 3 4 5 6 7 8 9; do grep -q 'usual 2' /proc/renga/start && break; sleep 1; done
    renga-update --status
else
    renga-update --status; > /begun; sync; renga-update /host/new.kernel; sleep 600
fi"#;

/// Holds: update-safe.
#[test]
fn update_own_card_keeps_new_kernel() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("update");
    let folder = cards(&scratch, "solo");
    let ended = bare(&folder, "solo", UPDATE).with(kernel_to_put(&scratch, false)).end().expect_status(0);
    let expected = "a start 1 partition 1 whole runs usual\na start 1 partition 2 whole - -
a written to partition 2
a start 2 partition 1 whole - -\na start 2 partition 2 whole runs usual";
    assert_eq!(programs(&ended), expected, "{}", ended.report());
}

/// The kernel on trial hangs at once, so only a person ends it: after switching the power off and on the old one runs.
/// Holds: update-safe.
#[test]
fn update_hanging_kernel_falls_back_after_power_cycle() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("hangs");
    let folder = cards(&scratch, "solo");
    let run = bare(&folder, "solo", UPDATE).with(kernel_to_put(&scratch, true));
    let run = run.with(["--kill", "a@3000000", "--restart", "a@3001000"]);
    let ended = run.end().expect_status(0);
    // The kernel that hung counted no start.
    let expected = "a start 1 partition 1 whole runs usual\na start 1 partition 2 whole - -
a written to partition 2
a start 2 partition 1 whole runs usual\na start 2 partition 2 whole - -";
    assert_eq!(programs(&ended), expected, "{}", ended.report());
}

/// `instead` replaces the program that has the kernel kept, and the kernel is tried once; the third start learns the
/// result.
fn tried(name: &str, instead: &str) -> Ended {
    let scratch = Scratch::new(name);
    let folder = cards(&scratch, "solo");
    put(&scratch, &folder.join("lab-a-pi3.img"), &update(&scratch, false));
    let script = format!(
        r#"case $(cat /proc/renga/start) in
        "starts 1"*) mv /usr/bin/renga-update /hidden; {instead}; sync; /hidden --own --write /update; /hidden --own --try; sleep 600;;
        "starts 2"*) sleep 600;;
        *) /hidden --status;;
        esac"#
    );
    let ended = bare(&folder, "solo", &script).with(["--stats"]).end().expect_status(0);
    let expected = "a written to partition 2
a start 3 partition 1 whole runs usual\na start 3 partition 2 whole - -";
    assert_eq!(programs(&ended), expected, "{}", ended.report());
    ended
}

/// Holds: update-safe.
#[test]
fn update_unconfirmed_kernel_falls_back_after_a_minute() {
    if !clusters_can_run() {
        return;
    }
    let instead = r"printf '#!/bin/sh\nexec /sbin/init\n' > /usr/bin/renga-update; chmod +x /usr/bin/renga-update";
    let ended = tried("unkept", instead);
    assert!(ended.text().contains("no board confirmed the trial kernel"), "{}", ended.report());
    assert!((60.0..65.0).contains(&ended.virtual_s()), "{}", ended.report());
}

/// Holds: update-safe.
#[test]
fn update_kernel_without_init_falls_back_at_once() {
    if !clusters_can_run() {
        return;
    }
    let ended = tried("startless", ":");
    assert!(ended.text().contains("the first program of a kernel that is being tried ended"), "{}", ended.report());
    assert!(ended.virtual_s() < 5.0, "{}", ended.report());
}

/// The disk of `solo4` has a core of its own, and the card.
#[test]
fn update_with_disk_on_other_core_is_refused() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("several");
    let folder = cards(&scratch, "solo4");
    let ended = bare(&folder, "solo4", "renga-update --own --status; echo $?").end().expect_status(0);
    let expected =
        "renga-update: this board's disk is on another core than its programs, and has the card: see --help\n1";
    assert_eq!(programs(&ended), expected, "{}", ended.report());
}

/// The disk's process writes files while a program writes a kernel to the same card, whose writes take so long that
/// each finds the other's under way. At the second start both are read from the card.
const SHARED: &str = r#"case $(cat /proc/renga/start) in
"starts 1"*)
    (i=0; until [ -e /done ]; do i=$((i+1)); seq $i 2000 > /f$((i % 4)); sync; done; echo $((i > 8))) &
    renga-update --own --write /update; > /done; wait; md5sum /f? > /sums; sync
    renga-update --own --try; sleep 600;;
*) until grep -q 'usual 2' /proc/renga/start; do sleep 1; done; md5sum -c /sums; renga-update --status;;
esac"#;

#[test]
fn card_disk_and_update_share_medium() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("shared");
    let folder = cards(&scratch, "solo");
    put(&scratch, &folder.join("lab-a-pi3.img"), &update(&scratch, false));
    let ended = bare(&folder, "solo", SHARED).with(["--card-write-ms", "1"]).end().expect_status(0);
    let expected = "a written to partition 2\n1\n/f0: OK\n/f1: OK\n/f2: OK\n/f3: OK
a start 2 partition 1 whole - -\na start 2 partition 2 whole runs usual";
    assert_eq!(programs(&ended), expected, "{}", ended.report());
}

/// The options that bring an update to the disk, as `docs/reference/cards.md` says.
fn kernel_to_put(scratch: &Scratch, hangs: bool) -> [OsString; 2] {
    let file = scratch.join("new.kernel");
    fs::write(&file, update(scratch, hangs)).expect("it is ours");
    ["--put".into(), file.into_os_string()]
}

/// Puts an update on the disk of a card.
pub(super) fn put(scratch: &Scratch, card: &Path, update: &[u8]) {
    let work = scratch.join("work");
    fs::create_dir_all(&work).expect("a folder can be made");
    renga_images::card::put_on_disk(card, "/update", update, &work).expect("it can be put on the disk");
}

/// `wfi`.
const WAIT: u32 = 0xd503_207f;
/// `b .-4`.
const BRANCH_BACK: u32 = 0x17ff_ffff;

/// An update of one board whose kernel differs from the sources' in bytes behind it; with `hangs` it waits for ever at
/// its entry.
fn update(scratch: &Scratch, hangs: bool) -> Vec<u8> {
    update_of(scratch, "solo", hangs)
}

/// The same of all boards of a system.
pub(super) fn update_of(scratch: &Scratch, system: &str, hangs: bool) -> Vec<u8> {
    let made = scratch.join("made");
    let command = Renga::command(&["image", "--system", system, "--update"]);
    command.with([made.as_os_str()]).end().expect_status(0);
    let (kernel, tables) = parts(&fs::read(made).expect("it was just made"));
    let mut kernel = [&kernel[..], b"another kernel"].concat();
    if hangs {
        kernel[..4].copy_from_slice(&WAIT.to_le_bytes());
        kernel[4..8].copy_from_slice(&BRANCH_BACK.to_le_bytes());
    }
    renga_images::card::update(&kernel, &tables).expect("there is room")
}

fn parts(update: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let number = |at: usize| u32::from_le_bytes(update[at..at + 4].try_into().expect("four bytes")) as usize;
    let at = renga_boot_card::RECORD_BYTES;
    let (kernel, tables) = update[512..].split_at(number(at));
    (kernel.to_vec(), tables[..number(at + 4)].to_vec())
}
