//! Sets of watches (epoll), by programs of both boards.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};

/// Runs on Linux and on each board.
const SETS: &str = r#"
import asyncio, ctypes, errno, os, resource, select, signal, struct, time
libc = ctypes.CDLL(None, use_errno=True)
IN, OUT, ET, ONCE = select.EPOLLIN, select.EPOLLOUT, select.EPOLLET, select.EPOLLONESHOT
def name(call):
    try:
        return call()
    except OSError as error:
        return errno.errorcode[error.errno]
def ready(sets=None, most=-1, wait=0):
    return sorted((names.get(number, number), events) for number, events in (sets or epoll).poll(wait, most))
epoll = select.epoll()
r, w = os.pipe()
names = {r: "r", w: "w"}
print(os.readlink(f"/proc/self/fd/{epoll.fileno()}"), os.get_inheritable(epoll.fileno()))
epoll.register(r, IN)
epoll.register(w, OUT)
print(ready(), name(lambda: epoll.register(r, IN)), name(lambda: epoll.modify(0x300, IN)))
os.write(w, b"abc")
print(ready(), ready(most=1) != ready(most=1), ready())
epoll.unregister(w)
print(name(lambda: epoll.unregister(w)), name(lambda: epoll.modify(w, OUT)), ready())
print(name(lambda: epoll.register(epoll.fileno(), IN)), name(lambda: epoll.register(os.open("/etc/passwd", 0), IN)))
print(name(lambda: epoll.register(os.open("/dev/null", 0), IN)), name(lambda: epoll.register(77, IN)))
print(name(lambda: epoll.register(w, OUT | select.EPOLLEXCLUSIVE | ONCE)), name(lambda: epoll.register(w, OUT | select.EPOLLEXCLUSIVE)), name(lambda: epoll.modify(w, OUT)))
epoll.unregister(w)
event = ctypes.create_string_buffer(32)
for result in libc.epoll_create1(1), libc.epoll_ctl(epoll.fileno(), 9, w, event), libc.epoll_ctl(r, 1, w, event), libc.epoll_ctl(epoll.fileno(), 1, w, None), libc.epoll_wait(epoll.fileno(), event, 0, 0), libc.epoll_wait(r, event, 1, 0):
    print(result, errno.errorcode[ctypes.get_errno()], end=" ")
print(name(lambda: os.read(epoll.fileno(), 8)), name(lambda: os.write(epoll.fileno(), b"12345678")), name(lambda: os.lseek(epoll.fileno(), 0, 0)))
print("edges")
epoll.modify(r, IN | ET)
print(ready(), ready())
os.write(w, b"d")
print(ready(), ready())
os.read(r, 1)
print(ready())
epoll.modify(r, IN | ET)
print(ready(), ready())
os.read(r, 99)
epoll.register(w, OUT | ET)
print(ready(), ready())
os.set_blocking(w, False)
count = 0
while name(lambda: os.write(w, bytes(4096))) == 4096:
    count += 1
print(count, ready(), ready())
os.read(r, 4096)
print(ready(), ready())
os.read(r, 65536)
print(ready())
print("once")
epoll.modify(w, 0)
epoll.modify(r, IN | ONCE)
os.write(w, b"x")
print(ready(), ready())
os.write(w, b"y")
print(ready())
epoll.modify(r, IN | ONCE)
print(ready(), ready())
print("closed")
epoll.modify(r, IN)
again = os.dup(r)
names[r] = "first"
os.close(r)
print(ready())
os.close(again)
print(ready())
r2, w2 = os.pipe()
names[r2] = "r2"
print(r2 == r, epoll.register(r2, IN), ready())
os.close(w2)
print(ready())
os.close(r2)
print(ready())
print("shared")
epoll.close()
epoll = select.epoll()
r, w = os.pipe()
names = {r: "r", w: "w"}
def child(body):
    if pid := os.fork():
        return pid
    body()
    os._exit(0)
def later():
    time.sleep(0.2)
    os.write(w, b"x")
    epoll.register(r, IN)
pid = child(later)
print(ready(wait=60), os.waitpid(pid, 0)[1])
os.read(r, 1)
epoll.modify(r, IN | ET)
both = [child(lambda: os._exit(len(epoll.poll(0.6)))) for _ in range(2)]
time.sleep(0.2)
os.write(w, b"x")
print(sum(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in both), ready())
print("others")
count = os.eventfd(0, os.EFD_NONBLOCK)
names[count] = "count"
epoll.register(count, IN | ET)
print(ready(), os.eventfd_write(count, 1), ready(), ready(), os.eventfd_write(count, 1), ready())
timer = libc.timerfd_create(1, 0)
names[timer] = "timer"
epoll.register(timer, IN)
libc.timerfd_settime(timer, 0, struct.pack("QQQQ", 0, 0, 0, 100000000), None)
print(ready(wait=60), len(os.read(timer, 8)), ready())
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
signals = libc.signalfd(-1, (ctypes.c_ulong * 16)(1 << 9), 0)
names[signals] = "signals"
epoll.register(signals, IN)
print(ready())
os.kill(os.getpid(), signal.SIGUSR1)
print(ready(), len(os.read(signals, 128)), ready())
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
libc.signalfd(signals, (ctypes.c_ulong * 16)(1 << 9 | 1 << 11), 0)
print(name(lambda: epoll.modify(signals, IN)), ready())
os.kill(os.getpid(), signal.SIGUSR2)
print(ready(), len(os.read(signals, 128)), name(lambda: epoll.unregister(signals)))
for _ in range(1100):
    a, b = os.pipe()
    os.write(b, b"x")
    epoll.register(a, IN | ONCE)
    epoll.poll(0)
    os.close(a)
    os.close(b)
