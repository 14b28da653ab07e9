//! Prints and changes the reclamation of a board's page frames: the files of `/proc/renga/reclaim`, with words.
#![no_std]
#![no_main]

use core::ffi::CStr;
use renga_userland::setting::SettingCommand;
use renga_userland::syscall::write;
use renga_userland::{Errno, ProgramArguments, program};

program!(main);

const USAGE: &[u8] = b"usage: reclaimctl [--status]
       reclaimctl --batching [on|off]
       reclaimctl --threshold [NAME VALUE]...

Page frames are given back before there are none: by the reclaimer, small batches
when few are free, and, if that is on, by the batcher: one large batch at once
when pages of files come in by the thousand. Of the board where it is said.

  --status     what there is, and what either has done so far
  --batching   switches the batcher; alone: whether it is on
  --threshold  changes when it acts, and how much at once; alone: shows that
                 requests     pages that come in, read or written, a second
                 free_pages   and fewer are free
                 batch_pages  pages given back at once
  --help       this text

Examples:
  reclaimctl --threshold free_pages 4096 batch_pages 8192
  remote -b b reclaimctl --batching on
";
const USAGE_STATUS: i32 = 2;
const ENOENT: Errno = Errno(2);
const EINVAL: Errno = Errno(22);

const COMMAND: SettingCommand = SettingCommand { name: "reclaimctl", why };
const BATCHING: &CStr = c"/proc/renga/reclaim/batching";
const THRESHOLDS: &CStr = c"/proc/renga/reclaim/thresholds";
const STATE: &CStr = c"/proc/renga/reclaim/state";

fn main(arguments: ProgramArguments) -> i32 {
    let rest = arguments.count() > 2;
    match arguments.get(1).map(CStr::to_bytes) {
        Some(b"--help") => {
            let _ = write(1, USAGE);
            0
        }
        None => COMMAND.show(STATE),
        Some(b"--status") if !rest => COMMAND.show(STATE),
        Some(b"--batching") if !rest => COMMAND.show(BATCHING),
        Some(b"--batching") => COMMAND.set(BATCHING, &arguments, "batching is on or off"),
        Some(b"--threshold") if !rest => COMMAND.show(THRESHOLDS),
        Some(b"--threshold") => {
            COMMAND.set(THRESHOLDS, &arguments, "no such threshold, or its value is not allowed; nothing is changed")
        }
        _ => {
            let _ = write(2, USAGE); // longer than a complaint
            USAGE_STATUS
        }
    }
}

fn why(errno: Errno) -> Option<&'static str> {
    match errno {
        EINVAL => None,
        ENOENT => Some("this system has no reclaimer that can be set"),
        _ => Some("the reclaimer cannot be reached"),
    }
}
