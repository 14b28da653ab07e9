//! The runs of a comparison, as a sweep: each is named by the sum of all that it depends on.
//!
//! Invariant: a run's key covers kernel, plugin, emulator, tables, disk (script and load included), machine and seed.
//! Not here: what varies (`variation`), what a run is reduced to (`record`).

use super::findings::{ComparedCase, Comparison};
use super::load;
use super::reason::reasons;
use super::record::{PhaseRecorder, RunRecord};
use super::variation::{self, Combination, LINES, SEED, SYSTEM, VariedKey, combinations, value_of, with_line};
use crate::sweep::{Job, Kept, Sweep};
use anyhow::{Context, Result, bail, ensure};
use renga_cli::CompareArgs;
use renga_cluster::session::ClusterSession;
use renga_cluster::session_disk::{SCRIPT_PATH, placed_in_host};
use renga_images::artifacts::{self, KernelArtifact, KernelFlavour};
use renga_images::card::{sha256, sha256_of_file};
use renga_images::disk_image::{self, DiskChoice, FileContent, ImageSpec, Placed};
use renga_images::system::SystemFile;
use renga_profile::Profile;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use renga_workspace::scratch::Scratch;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Changes whenever what a run is reduced to does, so that no old record is read as a new one.
const RECORD_VERSION: u32 = 1;

/// One run.
struct ComparedRun {
    system: usize,
    profile: Profile,
    seed: u64,
    offset_us: u64,
}

/// All runs of a comparison.
pub(super) struct CompareRuns<'a> {
    environment: &'a Environment,
    options: &'a CompareArgs,
    progress: &'a ProgressLine,
    kernel: KernelArtifact,
    plugin: PathBuf,
    /// The files of every run's disk.
    placed: Vec<Placed>,
    scratch: Scratch,
    /// Counts the runs that were begun: each has a folder of its own.
    begun: AtomicU64,
    kept: Kept,
    keys: Vec<VariedKey>,
    offsets_us: Vec<u64>,
    systems: Vec<SystemFile>,
    jobs: Vec<Job>,
    runs: BTreeMap<String, ComparedRun>,
    /// By combination: its runs, by offset.
    cases: Vec<(Combination, Vec<String>)>,
}

