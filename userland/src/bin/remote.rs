//! Runs a command on another board: a remote fork, then exec; the status is the command's.
#![no_std]
#![no_main]

use core::ffi::CStr;
use renga_userland::process::{execute_by_name, exit_code};
use renga_userland::signals::{SignalSet, block_only, send, set_of, suffer, take};
use renga_userland::syscall::{exit, wait};
use renga_userland::text::{complain, parse};
use renga_userland::{Errno, ProgramArguments, cluster, program};

program!(main);

const USAGE: &[u8] = b"usage: remote [-b BOARD] [--] COMMAND [ARGUMENT...]

Runs COMMAND on another board of the cluster, with this terminal, these open
files, this directory and this environment, passes on the signals that it is
sent, stops and ends as COMMAND does, and exits with its status: 137 if that
board dies meanwhile, 126 if it is down already.

  -b BOARD   a letter (a, b, ...) or a number (0, 1, ...); without it: b
  --help     this text

Examples:
  remote -b b uname -n
  ls -l | remote -b b sort | head
";
const USAGE_STATUS: i32 = 2;
const EHOSTDOWN: Errno = Errno(112);
const EAGAIN: Errno = Errno(11);
const EINVAL: Errno = Errno(22);

const SIGKILL: u32 = 9;
const SIGCHLD: u32 = 17;
/// Signals of faults, which go to the faulting process (ILL, TRAP, ABRT, BUS, FPE, SEGV, SYS): this program's own.
const FAULTS: SignalSet = set_of(&[4, 5, 6, 7, 8, 11, 31]);
/// Those that this program waits for: all that can be blocked but its own faults.
const ATTENDED: SignalSet = !FAULTS;

fn main(arguments: ProgramArguments) -> i32 {
    let mut board = 1;
    let mut at = 1;
    loop {
        match arguments.get(at).map(CStr::to_bytes) {
            Some(b"--help") => {
                let _ = renga_userland::syscall::write(1, USAGE);
                return 0;
            }
            Some(b"-b") => match arguments.get(at + 1).and_then(|name| board_number(name.to_bytes())) {
                Some(number) => {
                    board = number;
                    at += 2;
                }
                None => {
                    complain(&[b"remote: -b needs a board: a letter or a number\n"]);
                    return USAGE_STATUS;
                }
            },
            Some(b"--") => {
                at += 1;
                break;
            }
            _ => break,
        }
    }
    let Some(name) = arguments.get(at) else {
        complain(&[USAGE]);
        return USAGE_STATUS;
    };
    // Before the fork, so that none comes between; the command has the mask that this program was given.
    let before = block_only(ATTENDED);
    match cluster::fork_on(board) {
        Ok(0) => {
            block_only(before);
            become_command(&arguments, at, name)
        }
        Ok(pid) => attend_command(pid, board),
        Err(errno) => {
            complain(&[b"remote: ", why(errno), b"\n"]);
            126
        }
    }
}

fn board_number(name: &[u8]) -> Option<u32> {
    match name {
        [letter @ b'a'..=b'z'] => Some(u32::from(letter - b'a')),
        [letter @ b'A'..=b'Z'] => Some(u32::from(letter - b'A')),
        digits => parse(digits),
    }
}

fn become_command(arguments: &ProgramArguments, at: usize, name: &CStr) -> ! {
    let errno = execute_by_name(name, arguments.list_from(at), arguments);
    let found = errno != Errno(2);
    complain(&[b"remote: ", name.to_bytes(), if found { b": cannot execute\n" } else { b": not found\n" }]);
    exit(if found { 126 } else { 127 })
}

/// Forwards a program's signal; a key's signal has reached the command too, as a member of the same group. This program
/// mirrors the command's state: so the shell sees a job that stops, continues and ends.
fn attend_command(pid: u32, board: u32) -> i32 {
    loop {
        match take(ATTENDED) {
            Ok(taken) if taken.signal == SIGCHLD => {
                if let Some(code) = follow_command(pid, board) {
                    return code;
                }
            }
            // If it has ended, that is what comes next.
            Ok(taken) if taken.sent => drop(send(pid, taken.signal)),
            Ok(_) | Err(_) => {}
        }
    }
}

/// Stops if the command has stopped, ends by the signal that ended it; the exit code, if it has ended otherwise.
fn follow_command(pid: u32, board: u32) -> Option<i32> {
    const WNOHANG_WUNTRACED: i32 = 1 | 2;
    const STOPPED: u32 = 0x7f;
    let status = match wait(pid as i32, WNOHANG_WUNTRACED) {
        Ok((0, _)) => return None,
        Ok((_, status)) => status,
        Err(_) => return Some(127),
    };
    match status & 0x7f {
        0 => {}
        STOPPED => {
            suffer(status >> 8 & 0xff);
            return None;
        }
        SIGKILL if cluster::is_down(board) => {
            complain(&[b"remote: the board is down: its command counts as killed\n"]);
        }
        signal => suffer(signal),
    }
    Some(exit_code(status))
}

fn why(errno: Errno) -> &'static [u8] {
    match errno {
        EINVAL => b"there is no such board",
        EHOSTDOWN => b"the board is down",
        EAGAIN => b"the board has no free process slot",
        _ => b"the board cannot take the process",
    }
}