print("closed when reported")
poll = select.poll()
poll.register(epoll.fileno(), select.POLLIN)
print(poll.poll(0))
epoll.modify(r, IN)
print([events for _, events in poll.poll(0)], select.select([epoll.fileno()], [], [], 0)[0] == [epoll.fileno()])
os.read(r, 9)
print(poll.poll(0))
def late(*_):
    raise TimeoutError
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    epoll.poll()
except TimeoutError:
    print("interrupted")
class Loop(asyncio.SelectorEventLoop):
    def _make_self_pipe(self): # there are no sockets
        pass
    def _close_self_pipe(self):
        pass
async def lines(number):
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(number, "rb"))
    while line := await reader.readline():
        print(line.decode().strip())
async def main():
    async def write(number, *words):
        for word in words:
            await asyncio.sleep(0.1)
            os.write(number, word)
        os.close(number)
    (r1, w1), (r2, w2) = os.pipe(), os.pipe()
    await asyncio.gather(lines(r1), lines(r2), write(w1, b"one\n", b"two\n"), write(w2, b"half ", b"a line\n"))
loop = Loop()
loop.run_until_complete(main())
loop.close()
"#;

/// As Linux printed it.
const SETS_SAY: &[&str] = &[
    "anon_inode:[eventpoll] False",
    "[('w', 4)] EEXIST EBADF",
    "[('r', 1), ('w', 4)] True [('r', 1), ('w', 4)]",
    "ENOENT ENOENT [('r', 1)]",
    "EINVAL EPERM",
    "EPERM EBADF",
    "EINVAL None EINVAL",
    "-1 EINVAL -1 EINVAL -1 EINVAL -1 EINVAL -1 EINVAL -1 EINVAL EINVAL EINVAL 0",
    "edges",
    "[('r', 1)] []",
    "[('r', 1)] []",
    "[]",
    "[('r', 1)] []",
    "[('w', 4)] []",
    "16 [('r', 1)] []",
    "[('w', 4)] []",
    "[]",
    "once",
    "[('r', 1)] []",
    "[]",
    "[('r', 1)] []",
    "closed",
    "[('first', 1)]",
    "[('w', 8)]",
    "True None [('w', 8)]",
    "[('r2', 16), ('w', 8)]",
    "[('w', 8)]",
    "shared",
    "[('r', 1)] 0",
    "1 []",
    "others",
    "[] None [('count', 1)] [] None [('count', 1)]",
    "[('timer', 1)] 8 []",
    "[]",
    "[('signals', 1)] 128 []",
    "None []",
    "[('signals', 1)] 128 None",
    "closed when reported",
    "[]",
    "[1] True",
    "[]",
    "interrupted",
    "one",
    "two",
    "half a line",
];

#[test]
fn epoll_matches_linux() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script = format!("cat > /tmp/sets <<'END'{SETS}END\npython3 /tmp/sets\nremote -b b python3 /tmp/sets\n");
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, [SETS_SAY, SETS_SAY].concat(), "{text}");
}

/// One set of programs of both boards: `sys.argv[1]` is the other one.
const SHARED: &str = r#"
import os, select, subprocess, sys, time
def far(code, *numbers):
    code = "import os, select, sys, time; numbers = [int(x) for x in sys.argv[1:]]; epoll = select.epoll.fromfd(numbers[0]); " + code
    words = ["remote", "-b", sys.argv[1], "python3", "-c", code, *map(str, numbers)]
    return subprocess.Popen(words, pass_fds=numbers)
epoll = select.epoll()
r, w = os.pipe()
# Who waits elsewhere hears of a watch that is added meanwhile, and of what is ready then.
child = far("print(epoll.poll(60) == [(numbers[1], 1)])", epoll.fileno(), r)
time.sleep(3)
epoll.register(r, select.EPOLLIN | select.EPOLLET)
os.write(w, b"x")
child.wait()
print("ready there:", epoll.poll(0))
# The other way round, with a pipe of the other board's program.
child = far("""
r, w = os.pipe()
epoll.register(r, select.EPOLLIN)
os.write(numbers[1], b"y")
time.sleep(2)
os.close(r)
time.sleep(2)
""", epoll.fileno(), w)
print(epoll.poll(60) == [(r, 1)], child.wait())
epoll.modify(r, select.EPOLLIN)
# One of two gets the event of an edge, on whichever board.
os.read(r, 9)
epoll.modify(r, select.EPOLLIN | select.EPOLLET)
two = [far("sys.exit(len(epoll.poll(5)))", epoll.fileno(), r) for _ in range(2)]
time.sleep(3)
os.write(w, b"z")
print(sum(child.wait() for child in two))
"#;

const SHARED_SAY: [&str; 4] = ["True", "ready there: []", "True 0", "1"];

#[test]
fn epoll_set_shared_by_two_boards_works() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script =
        format!("cat > /tmp/shared <<'END'{SHARED}END\npython3 /tmp/shared b\nremote -b b python3 /tmp/shared a\n");
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, [SHARED_SAY, SHARED_SAY].concat(), "{text}");
}
