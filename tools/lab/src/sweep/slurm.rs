//! A sweep by a Slurm cluster: an array of tasks, each of which runs some jobs by the command that runs one.
//!
//! Invariant: results count, not the exit status of tasks. Jobs whose worker died are submitted again, a
//! bounded number of times. Not here: setting Slurm up; all machines must see the project's folder under the same path.

use super::job::{Job, Sweep, missing};
use anyhow::{Context, Result, bail, ensure};
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use renga_workspace::shell::quoted;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Tasks of an array: Slurm's own limit is 1,001 unless it is set higher.
const TASKS_MAX: usize = 1000;
/// Times that jobs are submitted.
const ATTEMPTS: u32 = 3;
/// The period of polls of the queue.
const POLL: Duration = Duration::from_secs(1);
/// Polls of the queue that may fail in a row: a controller may be restarted.
const FAILURES_MAX: u32 = 120;

/// What hands a sweep to Slurm.
pub struct Slurm<'a> {
    sweep: &'a dyn Sweep,
    /// What follows its command to name it again.
    arguments: Vec<String>,
    /// For sbatch.
    options: &'a [String],
    /// Of lists, scripts and the output of tasks.
    folder: PathBuf,
    root: PathBuf,
}

impl<'a> Slurm<'a> {
    /// For `sweep`, which `arguments` name again, from the folder where this command runs; `options` are sbatch's.
    ///
    /// # Errors
    /// If its folder cannot be made, or there is no Slurm.
    pub fn new(
        environment: &Environment,
        sweep: &'a dyn Sweep,
        arguments: Vec<String>,
        options: &'a [String],
    ) -> Result<Slurm<'a>> {
        let folder = environment.work().join("sweep/slurm");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let found = Command::new("sbatch").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        ensure!(found.is_ok(), "there is no sbatch here: run this on a machine that submits to Slurm, or use --print");
        Ok(Slurm { sweep, arguments, options, folder, root: environment.root.clone() })
    }

    /// Has the missing jobs carried out, and waits for them.
    ///
    /// # Errors
    /// If Slurm refuses them, or some are missing after all attempts.
    pub fn carry_out(&self, progress: &ProgressLine) -> Result<()> {
        for attempt in 1..=ATTEMPTS {
            let jobs = missing(self.sweep);
            if jobs.is_empty() {
                return Ok(());
            }
            if attempt > 1 {
                eprintln!(
                    "renga: {} jobs have no result: submitting them again (attempt {attempt} of {ATTEMPTS}); \
                     the output of their tasks is in {}",
                    jobs.len(),
                    self.folder.display()
                );
            }
            let array = self.submit(&jobs)?;
            eprintln!("renga: Slurm job {array} runs {} jobs; `scancel {array}` ends it, results stay", jobs.len());
            self.watch(&array, &jobs, progress)?;
        }
        match missing(self.sweep).as_slice() {
            [] => Ok(()),
            left @ [first, ..] => bail!(
                "{} jobs have no result after {ATTEMPTS} attempts, the first is {}; the output of their tasks is in {}",
                left.len(),
                first.label,
                self.folder.display()
            ),
        }
    }

    /// Submits an array of tasks; its number.
    fn submit(&self, jobs: &[Job]) -> Result<String> {
        let list = self.folder.join(format!("{}.jobs", std::process::id()));
        let keys: String = jobs.iter().map(|job| format!("{}\n", job.key)).collect();
        fs::write(&list, keys).with_context(|| format!("cannot write {}", list.display()))?;
        let tasks = jobs.len().min(TASKS_MAX);
        let script = list.with_extension("sh");
        let program = std::env::current_exe().context("cannot find this program's path")?;
        let each = jobs.len().div_ceil(tasks);
        let text = self.script(&quoted(&program.to_string_lossy()), &quoted(&list.to_string_lossy()), each);
        fs::write(&script, text).with_context(|| format!("cannot write {}", script.display()))?;
        let mut sbatch = Command::new("sbatch");
        sbatch.args(["--parsable", "--job-name=renga-sweep", "--requeue", "--export=ALL"]);
        sbatch.arg(format!("--array=0-{}", tasks - 1)).arg(format!("--output={}/%A_%a.txt", self.folder.display()));
        sbatch.arg("--chdir").arg(&self.root).args(self.options).arg(&script);
        let output = sbatch.stdin(Stdio::null()).output().context("cannot start sbatch")?;
        ensure!(output.status.success(), "sbatch refuses: {}", said(&output));
        let text = String::from_utf8_lossy(&output.stdout);
        // Behind a semicolon is the name of the cluster.
        Ok(text.trim().split(';').next().unwrap_or_default().to_string())
    }

    /// What each task of the array runs: `each` lines of the list. One job that fails does not keep the others back.
    fn script(&self, program: &str, list: &str, each: usize) -> String {
        let arguments: Vec<String> = self.arguments.iter().map(|argument| quoted(argument)).collect();
        let here = std::env::current_dir().map(|here| here.to_string_lossy().into_owned()).unwrap_or_default();
        let mut text = format!("#!/bin/sh\ncd {} || exit 1\nstatus=0\n", quoted(&here));
        let _ = writeln!(text, "first=$((SLURM_ARRAY_TASK_ID * {each} + 1))"); // a String takes everything
        let _ = writeln!(text, "for job in $(sed -n \"$first,$((first + {each} - 1))p\" {list}); do");
        let _ =
            writeln!(text, "  {program} {} {} --job \"$job\" || status=1", self.sweep.command(), arguments.join(" "));
        text + "done\nexit $status\n"
    }

    /// Waits until the array is over, and shows how far it is.
    fn watch(&self, array: &str, jobs: &[Job], progress: &ProgressLine) -> Result<()> {
        let (begin, mut reported, mut failures) = (Instant::now(), None, 0);
        while failures < FAILURES_MAX {
            let done = jobs.iter().filter(|job| self.sweep.is_done(job)).count();
            if reported.replace(done) != Some(done) {
                progress.step(&format!("Slurm job {array}: {}", how_far(done, jobs.len(), begin.elapsed())));
            }
            match is_over(array) {
                Ok(true) => return Ok(()),
                Ok(false) => failures = 0,
                Err(_) => failures += 1,
            }
            sleep(POLL);
        }
        is_over(array).map(|_| ())
    }
}

