//! A run that is killed, at whichever moment and by whichever signal, leaves no emulator behind.

use crate::support::{Disk, Renga, clusters_can_run, command_line, send_signal};
use rustix::process::Signal;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

const POLL: Duration = Duration::from_millis(20);
/// Polls until emulators have ended: a minute, as the host may be busy.
const POLLS_MAX: usize = 3_000;
/// Polls between the start of a run and its end, for several moments of its start.
const MOMENTS: [usize; 3] = [1, 10, 40];

/// The processes whose command lines name the folder of `run`, a process, but for that process itself.
fn emulators_of(run: u32) -> Vec<(u32, String)> {
    let folder = format!("/run-{run}/");
    let entries = fs::read_dir("/proc").expect("this host has /proc").flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(|id| *id != run);
    ids.map(|id| (id, command_line(id))).filter(|(_, line)| line.contains(&folder)).collect()
}

/// Fails if processes of `run` are left; those are ended.
fn expect_none_left(run: u32, when: &str) {
    for _ in 0..POLLS_MAX {
        if emulators_of(run).is_empty() {
            return;
        }
        thread::sleep(POLL);
    }
    let left = emulators_of(run);
    left.iter().for_each(|(id, _)| send_signal(*id, Signal::KILL));
    panic!("{when}, these are left: {left:?}");
}

/// Kills runs by `signals` when their emulators run, and one at each of some moments before.
fn kill_at_any_moment(make: impl Fn() -> Renga, signals: &[Signal]) {
    for signal in signals {
        let mut run = 0;
        make().end_disturbed(|id, _| {
            run = id;
            let has_come = !emulators_of(id).is_empty();
            if has_come {
                send_signal(id, *signal);
            }
            has_come
        });
        expect_none_left(run, &format!("after {signal:?}"));
    }
    for moment in MOMENTS {
        let (mut run, mut polls) = (0, 0);
        make().end_disturbed(|id, _| {
            run = id;
            polls += 1;
            if polls == moment {
                send_signal(id, Signal::KILL);
            }
            polls == moment
        });
        expect_none_left(run, &format!("killed at poll {moment}"));
    }
}

/// Holds: run-killed.
#[test]
fn killed_run_of_cluster_leaves_no_emulator() {
    if clusters_can_run() {
        kill_at_any_moment(|| Renga::script("sleep 100000"), &[Signal::TERM]);
    }
}

/// Holds: run-killed.
#[test]
fn killed_run_of_linux_leaves_no_emulator() {
    if clusters_can_run() {
        kill_at_any_moment(|| Renga::linux().with(["-c", "sleep 100000"]), &[Signal::TERM, Signal::KILL]);
    }
}

/// Its disk is not refused as that of another run, and is repaired as after a power cut.
#[test]
fn killed_run_leaves_kept_disk_usable() {
    if !clusters_can_run() {
        return;
    }
    let disk = Disk::new("killed-disk", "echo begun; sleep 100000", &[]);
    let image = disk.image();
    let run = |image: &Path| Renga::run().with(["--disk".as_ref(), image.as_os_str()]);
    run(&image).end_disturbed(|id, so_far| {
        let has_begun = so_far.starts_with(b"begun");
        if has_begun {
            send_signal(id, Signal::KILL);
        }
        has_begun
    });
    let ended = run(&image).end_disturbed(|id, so_far| {
        let has_begun = so_far.starts_with(b"begun");
        if has_begun {
            send_signal(id, Signal::TERM);
        }
        has_begun
    });
    assert!(ended.text().starts_with("begun"), "{}", ended.report());
}
