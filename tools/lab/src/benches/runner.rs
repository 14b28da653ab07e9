//! Where runs are carried out, and kept by their content: what was run once is not run again.
//!
//! Invariant: a run's key is the sum of everything that decides what it does: kernel, tables, emulator and its plugin,
//! disk, script, parameters. Not here: keeping them (`store`).

use super::listener::Keeper;
use super::result::RunFacts;
use super::store::{ResultStore, TRACE_FILE};
use crate::machines;
use anyhow::{Context, Result, bail};
use renga_bench::run::{BenchMachine, BenchRun, BenchSystem, LinuxForm, RunOutcome, STREAMED};
use renga_bench::workload::noise;
use renga_cluster::linux::{CardModel, LinuxBoard, LinuxHardware};
use renga_cluster::session::ClusterSession;
use renga_cluster::session_disk::SCRIPT_PATH;
use renga_cluster::trace::TraceFile;
use renga_images::artifacts::{self, KernelArtifact, KernelFlavour};
use renga_images::card::{sha256, sha256_of_file};
use renga_images::disk_image::{self, DiskChoice, FileContent, ImageSpec, Placed};
use renga_images::system::SystemFile;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use renga_workspace::scratch::Scratch;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A run of Linux that takes longer does not end.
const LINUX_LIMIT: Duration = Duration::from_secs(1800);
/// Permission bits of files that runs bring: some are programs.
const FILE_MODE: u32 = 0o755;
const DISK_FILE: &str = "disk.img";
/// Files that a run brings find room on an image of the usual size if they are not more than so much, MiB.
const ROOM_MIB: u32 = 16;
/// For more of them the file system has so much beside, MiB; the larger image more.
const BESIDE_MIB: u32 = 64;
const BESIDE_DEV_MIB: u32 = 416;

/// What all runs share.
pub struct Runner<'a> {
    environment: &'a Environment,
    kernel: KernelArtifact,
    plugin: PathBuf,
    programs: Vec<Placed>,
    /// What every run of the cluster is made of: sums.
    common: BTreeMap<String, String>,
    scratch: Scratch,
    store: ResultStore,
    /// Counts the runs that were begun: each has a folder of its own.
    begun: AtomicU64,
    /// Says what is being done.
    pub progress: ProgressLine,
}

