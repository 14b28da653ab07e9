//! One QEMU: its version, its command line, its process.
//!
//! Invariant: a [`Qemu`] that is dropped is dead and reaped. Not here: what is said over its socket (`board`).

use crate::config::{BOARDS_MAX, BoardConfig, ClusterConfig};
use crate::error::EmuError;
use crate::memory_file::{SharedPage, StderrFile};
use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The versions that the plugin fits: all give the same runs.
pub const SUPPORTED_QEMU: [&str; 2] = ["10.0.2", "10.0.13"];
/// How long a QEMU that has closed its socket may take to end.
const END_WAIT: Duration = Duration::from_secs(2);
const END_POLL: Duration = Duration::from_millis(2);

/// Refuses every other version.
pub fn check_version(qemu: &Path) -> Result<(), EmuError> {
    let output = Command::new(qemu).arg("-version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| EmuError::NoQemu { program: qemu.to_path_buf(), error })?;
    let found = version_in(&String::from_utf8_lossy(&output.stdout));
    if SUPPORTED_QEMU.contains(&found.as_str()) { Ok(()) } else { Err(EmuError::WrongVersion { found }) }
}

/// The version in what `-version` says, or its first line if that is not QEMU's.
fn version_in(said: &str) -> String {
    let first = said.lines().next().unwrap_or("");
    match first.strip_prefix("QEMU emulator version ") {
        Some(rest) => rest.split_whitespace().next().unwrap_or("").to_owned(),
        None => format!("a program that says {first:?}"),
    }
}

/// A running QEMU.
#[derive(Debug)]
pub struct Qemu {
    child: Child,
    stderr: StderrFile,
}

impl Qemu {
    /// Starts `board`, of this number, for the `starts`th time; its plugin is to call at the abstract socket `socket`,
    /// and shares `page` with the others'.
    pub fn start(
        config: &ClusterConfig,
        board: &BoardConfig,
        (number, starts): (u8, u32),
        socket: &str,
        page: &SharedPage,
    ) -> Result<Self, EmuError> {
        if let Some(log) = &board.card_log {
            File::create(log).map_err(|error| EmuError::Host { what: "make the log of a card", error })?;
        }
        let mut command = command(config, board, (number, starts), socket);
        let host = |error| EmuError::Host { what: "share memory", error };
        let stderr = StderrFile::new().map_err(host)?;
        command.stdin(page.standard_input().map_err(host)?).stderr(stderr.standard_error().map_err(host)?);
        let child = command.spawn().map_err(|error| EmuError::NoQemu { program: config.qemu.clone(), error })?;
        Ok(Self { child, stderr })
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<String> {
        self.child.try_wait().ok().flatten().map(describe)
    }

    /// How it ended; it has closed its socket, so it ends soon, or is killed.
    pub fn end(&mut self) -> String {
        let deadline = Instant::now() + END_WAIT;
        while Instant::now() < deadline {
            if let Some(status) = self.ended() {
                return status;
            }
            thread::sleep(END_POLL);
        }
        self.kill();
        "nothing: it hung and was killed".to_owned()
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The end of what it has said.
    pub fn said(&self) -> String {
        self.stderr.tail().unwrap_or_else(|error| format!("(not known: {error})"))
    }

    fn kill(&mut self) {
        // Both fail only if it has ended and was reaped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        self.kill();
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown status".to_owned(),
    }
}

fn command(config: &ClusterConfig, board: &BoardConfig, (number, starts): (u8, u32), socket: &str) -> Command {
    let mut command = Command::new(&config.qemu);
    // A group of its own: an interrupt from the terminal is for the caller, which decides its meaning.
    command.process_group(0).stdout(Stdio::null());
    let machine = board.machine.facts();
    command.args(["-M", machine.name, "-display", "none", "-nodefaults", "-monitor", "none", "-no-reboot"]);
    command.arg("-icount").arg(format!("shift={},sleep=off", config.shift));
    let cores = board.cores.max(1);
    command.arg("-global").arg(format!("{}.cntfrq=1000000000", machine.core));
    command.arg("-global").arg(format!("{}.enabled-cpus={cores}", machine.chip));
    command.arg("-seed").arg(board_seed(config.seed, number, starts).to_string());
    command.args(["-chardev", "null,id=console", "-serial", "chardev:console"]);
    command.args(["-chardev", "null,id=log", "-serial", "chardev:log"]);
    let probes = config.probes.as_ref().map_or(String::new(), |elf| format!(",probes={}", option_value(elf)));
    let slice = config.slice().filter(|_| cores > 1);
    let several = slice.map_or(String::new(), |slice_ns| format!(",cores={cores},slice={slice_ns}"));
    let machine = format!(",machine={}", machine.name);
    let slow_card = board.card_write_ns.map_or(String::new(), |write_ns| format!(",card_write_ns={write_ns}"));
    command
        .arg("-plugin")
        .arg(format!("{},socket={socket}{machine}{slow_card}{probes}{several}", option_value(&config.plugin)));
    add_files(&mut command, board, starts);
    command
}

fn add_files(command: &mut Command, board: &BoardConfig, starts: u32) {
    command.arg("-kernel").arg(&board.image);
    let append = if starts == 1 { format!("{}{}", board.append, board.append_once) } else { board.append.clone() };
    if !append.is_empty() {
        command.arg("-append").arg(append);
    }
    if let Some(initrd) = &board.initrd {
        command.arg("-initrd").arg(initrd);
    }
    if let Some(dtb) = &board.dtb {
        command.arg("-dtb").arg(dtb);
    }
    if let Some(sd_image) = &board.sd_image {
        // Nothing but this process reads the file while it runs, and a host that crashes ends the run anyway.
        let image = option_value(sd_image);
        let drive = board.card_log.as_ref().map_or(format!("format=raw,file={image}"), |log| {
            let log = option_value(log);
            format!("driver=blklogwrites,file.driver=file,file.filename={image},log.driver=file,log.filename={log}")
        });
        command.arg("-drive").arg(format!("if=sd,cache=unsafe,{drive}"));
    }
}

/// A path in an option, where commas separate.
fn option_value(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
}

/// A seed for each board and start (SplitMix64).
fn board_seed(seed: u64, number: u8, starts: u32) -> u64 {
    let stream = u64::from(number) + 1 + (u64::from(starts) - 1) * (BOARDS_MAX as u64 + 1);
    let mut mixed = seed.wrapping_add(stream.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qemu_version_line_is_parsed() {
        let debian = "QEMU emulator version 10.0.2 (Debian 1:10.0.2+ds-2+deb13u1~bpo12+1)\nCopyright";
        assert_eq!(version_in(debian), "10.0.2");
        assert_eq!(version_in("QEMU emulator version 7.2.22\n"), "7.2.22");
        assert_eq!(version_in("hello\n"), "a program that says \"hello\"");
    }

    #[test]
    fn qemu_other_program_is_refused() {
        let refused = check_version(Path::new("/bin/true"));
        assert!(matches!(refused, Err(EmuError::WrongVersion { .. })), "{refused:?}");
        let missing = check_version(Path::new("/no/such/qemu"));
        assert!(matches!(missing, Err(EmuError::NoQemu { .. })), "{missing:?}");
    }

    #[test]
    fn qemu_boards_get_different_seeds() {
        assert_ne!(board_seed(1, 0, 1), board_seed(1, 1, 1));
        assert_ne!(board_seed(1, 0, 1), board_seed(2, 0, 1));
        assert_ne!(board_seed(1, 0, 1), board_seed(1, 0, 2));
    }
}
