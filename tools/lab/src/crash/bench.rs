//! What all trials share: the machines, the disk with the script and the oracle, and how a session is made of them.
//!
//! Invariant: the first boot of the disk runs the script, each further boot the oracle.

use super::replay::WriteLog;
use super::target::CrashTarget;
use anyhow::{Context, Result, bail, ensure};
use renga_cli::CrashArgs;
use renga_cluster::disturbance::Disturbance;
use renga_cluster::escape::Typed;
use renga_cluster::event_instants::{EventInstants, EventName};
use renga_cluster::listener::Listener;
use renga_cluster::session::ClusterSession;
use renga_cluster::session_disk;
use renga_emu::{FrameEvent, PowerOrder};
use renga_hal::block::SECTOR_BYTES;
use renga_images::artifacts::{self, KernelArtifact, KernelFlavour};
use renga_images::card::{sha256, sha256_of_file};
use renga_images::disk_image::{self, DiskChoice, FileContent, Placed};
use renga_images::system::SystemFile;
use renga_profile::Profile;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use renga_workspace::scratch::Scratch;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

/// What the disk board's console shows when the script begins.
const BEGUN: &str = "crash: the script begins\n";
/// The least bound of the virtual time of a run with a cut, ns.
const LIMIT_MIN_NS: u64 = 60_000_000_000;
/// The longest virtual time that the script may take when nothing is cut, ns.
const REHEARSAL_LIMIT_NS: u64 = 3_600_000_000_000;
/// How much longer than the rehearsal a run with a cut may take.
const LIMIT_FACTOR: u64 = 8;
/// A board that is cut alone restarts after so long, ns.
pub const RESTART_NS: u64 = 200_000_000;
/// Where the scripts are on the disk.
pub const FOLDER: &str = "/etc/renga/crash";

/// What runs at each boot.
fn boot_script() -> String {
    format!(
        "stty -echo
if [ -e {FOLDER}/begun ]; then exec sh {FOLDER}/oracle; fi
: > {FOLDER}/begun
sync
printf '{}\\n'
exec sh {FOLDER}/script < /dev/null
",
        BEGUN.trim_end()
    )
}

/// What all trials share.
pub struct CrashBench<'a> {
    environment: &'a Environment,
    options: &'a CrashArgs,
    progress: &'a ProgressLine,
    oracle: Vec<u8>,
    qemu: PathBuf,
    plugin: PathBuf,
    kernel: KernelArtifact,
    /// Who runs where.
    pub system: SystemFile,
    tables: PathBuf,
    /// The disk before the script.
    pub disk: PathBuf,
    machine: (Profile, u64),
    /// The sum of all of it.
    pub key: String,
    scratch: Scratch,
}

/// What the script does when nothing is cut.
pub struct Rehearsed {
    /// When the events happen, ns.
    pub instants: EventInstants,
    /// The numbers of the first and the last event behind the beginning of the script, counted from 1.
    pub numbers: std::ops::RangeInclusive<u32>,
    /// When it was over, ns.
    pub end_ns: u64,
    /// What was written to the disk, if all boards are to be cut at writes.
    pub log: Option<WriteLog>,
}

