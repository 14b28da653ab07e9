//! Sockets with internet addresses, of the programs of one board and of two.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};

/// Runs on Linux and on each board, whose own addresses it uses.
const ONE_BOARD: &str = r#"
import errno, fcntl, os, select, signal, socket, struct, sys, termios, time
own = socket.gethostbyname(os.uname().nodename)
def name(call):
    try:
        return call()
    except OSError as error:
        return errno.errorcode[error.errno]
I, J, S, D, Q = socket.AF_INET, socket.AF_INET6, socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET
SOL = socket.SOL_SOCKET
signal.signal(signal.SIGPIPE, signal.SIG_IGN)
print("make")
def make(*arguments):
    return name(lambda: socket.socket(*arguments).close())
print(make(I, S), make(I, D), make(J, S, 6), make(J, D, 17), make(I, Q), make(I, S, 17), make(I, D, 6), name(lambda: socket.socketpair(I, S)))
print("names")
l = socket.socket(I, S)
print(l.getsockname(), name(lambda: l.getpeername()), name(lambda: l.recv(1)), name(lambda: l.send(b"x")), name(lambda: l.accept()))
print(name(lambda: l.bind(("10.9.9.9", 5000))), name(lambda: l.bind(("1.2.3.4", 0))), name(lambda: l.connect(("127.0.0.1", 1))))
print([l.getsockopt(SOL, o) for o in (socket.SO_TYPE, socket.SO_ERROR, socket.SO_DOMAIN, socket.SO_PROTOCOL, socket.SO_ACCEPTCONN, socket.SO_REUSEADDR)])
l.close()
l = socket.socket(I, S)
print(l.setsockopt(SOL, socket.SO_REUSEADDR, 1), l.getsockopt(SOL, socket.SO_REUSEADDR), l.bind(("0.0.0.0", 5000)), l.getsockname(), name(lambda: l.bind(("127.0.0.1", 5001))))
c = socket.socket(I, S)
print(name(lambda: c.connect(("127.0.0.1", 5000))))
for other in ("127.0.0.1", 5000), ("0.0.0.0", 5000), (own, 5000):
    x = socket.socket(I, S)
    print(name(lambda: x.bind(other)))
x = socket.socket(J, S)
print(name(lambda: x.bind(("::", 5000))), x.setsockopt(41, 26, 1), name(lambda: x.bind(("::", 5000))), x.getsockname(), x.getsockopt(41, 26))
x.close()
print(l.listen(5), name(lambda: l.listen(7)), l.getsockopt(SOL, socket.SO_ACCEPTCONN), name(lambda: l.recv(1)))
poll = select.poll()
poll.register(l)
print([e for _, e in poll.poll(0)])
print("stream")
c = socket.socket(I, S)
print(c.connect(("127.0.0.1", 5000)), name(lambda: c.connect(("127.0.0.1", 5000))), [e for _, e in poll.poll(0)])
s, who = l.accept()
print(who == c.getsockname(), who[0], c.getpeername(), s.getsockname(), s.getpeername() == who, 32768 <= who[1] < 61000)
print(c.send(b"question"), s.recv(3), s.recv(9, socket.MSG_PEEK), s.recv(9), s.sendmsg([b"an", b"swer"]), c.recvmsg(9)[0])
print(name(lambda: s.recv(1, socket.MSG_DONTWAIT)), c.send(b"12345"), struct.unpack("i", fcntl.ioctl(s, termios.FIONREAD, bytes(4))), s.recvfrom(9))
poll = select.poll()
poll.register(c, 0x2017)
print([e for _, e in poll.poll(0)], s.shutdown(socket.SHUT_WR), [e for _, e in poll.poll(0)], c.recv(9), c.send(b"more"), s.recv(9))
print(c.shutdown(socket.SHUT_WR), [e for _, e in poll.poll(0)], s.recv(9), name(lambda: c.send(b"x")))
s.close(); c.close()
c = socket.create_connection(("localhost", 5000)); s, _ = l.accept()
c.send(b"unread"); s.close()
print(name(lambda: c.recv(9)), c.recv(9))
c.close()
c = socket.create_connection(("127.0.0.1", 5000)); s, _ = l.accept()
s.sendall(b"last"); s.close()
print(c.recv(9), c.recv(9), c.getsockopt(SOL, socket.SO_ERROR))
c.close()
c = socket.create_connection(("0.0.0.0", 5000)); s, _ = l.accept()
print(c.getpeername(), s.getpeername()[0])
s.setblocking(False)
data = bytes(range(256)) * 2048
if os.fork() == 0:
    c.sendall(data)
    os._exit(0)
