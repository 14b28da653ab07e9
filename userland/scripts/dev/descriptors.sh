# What programs share through descriptors, and what waits.
cat > d.py <<'P'
import ctypes, fcntl, os, select, signal, struct
libc = ctypes.CDLL(None, use_errno=True)
def has(fd, flag): return bool(fcntl.fcntl(fd, fcntl.F_GETFL) & flag)
def put(fd, flag, on):
    flags = fcntl.fcntl(fd, fcntl.F_GETFL)
    fcntl.fcntl(fd, fcntl.F_SETFL, flags | flag if on else flags & ~flag)
def child(*what):
    pid = os.fork()
    if pid == 0:
        put(*what)
        os._exit(0)
    os.waitpid(pid, 0)
def tries(what):
    try: return what()
    except OSError as error: return error.errno
r, w = os.pipe()
child(r, os.O_NONBLOCK, True)
print('pipe', has(r, os.O_NONBLOCK), has(w, os.O_NONBLOCK), tries(lambda: os.read(r, 1)))
put(os.dup(r), os.O_NONBLOCK, False)
put(os.dup(w), os.O_NONBLOCK, True)
print('copies', has(r, os.O_NONBLOCK), has(w, os.O_NONBLOCK))
print('room', [tries(lambda: os.write(w, b'x' * 4096)) for _ in range(17)])
f = os.open('f', os.O_CREAT | os.O_RDWR)
os.write(f, b'12345')
child(f, os.O_APPEND, True)
os.lseek(f, 0, 0)
print('append', has(f, os.O_APPEND), os.write(f, b'67'), os.lseek(f, 0, 1), os.pread(f, 100, 0))
os.lseek(f, 0, 0)
print(os.write(f, b'y' * 9000), os.lseek(f, 0, 1), os.pwrite(f, b'zz', 0), os.pwrite(f, b'z' * 5000, 0), os.fstat(f).st_size)
os.lseek(f, 0, 0)
print(os.writev(f, [b'v' * 3000] * 3), os.pwritev(f, [b'p'] * 3, 0), os.fstat(f).st_size)
child(f, os.O_APPEND, False)
os.lseek(f, 0, 0)
print(has(f, os.O_APPEND), os.write(f, b'q' * 9000), os.lseek(f, 0, 1), os.pwritev(f, [b'p'] * 3, 0), os.fstat(f).st_size)
def moved(to, wrote): return wrote, to, os.lseek(f, 0, 1), os.fstat(f).st_size
for many in 1, 3000:
    print('ends', moved(os.lseek(f, 3, 0), os.pwritev(f, [b'end' * many] * 3, 0, os.RWF_APPEND)))
    print('ends', moved(os.lseek(f, 3, 0), os.pwritev(f, [b'end' * many], -1, os.RWF_APPEND)))
    put(f, os.O_APPEND, True)
    print('ends', moved(os.lseek(f, 3, 0), os.pwrite(f, b'end' * many, 0)))
    put(f, os.O_APPEND, False)
e = libc.eventfd(0, 0)
child(e, os.O_NONBLOCK, True)
print('count', has(e, os.O_NONBLOCK), tries(lambda: os.read(e, 8)))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
s = libc.syscall(74, -1, struct.pack('Q', 1 << (signal.SIGUSR1 - 1)), 8, 0)
watches = select.epoll()
watches.register(s, select.EPOLLIN)
copy = os.dup(s)
os.close(s)
os.kill(os.getpid(), signal.SIGUSR1)
print('signals', watches.poll(0.1) == [(s, select.EPOLLIN)], len(os.read(copy, 128)))
one = os.fork()
if one == 0: os._exit(3)
print('group', tries(lambda: os.waitid(os.P_PGID, 1, os.WEXITED)), os.waitid(os.P_PGID, os.getpgid(0), os.WEXITED).si_status)
P
python3 d.py