impl<'a> CompareRuns<'a> {
    /// Builds what all runs share, and names them.
    ///
    /// # Errors
    /// If something does not build, or what varies is unknown.
    pub(super) fn new(
        environment: &'a Environment,
        options: &'a CompareArgs,
        progress: &'a ProgressLine,
    ) -> Result<CompareRuns<'a>> {
        let keys = options.vary.iter().map(|text| VariedKey::of(text)).collect::<Result<Vec<_>>>()?;
        let twice = keys.iter().enumerate().find(|(at, key)| keys[..*at].iter().any(|other| other.key == key.key));
        ensure!(twice.is_none(), "--vary names a key twice");
        let path = &options.file;
        let text = fs::read(path).with_context(|| format!("cannot read the load {}", path.display()))?;
        let mut placed = artifacts::programs(environment, progress)?;
        placed.push(load::placed(&text));
        placed.extend(placed_in_host(&options.put)?);
        let mut runs = CompareRuns {
            environment,
            options,
            progress,
            kernel: artifacts::kernel(environment, KernelFlavour::Plain, progress)?,
            plugin: artifacts::plugin(environment, progress)?,
            placed,
            scratch: Scratch::make(environment)?,
            begun: AtomicU64::new(0),
            kept: Kept::new(&environment.work().join("bench/compare"))?,
            offsets_us: load::offsets_us(options.machine.seed, options.phases),
            keys,
            systems: Vec::new(),
            jobs: Vec::new(),
            runs: BTreeMap::new(),
            cases: Vec::new(),
        };
        runs.plan()?;
        Ok(runs)
    }

    /// Names the runs of all combinations.
    fn plan(&mut self) -> Result<()> {
        let sum = |path: &Path| sha256_of_file(path).map(|sum| sum.to_string());
        let common = [sum(&self.kernel.image)?, sum(&self.plugin)?, sum(self.environment.qemu()?)?].join(" ");
        let mut disks = Vec::new();
        for offset_us in self.offsets_us.clone() {
            let spec = self.image(offset_us)?;
            disks.push(disk_image::fingerprint(&spec, &mut |step| self.progress.step(step))?);
        }
        let mut systems = BTreeMap::new();
        for combination in combinations(&self.keys) {
            let name = value_of(&combination, SYSTEM).unwrap_or(&self.options.machine.system).to_string();
            let lines: Vec<(&str, String)> =
                LINES.iter().filter_map(|(key, _)| Some((*key, value_of(&combination, key)?.to_string()))).collect();
            let wanted = (name, lines);
            let system = match systems.get(&wanted) {
                Some(system) => *system,
                None => {
                    self.systems.push(self.system(&wanted.0, &wanted.1)?);
                    self.systems.len() - 1
                }
            };
            systems.insert(wanted, system);
            let machine = variation::machine(&self.options.machine.profile, &combination)?;
            let seed = value_of(&combination, SEED).and_then(|seed| seed.parse().ok());
            let seed = seed.unwrap_or(self.options.machine.seed);
            let tables = sha256(&self.systems[system].checked.to_blob());
            let label = label(&combination);
            let mut of_case = Vec::new();
            for (offset_us, disk) in self.offsets_us.iter().zip(&disks) {
                let parts = format!("{RECORD_VERSION} {common} {tables} {disk} {machine:?} {seed}");
                let key = sha256(parts.as_bytes()).to_string();
                of_case.push(key.clone());
                let run = ComparedRun { system, profile: machine, seed, offset_us: *offset_us };
                if self.runs.insert(key.clone(), run).is_none() {
                    self.jobs.push(Job { key, label: format!("{label}, from {offset_us} us") });
                }
            }
            self.cases.push((combination, of_case));
        }
        Ok(())
    }

    /// The system called `name`, with these keys and values in its file.
    fn system(&self, name: &str, lines: &[(&str, String)]) -> Result<SystemFile> {
        let base = SystemFile::find(self.environment, name)?;
        if lines.is_empty() {
            return Ok(base);
        }
        let text = fs::read_to_string(&base.path).with_context(|| format!("cannot read {}", base.path.display()))?;
        let text = lines.iter().fold(text, |text, (key, value)| with_line(&text, key, value));
        let values: String = lines.iter().map(|(_, value)| format!("-{value}")).collect();
        let path = self.scratch.folder.join(format!("{}{values}.toml", base.name()));
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        SystemFile::find(self.environment, &path.to_string_lossy()).with_context(|| format!("{name}{values}"))
    }

    /// The disk of a run whose load starts at this offset.
    fn image(&self, offset_us: u64) -> Result<ImageSpec> {
        let choice = DiskChoice::try_from(&self.options.image)?;
        let content = FileContent::Bytes(load::script(offset_us).into_bytes());
        let mut placed = self.placed.clone();
        placed.push(Placed { dest: SCRIPT_PATH.to_string(), content, mode: 0o644 });
        Ok(ImageSpec { choice, placed, ..ImageSpec::new(&self.environment.root) })
    }

    /// Carries out the run with this key, unless its result is there.
    ///
    /// # Errors
    /// If there is no such run, or it fails.
    pub(super) fn carry_out_one(&self, key: &str) -> Result<u8> {
        let job = self.jobs.iter().find(|job| job.key == key);
        let job = job.with_context(|| format!("no run is called {key}: what it depends on has changed"))?;
        if !self.is_done(job) {
            self.carry_out(job, &job.label).with_context(|| job.label.clone())?;
        }
        Ok(0)
    }

    /// What all runs found.
    ///
    /// # Errors
    /// If the record of one is missing.
    pub(super) fn comparison(&self) -> Result<Comparison> {
        let case = |(combination, keys): &(Combination, Vec<String>)| {
            let records = keys.iter().map(|key| self.kept.read(key)).collect::<Result<Vec<RunRecord>>>()?;
            Ok(ComparedCase::of(combination, keys, &records))
        };
        let cases = self.cases.iter().map(case).collect::<Result<Vec<_>>>()?;
        let reasons = reasons(&cases);
        let CompareArgs { machine, file, .. } = self.options;
        let load = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let facts = [
            ("load", load),
            ("system", machine.system.clone()),
            ("profile", machine.profile.profile.name.clone()),
            ("seed", machine.seed.to_string()),
        ];
        let facts = facts.into_iter().filter(|(name, _)| self.keys.iter().all(|varied| varied.key != *name));
        let set = machine.profile.set.iter().map(|setting| (setting.key().to_string(), setting.value().to_string()));
        let facts = facts.map(|(name, value)| (name.to_string(), value)).chain(set).collect();
        Ok(Comparison::new(facts, self.keys.clone(), self.offsets_us.clone(), cases, reasons))
    }

    fn run(&self, run: &ComparedRun) -> Result<RunRecord> {
        let folder = self.scratch.folder.join(self.begun.fetch_add(1, Ordering::Relaxed).to_string());
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let disk = folder.join("disk.img");
        disk_image::build(&self.image(run.offset_us)?, &disk, &mut |_| ())?;
        let system = &self.systems[run.system];
        let mut recorder = PhaseRecorder::new((system, &run.profile), &self.kernel.elf)?;
        let emulator = (self.environment.qemu()?.to_path_buf(), self.plugin.clone());
        let tables = artifacts::tables(system, &folder)?;
        let machine = (run.profile, run.seed);
        let session = ClusterSession {
            frames: true,
            probes: true,
            ..ClusterSession::new(emulator, &self.kernel, (system, tables), disk, machine)
        };
        let outcome = session.run(&mut recorder)?;
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        if outcome.status != 0 {
            let said = String::from_utf8_lossy(&recorder.text).into_owned();
            bail!("the load ended with status {}; it said:\n{said}", outcome.status);
        }
        let console_hash = format!("{:016x}", outcome.stats.console_hash);
        Ok(RunRecord { offset_us: run.offset_us, phases: recorder.phases(), console_hash })
    }
}

