//! A sweep by a real Slurm, one of whose workers is killed in the middle, leaves the same results as one by this
//! machine.

mod slurm;

use slurm::Slurm;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Short runs of the small image.
const SWEEP: [&str; 6] = ["p1", "F4", "F3", "--short", "--profile", "pi3"];
/// How long a sweep may take on the host, builds included.
const LIMIT: Duration = Duration::from_secs(400);
const POLL: Duration = Duration::from_millis(10);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project's folder is there")
}

fn sweep(folder: &Path, more: &[&str]) -> Command {
    let mut renga = Command::new(env!("CARGO_BIN_EXE_renga-lab"));
    renga.env("RENGA_ROOT", root()).arg("sweep").args(SWEEP).arg("--results").arg(folder).args(more);
    renga.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    renga
}

/// What is kept of each run: all that it said, and the hashes of all that it did.
fn results(folder: &Path) -> BTreeMap<String, [String; 2]> {
    let entries =
        fs::read_dir(folder.join("runs")).map(|entries| entries.flatten().collect()).unwrap_or_else(|_| vec![]);
    let read = |path: PathBuf| ["console.txt", "run.json"].map(|file| fs::read_to_string(path.join(file)).unwrap());
    entries.iter().map(|entry| (entry.file_name().into_string().unwrap(), read(entry.path()))).collect()
}

/// Processes that carry out a job of the sweep into `folder`.
fn workers(folder: &Path) -> Vec<rustix::process::Pid> {
    let folder = folder.to_string_lossy().into_owned();
    let is_worker = |line: &str| line.contains("--job") && line.contains(&folder) && !line.contains("/bin/sh");
    let pids = fs::read_dir("/proc").expect("Linux has it").flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(rustix::process::Pid::from_raw))
        .filter(|pid| {
            let line = fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
            is_worker(&String::from_utf8_lossy(&line).replace('\0', " "))
        })
        .collect()
}

/// Kills the first worker that is seen.
fn kill_a_worker(sweep: &mut Child, folder: &Path) {
    let begin = Instant::now();
    loop {
        if let Some(worker) = workers(folder).first() {
            return rustix::process::kill_process(*worker, rustix::process::Signal::KILL).expect("it is ours");
        }
        let over = sweep.try_wait().expect("it is ours").is_some() || begin.elapsed() > LIMIT;
        assert!(!over, "no worker was seen");
        sleep(POLL);
    }
}

/// Waits for the end of a sweep.
fn end(mut sweep: Child, slurm: &Slurm) -> Output {
    let begin = Instant::now();
    while sweep.try_wait().expect("it is ours").is_none() {
        if begin.elapsed() > LIMIT {
            let _ = sweep.kill();
            let mut said = String::new();
            let _ = sweep.stderr.take().map(|mut pipe| pipe.read_to_string(&mut said));
            panic!("not over within {LIMIT:?}; it said:\n{said}\n{}", slurm.report());
        }
        sleep(POLL);
    }
    sweep.wait_with_output().expect("it is ours")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Slurm and MUNGE, unpacked; none if they cannot be had.
fn fetched() -> Option<PathBuf> {
    let work = root().join("target/renga");
    let folder = work.join("slurm");
    if !folder.join("usr/sbin/slurmd-wlm").exists() {
        let mut fetch = Command::new(root().join("tools/setup/fetch-slurm.sh"));
        let output = fetch.arg(work.join("apt-host")).arg(&folder).output().expect("bash is there");
        if !output.status.success() {
            renga_skip::skipped(&format!(
                "Slurm cannot be fetched: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            ));
            return None;
        }
    }
    Some(folder)
}

/// Holds: sweep-once.
#[test]
fn sweep_by_slurm_with_killed_worker_equals_local_sweep() {
    if std::env::var_os("RENGA_QEMU").is_none_or(|qemu| qemu.is_empty()) {
        return renga_skip::skipped("RENGA_QEMU is not set (use ./renga test)");
    }
    if !rustix::process::geteuid().is_root() {
        return renga_skip::skipped("only root can start Slurm's daemons");
    }
    let Some(unpacked) = fetched() else { return };
    let scratch = root().join(format!("target/renga/sweep-test-{}", std::process::id()));
    let [by_slurm, here] = ["slurm", "here"].map(|name| scratch.join(name));
    let slurm = Slurm::start(&unpacked, &scratch.join("daemons"));
    let mut command = sweep(&by_slurm, &["--slurm", "--sbatch=--nice=1"]);
    slurm.settings(&mut command);
    let mut running = command.spawn().expect("renga starts");
    kill_a_worker(&mut running, &by_slurm);
    let output = end(running, &slurm);
    assert!(output.status.success(), "{}\n{}", said(&output), slurm.report());
    let text = said(&output);
    assert!(text.contains("1 jobs have no result: submitting them again (attempt 2 of 3)"), "{text}");

    let printed = sweep(&here, &["--print"]).output().expect("renga starts");
    let lines = String::from_utf8_lossy(&printed.stdout).lines().count();
    let output = sweep(&here, &["--jobs", "2"]).output().expect("renga starts");
    assert!(output.status.success(), "{}", said(&output));
    let (found, expected) = (results(&by_slurm), results(&here));
    assert!(expected.len() == lines && lines >= 3, "{lines} runs");
    assert!(found == expected, "{:?} and {:?}", found.keys(), expected.keys());

    // A repeated sweep does no job again, and reports none as remaining.
    let again = sweep(&here, &[]).output().expect("renga starts");
    assert!(
        said(&again).contains(&format!("{lines} jobs: {lines} were there, 0 were carried out")),
        "{}",
        said(&again)
    );
    assert!(sweep(&here, &["--print"]).output().expect("renga starts").stdout.is_empty());
    drop(slurm);
    fs::remove_dir_all(scratch).expect("target/ can be written");
}
