//! Starts programs whose I/O is paced, and prints and changes their paces: the file of `/proc/renga/iospeed`, with
//! words.
#![no_std]
#![no_main]

use core::ffi::CStr;
use renga_userland::process::execute_by_name;
use renga_userland::setting::{SpacedWords, put, show};
use renga_userland::syscall::{exit, plain, write};
use renga_userland::text::{Decimal, complain};
use renga_userland::{Errno, ProgramArguments, program};

program!(main);

const USAGE: &[u8] = b"usage: iospeed --factor N [--loop] COMMAND [ARGUMENT...]
       iospeed --rate N [--period MS] [--variable] COMMAND [ARGUMENT...]
       iospeed (--factor ... | --rate ... | --off) --pid PID
       iospeed [--status]

Runs COMMAND with its I/O slowed down: each read and write of the disk, and each
write to the terminal. So are the processes that it makes, on any board.

  --factor N   each takes N times as long, 1 to 1000, as 2.5
  --loop       keeps the processor busy meanwhile, instead of sleeping
  --rate N     at most N begin in each period, 1 to 9999
  --period MS  how long that is, 10 to 10000 in steps of 10; 1000 if not said
  --variable   periods begin with the program's own I/O, not for all at once
  --off        as fast as it can again
  --pid PID    changes a process that runs already; those it has made stay as they are
  --status     programs whose I/O is slowed down
  --help       this text

Examples:
  iospeed --factor 10 cat /etc/passwd
  iospeed --rate 50 --pid 24
";
const USAGE_STATUS: i32 = 2;
const FAILED: i32 = 1;
const GETPID: usize = 172;
const ENOENT: Errno = Errno(2);
const ESRCH: Errno = Errno(3);
const EPERM: Errno = Errno(1);
const EINVAL: Errno = Errno(22);

const PROGRAMS: &CStr = c"/proc/renga/iospeed/programs";

/// What the options say.
#[derive(Default)]
struct Wish<'a> {
    factor: Option<&'a [u8]>,
    spins: bool,
    rate: Option<&'a [u8]>,
    period: Option<&'a [u8]>,
    variable: bool,
    off: bool,
    pid: Option<&'a [u8]>,
}

fn main(arguments: ProgramArguments) -> i32 {
    match arguments.get(1).map(CStr::to_bytes) {
        Some(b"--help") => {
            let _ = write(1, USAGE);
            return 0;
        }
        None => return status(),
        Some(b"--status") if arguments.count() == 2 => return status(),
        Some(_) => {}
    }
    let mut wish = Wish::default();
    let Some(at) = wish.take(&arguments) else { return misused() };
    let own = Decimal::new(plain(GETPID, [0; 3]).unwrap_or(0) as u64);
    let starts = arguments.get(at).is_some();
    if starts == wish.pid.is_some() {
        return misused(); // one of both
    }
    let mut words = SpacedWords::default();
    if !wish.say(wish.pid.unwrap_or(own.digits()), &mut words) {
        return misused();
    }
    match put(PROGRAMS, words.text()) {
        Err(errno) => failed(errno),
        Ok(()) if starts => start(&arguments, at),
        Ok(()) => 0,
    }
}

impl<'a> Wish<'a> {
    /// Reads the options; returns where the command starts. `None`: an option is unknown.
    fn take(&mut self, arguments: &'a ProgramArguments) -> Option<usize> {
        let mut at = 1;
        // Each iteration takes an argument.
        while let Some(word) = arguments.get(at).map(CStr::to_bytes) {
            let value = || arguments.get(at + 1).map(CStr::to_bytes);
            let place = match word {
                b"--factor" => &mut self.factor,
                b"--rate" => &mut self.rate,
                b"--period" => &mut self.period,
                b"--pid" => &mut self.pid,
                b"--loop" | b"--variable" | b"--off" => {
                    self.spins |= word == b"--loop";
                    self.variable |= word == b"--variable";
                    self.off |= word == b"--off";
                    at += 1;
                    continue;
                }
                b"--" => return Some(at + 1),
                word if word.starts_with(b"-") => return None,
                _ => break,
            };
            *place = Some(value()?);
            at += 2;
        }
        Some(at)
    }

    /// The pace of process `pid`, as its file has it; whether the options say one.
    fn say(&self, pid: &[u8], words: &mut SpacedWords) -> bool {
        let of_rate = self.period.is_some() || self.variable;
        let (way, value) = match (self.factor, self.rate, self.off) {
            (Some(factor), None, false) if !of_rate => (if self.spins { "loop" } else { "wait" }, factor),
            (None, Some(rate), false) if !self.spins => (if self.variable { "variable" } else { "fixed" }, rate),
            (None, None, true) if !of_rate && !self.spins => ("off", &b""[..]),
            _ => return false,
        };
        words.add(pid) && words.add(way.as_bytes()) && words.add(value) && words.add(self.period.unwrap_or(b""))
    }
}

/// Becomes the command, with the pace that this process has got.
fn start(arguments: &ProgramArguments, at: usize) -> i32 {
    let Some(name) = arguments.get(at) else { return USAGE_STATUS };
    let errno = execute_by_name(name, arguments.list_from(at), arguments);
    let found = errno != ENOENT;
    complain(&[b"iospeed: ", name.to_bytes(), if found { b": cannot execute\n" } else { b": not found\n" }]);
    exit(if found { 126 } else { 127 })
}

fn status() -> i32 {
    match show(PROGRAMS) {
        Ok(()) => 0,
        Err(errno) => failed(errno),
    }
}

fn misused() -> i32 {
    let _ = write(2, USAGE); // longer than a complaint
    USAGE_STATUS
}

fn failed(errno: Errno) -> i32 {
    let why: &[u8] = match errno {
        EINVAL => b"a factor is 1 to 1000, a rate 1 to 9999, a period 10 to 10000 ms in steps of 10, a pid a number; nothing is changed",
        ESRCH => b"there is no such process",
        EPERM => b"init's I/O cannot be slowed down",
        ENOENT => b"this system has no such file",
        _ => b"its board cannot be reached",
    };
    complain(&[b"iospeed: ", why, b"\n"]);
    FAILED
}
