//! Debian's Linux on the same emulated board, with the same disk: what Renga's figures and outputs are compared with.
//!
//! The board is a Raspberry Pi 3 with one core, one nanosecond an instruction and its SD card, as for Renga; the kernel is
//! that of Debian 12, fetched by name. Invariant: the disk is the one that Renga would get, and is unmounted before the
//! board stops. Not here: several boards, or the emulator's link; Linux knows neither.

mod console;
mod initramfs;
mod kernel;

use crate::environment::Environment;
use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use console::Console;
use kernel::Kernel;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Without random offsets of its stack, which an emulated board pays dearly for, and with one core for programs, as
/// Renga. The others are started, though nothing runs there: cores that never were spin where the firmware left them, so
/// that a second of idle time would take the host a minute.
const ARGUMENTS: &str = "console=ttyS1,115200 panic=-1 loglevel=4 randomize_kstack_offset=off isolcpus=1-3";
/// Its counter counts nanoseconds, as Renga's does.
const COUNTER: &str = "cortex-a53-arm-cpu.cntfrq=1000000000";
/// Of what it said before it stopped without an end of the script, this much is shown.
const LAST_LINES: usize = 20;
const PIECE_LEN: usize = 4096;

/// A board with Linux, ready to start.
#[derive(Debug)]
pub struct Linux {
    qemu: PathBuf,
    kernel: Kernel,
    initramfs: PathBuf,
}

impl Linux {
    /// Fetches and builds what it needs; `folder` is for what only this run needs.
    ///
    /// # Errors
    /// If something cannot be fetched or written.
    pub fn prepare(environment: &Environment, folder: &Path, progress: &Progress) -> Result<Linux> {
        let qemu = environment.qemu()?.to_path_buf();
        let kernel = Kernel::get(environment, progress)?;
        let initramfs = folder.join("initramfs");
        initramfs::write(&kernel, &initramfs)?;
        Ok(Linux { qemu, kernel, initramfs })
    }

    /// Runs the script that is on `disk`; what it writes goes to `out`, what Linux says to `log`. Returns the script's
    /// status.
    ///
    /// # Errors
    /// If the emulator does not start, Linux stops before the script ends, or it takes longer than `limit`.
    pub fn run(&self, disk: &Path, limit: Duration, out: &mut dyn Write, log: Option<&mut dyn Write>) -> Result<u8> {
        let mut qemu =
            Running(self.command(disk).spawn().with_context(|| format!("cannot run {}", self.qemu.display()))?);
        let mut stdout = qemu.0.stdout.take().context("its output was asked for")?;
        let (sender, ended) = channel::<()>();
        let reader = thread::scope(|scope| {
            let watched = scope.spawn(move || watch(&mut qemu, limit, &ended));
            let console = follow(&mut stdout, out, log);
            // Without this word, as when its output cannot be read, it is ended.
            if console.is_ok() {
                let _ = sender.send(());
            }
            drop(sender);
            let in_time = watched.join().map_err(|_| anyhow::anyhow!("the watch over Linux failed"))?;
            console.map(|console| (console, in_time))
        });
        let (console, in_time) = reader?;
        match console.status() {
            _ if !in_time => bail!("Linux did not end within {} s (--limit-s)", limit.as_secs()),
            Some(status) => Ok(status),
            None => bail!("Linux stopped before the script ended; its last words:\n{}", last_lines(&console.log)),
        }
    }

    fn command(&self, disk: &Path) -> Command {
        let mut command = Command::new(&self.qemu);
        command.args(["-M", "raspi3b", "-display", "none", "-nodefaults", "-monitor", "none", "-no-reboot"]);
        command.args(["-seed", "1", "-icount", "shift=0,sleep=off", "-global", COUNTER, "-append", ARGUMENTS]);
        command.arg("-kernel").arg(&self.kernel.image).arg("-dtb").arg(&self.kernel.device_tree);
        command.arg("-initrd").arg(&self.initramfs);
        command.arg("-drive").arg(format!("if=sd,format=raw,file={}", disk.display()));
        command.args(["-serial", "null", "-serial", "stdio"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command
    }
}

/// Hands on what the script writes, and what Linux says, until there is nothing more.
fn follow(from: &mut dyn Read, out: &mut dyn Write, mut log: Option<&mut dyn Write>) -> Result<Console> {
    let (mut console, mut piece) = (Console::new(), [0; PIECE_LEN]);
    loop {
        let len = from.read(&mut piece)?;
        if len == 0 {
            return Ok(console);
        }
        let logged = console.log.len();
        let written = console.take(&piece[..len]);
        // A closed pipe behind us is no reason to stop Linux before its disk is clean.
        let _ = out.write_all(&written).and_then(|()| out.flush());
        if let Some(log) = &mut log {
            let _ = log.write_all(&console.log[logged..]);
        }
    }
}

/// Waits until its output has ended, and it with that; whether that came within `limit`.
fn watch(qemu: &mut Running, limit: Duration, ended: &Receiver<()>) -> bool {
    let ended = ended.recv_timeout(limit);
    if ended.is_err() {
        // It may have ended by itself at this moment.
        let _ = qemu.0.kill();
    }
    let _ = qemu.0.wait();
    ended != Err(RecvTimeoutError::Timeout)
}

/// The emulator; it ends with this.
struct Running(Child);

impl Drop for Running {
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