c.close()
s.setblocking(True)
whole = bytearray()
while part := s.recv(65536):
    whole += part
print(len(whole), whole == data, os.wait()[1])
s.close()
c = socket.socket(I, S)
c.setblocking(False)
print(name(lambda: c.connect(("127.0.0.1", 5000))) in (None, "EINPROGRESS"), select.select([], [c], [], 5)[1] == [c], c.getsockopt(SOL, socket.SO_ERROR), name(lambda: c.connect(("127.0.0.1", 5000))) in (None, "EISCONN"))
c.close()
l.close()
c = socket.socket(I, S)
print(name(lambda: c.connect(("127.0.0.1", 5000))), name(lambda: socket.socket(I, S).connect(("127.0.0.1", 0))))
l = socket.socket(I, S)
print(l.listen(), l.getsockname()[0], l.getsockname()[1] > 0)
l.close()
l = socket.socket(J, S)
l.bind(("::", 5001)); l.listen()
c = socket.create_connection(("127.0.0.1", 5001)); s, who = l.accept()
print(who[0], who[2:], s.getsockname(), c.getpeername(), who[1] == c.getsockname()[1])
c = socket.create_connection(("::1", 5001)); s, who = l.accept()
print(who[0], s.getsockname(), c.getpeername())
c = socket.socket(J, S)
print(c.connect(("::ffff:127.0.0.1", 5001)), c.getpeername(), c.getsockname()[0], name(lambda: socket.socket(J, S).connect(("fd99::5", 5001))) in ("ENETUNREACH", "EHOSTUNREACH"))
l.close()
p, q = socket.socket(I, S), socket.socket(I, S)
for x in p, q:
    x.setsockopt(SOL, socket.SO_REUSEPORT, 1)
    x.bind(("127.0.0.1", 5002)); x.listen()
x = socket.socket(I, S)
print(name(lambda: x.bind(("127.0.0.1", 5002))))
p.close(); q.close()
print("datagram")
d, e = socket.socket(I, D), socket.socket(I, D)
print(d.bind(("127.0.0.1", 6000)), d.getsockname(), name(lambda: e.send(b"x")), e.sendto(b"one", ("127.0.0.1", 6000)), e.getsockname()[0])
bytes_, who = d.recvfrom(9)
print(bytes_, who[0], who[1] == e.getsockname()[1], d.sendto(b"back", who), e.recvfrom(9))
e.close()
print(d.sendto(b"nobody", who), name(lambda: d.recv(9, socket.MSG_DONTWAIT)))
e = socket.socket(I, D)
print(e.connect(("127.0.0.1", 6000)), e.getsockname()[0], e.getpeername(), e.send(b"two"), e.sendmsg([b"thr", b"ee"]), d.recv(2), d.recvmsg(2)[2], name(lambda: d.recv(1, socket.MSG_DONTWAIT)))
f = socket.socket(I, D)
print(f.sendto(b"other", e.getsockname()), name(lambda: e.recv(9, socket.MSG_DONTWAIT)), d.sendto(b"mine", e.getsockname()), e.recv(9), e.send(b""), d.recv(9))
at = d.getsockname()
d.close()
print(e.send(b"x"), name(lambda: e.recv(9, socket.MSG_DONTWAIT)), e.send(b"x"), e.getsockopt(SOL, socket.SO_ERROR), name(lambda: e.listen()), name(lambda: e.accept()))
x = socket.socket(I, D)
print(x.bind(("", 6001)), x.getsockname(), name(lambda: f.sendto(b"x", ("127.0.0.1", 0))), f.sendto(b"any", ("0.0.0.0", 6001)), x.recv(9))
y = socket.socket(I, D)
print(name(lambda: y.bind(("", 6001))), name(lambda: y.sendto(bytes(70000), ("127.0.0.1", 6001))))
print("options")
c = socket.socket(I, S)
T = socket.IPPROTO_TCP
print([c.getsockopt(T, o) for o in (1, 3, 4, 5, 6, 7, 9, 12)], c.setsockopt(T, socket.TCP_NODELAY, 7), c.getsockopt(T, 1), c.setsockopt(T, 4, 60), c.getsockopt(T, 4))
print(c.setsockopt(SOL, socket.SO_LINGER, struct.pack("ii", 1, 5)), struct.unpack("ii", c.getsockopt(SOL, socket.SO_LINGER, 8)), c.setsockopt(SOL, socket.SO_KEEPALIVE, 1), c.getsockopt(SOL, socket.SO_KEEPALIVE))
print(c.setsockopt(0, 1, 16), c.getsockopt(0, 1), c.getsockopt(0, 2), name(lambda: c.setsockopt(T, 999, 1)), name(lambda: c.getsockopt(T, 999)), name(lambda: f.setsockopt(T, 1, 1)))
a, b = socket.socketpair()
print(name(lambda: a.setsockopt(T, 1, 1)), a.setsockopt(SOL, 2, 1), a.getsockopt(SOL, 2))
if os.getuid() == 0 and os.fork() == 0:
    os.setuid(1000)
    print(name(lambda: socket.socket(I, S).bind(("127.0.0.1", 80))), name(lambda: socket.socket(I, D).bind(("127.0.0.1", 1023))), socket.socket(I, S).bind(("127.0.0.1", 1024)), flush=True)
    os._exit(0)
