//! Sockets of the programs of one board and of two.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};

/// Runs on Linux and on each board; its arguments are in front of the command of those that connect from elsewhere.
const SOCKETS: &str = r#"
import array, errno, fcntl, os, select, signal, socket, stat, struct, sys, termios, time
far = sys.argv[1:]
def name(call):
    try:
        return call()
    except OSError as error:
        return errno.errorcode[error.errno]
def child(body):
    if pid := os.fork():
        return pid
    body()
    os._exit(0)
U, S, D, Q = socket.AF_UNIX, socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET
print("pair")
a, b = socket.socketpair()
print(a.send(b"abcdef"), b.recv(3), b.recv(9, socket.MSG_PEEK), b.recv(9))
print(name(lambda: b.recv(1, socket.MSG_DONTWAIT)), a.getsockname(), a.getpeername())
print(stat.S_ISSOCK(os.fstat(a.fileno()).st_mode), os.readlink(f"/proc/self/fd/{a.fileno()}")[:8])
print(name(lambda: os.lseek(a.fileno(), 0, 1)), name(lambda: os.pread(a.fileno(), 1, 0)))
a.send(b"12345")
print(struct.unpack("i", fcntl.ioctl(b, termios.FIONREAD, bytes(4))), os.read(b.fileno(), 9), os.write(b.fileno(), b"x"), a.recv(5))
print([a.getsockopt(socket.SOL_SOCKET, o) for o in (socket.SO_TYPE, socket.SO_ERROR, socket.SO_DOMAIN, socket.SO_PROTOCOL, socket.SO_ACCEPTCONN)])
pid, uid, gid = struct.unpack("iii", a.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
print(pid == os.getpid(), uid, gid)
print(a.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1), name(lambda: a.setsockopt(socket.SOL_SOCKET, 9999, 1)), name(lambda: a.getsockopt(socket.SOL_SOCKET, 9999)))
poll = select.poll()
poll.register(a, 0x2017)
print([e for _, e in poll.poll(0)], select.select([a], [a], [], 0) == ([], [a], []))
b.shutdown(socket.SHUT_WR)
print([e for _, e in poll.poll(0)], a.recv(9), a.send(b"still"), b.recv(9), name(lambda: b.send(b"x", socket.MSG_NOSIGNAL)))
got = []
signal.signal(signal.SIGPIPE, lambda *_: got.append("pipe"))
print(name(lambda: b.send(b"x")), got)
b.close()
print([e for _, e in poll.poll(0)], a.recv(9), name(lambda: a.send(b"x")), got)
signal.signal(signal.SIGPIPE, signal.SIG_IGN)
a, b = socket.socketpair()
a.send(b"unread")
b.close()
print(a.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR), name(lambda: a.recv(9)))
a, b = socket.socketpair()
a.send(b"unread")
b.close()
print(name(lambda: a.recv(9)), a.recv(9), name(lambda: a.send(b"y")))
a, b = socket.socketpair()
def late():
    time.sleep(0.1)
    b.send(b"one")
    time.sleep(0.1)
    b.send(b"twoXX")
pid = child(late)
print(a.recv(6, socket.MSG_WAITALL), os.waitpid(pid, 0)[1], a.recv(9))
a.setblocking(False)
print(name(lambda: a.recv(1)), os.get_blocking(b.fileno()), name(lambda: b.sendmsg([b"ab", b"cd", b""])), a.recvmsg(9))
r = bytearray(3), bytearray(5)
b.send(b"12345")
print(a.recvmsg_into(r), r)
a.setblocking(True)
data = bytes(range(256)) * 4096
pid = child(lambda: (b.sendall(data), os._exit(0)))
b.close()
whole = bytearray()
while part := a.recv(100000):
    whole += part
