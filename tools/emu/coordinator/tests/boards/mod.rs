//! What the tests need: the plugin, a program for the boards, and a run to its end.

use renga_emu::{BoardConfig, ClusterConfig, ClusterEvent, EmuError, EmulatedCluster, PowerChange, Stats};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where a run ends that does not end by itself, unless a test says otherwise: far behind every end.
const VIRTUAL_MAX_NS: u64 = 100_000_000_000;

/// What the tests run, or nothing if this machine cannot (the reason is printed).
#[derive(Clone, Debug)]
pub struct Tools {
    pub qemu: PathBuf,
    plugin: PathBuf,
    image: PathBuf,
}

/// All that a run said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Per board.
    pub console: Vec<String>,
    pub log: Vec<Vec<u8>>,
    /// Board, status, time.
    pub exits: Vec<(u8, u8, u64)>,
    /// Board, time, what, starts.
    pub power: Vec<(u8, u64, PowerChange, u32)>,
    pub crashes: Vec<(u8, String)>,
    pub frames: u64,
    pub virtual_ns: u64,
    pub hashes: [u64; 4],
}

pub fn tools() -> Option<Tools> {
    static TOOLS: OnceLock<Result<Tools, String>> = OnceLock::new();
    match TOOLS.get_or_init(find_tools) {
        Ok(tools) => Some(tools.clone()),
        Err(why) => {
            renga_skip::skipped(why);
            None
        }
    }
}

fn find_tools() -> Result<Tools, String> {
    let qemu = std::env::var_os("RENGA_QEMU").map_or_else(|| PathBuf::from("qemu-system-aarch64"), PathBuf::from);
    Command::new(&qemu).arg("-version").output().map_err(|error| format!("no {}: {error}", qemu.display()))?;
    Ok(Tools { qemu, plugin: build_plugin(), image: build_image()? })
}

fn build_plugin() -> PathBuf {
    let profile = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_path_buf();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--package", "renga-emu-plugin", "--target-dir"]).arg(profile.parent().unwrap());
    if profile.ends_with("release") {
        build.arg("--release");
    }
    assert!(build.status().unwrap().success(), "the plugin does not build");
    profile.join("librenga_emu_plugin.so")
}

fn build_image() -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guest");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let built = folder.join(format!("guest-{}.img", std::process::id()));
    let flags = std::env::var("RENGA_TARGET_RUSTFLAGS")
        .or_else(|_| std::env::var("CARGO_TARGET_AARCH64_UNKNOWN_NONE_SOFTFLOAT_RUSTFLAGS"))
        .unwrap_or_default();
    let mut build = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    build.args(["--edition", "2024", "--target", "aarch64-unknown-none-softfloat", "-O", "-C", "panic=abort"]);
    build.args(flags.split_whitespace());
    build.arg(format!("-Clink-arg=-T{}", source.join("guest.ld").display())).arg("-Clink-arg=--oformat=binary");
    let output = build.arg("-o").arg(&built).arg(source.join("guest.rs")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("E0463") {
        return Err("no library for the boards' target; `./renga env` sets it".to_owned());
    }
    assert!(output.status.success(), "the guest does not build: {said}");
    let image = folder.join("guest.img");
    std::fs::rename(built, &image).unwrap();
    Ok(image)
}

impl Tools {
    /// Some boards that play `play`.
    pub fn config(&self, boards: usize, play: &str) -> ClusterConfig {
        let board = BoardConfig { image: self.image.clone(), append: format!("{play} x"), ..BoardConfig::default() };
        let mut config = ClusterConfig::new(self.qemu.clone(), self.plugin.clone(), vec![board; boards]);
        config.limits.virtual_ns = Some(VIRTUAL_MAX_NS);
        config
    }
}

/// Runs a cluster to its end; `react` sees each event.
pub fn run_with(
    config: ClusterConfig,
    mut react: impl FnMut(&mut EmulatedCluster, &ClusterEvent),
) -> Result<(Outcome, Stats), EmuError> {
    let boards = config.boards.len();
    let mut cluster = EmulatedCluster::start(config)?;
    let mut outcome =
        Outcome { console: vec![String::new(); boards], log: vec![Vec::new(); boards], ..Outcome::default() };
    loop {
        let event = cluster.next_event().inspect_err(|_| println!("{outcome:#?}"))?;
        react(&mut cluster, &event);
        match event {
            ClusterEvent::Console { board, bytes, .. } => {
                outcome.console[usize::from(board)].push_str(&String::from_utf8_lossy(&bytes));
            }
            ClusterEvent::Log { board, bytes, .. } => outcome.log[usize::from(board)].extend(bytes),
            ClusterEvent::BoardExited { board, status, time_ns } => outcome.exits.push((board, status, time_ns)),
            ClusterEvent::Finished(stats) => {
                outcome.frames = stats.frames;
                outcome.virtual_ns = stats.virtual_ns;
                assert!(stats.virtual_ns != VIRTUAL_MAX_NS, "the run does not end: {outcome:#?}");
                outcome.hashes = [stats.console_hash, stats.log_hash, stats.frame_hash, stats.pin_hash];
                println!("{outcome:#?}\n{stats:?}");
                return Ok((outcome, stats));
            }
            ClusterEvent::Power { board, time_ns, change, starts } => {
                outcome.power.push((board, time_ns, change, starts))
            }
            ClusterEvent::BoardCrashed { board, status, .. } => outcome.crashes.push((board, status)),
            ClusterEvent::BoardReset { .. }
            | ClusterEvent::Probe { .. }
            | ClusterEvent::Frame(_)
            | ClusterEvent::Fight(_)
            | ClusterEvent::CardFailed { .. }
            | ClusterEvent::Status { .. }
            | ClusterEvent::Relayed { .. }
            | ClusterEvent::Deadlock { .. } => {}
        }
    }
}

/// Runs a cluster to its end.
pub fn run(config: ClusterConfig) -> Outcome {
    run_with(config, |_, _| ()).unwrap().0
}