/// Whether no task of the array waits or runs.
fn is_over(array: &str) -> Result<bool> {
    let mut squeue = Command::new("squeue");
    squeue.args(["--noheader", "--format=%i", "--jobs", array]);
    let output = squeue.stdin(Stdio::null()).output().context("cannot start squeue")?;
    let text = said(&output);
    // What is over for a while is forgotten.
    if output.status.success() || text.contains("Invalid job id") {
        return Ok(output.stdout.is_empty() || !output.status.success());
    }
    bail!("squeue fails: {text}")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_string()
}

fn how_far(done: usize, all: usize, elapsed: Duration) -> String {
    let each = elapsed.checked_div(done as u32);
    let left = each.map(|each| format!(", about {} s left", (each * (all - done) as u32).as_secs()));
    format!("{done} of {all} jobs{}", left.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Slurm, how_far, quoted};
    use crate::sweep::{Job, Sweep};
    use anyhow::Result;
    use std::path::PathBuf;
    use std::process::Command;
    use std::time::Duration;

    struct Two;

    impl Sweep for Two {
        fn arguments(&self) -> Vec<String> {
            Vec::new()
        }
        fn jobs(&self) -> &[Job] {
            &[]
        }
        fn is_done(&self, _: &Job) -> bool {
            false
        }
        fn carry_out(&self, _: &Job, _: &str) -> Result<()> {
            Ok(())
        }
        fn report(&self) -> Result<u8> {
            Ok(0)
        }
    }

    /// Holds: sweep-once.
    #[test]
    fn slurm_task_runs_all_its_jobs_after_a_failure() {
        let folder = std::env::temp_dir().join(format!("renga-slurm-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let list = folder.join("a list");
        std::fs::write(&list, "one\ntwo\nthree\nfour\nfive\n").unwrap();
        let arguments = ["it's", "--first"].map(String::from).to_vec();
        let slurm = Slurm { sweep: &Two, arguments, options: &[], folder: PathBuf::new(), root: PathBuf::new() };
        let program = r#"sh -c 'echo "$@"; test "$5" != three' -"#;
        let script = slurm.script(program, &quoted(&list.to_string_lossy()), 2);
        let run = |task: &str| {
            let output = Command::new("sh").arg("-c").arg(&script).env("SLURM_ARRAY_TASK_ID", task).output().unwrap();
            (output.status.code(), String::from_utf8(output.stdout).unwrap())
        };
        let line = |job: &str| format!("sweep it's --first --job {job}\n");
        assert_eq!(run("0"), (Some(0), line("one") + &line("two")));
        assert_eq!(
            run("1"),
            (Some(1), line("three") + &line("four")),
            "the failure is reported, and nothing is skipped"
        );
        assert_eq!(run("2"), (Some(0), line("five")));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// Holds: sweep-eta.
    #[test]
    fn slurm_time_left_appears_after_first_job() {
        assert_eq!(how_far(0, 8, Duration::from_secs(9)), "0 of 8 jobs");
        assert_eq!(how_far(2, 8, Duration::from_secs(10)), "2 of 8 jobs, about 30 s left");
    }
}
