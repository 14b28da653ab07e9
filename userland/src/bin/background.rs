//! Starts background jobs, and prints and changes their regulation: the files of `/proc/renga/background`, with words.
#![no_std]
#![no_main]

use core::ffi::CStr;
use renga_userland::process::execute_by_name;
use renga_userland::setting::{SettingCommand, put};
use renga_userland::syscall::{exit, plain, write};
use renga_userland::text::{Decimal, complain};
use renga_userland::{Errno, ProgramArguments, program};

program!(main);

const USAGE: &[u8] = b"usage: background [--] COMMAND [ARGUMENT...]
       background --pid PID
       background --status
       background --policy [off|eii|ipd]
       background --threshold [NAME VALUE]...
       background --ignore [NAME]...

Runs COMMAND as a background job: it gets what others leave of the processor, and
is suspended while others contend with it for processor, disk or link, on all boards.
So are the processes that it makes. A suspended job can be killed.

  --pid PID    makes a process that runs already a background job
  --status     the policy, what was seen of each board, and the jobs
  --policy     how jobs are suspended: off (never), eii (for 1 s, 2 s ... 16 s, trying
               between), ipd (until the others are idle); alone: which it is
  --threshold  changes thresholds and times; alone: shows them
  --ignore     programs that do not count as others, by name; '' for none; alone: which
  --help       this text

The same as bg, which is the shell's own word for jobs: /usr/bin/bg.

Examples:
  background e2fsck -n /dev/root
  background --policy ipd
  background --threshold cpu 80 period_ms 50
";
const USAGE_STATUS: i32 = 2;
const GETPID: usize = 172;
const ENOENT: Errno = Errno(2);
const ESRCH: Errno = Errno(3);
const EPERM: Errno = Errno(1);
const EINVAL: Errno = Errno(22);

const COMMAND: SettingCommand = SettingCommand { name: "background", why };
const JOBS: &CStr = c"/proc/renga/background/jobs";
const POLICY: &CStr = c"/proc/renga/background/policy";
const THRESHOLDS: &CStr = c"/proc/renga/background/thresholds";
const IGNORED: &CStr = c"/proc/renga/background/ignored";
const STATE: &CStr = c"/proc/renga/background/state";

fn main(arguments: ProgramArguments) -> i32 {
    let rest = arguments.count() > 2;
    match arguments.get(1).map(CStr::to_bytes) {
        Some(b"--help") => {
            let _ = write(1, USAGE);
            0
        }
        Some(b"--status") => COMMAND.show(POLICY) | COMMAND.show(STATE) | COMMAND.show(JOBS),
        Some(b"--pid") if arguments.count() == 3 => {
            COMMAND.set(JOBS, &arguments, "there is no such process to be a job")
        }
        Some(b"--policy") if !rest => COMMAND.show(POLICY),
        Some(b"--policy") => COMMAND.set(POLICY, &arguments, "a policy is off, eii or ipd"),
        Some(b"--threshold") if !rest => COMMAND.show(THRESHOLDS),
        Some(b"--threshold") => {
            COMMAND.set(THRESHOLDS, &arguments, "no such threshold, or its value is not allowed; nothing is changed")
        }
        Some(b"--ignore") if !rest => COMMAND.show(IGNORED),
        Some(b"--ignore") => {
            COMMAND.set(IGNORED, &arguments, "too many names, or one that no program can have; nothing is changed")
        }
        Some(b"--") if rest => start(&arguments, 2),
        Some(word) if !word.starts_with(b"-") => start(&arguments, 1),
        _ => {
            let _ = write(2, USAGE); // longer than a complaint
            USAGE_STATUS
        }
    }
}

/// Becomes a background job, and the command.
fn start(arguments: &ProgramArguments, at: usize) -> i32 {
    let pid = plain(GETPID, [0; 3]).unwrap_or(0);
    if let Err(errno) = put(JOBS, Decimal::new(pid as u64).digits()) {
        return COMMAND.failed(errno, "the regulator cannot be reached");
    }
    let Some(name) = arguments.get(at) else { return USAGE_STATUS };
    let errno = execute_by_name(name, arguments.list_from(at), arguments);
    let found = errno != ENOENT;
    complain(&[b"background: ", name.to_bytes(), if found { b": cannot execute\n" } else { b": not found\n" }]);
    exit(if found { 126 } else { 127 })
}

fn why(errno: Errno) -> Option<&'static str> {
    match errno {
        EINVAL => None,
        ESRCH => Some("there is no such process"),
        EPERM => Some("init cannot be a background job"),
        ENOENT => Some("this system has no regulator"),
        _ => Some("the regulator cannot be reached"),
    }
}
