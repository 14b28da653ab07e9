//! The first program: makes the terminal, runs the session's script or a shell, and stops the
//! cluster with its status.
#![no_std]
#![no_main]

use core::ffi::CStr;
use renga_userland::process::{exit_code, fork};
use renga_userland::signals::{SignalSet, block_only, set_of};
use renga_userland::syscall::{
    control, duplicate, execute, limit_processes, open, plain, set_terminal, terminal_settings, wait,
};
use renga_userland::text::{Decimal, complain};
use renga_userland::{ProgramArguments, cluster, program};

program!(main);

const SCRIPT: &CStr = c"/etc/renga/script";
const SHELL: &CStr = c"/bin/sh";
const O_RDWR: i32 = 2;
const TIOCSCTTY: usize = 0x540e;
const TIOCSPGRP: usize = 0x5410;
const SIGTTOU: SignalSet = set_of(&[22]);

const ENVIRONMENT: [&CStr; 6] = [
    c"PATH=/bin:/sbin:/usr/bin:/usr/sbin",
    c"HOME=/root",
    c"TERM=linux",
    c"USER=root",
    c"LOGNAME=root",
    c"SHELL=/bin/sh",
];

fn main(_: ProgramArguments) -> i32 {
    open_terminal();
    let shell = match fork() {
        Ok(0) => become_shell(),
        Ok(pid) => pid,
        Err(errno) => {
            complain(&[b"init: cannot make a process\n"]);
            i32::from(errno.0) as u32
        }
    };
    let status = loop {
        match wait(-1, 0) {
            Ok((pid, status)) if pid as u32 == shell => break exit_code(status),
            Ok(_) => {}
            Err(_) => break 127,
        }
    };
    let errno = cluster::halt(status);
    complain(&[b"init: the cluster does not stop: error ", Decimal::new(errno.0.into()).digits(), b"\n"]);
    status
}

/// Standard input, output and error are the console, in a session of its own.
fn open_terminal() {
    let _ = plain(157, [0, 0, 0]); // setsid; the first process is a leader already
    if let Ok(console) = open(c"/dev/console", O_RDWR) {
        for descriptor in 0..3 {
            if descriptor != console {
                let _ = duplicate(console, descriptor);
            }
        }
    }
    let _ = control(0, TIOCSCTTY, &mut 0);
}

/// In the child: a group of its own in the foreground, then the script or an interactive shell.
fn become_shell() -> ! {
    let _ = plain(154, [0, 0, 0]); // setpgid
    let mut group = plain(172, [0, 0, 0]).unwrap_or(0) as u32;
    // Until then it is in the background.
    let before = block_only(SIGTTOU);
    let _ = control(0, TIOCSPGRP, &mut group);
    block_only(before);
    leave_reserve();
    let mut environment = [core::ptr::null(); ENVIRONMENT.len() + 1];
    for (slot, text) in environment.iter_mut().zip(ENVIRONMENT) {
        *slot = text.as_ptr().cast();
    }
    if has_script() {
        let _ = leave_output_alone();
        let list = [SHELL.as_ptr().cast(), SCRIPT.as_ptr().cast(), core::ptr::null()];
        execute(SHELL, &list, &environment);
    } else {
        execute(SHELL, &[c"-sh".as_ptr().cast(), core::ptr::null()], &environment);
    }
    complain(&[b"init: cannot run /bin/sh\n"]);
    renga_userland::syscall::exit(127)
}

/// The session's programs leave the reserved slots to processes that ask for them (`ulimit -u unlimited`).
fn leave_reserve() {
    const PROCESSES: u64 = 4096;
    let _ = limit_processes(PROCESSES);
}

/// A script's output reaches the host byte for byte: newlines stay as they are.
fn leave_output_alone() -> Result<(), renga_userland::Errno> {
    const OUTPUT_MODES: core::ops::Range<usize> = 4..8;
    let mut settings = terminal_settings(0)?;
    settings[OUTPUT_MODES].fill(0);
    set_terminal(0, &settings)
}

fn has_script() -> bool {
    const CLOSE: usize = 57;
    open(SCRIPT, 0).map(|descriptor| plain(CLOSE, [descriptor as isize, 0, 0])).is_ok()
}
