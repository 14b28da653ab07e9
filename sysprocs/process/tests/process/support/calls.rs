//! Numbers of system calls, and pieces that many scripts have.

use crate::support::script::{Argument, Script, Variable};
use Argument::{Of, Value};

pub const SIGTIMEDWAIT: u64 = 137;
pub const IOCTL: u64 = 29;
pub const TIOCSCTTY: Argument = Value(0x540e);
pub const FORK_ON: u64 = 1000;
pub const SETPGID: u64 = 154;
pub const GETPGID: u64 = 155;
pub const LSEEK: u64 = 62;
pub const READV: u64 = 65;
pub const WRITEV: u64 = 66;
pub const PPOLL: u64 = 73;
pub const SIGNALFD: u64 = 74;
pub const EVENTFD: u64 = 19;
pub const EPOLL_CREATE: u64 = 20;
pub const EPOLL_CTL: u64 = 21;
pub const EPOLL_PWAIT: u64 = 22;
pub const TIMERFD_CREATE: u64 = 85;
pub const TIMERFD_SETTIME: u64 = 86;
pub const TIMERFD_GETTIME: u64 = 87;
pub const FCNTL: u64 = 25;
pub const DUP3: u64 = 24;
pub const OPENAT: u64 = 56;
pub const CLOSE: u64 = 57;
pub const PIPE2: u64 = 59;
pub const READ: u64 = 63;
pub const WRITE: u64 = 64;
pub const EXIT: u64 = 94;
pub const FUTEX: u64 = 98;
pub const SET_ROBUST_LIST: u64 = 99;
pub const GET_ROBUST_LIST: u64 = 100;
pub const NANOSLEEP: u64 = 101;
pub const GETITIMER: u64 = 102;
pub const SETITIMER: u64 = 103;
pub const TIMER_CREATE: u64 = 107;
pub const TIMER_GETTIME: u64 = 108;
pub const TIMER_GETOVERRUN: u64 = 109;
pub const TIMER_SETTIME: u64 = 110;
pub const TIMER_DELETE: u64 = 111;
pub const CLOCK_SETTIME: u64 = 112;
pub const CLOCK_GETTIME: u64 = 113;
pub const CLOCK_NANOSLEEP: u64 = 115;
pub const SIGQUEUE: u64 = 138;
pub const SETRLIMIT: u64 = 164;
pub const KILL: u64 = 129;
pub const SIGSUSPEND: u64 = 133;
pub const SIGACTION: u64 = 134;
pub const SIGPROCMASK: u64 = 135;
pub const SIGPENDING: u64 = 136;
pub const GETPID: u64 = 172;
pub const GETPPID: u64 = 173;
pub const SOCKET: u64 = 198;
pub const SOCKETPAIR: u64 = 199;
pub const BIND: u64 = 200;
pub const LISTEN: u64 = 201;
pub const CONNECT: u64 = 203;
pub const GETSOCKNAME: u64 = 204;
pub const GETPEERNAME: u64 = 205;
pub const SENDTO: u64 = 206;
pub const RECVFROM: u64 = 207;
pub const SETSOCKOPT: u64 = 208;
pub const GETSOCKOPT: u64 = 209;
pub const SHUTDOWN: u64 = 210;
pub const SENDMSG: u64 = 211;
pub const RECVMSG: u64 = 212;
pub const ACCEPT4: u64 = 242;
pub const RECVMMSG: u64 = 243;
pub const SENDMMSG: u64 = 269;
pub const BRK: u64 = 214;
pub const CLONE: u64 = 220;
pub const EXECVE: u64 = 221;
pub const MMAP: u64 = 222;
pub const WAIT4: u64 = 260;
pub const HALT: u64 = 1002;

pub const SIGALRM: u64 = 14;
pub const SIGCHLD: Argument = Value(17);
pub const AT_FDCWD: Argument = Value(-100i64 as u64);
pub const ANY: Argument = Value(u64::MAX);
pub const NONE: Argument = Value(0);
pub const ONE: Argument = Value(1);

pub fn error(number: i64) -> Argument {
    Value(-number as u64)
}

/// A script that has the console as descriptor 0, and as the terminal of its session.
pub fn with_console() -> Script {
    let mut script = Script::new();
    let console = script.string("/dev/console");
    script.call(OPENAT, &[AT_FDCWD, console, Value(2), NONE]).expect(NONE, 100);
    script.call(IOCTL, &[NONE, TIOCSCTTY, NONE]).expect(NONE, 102);
    script
}

pub fn say(script: &mut Script, text: &str) {
    let bytes = script.bytes(text.as_bytes());
    script.call(WRITE, &[NONE, bytes, Value(text.len() as u64)]);
}

pub fn exit(script: &mut Script, status: u64) {
    script.call(EXIT, &[Value(status)]);
}

/// Waits for any child and leaves its status as the result.
pub fn wait_status(script: &mut Script) -> Variable {
    let status = script.variable();
    script.call(WAIT4, &[ANY, status.address(), NONE, NONE]);
    script.take(Of(status));
    status
}

/// A `struct sigaction` in the script's data whose handler is set when it runs.
pub fn handle(script: &mut Script, signal: u64, handler: Argument, flags: u64) {
    let mut bytes = [0; 32];
    bytes[8..16].copy_from_slice(&flags.to_le_bytes());
    let action = script.bytes(&bytes);
    script.take(handler).write_word(action);
    script.call(SIGACTION, &[Value(signal), action, NONE, Value(8)]).expect(NONE, 90);
}

/// A set of signals in the script's data.
pub fn set(script: &mut Script, signals: &[u64]) -> Argument {
    let set: u64 = signals.iter().map(|signal| 1 << (signal - 1)).sum();
    script.bytes(&set.to_le_bytes())
}

/// Words in the script's data.
pub fn words(script: &mut Script, words: &[u64]) -> Argument {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    script.bytes(&bytes)
}

/// The address `bytes` behind another.
pub fn behind(address: Argument, bytes: u64) -> Argument {
    match address {
        Argument::Address(at) => Argument::Address(at + bytes),
        other => panic!("{other:?} is not an address"),
    }
}

/// Expects the word at an address to be `word`.
pub fn expect_word(script: &mut Script, address: Argument, word: u64, otherwise: u64) {
    script.take(address).read_word().expect(Value(word), otherwise);
}

/// A `struct timespec` of `ms` milliseconds, in the script's data.
pub fn time(script: &mut Script, ms: u64) -> Argument {
    let ns = (ms * 1_000_000).to_le_bytes();
    script.bytes(&[[0; 8], ns].concat())
}
