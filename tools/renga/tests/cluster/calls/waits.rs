//! Waiting for one of several things on both boards.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};

/// Starts a child on each board, and waits for what comes first, by poll and by select.
const FIRST: &str = r#"
import os, select, subprocess
def child(board, time, word):
    return subprocess.Popen(["remote", "-b", board, "sh", "-c", f"sleep {time}; echo {word}"], stdout=subprocess.PIPE)
poll = select.poll()
children = [child("b", 2.5, "last"), child("a", 1.5, "second"), child("b", 0.5, "first")]
for one in children:
    poll.register(one.stdout, select.POLLIN)
print(poll.poll(1))
while len(children) > 1:
    for number, events in poll.poll(60000):
        word = os.read(number, 100).decode().strip()
        if word:
            print(word)
        else:
            poll.unregister(number)
            children = [one for one in children if one.stdout.fileno() != number]
while True:
    ready = select.select([one.stdout for one in children], [], [], 60)[0]
    word = os.read(ready[0].fileno(), 100).decode().strip()
    if not word:
        break
    print(word)
"#;

#[test]
fn poll_of_two_boards_reports_first_event() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script = format!("python3 -c '{FIRST}'\nremote -b b python3 -c '{FIRST}'\n");
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let once = ["[]", "first", "second", "last"];
    assert_eq!(lines, [once, once].concat(), "{text}");
}

/// A parent that learns of its child's end and of a signal from the other board in one wait.
const SIGNALS: &str = r#"
import ctypes, os, select, signal, struct, subprocess
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGUSR1})
mask = (ctypes.c_ulong * 16)(1 << 16 | 1 << 9)
signals = ctypes.CDLL(None).signalfd(-1, mask, 0)
print(*[line.split()[1] for line in open("/proc/self/status") if line.startswith("SigBlk")])
quiet, _ = os.pipe()
me = os.getpid()
for command, expected in [("exit 3", 17), (f"kill -USR1 {me}; sleep 1", 10)]:
    child = subprocess.Popen(["remote", "-b", "b", "sh", "-c", command])
    select.select([quiet, signals], [], [])
    info = os.read(signals, 128)
    number, status = struct.unpack_from("I", info, 0)[0], struct.unpack_from("i", info, 40)[0]
    print(number, status, child.wait() if number == 17 else "")
"#;

#[test]
fn signalfd_reports_signals_of_both_boards() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script = format!("python3 -c '{SIGNALS}'\nremote -b b python3 -c '{SIGNALS}'\n");
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let once = ["0000000000010200", "17 3 3", "10 0"];
    assert_eq!(lines, [once, once].concat(), "{text}");
}