impl<'a> CrashBench<'a> {
    /// Builds it.
    ///
    /// # Errors
    /// If something cannot be read or built.
    pub fn build(
        environment: &'a Environment,
        options: &'a CrashArgs,
        progress: &'a ProgressLine,
    ) -> Result<CrashBench<'a>> {
        let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read the script {}", path.display()));
        let (script, oracle) = (read(&options.file)?, read(&options.oracle)?);
        let system = SystemFile::find(environment, &options.machine.system)?;
        let qemu = environment.qemu()?.to_path_buf();
        let scratch = Scratch::make(environment)?;
        let kernel = artifacts::kernel(environment, KernelFlavour::Plain, progress)?;
        let plugin = artifacts::plugin(environment, progress)?;
        let disk = scratch.folder.join("disk.img");
        let tables = artifacts::tables(&system, &scratch.folder)?;
        let machine = (options.machine.profile.machine(), options.machine.seed);
        let mut bench = CrashBench {
            environment,
            options,
            progress,
            oracle,
            qemu,
            plugin,
            kernel,
            system,
            tables,
            disk,
            machine,
            key: String::new(),
            scratch,
        };
        let scripts =
            [(session_disk::SCRIPT_PATH.into(), boot_script().into_bytes()), (format!("{FOLDER}/script"), script)];
        bench.build_disk(scripts.map(|(dest, text)| placed_text(dest, text)).to_vec(), &bench.disk)?;
        bench.key = bench.sum()?;
        Ok(bench)
    }

    /// The sum of all that decides what a trial finds.
    fn sum(&self) -> Result<String> {
        let mut made_of = format!("{:?} {}", self.machine, RESTART_NS);
        let this = std::env::current_exe().context("this program has no file")?;
        for path in [&self.kernel.image, &self.plugin, &self.qemu, &self.disk, &self.tables, &this] {
            made_of += &sha256_of_file(path)?.to_string();
        }
        Ok(sha256(made_of.as_bytes()).to_string())
    }

    /// Builds a disk with the image, the oracle and what is `placed`.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn build_disk(&self, placed: Vec<Placed>, disk: &Path) -> Result<()> {
        let CrashBench { environment, options, progress, .. } = *self;
        let mut all = session_disk::placed_in_host(&options.put)?;
        all.push(placed_text(format!("{FOLDER}/oracle"), self.oracle.clone()));
        all.extend(placed);
        artifacts::session_disk(environment, &DiskChoice::try_from(&options.image)?, all, disk, progress)
    }

    /// A folder for the files of one trial.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.scratch.folder.join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }

    /// A fresh disk in `folder`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn fresh_disk(&self, folder: &Path) -> Result<PathBuf> {
        let disk = folder.join("disk.img");
        fs::copy(&self.disk, &disk).with_context(|| format!("cannot write {}", disk.display()))?;
        Ok(disk)
    }

    /// A run with this disk, these orders, and `input` typed to it line by line.
    pub fn session(&self, disk: PathBuf, power: Vec<PowerOrder>, input: &[u8], limit_ns: u64) -> ClusterSession<'_> {
        let emulator = (self.qemu.clone(), self.plugin.clone());
        let tables = (&self.system, self.tables.clone());
        let session = ClusterSession::new(emulator, &self.kernel, tables, disk, self.machine);
        ClusterSession {
            disturbance: Disturbance { power, ..Disturbance::default() },
            keys: Some(typed(input)),
            limit_ns: Some(limit_ns),
            ..session
        }
    }

    /// Runs the script with nothing cut.
    ///
    /// # Errors
    /// If it does not come to its end, or has no such event.
    pub fn rehearse(&self, target: &CrashTarget) -> Result<Rehearsed> {
        let folder = self.folder("rehearsal")?;
        let session = self.session(self.fresh_disk(&folder)?, Vec::new(), b"", REHEARSAL_LIMIT_NS);
        let console_board = self.system.checked.console_board();
        let mut instants = EventInstants::new(&self.kernel.elf, target.board, target.event, console_board)?;
        let is_replayed = target.board.is_none() && target.event == EventName::Write;
        let write_log = is_replayed.then(|| folder.join("writes"));
        let ended = ClusterSession { frames: true, probes: true, write_log: write_log.clone(), ..session };
        let ended = ended.run(&mut instants)?;
        let begun_ns = begun_ns(&instants.console).context("the script did not begin; does the image have /bin/sh?")?;
        if ended.status != 0 {
            let text = String::from_utf8_lossy(&printed(&instants.console, u64::MAX)).into_owned();
            bail!("the script ends with status {} when nothing is cut; it printed:\n{text}", ended.status);
        }
        let before = instants.times_ns.partition_point(|time_ns| *time_ns <= begun_ns) as u32;
        let numbers = before + 1..=instants.times_ns.len() as u32;
        ensure!(!numbers.is_empty(), "the script has no event `{}`: choose another one with --kill", target.event);
        let first_sector = disk_image::filesystem_start_bytes(&self.disk)? / SECTOR_BYTES as u64;
        let log = write_log.map(|log| WriteLog::read(&log, first_sector, &instants.writes)).transpose()?;
        let _ = fs::remove_dir_all(folder); // what stays goes with the scratch folder
        Ok(Rehearsed { instants, numbers, end_ns: ended.stats.virtual_ns, log })
    }
}

