//! Fifos between the programs of both boards.

use crate::images::packages_can_be_had;
use crate::support::{Busybox, Renga, Scratch, clusters_can_run};

/// Runs on Linux and on each board.
const SHELL: &str = r#"
mkfifo f; [ -p f ] && echo a fifo
echo one > f & cat f; wait
cat f & echo two > f; wait
(echo a; sleep 0.1; echo b) > f & (read x; read y; echo "$x $y") < f; wait
sh -c 'exec 3<>f; echo both >&3; read z <&3; echo $z'
seq 30000 > f & md5sum < f; wait
(trap "" PIPE; (yes; echo $? > status) 2> /dev/null | cat 2> /dev/null) > f & head -n 1 < f; wait
mv f g; echo moved > g & cat g; wait; rm g; [ -e g ] || echo gone
"#;

#[test]
fn fifos_match_host() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("fifos");
    let once = Busybox::new().run(scratch.path(), SHELL).expect_status(0).text();
    let quoted = SHELL.replace('\'', r"'\''");
    let script =
        format!("mkdir /tmp/a /tmp/b\n(cd /tmp/a; sh -c '{quoted}')\ncd /tmp/b; remote -b b sh -c '{quoted}'\n");
    Renga::script(&script).end().expect_status(0).expect_text(&format!("{once}{once}"));
}

/// Prints what Linux prints if both boards are one; `FAR` is the other one.
const OPENERS: &str = r#"
import errno, os, select, signal, stat, subprocess, sys
def far(text):
    return subprocess.Popen(["remote", "-b", sys.argv[1], "sh", "-c", text])
def name(call):
    try:
        return call()
    except OSError as error:
        return errno.errorcode[error.errno]
os.mkfifo("/tmp/f")
write_now = lambda: os.open("/tmp/f", os.O_WRONLY | os.O_NONBLOCK)
print(name(write_now))
reader = os.open("/tmp/f", os.O_RDONLY | os.O_NONBLOCK)
poll = select.poll()
poll.register(reader)
print(os.read(reader, 9), poll.poll(0))
writer = write_now()
print(name(lambda: os.read(reader, 9)), os.write(writer, b"abc"), os.read(reader, 9))
os.close(writer)
print([events for _, events in poll.poll(0)], os.path.sameopenfile(reader, os.open("/tmp/f", os.O_RDWR)))
print(stat.S_ISFIFO(os.fstat(reader).st_mode), os.path.samestat(os.fstat(reader), os.stat("/tmp/f")))
os.closerange(3, 20)
child = far("echo from afar > /tmp/f")
print(open("/tmp/f").read().strip(), child.wait())
child = far("read x < /tmp/f; echo $x")
with open("/tmp/f", "w") as fifo:
    fifo.write("to afar\n")
child.wait()
def late(*_):
    raise TimeoutError
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    os.open("/tmp/f", os.O_RDONLY)
except TimeoutError:
    print("interrupted", name(write_now))
child = far("exec 3<> /tmp/f; echo ready; kill -9 $$")
child.wait()
print(name(write_now))
os.unlink("/tmp/f")
"#;

/// What descriptors that only name a file lead to, and when a reader has been left. Without a word of other boards, so
/// that Linux runs it too.
const NAMES: &str = r#"
import errno, os, select, stat
def name(call):
    try:
        return call()
    except OSError as error:
        return errno.errorcode[error.errno]
os.mkfifo("/tmp/g")
named = os.open("/tmp/g", os.O_PATH)
path = f"/proc/self/fd/{named}"
print(stat.S_ISFIFO(os.fstat(named).st_mode), name(lambda: os.read(named, 1)), name(lambda: os.open(path, os.O_WRONLY | os.O_NONBLOCK)))
reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
writer = os.open(path, os.O_WRONLY)
print(os.write(writer, b"x"), os.read(reader, 5), os.fstat(reader).st_ino == os.fstat(named).st_ino)
os.close(writer)
second = os.open("/tmp/g", os.O_RDONLY | os.O_NONBLOCK)
poll = select.poll()
poll.register(reader)
poll.register(second)
print([(number == reader, events) for number, events in poll.poll(0)])
print(os.readlink(f"/proc/self/fd/{reader}")[:5] == "pipe:", os.readlink(path)[:9] == "/dev/null")
os.symlink("g", "/tmp/l")
link = os.open("/tmp/l", os.O_PATH | os.O_NOFOLLOW)
print(stat.S_ISLNK(os.fstat(link).st_mode), name(lambda: os.open(f"/proc/self/fd/{link}", os.O_RDONLY)))
os.unlink("/tmp/l")
os.unlink("/tmp/g")
writer = os.open(path, os.O_WRONLY)
print(os.write(writer, b"gone"), os.read(reader, 9), os.path.exists("/tmp/g"))
both = os.open(path, os.O_RDWR)
one = select.poll()
one.register(both, select.POLLIN)
print(one.poll(0), os.write(both, b"x"), [events for _, events in one.poll(0)])
"#;

/// As Linux printed it.
const NAMES_SAY: [&str; 7] =
    ["True EBADF ENXIO", "1 b'x' True", "[(True, 16)]", "False False", "True ELOOP", "4 b'gone' False", "[] 1 [1]"];

#[test]
fn fifo_by_proc_fd_path_opens_same_fifo() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script = format!("python3 -c '{NAMES}'\nremote -b b python3 -c '{NAMES}'\n");
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, [NAMES_SAY, NAMES_SAY].concat(), "{text}");
}

const OPENERS_SAY: [&str; 10] = [
    "ENXIO",
    "b'' []",
    "EAGAIN 3 b'abc'",
    "[16] True",
    "True True",
    "from afar 0",
    "to afar",
    "interrupted ENXIO",
    "ready",
    "ENXIO",
];

#[test]
fn fifo_openers_on_two_boards_rendezvous() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script = format!("python3 -c '{OPENERS}' b\nremote -b b python3 -c '{OPENERS}' a\n");
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, [OPENERS_SAY, OPENERS_SAY].concat(), "{text}");
}
