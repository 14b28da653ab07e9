import array, errno, fcntl, os, pty, select, signal, stat, struct, sys, termios, time, tty
# The command in front of that of a program that is to run elsewhere.
far = sys.argv[1:]
def name(call):
    try:
        return call()
    except OSError as error:
        return errno.errorcode[error.errno]
    except termios.error as error:
        return errno.errorcode[error.args[0]]
def integer(fd, request, value=0):
    return struct.unpack("i", fcntl.ioctl(fd, request, struct.pack("i", value)))[0]
def local(fd, take=0, give=0, vmin=1, vtime=0, when=termios.TCSANOW):
    a = termios.tcgetattr(fd)
    a[3] = a[3] & ~take | give
    a[6][termios.VMIN], a[6][termios.VTIME] = vmin, vtime
    termios.tcsetattr(fd, when, a)
def ready(*fds):
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN | select.POLLOUT | select.POLLPRI)
    return [e for _, e in poll.poll(0)]
def drain(fd):
    out = b""
    while select.select([fd], [], [], 0.3)[0]:
        try:
            out += os.read(fd, 4096)
        except OSError as error:
            return out, errno.errorcode[error.errno]
    return out
def until(fd, end):
    out = b""
    while end not in out:
        try:
            out += os.read(fd, 4096)
        except OSError as error:
            return out, errno.errorcode[error.errno]
    return out
def status(pid):
    s = os.waitpid(pid, 0)[1]
    return -os.WTERMSIG(s) if os.WIFSIGNALED(s) else os.WEXITSTATUS(s)

print("nodes")
m = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
n = integer(m, 0x80045430)
path = f"/dev/pts/{n}"
print(os.isatty(m), os.readlink(f"/proc/self/fd/{m}") in ("/dev/ptmx", "/dev/pts/ptmx"))
print(integer(m, 0x80045439), name(lambda: os.open(path, os.O_RDWR | os.O_NOCTTY)))
fcntl.ioctl(m, 0x40045431, struct.pack("i", 0))
s = os.open(path, os.O_RDWR | os.O_NOCTTY)
f, g = os.fstat(s), os.stat(path)
print(stat.filemode(f.st_mode), os.major(f.st_rdev), os.minor(f.st_rdev) == n, f.st_uid, f.st_gid, f.st_ino == g.st_ino)
print(os.ttyname(s) == path, str(n) in os.listdir("/dev/pts"), name(lambda: os.ttyname(0)) != path)
os.chmod(path, 0o600)
print(stat.filemode(os.stat(path).st_mode), stat.filemode(os.fstat(s).st_mode))
os.fchmod(s, 0o620)
os.chown(path, 7, 8)
g = os.stat(path)
print(stat.filemode(g.st_mode), g.st_uid, g.st_gid)
print(name(lambda: os.lseek(s, 0, 1)), name(lambda: os.pread(m, 1, 0)))
p = fcntl.ioctl(m, 0x5441, os.O_RDWR | os.O_NOCTTY)
print(os.ttyname(p) == path, name(lambda: fcntl.ioctl(s, 0x5441, os.O_RDWR)), name(lambda: integer(s, 0x80045430)))
os.close(p)
print(name(lambda: os.stat("/dev/pts/999")), name(lambda: os.open("/dev/pts/999", os.O_RDWR)))