/// A text file of the disk.
pub fn placed_text(dest: String, text: Vec<u8>) -> Placed {
    Placed { dest, content: FileContent::Bytes(text), mode: 0o644 }
}

/// The printable characters of `text`, to be typed line by line.
fn typed(text: &[u8]) -> Receiver<Typed> {
    let (sender, keys) = channel();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let _ = sender.send(Typed::Keys(plain(line))); // the receiver is here
    }
    keys
}

/// The printable characters, and the ends of lines.
pub fn plain(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !byte.is_ascii_control() || matches!(byte, b'\n' | b'\t')).collect()
}

impl Rehearsed {
    /// The longest virtual time that a run with a cut may take, ns.
    pub fn limit_ns(&self) -> u64 {
        LIMIT_MIN_NS.max(self.end_ns * LIMIT_FACTOR)
    }

    /// What the script had printed until this instant.
    pub fn printed(&self, until_ns: u64) -> Vec<u8> {
        printed(&self.instants.console, until_ns)
    }
}

/// When the console showed that the script begins, ns.
fn begun_ns(console: &[(u64, Vec<u8>)]) -> Option<u64> {
    let mut text = Vec::new();
    console.iter().find_map(|(time_ns, bytes)| {
        text.extend_from_slice(bytes);
        text.windows(BEGUN.len()).any(|part| part == BEGUN.as_bytes()).then_some(*time_ns)
    })
}

/// What a console showed between the beginning of the script and `until_ns`.
pub fn printed(console: &[(u64, Vec<u8>)], until_ns: u64) -> Vec<u8> {
    let before_cut = console.iter().take_while(|(time_ns, _)| *time_ns < until_ns);
    let all: Vec<u8> = before_cut.flat_map(|(_, bytes)| bytes).copied().collect();
    let begun = all.windows(BEGUN.len()).position(|part| part == BEGUN.as_bytes());
    begun.map_or_else(Vec::new, |at| all[at + BEGUN.len()..].to_vec())
}

/// Keeps what the terminal shows, and when.
pub struct ConsoleRecorder {
    console_board: u8,
    /// Each piece with its time, ns.
    pub console: Vec<(u64, Vec<u8>)>,
}

impl ConsoleRecorder {
    /// Of this board.
    pub fn new(console_board: u8) -> ConsoleRecorder {
        ConsoleRecorder { console_board, console: Vec::new() }
    }

    /// The end of the console's output, as text.
    pub fn end(&self, bytes_max: usize) -> String {
        let all: Vec<u8> = self.console.iter().flat_map(|(_, bytes)| bytes).copied().collect();
        String::from_utf8_lossy(&all[all.len().saturating_sub(bytes_max)..]).into_owned()
    }
}

impl Listener for ConsoleRecorder {
    fn console(&mut self, board: u8, time_ns: u64, bytes: &[u8]) {
        if board == self.console_board {
            self.console.push((time_ns, bytes.to_vec()));
        }
    }
    fn log(&mut self, _: &str) {}
    fn frame(&mut self, _: &FrameEvent) {}
}

#[cfg(test)]
mod tests {
    use super::{BEGUN, begun_ns, printed};

    #[test]
    fn crash_printed_text_begins_behind_mark_and_ends_at_cut() {
        let (first, second) = BEGUN.split_at(5);
        let console = [(1, "boot\n"), (2, first), (3, second), (4, "ack 1\n"), (9, "ack 2\n")];
        let console = console.map(|(time_ns, text)| (time_ns, text.as_bytes().to_vec()));
        assert_eq!(begun_ns(&console), Some(3));
        assert_eq!(printed(&console, 9), b"ack 1\n");
        assert_eq!(printed(&console, 10), b"ack 1\nack 2\n");
        assert!(printed(&console, 3).is_empty());
    }
}
