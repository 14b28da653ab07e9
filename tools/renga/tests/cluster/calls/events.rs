//! Counts and timers that are read from descriptors, by programs of both boards.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};

/// Prints what Linux prints. A child of another board shares the descriptors, as a child of any board does.
const COUNTS_AND_TIMERS: &str = r#"
import ctypes, errno, os, select, signal, struct, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def name(call):
    try:
        return call()
    except OSError as error:
        return errno.errorcode[error.errno]
def far(code, *numbers):
    words = ["remote", "-b", sys.argv[1], "python3", "-c", "import os, sys, time; " + code, *map(str, numbers)]
    return subprocess.Popen(words, pass_fds=numbers)
def number(descriptor):
    return struct.unpack("Q", os.read(descriptor, 8))[0]
count = os.eventfd(3, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
print(os.eventfd_read(count), name(lambda: os.eventfd_read(count)), os.readlink(f"/proc/self/fd/{count}"))
one = os.eventfd(2, os.EFD_SEMAPHORE)
child = far("os.eventfd_write(int(sys.argv[1]), 5); os.eventfd_write(int(sys.argv[2]), 1)", one, count)
print([os.eventfd_read(one) for _ in range(7)], select.select([count], [], [], 60)[0] == [count], child.wait())
child = far("print(os.eventfd_read(int(sys.argv[1])))", one)
os.eventfd_write(one, 1)
child.wait()
def timer(first, every, flags=0):
    made = libc.timerfd_create(1, 0)
    libc.timerfd_settime(made, flags, struct.pack("QQQQ", 0, int(every * 1e9), 0, int(first * 1e9)), None)
    return made
begun = time.monotonic()
beat = timer(0.25, 0.25)
print(number(beat), time.monotonic() - begun >= 0.25)
time.sleep(0.8)
print(number(beat), select.select([beat, count], [], [], 60)[0] != [])
time.sleep(0.6)
child = far("print(int.from_bytes(os.read(int(sys.argv[1]), 8), sys.byteorder) >= 2)", beat)
print(child.wait(), os.readlink(f"/proc/self/fd/{beat}"))
left = ctypes.create_string_buffer(32)
print(libc.timerfd_gettime(beat, left), struct.unpack("QQQQ", left)[:2])
print(libc.timerfd_gettime(0, left), errno.errorcode[ctypes.get_errno()])
def late(*_):
    raise TimeoutError
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    os.eventfd_read(one)
except TimeoutError:
    print("interrupted")
"#;

/// Has a timer of its own board, and a child on board a that asks for it until there is none.
const LOSES: &str = r#"
import ctypes, os, subprocess, time
made = ctypes.CDLL(None).timerfd_create(1, 0)
subprocess.Popen(["remote", "-b", "a", "python3", "-c", """
import ctypes, errno, sys, time
libc = ctypes.CDLL(None, use_errno=True)
left = ctypes.create_string_buffer(32)
made = int(sys.argv[1])
print(libc.timerfd_gettime(made, left))
for _ in range(200):
    if libc.timerfd_gettime(made, left) != 0:
        break
    time.sleep(0.1)
print(errno.errorcode[ctypes.get_errno()])
print(libc.timerfd_settime(made, 0, left, None), errno.errorcode[ctypes.get_errno()])
""", str(made)], pass_fds=[made])
time.sleep(1000)
"#;

#[test]
fn timerfd_of_dead_board_is_lost() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script = format!("exec 2> /dev/null; remote -b b python3 -c '{LOSES}'; sleep 3\n");
    let text = Renga::script(&script).with(["--image", "dev", "--kill", "b@8000"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["0", "EIO", "-1 EIO"], "{text}");
}

const THEY_SAY: [&str; 10] = [
    "3 EAGAIN anon_inode:[eventfd]",
    "[1, 1, 1, 1, 1, 1, 1] True 0",
    "1",
    "1 True",
    "3 True",
    "True",
    "0 anon_inode:[timerfd]",
    "0 (0, 250000000)",
    "-1 EINVAL",
    "interrupted",
];

#[test]
fn event_files_match_linux() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script = format!("python3 -c '{COUNTS_AND_TIMERS}' b\nremote -b b python3 -c '{COUNTS_AND_TIMERS}' a\n");
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, [THEY_SAY, THEY_SAY].concat(), "{text}");
}