impl<'a> Runner<'a> {
    /// Builds what all runs share.
    ///
    /// # Errors
    /// If it does not build.
    pub fn open(environment: &'a Environment) -> Result<Runner<'a>> {
        Runner::open_in(environment, &Self::folder(environment))
    }

    /// The same, with what is kept in another folder.
    ///
    /// # Errors
    /// As `open`.
    pub fn open_in(environment: &'a Environment, folder: &Path) -> Result<Runner<'a>> {
        let progress = ProgressLine::start();
        let kernel = artifacts::kernel(environment, KernelFlavour::Plain, &progress)?;
        let plugin = artifacts::plugin(environment, &progress)?;
        let programs = artifacts::programs(environment, &progress)?;
        let sum = |path: &Path| sha256_of_file(path).map(|sum| sum.to_string());
        let common = BTreeMap::from([
            ("kernel".to_string(), sum(&kernel.image)?),
            ("plugin".to_string(), sum(&plugin)?),
            ("emulator".to_string(), sum(environment.qemu()?)?),
        ]);
        let scratch = Scratch::make(environment)?;
        let store = ResultStore::new(folder.join("runs"));
        Ok(Runner { environment, kernel, plugin, programs, common, scratch, store, begun: AtomicU64::new(0), progress })
    }

    /// The folder of everything that benches keep.
    pub fn folder(environment: &Environment) -> PathBuf {
        environment.work().join("bench")
    }

    fn image(&self, run: &BenchRun) -> Result<ImageSpec> {
        let brought_mib = run.files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>().div_ceil(1 << 20) as u32;
        let brought_mib = brought_mib + run.streamed_mib;
        let beside_mib = if run.image == "dev" { BESIDE_DEV_MIB } else { BESIDE_MIB };
        let filesystem_mib = (brought_mib > ROOM_MIB).then_some(brought_mib + beside_mib);
        let choice = DiskChoice { flavour: run.image.to_string(), filesystem_mib, ..DiskChoice::default() };
        let mut placed = self.programs.clone();
        let in_emulator = matches!(run.machine, BenchMachine::Linux(form) if form.null_disk_ns.is_some());
        if in_emulator || run.script.contains(artifacts::PROGRAM_FOR_CORES) {
            placed.push(artifacts::program_for_cores(self.environment));
        }
        let script = (SCRIPT_PATH.to_string(), run.script.clone().into_bytes());
        placed.extend(run.files.iter().cloned().chain([script]).map(|(dest, bytes)| Placed {
            dest,
            content: FileContent::Bytes(bytes),
            mode: FILE_MODE,
        }));
        if run.streamed_mib > 0 {
            let content = FileContent::HostFile(self.streamed(run.streamed_mib)?);
            placed.push(Placed { dest: STREAMED.to_string(), content, mode: FILE_MODE });
        }
        Ok(ImageSpec { choice, placed, ..ImageSpec::new(&self.environment.root) })
    }

    /// A file of so many MiB that cannot be packed, none of whose pages ends with zeros.
    fn streamed(&self, mib: u32) -> Result<PathBuf> {
        let file = self.scratch.folder.join(format!("streamed-{mib}"));
        if !file.exists() {
            // Others who make it meanwhile make the same.
            let part = file.with_extension(self.begun.fetch_add(1, Ordering::Relaxed).to_string());
            let cannot = || format!("cannot write {}", part.display());
            fs::write(&part, noise((mib as usize) << 20)).with_context(cannot)?;
            fs::rename(&part, &file).with_context(cannot)?;
        }
        Ok(file)
    }

    /// The file of a run's system, written into `folder`.
    fn system(&self, run: &BenchRun, system: &BenchSystem, folder: &Path) -> Result<SystemFile> {
        let base = SystemFile::find(self.environment, system.base)?;
        let text = run.system_text(system, &fs::read_to_string(&base.path)?)?;
        let path = folder.join(format!("{}.toml", system.base));
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        SystemFile::find(self.environment, &path.to_string_lossy())
    }

    /// What a run is made of, and its key.
    ///
    /// # Errors
    /// If its image or its system cannot be read.
    pub fn facts(&self, run: &BenchRun) -> Result<RunFacts> {
        let mut parts = self.common.clone();
        let mut add = |name: &str, value: String| parts.insert(name.to_string(), value);
        match run.machine {
            BenchMachine::Cluster(system) => {
                let tables = self.system(run, &system, &self.scratch.folder)?.checked.to_blob();
                add("system", format!("{} ({})", system.base, system.label));
                add("tables", sha256(&tables).to_string());
            }
            BenchMachine::Linux(form) => {
                let release = LinuxBoard::release(self.environment, &self.progress)?;
                add("system", format!("Debian's {release}, {form:?}"));
                add("kernel", String::new());
                if form.cores == 1 {
                    add("plugin", String::new());
                }
            }
        }
        add("disk", disk_image::fingerprint(&self.image(run)?, &mut |step| self.progress.step(step))?);
        parts.extend(key_parts(run));
        let key = sha256(format!("{parts:?}").as_bytes()).to_string();
        Ok(RunFacts { label: run.label(), key, parts, hashes: BTreeMap::new() })
    }

    /// What came of a run that was done before.
    pub fn remembered(&self, facts: &RunFacts) -> Option<(RunFacts, RunOutcome)> {
        self.store.remembered(&facts.key)
    }

    /// Carries a run out, of which progress says `what`, and keeps what came of it. Others may be carried out
    /// meanwhile.
    ///
    /// # Errors
    /// If it fails, or its script does.
    pub fn carry_out(&self, run: &BenchRun, mut facts: RunFacts, what: &str) -> Result<(RunFacts, RunOutcome)> {
        let bench = self.scratch.folder.join(self.begun.fetch_add(1, Ordering::Relaxed).to_string());
        let folder = bench.join("run");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let disk = folder.join(DISK_FILE);
        disk_image::build(&self.image(run)?, &disk, &mut |step| self.progress.step(step))?;
        self.progress.step(what);
        let (status, text) = match run.machine {
            BenchMachine::Linux(form) => self.linux(&disk, &bench, hardware(run, form), &mut facts)?,
            BenchMachine::Cluster(system) => self.cluster(run, &system, &bench, &mut facts)?,
        };
        let text = String::from_utf8_lossy(&text).into_owned();
        if status != 0 {
            bail!("{}: the script ended with status {status}; it said:\n{text}", run.label());
        }
        fs::remove_file(&disk).with_context(|| format!("cannot remove {}", disk.display()))?;
        let _ = fs::remove_file(disk.with_extension("img.stamp"));
        let kept = self.store.keep(&folder, &facts, &text);
        fs::remove_dir_all(&bench).with_context(|| format!("cannot remove {}", bench.display()))?;
        kept
    }

    fn linux(&self, disk: &Path, bench: &Path, hardware: LinuxHardware, facts: &mut RunFacts) -> Result<(u8, Vec<u8>)> {
        let linux = LinuxBoard::prepare(self.environment, bench, hardware, &self.progress)?;
        let mut text = Vec::new();
        let ended = linux.run(disk, LINUX_LIMIT, &mut text, None)?;
        if let Some(stats) = ended.stats {
            facts.hashes.insert("console".to_string(), format!("{:016x}", stats.log_hash));
            let slice_ns = stats.slice_ns.map_or(String::new(), |slice_ns| format!("{slice_ns} ns"));
            facts.parts.insert("cores' slice".to_string(), slice_ns);
        }
        Ok((ended.status, text))
    }

    /// Boards started from the disk in the folder `run` of `bench`.
    fn cluster(
        &self,
        run: &BenchRun,
        system: &BenchSystem,
        bench: &Path,
        facts: &mut RunFacts,
    ) -> Result<(u8, Vec<u8>)> {
        let (system, folder) = (self.system(run, system, bench)?, bench.join("run"));
        let machine = machines::of_run(run);
        let trace =
            run.traced.then(|| TraceFile::create(&folder.join(TRACE_FILE), (&system, &machine), &self.kernel.elf));
        let mut keeper = Keeper::new(system.checked.console_board(), trace.transpose()?);
        let emulator = (self.environment.qemu()?.to_path_buf(), self.plugin.clone());
        let tables = artifacts::tables(&system, bench)?;
        let session = ClusterSession {
            frames: run.traced,
            probes: run.traced,
            ..ClusterSession::new(
                emulator,
                &self.kernel,
                (&system, tables),
                folder.join(DISK_FILE),
                (machine, run.seed),
            )
        };
        let outcome = session.run(&mut keeper)?;
        keeper.finish()?;
        let stats = &outcome.stats;
        for (name, value) in
            [("console", stats.console_hash), ("frames", stats.frame_hash), ("probes", stats.probe_hash)]
        {
            facts.hashes.insert(name.to_string(), format!("{value:016x}"));
        }
        Ok((outcome.status, std::mem::take(&mut keeper.text)))
    }
}

fn hardware(run: &BenchRun, form: LinuxForm) -> LinuxHardware {
    let LinuxForm { cores, memory_mib, null_disk_ns, card } = form;
    let card = card.map(|card| CardModel { request_us: card.request_us, rate_mb_s: card.rate_mb_s });
    LinuxHardware { cores, null_disk_ns, memory_mib, card, core_slice_ns: run.core_slice_ns }
}

/// The parts of a run's cache key, except its system and its files.
fn key_parts(run: &BenchRun) -> BTreeMap<String, String> {
    let parts = [
        ("image", run.image.to_string()),
        ("script", sha256(run.script.as_bytes()).to_string()),
        ("profile", format!("{:?}", machines::of_run(run))),
        ("seed", run.seed.to_string()),
        ("traced", run.traced.to_string()),
    ];
    parts.map(|(name, value)| (name.to_string(), value)).into()
}

#[cfg(test)]
mod tests {
    use super::key_parts;
    use renga_bench::rows::{RowPlan, all};
    use renga_bench::run::{BenchMachine, BenchRun, CostProfile, OURS};
    use std::collections::BTreeSet;

    fn plans() -> [RowPlan; 2] {
        [CostProfile::Pi3, CostProfile::Paper1989].map(|profile| RowPlan { profile, short: false })
    }

    fn runs() -> Vec<BenchRun> {
        let of = |plan| all().flat_map(move |row| (row.runs)(plan));
        plans().into_iter().flat_map(of).collect()
    }

    /// Holds: bench-cache.
    #[test]
    fn runner_map_runs_have_unique_stable_names() {
        let of_map = || plans().into_iter().flat_map(renga_bench::map::ROW.runs);
        let name = |run: BenchRun| (run.label(), key_parts(&run));
        let names: BTreeSet<_> = of_map().map(name).collect();
        assert_eq!(names.len(), of_map().count());
        assert_eq!(names, of_map().map(name).collect());
    }

    /// Holds: bench-cache.
    #[test]
    fn runner_each_changed_input_changes_key() {
        let run = || BenchRun::new(BenchMachine::Cluster(OURS), CostProfile::Pi3, "small", "ls");
        let changes: [fn(BenchRun) -> BenchRun; 10] = [
            |run| BenchRun { image: "dev", ..run },
            |run| BenchRun { script: "ps".to_string(), ..run },
            |run| BenchRun { profile: CostProfile::Paper1989, ..run },
            |run| BenchRun { seed: run.seed + 1, ..run },
            |run| BenchRun { traced: !run.traced, ..run },
            |run| run.at_rate(1_000_000),
            |run| run.at_instruction_ns(2),
            |run| run.on_medium("null"),
            |run| run.with_core_slice_ns(999),
            |run| run.with_settings(&["link.arm_us=20".parse().unwrap()]),
        ];
        let changed = changes.iter().map(|change| key_parts(&change(run())));
        let keys: BTreeSet<_> = changed.chain([key_parts(&run()), key_parts(&run())]).collect();
        assert_eq!(keys.len(), changes.len() + 1, "{keys:#?}");
    }

    /// Holds: bench-forms.
    #[test]
    fn runner_systems_of_all_runs_are_accepted() {
        let mut seen = BTreeSet::new();
        for run in runs() {
            let BenchMachine::Cluster(system) = run.machine else { continue };
            if !seen.insert((system.base, system.label)) {
                continue;
            }
            let base = std::fs::read_to_string(format!("../../sysprocs/systems/{}.toml", system.base)).unwrap();
            let parsed = renga_placement::parse(&system.text(&base).unwrap()).unwrap();
            let checked = renga_placement::check(&parsed, &renga_placement::code_kinds());
            assert!(checked.is_ok(), "{} ({}): {:?}", system.base, system.label, checked.err());
        }
        assert!(seen.iter().any(|(base, label)| *base == "octet" && label.contains("async")), "{seen:?}");
    }
}
