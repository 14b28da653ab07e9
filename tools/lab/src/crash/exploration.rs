//! All trials of a script, as a sweep whose results are kept.

use super::bench::{CrashBench, Rehearsed};
use super::points::spread;
use super::replay::{CutState, OracleBoot, Replay, batches};
use super::target::CrashTarget;
use super::trial::{Trial, TrialResult};
use crate::benches::workers;
use crate::sweep::{Job, Kept, Sweep, carry_out, missing};
use anyhow::{Context, Result};
use renga_cli::CrashArgs;
use renga_images::card::sha256;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use renga_workspace::shell::quoted;
use std::collections::BTreeMap;
use std::fs;

/// The trials.
pub struct Exploration<'a> {
    bench: &'a CrashBench<'a>,
    rehearsed: &'a Rehearsed,
    target: CrashTarget,
    kept: Kept,
    jobs: Vec<Job>,
    /// The number of the event by a job's key.
    numbers: BTreeMap<String, u32>,
    /// The command that repeats all of it, without `--kill`.
    command: String,
    progress: &'a ProgressLine,
}

impl<'a> Exploration<'a> {
    /// Chooses the events.
    ///
    /// # Errors
    /// If there is no such event, or the folder of results cannot be made.
    pub fn plan(
        environment: &Environment,
        options: &CrashArgs,
        bench: &'a CrashBench<'a>,
        target: CrashTarget,
        rehearsed: &'a Rehearsed,
        progress: &'a ProgressLine,
    ) -> Result<Exploration<'a>> {
        let folder = options.results.clone().unwrap_or_else(|| environment.work().join("crash"));
        let kept = Kept::new(&folder)?;
        let chosen = match target.number {
            Some(number) => rehearsed.instants.time_ns(number).map(|_| vec![number])?,
            None => spread(rehearsed.numbers.clone(), options.points),
        };
        let (mut jobs, mut numbers) = (Vec::new(), BTreeMap::new());
        for number in chosen {
            let label = target.point(number, &bench.system);
            let how = if rehearsed.log.is_some() && target.number.is_some() { " really" } else { "" };
            let key = sha256(format!("{} {label}{how}", bench.key).as_bytes()).to_string();
            numbers.insert(key.clone(), number);
            jobs.push(Job { key, label });
        }
        let command = repeating(std::env::args().skip(1));
        Ok(Exploration { bench, rehearsed, target, kept, jobs, numbers, command, progress })
    }
}

impl Exploration<'_> {
    /// Cuts at the events without a result: all boards at several writes by replaying, anything else really.
    ///
    /// # Errors
    /// If something could not be carried out.
    pub fn carry_out(&self, workers: usize) -> Result<()> {
        let Some(log) = self.rehearsed.log.as_ref().filter(|_| self.target.number.is_none()) else {
            carry_out(self, workers)?;
            return Ok(());
        };
        let left = missing(self);
        let Some(really) = left.get(left.len() / 2) else { return Ok(()) };
        self.progress.step("the writes of the run are replayed until each cut");
        let replay = Replay::new(self.bench, self.rehearsed, log)?;
        let replayed: Vec<&Job> = left.iter().filter(|job| job.key != really.key).collect();
        let states = workers::all(&replayed, workers, |job| self.replay(&replay, job))?;
        let states: Vec<CutState> = states.into_iter().flatten().collect();
        let distinct: BTreeMap<&str, &CutState> = states.iter().map(|state| (state.key.as_str(), state)).collect();
        let distinct: Vec<&CutState> = distinct.into_values().collect();
        let (count, cuts) = (distinct.len(), states.len());
        self.progress.step(&format!("the oracle inspects what {cuts} cuts leave: {count} different states"));
        let inspections: Vec<(usize, OracleBoot<'_>)> =
            batches(&replay, &distinct, workers).into_iter().enumerate().collect();
        workers::all(&inspections, workers, |(number, inspection)| {
            let verdicts = inspection.carry_out(&format!("inspection-{number}"))?;
            inspection
                .states
                .iter()
                .zip(verdicts)
                .try_for_each(|(state, verdict)| self.keep_all(&states, state, &verdict))
        })?;
        Sweep::carry_out(self, really, &format!("{}, really cut", really.label))
    }

    /// The state after a replayed cut; if recovery fails, that is the result.
    fn replay(&self, replay: &Replay<'_>, job: &Job) -> Result<Option<CutState>> {
        let number = *self.numbers.get(&job.key).context("a job of another exploration")?;
        match replay.state(number, &job.key)? {
            Ok(state) => Ok(Some(state)),
            Err(violation) => {
                self.keep(
                    &job.key,
                    &TrialResult { cut_ns: self.rehearsed.instants.time_ns(number)?, violation: Some(violation) },
                )?;
                Ok(None)
            }
        }
    }

    /// Keeps what the oracle says of `state` for all cuts with the same one.
    fn keep_all(&self, states: &[CutState], state: &CutState, violation: &Option<String>) -> Result<()> {
        for same in states.iter().filter(|same| same.key == state.key) {
            let cut_ns = self.rehearsed.instants.time_ns(same.number)?;
            let key = self.numbers.iter().find(|(_, number)| **number == same.number).map(|(key, _)| key);
            self.keep(
                key.context("a cut of another exploration")?,
                &TrialResult { cut_ns, violation: violation.clone() },
            )?;
        }
        Ok(())
    }

    fn keep(&self, key: &str, result: &TrialResult) -> Result<()> {
        let text = serde_json::to_string_pretty(result)? + "\n";
        self.kept.keep(key, |path| Ok(fs::write(path, text)?))
    }
}

