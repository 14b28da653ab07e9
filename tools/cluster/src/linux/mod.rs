//! Debian's Linux on the same emulated board, with the same disk: what Renga's figures and outputs are compared with.
//!
//! The board is a Raspberry Pi 3, one nanosecond an instruction, with its SD card, as for Renga; the kernel is that of
//! Debian 12, fetched by name. With one core QEMU's own time is exact; with several it is the emulator's (`board`).
//! Invariant: the disk is the one that Renga would get, and is unmounted before the
//! board stops. Not here: several boards, or the emulator's link; Linux knows neither.

mod board;
mod bound_process;
mod console;
mod initramfs;
mod kernel;

use crate::deferred_error_output::DeferredErrorOutput;
use crate::host_file;
use anyhow::{Context, Result, bail};
use bound_process::bound_process;
use console::ScriptConsole;
use kernel::DebianKernel;
use renga_emu::{Stats, card_fault};
use renga_images::artifacts;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Without random offsets of its stack, which an emulated board pays dearly for.
const ARGUMENTS: &str = "console=ttyS1,115200 panic=-1 loglevel=4 randomize_kstack_offset=off";
/// With one core for programs, as Renga. The others are started, though nothing runs there: cores that never were spin
/// where the firmware left them, so that a second of idle time would take the host a minute.
const ONE_CORE: &str = "isolcpus=1-3";
/// Its counter counts nanoseconds, as Renga's does.
const COUNTER: &str = "cortex-a53-arm-cpu.cntfrq=1000000000";
/// Lines of the console that an error quotes when Linux stops before the script ends.
const LAST_LINES: usize = 20;
const PIECE_LEN: usize = 4096;

/// A board with Linux, ready to start.
#[derive(Debug)]
pub struct LinuxBoard {
    qemu: PathBuf,
    plugin: PathBuf,
    kernel: DebianKernel,
    initramfs: PathBuf,
    hardware: LinuxHardware,
}

/// How long a request of the disk takes. Linux then has the disk's file system in the memory of its own null_blk
/// device, whose requests take that long; it is written back to the card at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardModel {
    /// From a request to its end, us.
    pub request_us: u32,
    /// Beside that, bytes of all requests together, MB/s.
    pub rate_mb_s: u32,
}

/// What the board has that not every run wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinuxHardware {
    /// Cores for programs, 1 to 4.
    pub cores: u8,
    /// A disk without content, `/dev/nullb0`, each of whose requests is done so long after it came, ns.
    pub null_disk_ns: Option<u32>,
    /// The memory that Linux uses, MiB; without it all.
    pub memory_mib: Option<u16>,
    /// How long requests of its disk take; without it, no time.
    pub card: Option<CardModel>,
    /// The emulator's slice for several cores, if it is not its own choice, ns.
    pub core_slice_ns: Option<u64>,
}

impl LinuxHardware {
    /// Its part of the command line of Linux.
    fn arguments(&self) -> String {
        self.memory_mib.map_or_else(String::new, |mib| format!(" mem={mib}M"))
    }
}

/// One core and no disk but the card.
impl Default for LinuxHardware {
    fn default() -> Self {
        Self { cores: 1, null_disk_ns: None, memory_mib: None, card: None, core_slice_ns: None }
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The script's status.
    pub status: u8,
    /// Of the emulator, with several cores.
    pub stats: Option<Stats>,
}

impl LinuxBoard {
    /// Fetches and builds what it needs; `folder` is for what only this run needs.
    ///
    /// # Errors
    /// If something cannot be fetched or written.
    pub fn prepare(
        environment: &Environment,
        folder: &Path,
        hardware: LinuxHardware,
        progress: &ProgressLine,
    ) -> Result<LinuxBoard> {
        let qemu = environment.qemu()?.to_path_buf();
        let plugin = if hardware.cores > 1 { artifacts::plugin(environment, progress)? } else { PathBuf::new() };
        let kernel = DebianKernel::get(environment, progress)?;
        let initramfs = folder.join("initramfs");
        initramfs::write(&kernel, hardware, &initramfs)?;
        Ok(LinuxBoard { qemu, plugin, kernel, initramfs, hardware })
    }

    /// The release of the kernel, as `uname -r` says it.
    ///
    /// # Errors
    /// If it cannot be fetched.
    pub fn release(environment: &Environment, progress: &ProgressLine) -> Result<String> {
        Ok(DebianKernel::get(environment, progress)?.release)
    }

    /// Runs the script that is on `disk`; what it writes goes to `out`, what Linux says to `log`.
    ///
    /// # Errors
    /// If the emulator does not start, Linux stops before the script ends, or it takes longer than `limit`.
    pub fn run<'a>(
        &self,
        disk: &Path,
        limit: Duration,
        out: &'a mut dyn Write,
        log: Option<&'a mut dyn Write>,
    ) -> Result<Ended> {
        let mut heard = Heard {
            console: ScriptConsole::new(),
            out: DeferredErrorOutput::new(out),
            log: log.map(DeferredErrorOutput::new),
        };
        let stats = if self.hardware.cores > 1 {
            Some(board::run(self, disk, limit, |bytes| heard.take(bytes))?)
        } else {
            self.run_on_one_core(disk, limit, &mut heard)?;
            None
        };
        let Some(status) = heard.console.status() else {
            bail!("Linux stopped before the script ended; its last words:\n{}", last_lines(&heard.console.log));
        };
        if self.hardware.card.is_some() && !last_lines(&heard.console.log).contains(initramfs::WRITTEN) {
            bail!("what Linux has written is not on the card; its last words:\n{}", last_lines(&heard.console.log));
        }
        heard.finish()?;
        Ok(Ended { status, stats })
    }