/// What a person calls a combination.
fn label(combination: &Combination) -> String {
    let parts: Vec<String> = combination.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if parts.is_empty() { "as it is".to_string() } else { parts.join(", ") }
}

/// The words of a command, without those that say where its runs are carried out.
fn without_slurm(mut words: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    // Bounded by the words.
    while let Some(word) = words.next() {
        match word.as_str() {
            "--slurm" => {}
            // Its option is the next word.
            "--sbatch" => drop(words.next()),
            word if word.starts_with("--sbatch=") => {}
            _ => kept.push(word),
        }
    }
    kept
}

impl Sweep for CompareRuns<'_> {
    fn command(&self) -> &'static str {
        "bench compare"
    }

    fn arguments(&self) -> Vec<String> {
        without_slurm(std::env::args().skip_while(|word| word != "compare").skip(1))
    }

    fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    fn is_done(&self, job: &Job) -> bool {
        self.kept.has(&job.key)
    }

    fn carry_out(&self, job: &Job, what: &str) -> Result<()> {
        self.progress.step(what);
        let record = self.run(self.runs.get(&job.key).context("no run has this name")?)?;
        let text = serde_json::to_string_pretty(&record)? + "\n";
        self.kept.keep(&job.key, |path| Ok(fs::write(path, text)?))
    }

    fn report(&self) -> Result<u8> {
        println!("all {} runs are kept", self.jobs.len());
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::without_slurm;

    #[test]
    fn runs_of_slurm_leave_out_where_they_run() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let of = |text: &str| without_slurm(words(text).into_iter());
        let kept = words("-f work.sh --vary mode=sync,async --out found");
        assert_eq!(of("-f work.sh --slurm --sbatch --partition=night --vary mode=sync,async --out found"), kept);
        assert_eq!(of("-f work.sh --vary mode=sync,async --sbatch=--mem=4G --slurm --out found"), kept);
    }
}