print(len(whole), whole == data, os.waitpid(pid, 0)[1])
print("records")
a, b = socket.socketpair(U, Q)
a.send(b"first")
a.send(b"second")
print(b.recv(3), b.recvmsg(3), name(lambda: b.recv(3, socket.MSG_DONTWAIT)))
a.send(b"long one")
print(b.recv(3, socket.MSG_TRUNC), a.send(b""), b.recv(5))
a.close()
print(b.recv(4), name(lambda: b.send(b"x")))
a, b = socket.socketpair(U, D)
print(a.send(b"d1"), a.sendmsg([b"d", b"2"]), b.recvfrom(9), b.recv(9))
a.close()
print(name(lambda: b.send(b"x")), name(lambda: b.recv(1, socket.MSG_DONTWAIT)))
print("named")
path = "/tmp/socket"
l = socket.socket(U, S)
print(name(lambda: l.listen()), name(lambda: l.accept()), name(lambda: l.recv(1)), name(lambda: l.send(b"x")), name(lambda: l.getpeername()))
poll = select.poll()
poll.register(l)
print([e for _, e in poll.poll(0)])
print(l.bind(path), l.getsockname(), stat.S_ISSOCK(os.stat(path).st_mode), name(lambda: l.bind("/tmp/other")))
c = socket.socket(U, S)
print(name(lambda: c.connect(path)), name(lambda: c.bind(path)), name(lambda: c.connect("/tmp/none")), name(lambda: c.connect("/etc/passwd")), name(lambda: os.open(path, os.O_RDONLY)))
l.listen(1)
print([e for _, e in poll.poll(0)], l.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
c.connect(path)
print([e for _, e in poll.poll(0)], name(lambda: c.connect(path)), c.getpeername(), c.getsockname(), c.send(b"early"))
s, who = l.accept()
print(repr(who), s.getsockname(), s.getpeername(), s.recv(9), s.send(b"back"), c.recv(9))
print(struct.unpack("iii", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0] == os.getpid())
n = [socket.socket(U, S) for _ in range(4)]
for x in n:
    x.setblocking(False)
print([name(lambda: x.connect(path)) for x in n])
d = socket.socket(U, D)
print(name(lambda: d.connect(path)), name(lambda: d.sendto(b"x", path)))
l.close()
print(name(lambda: n[0].recv(1)), name(lambda: n[0].send(b"x")))
print(name(lambda: n[3].connect(path)))
os.unlink(path)
print(s.close(), c.recv(1))
print("abstract")
l = socket.socket(U, S)
l.bind(b"\0some name")
l.listen()
x = socket.socket(U, S)
print(l.getsockname(), name(lambda: x.bind(b"\0some name")), x.connect(b"\0some name"), x.getpeername())
l.close()
l = socket.socket(U, S)
print(name(lambda: l.bind(b"\0some name")), name(lambda: l.accept()))
d1, d2 = socket.socket(U, D), socket.socket(U, D)
d1.bind(b"\0d1")
d2.bind("/tmp/d2")
print(d1.sendto(b"to two", "/tmp/d2"), d2.recvfrom(9), d2.sendto(b"to one", b"\0d1"), d1.recvfrom(9))
d2.connect(b"\0d1")
d3 = socket.socket(U, D)
print(d2.send(b"x"), d1.recv(4), d2.getpeername(), name(lambda: d3.send(b"x")), name(lambda: d3.sendto(b"x", "/tmp/d2")), d3.sendto(b"anon", b"\0d1"), d1.recvfrom(9))
print(d1.sendto(b"", "/tmp/d2"), d2.recv(5), name(lambda: d1.listen()), name(lambda: d1.accept()))
d2.close()
print(name(lambda: d1.sendto(b"x", "/tmp/d2")))
os.unlink("/tmp/d2")
print("others")
SERVER = """
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b"hello " + s.recv(100))
print(s.recv(100).decode(), flush=True)
"""
for path in "/tmp/server", "\0server":
    l = socket.socket(U, S)
    l.bind(path)
    l.listen()
    if os.fork() == 0:
        arg = "chr(0) + str(\"server\")" if path[0] == "\0" else "str(\"/tmp/server\")"
        os.execvp((far + ["python3"])[0], far + ["python3", "-c", SERVER.replace("sys.argv[1]", arg)])
    s, _ = l.accept()
    print(s.send(b"you"), s.recv(100))
    epoll = select.epoll()
    epoll.register(s, select.EPOLLIN | select.EPOLLRDHUP)
    print(epoll.poll(0))
    s.send(b"bye")
    os.wait()
    print([e for _, e in epoll.poll(5)], s.recv(5))
    print(name(lambda: s.send(b"x")))
os.unlink("/tmp/server")
"#;

/// As Linux printed it.
const SOCKETS_SAY: &[&str] = &[
    "pair",
    "6 b'abc' b'def' b'def'",
    "EAGAIN  ",
    "True socket:[",
    "ESPIPE ESPIPE",
    "(5,) b'12345' 1 b'x'",
    "[1, 0, 1, 0, 0]",
    "True 0 0",
    "None ENOPROTOOPT ENOPROTOOPT",
    "[4] True",
    "[8197] b'' 5 b'still' EPIPE",
    "EPIPE ['pipe']",
    "[8213] b'' EPIPE ['pipe', 'pipe']",
    "104 b''",
    "ECONNRESET b'' EPIPE",
    "b'onetwo' 0 b'XX'",
    "EAGAIN True 4 (b'abcd', [], 0, None)",
    "(5, [], 0, None) (bytearray(b'123'), bytearray(b'45\\x00\\x00\\x00'))",
    "1048576 True 0",
    "records",
    "b'fir' (b'sec', [], 32, None) EAGAIN",
    "b'lon\\x00\\x00\\x00\\x00\\x00' 0 b''",
    "b'' EPIPE",
    "2 2 (b'd1', None) b'd2'",
    "ECONNREFUSED EAGAIN",
    "named",
    "EINVAL EINVAL EINVAL ENOTCONN ENOTCONN",
    "[20]",
    "None /tmp/socket True EINVAL",
    "ECONNREFUSED EADDRINUSE ENOENT ECONNREFUSED ENXIO",
    "[] 1",
    "[1] EISCONN /tmp/socket  5",
    "'' /tmp/socket  b'early' 4 b'back'",
    "True",
    "[None, None, 'EAGAIN', 'EAGAIN']",
    "EPROTOTYPE EPROTOTYPE",
    "ECONNRESET EPIPE",
    "ECONNREFUSED",
    "None b''",
    "abstract",
    "b'\\x00some name' EADDRINUSE None b'\\x00some name'",
    "None EINVAL",
    "6 (b'to two', b'\\x00d1') 6 (b'to one', '/tmp/d2')",
    "1 b'x' b'\\x00d1' ENOTCONN EPERM 4 (b'anon', None)",
    "0 b'' ENOTSUP ENOTSUP",
    "ECONNREFUSED",
    "others",
    "3 b'hello you'",
    "[]",
    "bye",
    "[8209] b''",
    "EPIPE",
    "3 b'hello you'",
    "[]",
    "bye",
    "[8209] b''",
    "EPIPE",
];

/// Holds: sockets.
#[test]
fn sockets_match_linux() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let run = "python3 /tmp/sockets";
    let script = format!(
        "cat > /tmp/sockets <<'END'{SOCKETS}END\n{run}\nremote -b b {run}\n{run} remote -b b\nremote -b b {run} remote -b a\n"
    );
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, [SOCKETS_SAY; 4].concat(), "{text}");
}