os.wait()
print(socket.socket(I, S).bind(("127.0.0.1", 80)), socket.gethostbyname("a"), socket.gethostbyname("localhost"), [x[4] for x in socket.getaddrinfo("127.0.0.1", 80, type=S)])
"#;

/// As Linux printed it.
const ONE_BOARD_SAYS: &[&str] = &[
    "make",
    "None None None None ESOCKTNOSUPPORT EPROTONOSUPPORT EPROTONOSUPPORT ENOTSUP",
    "names",
    "('0.0.0.0', 0) ENOTCONN ENOTCONN EPIPE EINVAL",
    "EADDRNOTAVAIL EADDRNOTAVAIL ECONNREFUSED",
    "[1, 0, 2, 6, 0, 0]",
    "None 1 None ('0.0.0.0', 5000) EINVAL",
    "ECONNREFUSED",
    "EADDRINUSE",
    "EADDRINUSE",
    "EADDRINUSE",
    "EADDRINUSE None None ('::', 5000, 0, 0) 1",
    "None None 1 ENOTCONN",
    "[]",
    "stream",
    "None EISCONN [1]",
    "True 127.0.0.1 ('127.0.0.1', 5000) ('127.0.0.1', 5000) True True",
    "8 b'que' b'stion' b'stion' 6 b'answer'",
    "EAGAIN 5 (5,) (b'12345', None)",
    "[4] None [8197] b'' 4 b'more'",
    "None [8213] b'' EPIPE",
    "ECONNRESET b''",
    "b'last' b'' 0",
    "('127.0.0.1', 5000) 127.0.0.1",
    "524288 True 0",
    "True True 0 True",
    "ECONNREFUSED ECONNREFUSED",
    "None 0.0.0.0 True",
    "::ffff:127.0.0.1 (0, 0) ('::ffff:127.0.0.1', 5001, 0, 0) ('127.0.0.1', 5001) True",
    "::1 ('::1', 5001, 0, 0) ('::1', 5001, 0, 0)",
    "None ('::ffff:127.0.0.1', 5001, 0, 0) ::ffff:127.0.0.1 True",
    "EADDRINUSE",
    "datagram",
    "None ('127.0.0.1', 6000) EDESTADDRREQ 3 0.0.0.0",
    "b'one' 127.0.0.1 True 4 (b'back', ('127.0.0.1', 6000))",
    "6 EAGAIN",
    "None 127.0.0.1 ('127.0.0.1', 6000) 3 5 b'tw' 32 EAGAIN",
    "5 EAGAIN 4 b'mine' 0 b''",
    "1 ECONNREFUSED 1 111 ENOTSUP ENOTSUP",
    "None ('0.0.0.0', 6001) EINVAL 3 b'any'",
    "EADDRINUSE EMSGSIZE",
    "options",
    "[0, 0, 7200, 75, 9, 6, 0, 1] None 1 None 60",
    "None (1, 5) None 1",
    "None 16 64 ENOPROTOOPT ENOPROTOOPT ENOPROTOOPT",
    "ENOTSUP None 1",
    "EACCES EACCES None",
    "None 10.0.0.1 127.0.0.1 [('127.0.0.1', 80)]",
];