/// The command line without what chooses the points and where results are.
fn repeating(arguments: impl Iterator<Item = String>) -> String {
    const DROPPED: [&str; 4] = ["--kill", "--points", "--jobs", "--results"];
    let mut arguments = arguments;
    let mut words = vec!["./renga".to_string()];
    while let Some(word) = arguments.next() {
        let name = word.split('=').next().unwrap_or_default();
        if !DROPPED.contains(&name) {
            let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=@:,+".contains(c));
            words.push(if is_plain { word } else { quoted(&word) });
        } else if !word.contains('=') {
            arguments.next();
        }
    }
    words.join(" ")
}

impl Sweep for Exploration<'_> {
    fn arguments(&self) -> Vec<String> {
        self.command.split(' ').skip(1).map(String::from).collect()
    }

    fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    fn is_done(&self, job: &Job) -> bool {
        self.kept.has(&job.key)
    }

    fn carry_out(&self, job: &Job, what: &str) -> Result<()> {
        self.progress.step(what);
        let number = *self.numbers.get(&job.key).context("a job of another exploration")?;
        let cut_ns = self.rehearsed.instants.time_ns(number)?;
        let trial = Trial { bench: self.bench, rehearsed: self.rehearsed, target: &self.target, number, cut_ns };
        self.keep(&job.key, &trial.carry_out(&job.key)?)
    }

    fn report(&self) -> Result<u8> {
        let mut violations = 0;
        for job in &self.jobs {
            let result: TrialResult = self.kept.read(&job.key)?;
            let Some(violation) = result.violation else { continue };
            violations += 1;
            println!("{} ({:.6} s): {}", job.label, result.cut_ns as f64 / 1e9, violation.trim_end());
            println!("  again: {} --kill {}", self.command, job.label);
        }
        if self.rehearsed.log.is_some() && self.target.number.is_none() {
            println!("disks are replayed from the writes of one run; the disk of one real cut has the same bytes");
        }
        let (cut, all) = (self.jobs.len(), self.rehearsed.numbers.clone().count());
        println!("{cut} of {all} points cut ({}): {violations} violations", self.target.event);
        Ok(u8::from(violations > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::repeating;

    #[test]
    fn crash_repeating_command_keeps_script_and_machine() {
        let words = "crash -f s.sh --kill all@write --oracle=o.sh --points=20 --jobs 2 --system quad";
        let command = repeating(words.split(' ').map(String::from));
        assert_eq!(command, "./renga crash -f s.sh --oracle=o.sh --system quad");
        let command = repeating(["crash", "-f", "my script.sh"].map(String::from).into_iter());
        assert_eq!(command, "./renga crash -f 'my script.sh'");
    }
}