print("settings")
a = termios.tcgetattr(s)
print([oct(x) for x in a[:4]], a[4:6], a[6])
print(termios.tcgetattr(m) == a, integer(m, 0x5411), integer(s, termios.FIONREAD))
print(struct.unpack("HHHH", fcntl.ioctl(s, termios.TIOCGWINSZ, bytes(8))))
fcntl.ioctl(m, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
print(struct.unpack("HHHH", fcntl.ioctl(s, termios.TIOCGWINSZ, bytes(8))))

print("lines")
print(os.write(m, b"abc\x7fd\n"), os.read(m, 99), os.read(s, 2), os.read(s, 99))
print(ready(m, s))
os.write(m, b"x")
print(ready(m, s), integer(s, termios.FIONREAD), integer(m, termios.FIONREAD))
os.write(m, b"\x04")
print(ready(s), os.read(s, 99), os.read(m, 99))
os.write(m, b"\x04")
print(os.read(s, 99))
os.write(m, b"one\ntwo\n")
print(os.read(s, 99), os.read(s, 99), drain(m))
os.write(m, b"a b\x17c\x16\x03\x15de\x12\n")
print(os.read(s, 99), drain(m))
os.write(s, b"out\ntab\tcr\r")
print(os.read(m, 99))
a[1] &= ~termios.OPOST
a[0] |= termios.INLCR | termios.IGNCR
a[0] &= ~termios.ICRNL
termios.tcsetattr(s, termios.TCSANOW, a)
os.write(s, b"raw\n")
os.write(m, b"q\r\x04")
print(os.read(s, 99), drain(m))
a[1] |= termios.OPOST
a[0] = a[0] & ~(termios.INLCR | termios.IGNCR) | termios.ICRNL
termios.tcsetattr(s, termios.TCSANOW, a)
local(s, take=termios.ECHO)
os.write(m, b"secret\n")
print(os.read(s, 99), drain(m))
local(s, take=termios.ECHO | termios.ECHOE, give=termios.ECHONL)
os.write(m, b"ab\x7f\n")
print(os.read(s, 99), drain(m))
local(s, give=termios.ECHO, take=termios.ECHOE | termios.ECHOCTL)
os.write(m, b"ab\x7f\x01\n")
print(os.read(s, 99), drain(m))
local(s, give=termios.ECHO | termios.ECHOE | termios.ECHOCTL)
os.write(m, b"typed\n")
termios.tcflush(s, termios.TCIFLUSH)
print(ready(s), drain(m))
os.write(m, b"typed\n")
local(s, when=termios.TCSAFLUSH)
print(ready(s), drain(m))

print("raw")
local(s, take=termios.ICANON | termios.ECHO)
os.write(m, b"ab")
print(ready(s), os.read(s, 1), os.read(s, 9))
local(s, vmin=3)
os.write(m, b"ab")
print(ready(s), select.select([s], [], [], 0)[0] == [])
os.write(m, b"cd")
print(os.read(s, 9))
local(s, vmin=0)
print(os.read(s, 9))
local(s, vmin=0, vtime=2)
t = time.monotonic()
print(os.read(s, 9), 0.1 < time.monotonic() - t < 0.9)
local(s, vmin=4, vtime=2)
os.write(m, b"xy")
t = time.monotonic()
print(os.read(s, 9), 0.1 < time.monotonic() - t < 0.9)
os.set_blocking(s, False)
print(name(lambda: os.read(s, 9)))
os.set_blocking(s, True)
os.set_blocking(m, False)
print(name(lambda: os.read(m, 9)))
os.set_blocking(m, True)
local(s, take=0, give=termios.ICANON | termios.ECHO)

print("flow")
os.write(m, b"\x13")
print(select.select([], [s], [], 0)[1] == [])
os.write(m, b"\x11")
print(os.write(s, b"go"), os.read(m, 9))
termios.tcflow(s, termios.TCOOFF)
print(select.select([], [s], [], 0)[1] == [])
termios.tcflow(s, termios.TCOON)
print(os.write(s, b"on"), os.read(m, 9))
fcntl.ioctl(m, 0x5420, struct.pack("i", 1))
os.write(s, b"data")
print(os.read(m, 9))
termios.tcflush(s, termios.TCIOFLUSH)
print(ready(m), os.read(m, 9))
termios.tcflow(s, termios.TCOOFF)
termios.tcflow(s, termios.TCOON)
print(os.read(m, 9))
a = termios.tcgetattr(s)
a[0] &= ~termios.IXON
termios.tcsetattr(s, termios.TCSANOW, a)
print(os.read(m, 9))
a[0] |= termios.IXON
termios.tcsetattr(s, termios.TCSANOW, a)
print(os.read(m, 9))
fcntl.ioctl(m, 0x5420, struct.pack("i", 0))

print("ends")
os.close(s)
print(ready(m), name(lambda: os.read(m, 9)))
s = os.open(path, os.O_RDWR | os.O_NOCTTY)
print(ready(m))
epoll = select.epoll()
epoll.register(s, select.EPOLLIN)
print(epoll.poll(0))
os.write(m, b"\n")
print([e for _, e in epoll.poll(1)], os.read(s, 9), os.read(m, 9))
os.close(m)
print([e for _, e in epoll.poll(1)], os.read(s, 9), name(lambda: os.write(s, b"x")), name(lambda: termios.tcgetattr(s)))
print(name(lambda: os.stat(path)), ready(s))
os.close(s)

print("jobs")
# A shell's child in a session of its own, with the terminal, a pipe to say what it sees, and keys from here.
def session(body):
    m, s = os.openpty()
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(m)
        os.close(r)
        os.setsid()
        try:
            body(s, lambda *words: os.write(w, (" ".join(map(str, words)) + "\n").encode()))
        except BaseException as error:
            os.write(w, repr(error).encode())
        os._exit(3)
    os.close(s)
    os.close(w)
    return pid, m, os.fdopen(r)
def leader(s, say):
    pid = os.getpid()
    say(name(lambda: os.open("/dev/tty", os.O_RDWR)), name(lambda: os.tcgetpgrp(s)), name(lambda: os.tcsetpgrp(s, pid)))
    say(name(lambda: fcntl.ioctl(s, termios.TIOCNOTTY)), name(lambda: integer(s, 0x5429)))
    t = os.open(os.ttyname(s), os.O_RDWR)
    say(os.tcgetpgrp(s) == pid, integer(s, 0x5429) == pid, name(lambda: fcntl.ioctl(s, termios.TIOCSCTTY, 0)))
    tty = os.open("/dev/tty", os.O_RDWR)
    say(os.ttyname(tty) in ("/dev/tty", os.ttyname(s)), os.isatty(tty))
    say(name(lambda: os.tcsetpgrp(s, 99999)), name(lambda: os.tcsetpgrp(s, 1)), name(lambda: os.tcsetpgrp(s, -1)))
    a, b = os.openpty()
    say(name(lambda: fcntl.ioctl(b, termios.TIOCSCTTY, 0)), name(lambda: os.tcgetpgrp(b)), integer(a, termios.TIOCGPGRP), name(lambda: integer(a, 0x5429)))
    # A group in the background, that reads and then changes the terminal.
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.read(s, 1)
        os._exit(9)
    st = os.waitpid(child, os.WUNTRACED)[1]
    say(os.WIFSTOPPED(st) and os.WSTOPSIG(st) == signal.SIGTTIN)
    os.tcsetpgrp(s, child)
    os.kill(-child, signal.SIGCONT)
    say("reads")
    say(status(child))
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(s, pid)
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        termios.tcsetattr(s, termios.TCSANOW, termios.tcgetattr(s))
        os._exit(8)
    st = os.waitpid(child, os.WUNTRACED)[1]
    say(os.WIFSTOPPED(st) and os.WSTOPSIG(st) == signal.SIGTTOU)
    os.kill(child, 9)
    os.waitpid(child, 0)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.write(s, b"background\n")
        local(s, give=termios.TOSTOP) if False else None
        os._exit(7)
    say(status(child))
    local(s, give=termios.TOSTOP)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.write(s, b"never\n")
        os._exit(7)
    st = os.waitpid(child, os.WUNTRACED)[1]
    say(os.WIFSTOPPED(st) and os.WSTOPSIG(st) == signal.SIGTTOU)
    os.kill(child, 9)
    os.waitpid(child, 0)
    for key, number in (b"^C", signal.SIGINT), (b"^Z", signal.SIGTSTP), (b"size", signal.SIGWINCH):
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            signal.signal(number, lambda *_: os._exit(40 + number))
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            os.tcsetpgrp(s, os.getpid())
            say("ready", key.decode())
            time.sleep(20)
        say(status(child))
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(s, pid)
    signal.signal(signal.SIGHUP, lambda *_: say("hung up"))
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(s, os.getpid())
        signal.signal(signal.SIGHUP, lambda *_: (say("child hung up"), os._exit(0)))
        say("ready", "close")
        time.sleep(20)
        os._exit(1)
    try:
        os.read(tty, 1)
    except OSError:
        pass
    time.sleep(0.2)
    say(os.read(s, 1), name(lambda: os.open("/dev/tty", os.O_RDWR)))
pid, m, said = session(leader)
for line in said:
    print(line, end="")
    if line == "reads\n":
        os.write(m, b"x\n")
    if line == "ready ^C\n":
        os.write(m, b"\x03")
    if line == "ready ^Z\n":
        os.write(m, b"\x1a")
    if line == "ready size\n":
        fcntl.ioctl(m, termios.TIOCSWINSZ, struct.pack("HHHH", 5, 5, 0, 0))
    if line == "ready close\n":
        time.sleep(0.2)
        os.close(m)
print(status(pid))

print("programs")
def run(command, keys=(), size=None):
    pid, m = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "linux"
        os.execvp(command[0], command)
    if size:
        fcntl.ioctl(m, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    out = b""
    for wait, key in keys:
        out += until(m, wait)
        os.write(m, key)
    while True:
        try:
            data = os.read(m, 4096)
        except OSError:
            break
        if not data:
            break
        out += data
    os.close(m)
    return out, status(pid)
print(run(far + ["sh", "-c", "test -t 0 && test -t 1 && echo terminal; tty | sed s/[0-9]*$//"]))
print(run(far + ["sh", "-c", "read x; stty size; echo got $x"], [(b"", b"line\n")], (11, 22)))
print(run(far + ["sh", "-c", "trap 'echo trapped; exit 5' INT; echo on; while :; do sleep 0.05; done"], [(b"on", b"\x03")]))
print(run(far + ["sh", "-c", "echo on; cat"], [(b"on", b"to cat\n"), (b"cat\r\nto cat\r\n", b"\x04")]))