/// Descriptors along with messages; its arguments are in front of the command of who gets some elsewhere.
const RIGHTS: &str = r#"
import array, errno, fcntl, os, socket, sys, time
far = sys.argv[1:]
def name(call):
    try:
        return call()
    except OSError as error:
        return errno.errorcode[error.errno]
U, S, D, Q = socket.AF_UNIX, socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET
def rights(*numbers):
    return [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", numbers))]
def numbers(message):
    return [n for _, _, data in message[1] for n in array.array("i", data)]
print("pair")
a, b = socket.socketpair()
r, w = os.pipe()
print(a.send(b"before"), a.sendmsg([b"with"], rights(w)), a.send(b"behind"))
os.close(w)
m = b.recvmsg(100, socket.CMSG_SPACE(4))
print(m[0], len(m[1]), m[2], b.recv(100))
w, = numbers(m)
print(os.write(w, b"through"), os.read(r, 9), fcntl.fcntl(w, fcntl.F_GETFD), os.close(w), os.read(r, 9))
f = os.open("/tmp/scm", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
os.write(f, b"0123456789")
os.lseek(f, 3, 0)
print(a.sendmsg([b"x"], rights(f, f, a.fileno())))
m = b.recvmsg(1, socket.CMSG_SPACE(12), socket.MSG_CMSG_CLOEXEC)
g = numbers(m)
print(len(g), len(set(g)), [fcntl.fcntl(x, fcntl.F_GETFD) for x in g], os.read(g[0], 3), os.read(f, 2), os.lseek(g[1], 0, 1), m[2] & ~0x40000000)
os.close(f)
print(os.pread(g[0], 2, 0), os.write(g[2], b"by a"), b.recv(9))
for x in g: os.close(x)
r, w = os.pipe()
r2, w2 = os.pipe()
print(a.sendmsg([b"y"], rights(w, w2)))
os.close(w); os.close(w2)
m = b.recvmsg(9, socket.CMSG_SPACE(4) - 4)
print(len(numbers(m)), m[2], os.read(r2, 1))
os.close(numbers(m)[0])
print(os.read(r, 1))
def lost(drop):
    r, w = os.pipe()
    a, b = socket.socketpair()
    a.sendmsg([b"z"], rights(w))
    os.close(w)
    os.set_blocking(r, False)
    early = name(lambda: os.read(r, 1))
    drop(a, b)
    os.set_blocking(r, True)
    print(early, os.read(r, 1))
lost(lambda a, b: print(b.recv(9)))
lost(lambda a, b: print(os.read(b.fileno(), 9)))
lost(lambda a, b: print(b.recvmsg(9)[0]))
lost(lambda a, b: b.close())
lost(lambda a, b: (a.close(), b.close()))
print(name(lambda: a.sendmsg([b"x"], rights(99))), name(lambda: a.sendmsg([b"x"], [(socket.SOL_SOCKET, 77, b"abcd")])), name(lambda: b.recv(1, socket.MSG_DONTWAIT)))
print("records")
a, b = socket.socketpair(U, Q)
r, w = os.pipe()
print(a.send(b"one"), a.sendmsg([b"t", b"wo"], rights(r)), a.sendmsg([b""], rights(w)), b.recvmsg(9, 100)[:2])
m, n = b.recvmsg(9, 100), b.recvmsg(9, 100)
os.close(r); os.close(w)
print(m[0], n[0], os.write(numbers(n)[0], b"records"), os.read(numbers(m)[0], 9))
print("others")
OTHER = """
import array, os, socket
c = socket.socket(socket.AF_UNIX)
c.connect("/tmp/scm.socket")
m = c.recvmsg(9, 100)
r, w, s, f = array.array("i", m[1][0][2])
os.write(w, b"from there " + os.read(r, 9) + os.read(f, 9))
os.write(s, b"socket")
p, q = os.pipe()
os.write(q, b"in another's pipe")
os.close(q)
c.sendmsg([b"back"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [p]))])
"""
l = socket.socket(U, S)
l.bind("/tmp/scm.socket")
l.listen()
pid = os.fork()
if pid == 0:
    command = far + ["python3", "-c", OTHER]
    os.execvp(command[0], command)
s, _ = l.accept()
(r, w), (r2, w2), (x, y) = os.pipe(), os.pipe(), socket.socketpair()
f = os.open("/tmp/scm", os.O_RDONLY)
os.lseek(f, 5, 0)
os.write(w, b"words ")
print(s.sendmsg([b"take"], rights(r, w2, x.fileno(), f)))
for n in r, w2: os.close(n)
x.close()
print(os.read(r2, 30), y.recv(9))
m = s.recvmsg(9, 100)
os.waitpid(pid, 0)
print(m[0], os.read(numbers(m)[0], 30), os.read(numbers(m)[0], 30), os.read(r2, 9), y.recv(9), os.lseek(f, 0, 1))
os.unlink("/tmp/scm.socket")
from multiprocessing import Pipe, Process, reduction
def work(c):
    n = reduction.recv_handle(c)
    os.write(n, b"handle")
c, d = Pipe()
p = Process(target=work, args=(d,))
p.start()
r, w = os.pipe()
reduction.send_handle(c, w, p.pid)
p.join()
print(os.read(r, 9), p.exitcode)
"#;

/// As Linux printed it.
const RIGHTS_SAY: &[&str] = &[
    "pair",
    "6 4 6",
    "b'beforewith' 1 0 b'behind'",
    "7 b'through' 0 None b''",
    "1",
    "3 3 [1, 1, 1] b'345' b'67' 8 0",
    "b'01' 4 b'by a'",
    "1",
    "1 8 b''",
    "b''",
    "b'z'",
    "EAGAIN b''",
    "b'z'",
    "EAGAIN b''",
    "b'z'",
    "EAGAIN b''",
    "EAGAIN b''",
    "EAGAIN b''",
    "EBADF EINVAL EAGAIN",
    "records",
    "3 3 0 (b'one', [])",
    "b'two' b'' 7 b'records'",
    "others",
    "4",
    "b'from there words 56789' b'socket'",
    "b'back' b\"in another's pipe\" b'' b'' b'' 10",
    "b'handle' 0",
];

/// Holds: descriptors-in-flight.
#[test]
fn socket_rights_match_linux() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let run = "python3 /tmp/rights";
    let script = format!(
        "cat > /tmp/rights <<'END'{RIGHTS}END\n{run}\nremote -b b {run}\n{run} remote -b b\nremote -b b {run} remote -b a\n"
    );
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, [RIGHTS_SAY; 4].concat(), "{text}");
}