    fn run_on_one_core(&self, disk: &Path, limit: Duration, heard: &mut Heard<'_>) -> Result<()> {
        let mut qemu =
            RunningEmulator(self.command(disk).spawn().with_context(|| format!("cannot run {}", self.qemu.display()))?);
        let mut stdout = qemu.0.stdout.take().context("its output was asked for")?;
        let mut stderr = qemu.0.stderr.take().context("its errors were asked for")?;
        let (sender, ended) = channel::<()>();
        let reader = thread::scope(|scope| {
            let watched = scope.spawn(move || watch(&mut qemu, limit, &ended));
            let complaints = scope.spawn(move || pass_on(&mut stderr));
            let followed = heard.follow(&mut stdout);
            // Without this word, as when its output cannot be read, it is ended.
            if followed.is_ok() {
                let _ = sender.send(());
            }
            drop(sender);
            let in_time = watched.join().map_err(|_| anyhow::anyhow!("the watch over Linux failed"))?;
            let refused = complaints.join().map_err(|_| anyhow::anyhow!("QEMU could not be heard"))?;
            followed.map(|()| (in_time, refused))
        });
        let (in_time, refused) = reader?;
        if !in_time {
            bail!("Linux did not end within {} s (--host-limit-s)", limit.as_secs());
        }
        if refused { Err(host_file::failure(disk)) } else { Ok(()) }
    }

    fn command(&self, disk: &Path) -> Command {
        let mut command = bound_process(&self.qemu);
        command.args(["-M", "raspi3b", "-display", "none", "-nodefaults", "-monitor", "none", "-no-reboot"]);
        command.args(["-seed", "1", "-icount", "shift=0,sleep=off", "-global", COUNTER]);
        command.arg("-append").arg(format!("{ARGUMENTS} {ONE_CORE}{}", self.hardware.arguments()));
        command.arg("-kernel").arg(&self.kernel.image).arg("-dtb").arg(&self.kernel.device_tree);
        command.arg("-initrd").arg(&self.initramfs);
        command.arg("-drive").arg(format!("if=sd,format=raw,file={}", disk.display()));
        command.args(["-serial", "null", "-serial", "stdio"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Who hears what Linux writes.
struct Heard<'a> {
    console: ScriptConsole,
    out: DeferredErrorOutput<&'a mut dyn Write>,
    log: Option<DeferredErrorOutput<&'a mut dyn Write>>,
}

impl Heard<'_> {
    /// Hands on what the script writes, and what Linux says.
    fn take(&mut self, bytes: &[u8]) {
        let logged = self.console.log.len();
        let written = self.console.take(bytes);
        self.out.put(&written);
        if let Some(log) = &mut self.log {
            log.put(&self.console.log[logged..]);
        }
    }

    /// Whether they could write it.
    fn finish(&mut self) -> Result<()> {
        let logged = self.log.as_mut().map_or(Ok(()), |log| log.finish("the log of Linux"));
        self.out.finish("the output of Linux").and(logged)
    }

    /// As `take`, until there is nothing more.
    fn follow(&mut self, from: &mut dyn Read) -> Result<()> {
        let mut piece = [0; PIECE_LEN];
        loop {
            match from.read(&mut piece)? {
                0 => return Ok(()),
                len => self.take(&piece[..len]),
            }
        }
    }
}

/// Shows what QEMU complains about; whether the host refused to read or write the card.
fn pass_on(from: &mut dyn Read) -> bool {
    let (mut piece, mut kept, mut refused) = ([0; PIECE_LEN], Vec::new(), false);
    // A QEMU that cannot be heard any more has ended.
    while let Ok(len @ 1..) = from.read(&mut piece) {
        // Nobody may read it.
        let _ = std::io::stderr().write_all(&piece[..len]);
        kept.drain(..kept.len().saturating_sub(PIECE_LEN));
        kept.extend_from_slice(&piece[..len]);
        refused |= card_fault::reports_refusal(&kept);
    }
    refused
}

/// Waits until its output has ended, and it with that; whether that came within `limit`.
fn watch(qemu: &mut RunningEmulator, limit: Duration, ended: &Receiver<()>) -> bool {
    let ended = ended.recv_timeout(limit);
    if ended.is_err() {
        // It may have ended by itself at this moment.
        let _ = qemu.0.kill();
    }
    let _ = qemu.0.wait();
    ended != Err(RecvTimeoutError::Timeout)
}

/// The emulator; it ends with this.
struct RunningEmulator(Child);

impl Drop for RunningEmulator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn last_lines(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}
