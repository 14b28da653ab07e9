//! One run for a measurement: its console text, its frames, its end.

use anyhow::{Context, Result, bail};
use renga_cli::ClusterArgs;
use renga_cluster::listener::Listener;
use renga_cluster::session::{ClusterSession, SessionOutcome};
use renga_cluster::trace::EventDecoder;
use renga_emu::FrameEvent;
use renga_emu_probes::Hit;
use renga_images::artifacts::{self, KernelArtifact, KernelFlavour};
use renga_images::disk_image::{DiskChoice, FileContent, Placed};
use renga_images::system::SystemFile;
use renga_trace::Timed;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use renga_workspace::scratch::Scratch;
use std::path::PathBuf;

/// What a run said and sent.
pub struct MeasuredRun {
    /// The disk board's console.
    pub text: String,
    /// Every frame, in order.
    pub frames: Vec<FrameEvent>,
    /// What the kernels did, in order, if frames were wanted.
    pub events: Vec<Timed>,
    /// How it ended.
    pub outcome: SessionOutcome,
}

/// What is needed to run many measurements.
pub struct Fixture<'a> {
    environment: &'a Environment,
    machine: &'a ClusterArgs,
    plugin: PathBuf,
    scratch: Scratch,
    /// Says what is being done.
    pub progress: ProgressLine,
}

impl<'a> Fixture<'a> {
    /// Builds what all runs share.
    ///
    /// # Errors
    /// If it does not build.
    pub fn make(environment: &'a Environment, machine: &'a ClusterArgs) -> Result<Fixture<'a>> {
        let progress = ProgressLine::start();
        let plugin = artifacts::plugin(environment, &progress)?;
        Ok(Fixture { environment, machine, plugin, scratch: Scratch::make(environment)?, progress })
    }

    /// A folder for this measurement's files.
    pub fn scratch(&self) -> &std::path::Path {
        &self.scratch.folder
    }

    /// The kernel of `flavour`.
    ///
    /// # Errors
    /// If it does not build.
    pub fn kernel(&self, flavour: KernelFlavour) -> Result<KernelArtifact> {
        artifacts::kernel(self.environment, flavour, &self.progress)
    }

    /// Runs `script` on a fresh disk.
    ///
    /// # Errors
    /// If the run fails.
    pub fn run(&self, system: &SystemFile, kernel: &KernelArtifact, script: &str, frames: bool) -> Result<MeasuredRun> {
        self.run_with(system, kernel, script, frames, Vec::new())
    }

    /// The same with further files on the disk.
    ///
    /// # Errors
    /// If the run fails.
    pub fn run_with(
        &self,
        system: &SystemFile,
        kernel: &KernelArtifact,
        script: &str,
        frames: bool,
        mut files: Vec<Placed>,
    ) -> Result<MeasuredRun> {
        let script = Placed {
            dest: "/etc/renga/script".to_string(),
            content: FileContent::Bytes(script.as_bytes().to_vec()),
            mode: 0o644,
        };
        let disk = self.scratch.folder.join("disk.img");
        files.push(script);
        artifacts::session_disk(self.environment, &DiskChoice::default(), files, &disk, &self.progress)?;
        self.progress.step("running");
        let emulator = (self.environment.qemu()?.to_path_buf(), self.plugin.clone());
        let tables = artifacts::tables(system, &self.scratch.folder)?;
        let machine = (self.machine.profile.machine(), self.machine.seed);
        let session =
            ClusterSession { frames, ..ClusterSession::new(emulator, kernel, (system, tables), disk, machine) };
        let session = ClusterSession { probes: frames, ..session };
        let decoder = if frames { Some(EventDecoder::new(&kernel.elf)?) } else { None };
        let mut recorder = OutputRecorder { decoder, ..OutputRecorder::default() };
        let outcome = session.run(&mut recorder)?;
        let OutputRecorder { text, frames, events, .. } = recorder;
        Ok(MeasuredRun { text: String::from_utf8_lossy(&text).into_owned(), frames, events, outcome })
    }
}

#[derive(Default)]
struct OutputRecorder {
    text: Vec<u8>,
    frames: Vec<FrameEvent>,
    decoder: Option<EventDecoder>,
    events: Vec<Timed>,
}

impl Listener for OutputRecorder {
    fn console(&mut self, board: u8, _: u64, bytes: &[u8]) {
        if board == 0 {
            self.text.extend_from_slice(bytes);
        }
    }
    fn log(&mut self, _: &str) {}
    fn probe(&mut self, board: u8, hit: &Hit) {
        self.events.extend(self.decoder.as_ref().and_then(|decoder| decoder.probe(board, hit)));
    }
    fn frame(&mut self, frame: &FrameEvent) {
        self.frames.push(frame.clone());
    }
}

/// The three figures of `name` in what a bench kernel said.
///
/// # Errors
/// If it did not measure that.
pub fn figures<'a>(text: &'a str, name: &str) -> Result<[&'a str; 3]> {
    let start = format!("bench {name} = ");
    let line = text.lines().find_map(|line| line.trim_end().strip_prefix(&start));
    let line = line.with_context(|| format!("the run measured no `{name}`; it said:\n{text}"))?;
    match line.split(' ').collect::<Vec<_>>()[..] {
        [least, most, mean] => Ok([least, most, mean]),
        _ => bail!("not a measurement: {line}"),
    }
}
