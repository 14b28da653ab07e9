//! A run that is killed, at whichever moment and by whichever signal, leaves no emulator behind.

use crate::support::{Disk, Renga, clusters_can_run, command_line, send_signal, work};
use renga_random::Random;
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
/// Moments that `renga test --long=damage` draws, up to the last one: ten seconds.
const DRAWN: usize = 10;
const LAST_MOMENT: u64 = 500;
const SEED: u64 = 1;

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
    kill_running(&make, signals);
    MOMENTS.iter().for_each(|moment| kill_at(&make, *moment, Signal::KILL));
}

fn kill_running(make: impl Fn() -> Renga, signals: &[Signal]) {
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
}

/// Sends a run the signal so many polls behind its start, if it has not ended.
fn kill_at(make: impl Fn() -> Renga, moment: usize, signal: Signal) {
    let (mut run, mut polls) = (0, 0);
    make().end_disturbed(|id, _| {
        run = id;
        polls += 1;
        if polls == moment {
            send_signal(id, signal);
        }
        polls == moment
    });
    expect_none_left(run, &format!("{signal:?} at poll {moment}"));
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

/// Holds: run-killed.
#[test]
#[ignore = "it boots boards ten times: ./renga test --long=damage"]
fn killed_run_at_drawn_moments_leaves_no_emulator_and_no_files() {
    if !clusters_can_run() {
        return;
    }
    let mut random = Random::new(SEED);
    for _ in 0..DRAWN {
        let (moment, signal) = (random.spread(1, LAST_MOMENT) as usize, random.one(&[Signal::TERM, Signal::KILL]));
        println!("{signal:?} at poll {moment}");
        kill_at(|| Renga::script("seq 3000 > f; sync; sleep 100000"), moment, signal);
    }
    let ended = Renga::script("echo after").end();
    assert_eq!(ended.text(), "after\n", "{}", ended.report());
    let entries = fs::read_dir(work()).expect("it is there").flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is_left = |pid: &str| !Path::new("/proc").join(pid).exists();
    let left: Vec<String> = names.filter(|name| name.strip_prefix("run-").is_some_and(is_left)).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Its disk is not refused as that of another run, and is repaired as after a power cut; while it runs it is.
#[test]
fn killed_run_leaves_kept_disk_usable() {
    if !clusters_can_run() {
        return;
    }
    let disk = Disk::new("killed-disk", "echo begun; while :; do :; done", &[]);
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
            let second = Renga::command(&["run", "--disk"]).with([&image]).end();
            assert_eq!(second.status, 125, "{}", second.report());
            assert!(second.stderr.contains(&format!("runs (pid {id}: ")), "{}", second.report());
            send_signal(id, Signal::TERM);
        }
        has_begun
    });
    assert!(ended.text().starts_with("begun"), "{}", ended.report());
}