/// A server, and a client that runs behind the command in the arguments.
const TWO_BOARDS: &str = r#"
import os, select, socket, sys
far, own = sys.argv[1:], os.uname().nodename
other = (sys.argv[3:] or [own])[0]
CLIENT = """
import errno, os, socket, sys, time
own, other = os.uname().nodename, sys.argv[1]
address = socket.gethostbyname
def name(call):
    try:
        return call()
    except OSError as error:
        return errno.errorcode[error.errno]
c = socket.create_connection((other, 7000))
print(c.getsockname()[0] == address(own), c.getpeername() == (address(other), 7000))
print(c.recv(100), c.send(b"question"), c.recv(100), c.shutdown(socket.SHUT_WR), c.recv(100))
sent = bytes(range(256)) * 1000
c = socket.create_connection((other, 7000))
print(c.sendall(sent), c.shutdown(socket.SHUT_WR), c.recv(100, socket.MSG_WAITALL))
print(name(lambda: socket.create_connection((other, 7001))), name(lambda: socket.create_connection((other, 7003)).close()))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print(u.sendto(b"datagram", (other, 7002)), u.recvfrom(100) == (b"margatad", (address(other), 7002)))
u.connect((other, 7002))
print(u.send(b"two"), u.recv(100), u.getsockname()[0] == address(own), u.send(b"end"), u.recv(9))
time.sleep(0.2)
print(u.send(b"nobody"), name(lambda: u.recv(9)), flush=True)
"""
l = socket.create_server(("", 7000))
local = socket.create_server(("127.0.0.1", 7003))
d = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
d.bind(("", 7002))
if os.fork() == 0:
    command = far + ["python3", "-c", CLIENT, own]
    os.execvp(command[0], command)
s, who = l.accept()
known = who[0] == socket.gethostbyname(other), s.getsockname() == (socket.gethostbyname(own), 7000)
s.send(b"hello %r %r" % known)
s.send(s.recv(100).upper())
end = s.recv(100)
s.close()
s, who = l.accept()
whole = bytearray()
while part := s.recv(10000):
    whole += part
s.send(b"%d" % len(whole))
s.close()
while True:
    select.select([d], [], [])
    data, who = d.recvfrom(100)
    if data == b"end":
        d.sendto(b"last", who)
        d.close()
        break
    d.sendto(data[::-1], who)
os.wait()
"#;

/// As Linux printed it for a client of its own.
const TWO_BOARDS_SAY: &[&str] = &[
    "True True",
    "b'hello True True' 8 b'QUESTION' None b''",
    "None None b'256000'",
    "ECONNREFUSED ECONNREFUSED",
    "8 True",
    "3 b'owt' True 3 b'last'",
    "6 ECONNREFUSED",
];

/// Holds: internet-sockets.
#[test]
fn internet_sockets_match_linux() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script = format!(
        "cat > /tmp/one <<'END'{ONE_BOARD}END\ncat > /tmp/two <<'END'{TWO_BOARDS}END\n\
         python3 /tmp/one\nremote -b b python3 /tmp/one\n\
         python3 /tmp/two\nremote -b b python3 /tmp/two\npython3 /tmp/two remote -b b\nremote -b b python3 /tmp/two remote -b a\n"
    );
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, [[ONE_BOARD_SAYS; 2].concat(), [TWO_BOARDS_SAY; 4].concat()].concat(), "{text}");
}
