import errno, os, resource, shutil, signal, subprocess, sys, time
def name(call):
    try:
        return call()
    except OSError as error:
        return errno.errorcode[error.errno]
def show(*words):
    print(*words, flush=True)
def child(body):
    pid = os.fork()
    if pid == 0:
        try:
            body()
        finally:
            os._exit(0)
    show("ended", os.waitpid(pid, 0)[1])
def ids():
    lines = open("/proc/self/status").read().splitlines()
    return [line.split()[1:] for line in lines if line.split(":")[0] in ("Uid", "Gid", "Groups", "CapEff")]
def become(uid, gid, groups=[]):
    os.setgroups(groups); os.setresgid(gid, gid, gid); os.setresuid(uid, uid, uid)
top = "/tmp/users"
os.mkdir(top); os.chmod(top, 0o755)
for path, mode in [("open", 0o777), ("sticky", 0o1777), ("closed", 0o700), ("given", 0o2777)]:
    os.mkdir(f"{top}/{path}"); os.chmod(f"{top}/{path}", mode)
os.chown(top + "/given", 0, 77)
for path, mode, uid, gid in [("read", 0o644, 0, 0), ("secret", 0o600, 0, 0), ("shared", 0o660, 0, 50), ("closed/f", 0o666, 0, 0), ("sticky/root", 0o666, 0, 0), ("sticky/own", 0o600, 1000, 1000)]:
    open(f"{top}/{path}", "w").write("text\n"); os.chown(f"{top}/{path}", uid, gid); os.chmod(f"{top}/{path}", mode)
os.symlink("../closed/f", top + "/open/link"); os.symlink(top + "/read", top + "/open/absolute")
shutil.copy("/usr/bin/id", top + "/id"); os.chown(top + "/id", 33, 34); os.chmod(top + "/id", 0o6755)
shutil.copy("/usr/bin/id", top + "/run"); os.chmod(top + "/run", 0o711)
keeper = os.getpid()
def user():
    become(1000, 1000, [60, 50])
    show(os.getresuid(), os.getresgid(), os.getgroups(), ids())
    show(name(lambda: os.setuid(0)), name(lambda: os.setgroups([])), name(lambda: os.seteuid(1000)), name(lambda: os.setregid(-1, 0)))
    read = lambda path: name(lambda: open(f"{top}/{path}").read().strip())
    show(*[read(path) for path in ("read", "secret", "shared", "closed/f", "open/link", "open/absolute", "none", "read/x", "closed/none")])
    opened = lambda path, flags: name(lambda: os.close(os.open(f"{top}/{path}", flags, 0o666)))
    show(*[opened(path, flags) for path, flags in (("read", os.O_WRONLY), ("shared", os.O_RDWR | os.O_TRUNC), ("read", os.O_RDONLY | os.O_TRUNC), ("read", os.O_NOATIME), ("sticky/own", os.O_NOATIME), ("new", os.O_CREAT), ("open/new", os.O_CREAT | os.O_WRONLY), ("given/new", os.O_CREAT | os.O_EXCL), ("secret", os.O_PATH))])
    show(*[os.stat(f"{top}/{path}")[4:6] for path in ("open/new", "given/new")])
    show(*[os.access(f"{top}/{path}", mode) for path, mode in (("secret", 0), ("secret", 4), ("shared", 6), ("closed/f", 0), ("run", 1), ("run", 4))])
    show(*[name(call) for call in (lambda: os.mkdir(top + "/dir"), lambda: os.mkdir(top + "/given/dir"), lambda: os.unlink(top + "/read"), lambda: os.unlink(top + "/sticky/root"), lambda: os.unlink(top + "/sticky/own"), lambda: os.rename(top + "/read", top + "/open/read"), lambda: os.link(top + "/read", top + "/read2"), lambda: os.mknod(top + "/open/dev", 0o020666, 0x103), lambda: os.rmdir(top + "/closed"), lambda: os.symlink("x", top + "/open/x"))])
    show(oct(os.stat(top + "/given/dir").st_mode), os.stat(top + "/given/dir").st_gid)
    show(*[name(call) for call in (lambda: os.chmod(top + "/read", 0o777), lambda: os.chmod(top + "/open/new", 0o6755), lambda: os.chown(top + "/open/new", -1, 60), lambda: os.chown(top + "/open/new", -1, 61), lambda: os.chown(top + "/open/new", 0, -1), lambda: os.chown(top + "/read", -1, 1000), lambda: os.utime(top + "/shared"), lambda: os.utime(top + "/shared", (1, 1)), lambda: os.utime(top + "/read"), lambda: os.truncate(top + "/read", 0), lambda: os.chroot(top), lambda: os.chdir(top + "/closed"), lambda: os.chdir(top + "/open"))])
    show(oct(os.stat("new").st_mode), os.stat("new").st_gid, read("open/../read"))
    show(*[name(call) for call in (lambda: os.kill(keeper, 0), lambda: os.kill(keeper, signal.SIGTERM), lambda: os.kill(keeper, signal.SIGCONT), lambda: os.kill(os.getpid(), 0), lambda: os.setpriority(os.PRIO_PROCESS, keeper, 3), lambda: os.nice(2), lambda: os.nice(-1), lambda: time.clock_settime(time.CLOCK_REALTIME, 1), lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)), lambda: os.sched_setaffinity(keeper, {0}))])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    run = lambda *words: subprocess.run(words, capture_output=True, text=True).stdout.strip()
    show(run(top + "/id", "-u"), run(top + "/id", "-ru"), run(top + "/id", "-g"), run(top + "/id", "-rg"), run(top + "/id", "-G"), run(top + "/run", "-u"), run("/bin/sh", "-c", "echo $HOME; cd /tmp; : > /etc/x || :"))
    show(name(lambda: os.execv(top + "/read", ["x"])), name(lambda: os.execv(top + "/closed/f", ["x"])), name(lambda: os.execv(top + "/none", ["x"])))
    show(name(lambda: open("/proc/self/environ").read() != ""), name(lambda: os.readlink("/proc/self/cwd")), name(lambda: open("/proc/self/cwd/../read").read()), name(lambda: open("/proc/self/cwd/../secret").read()))
child(user)
def two():
    os.setresuid(1000, 2000, 3000)
    show(ids()[0], os.access(top + "/secret", 4), name(lambda: os.setreuid(-1, 1000)), os.getresuid(), name(lambda: os.setresuid(-1, 2000, -1)))
child(two)
def effective():
    os.seteuid(1000)
    show(name(lambda: open(top + "/secret").read()), os.access(top + "/secret", 4), os.access(top + "/secret", 4, effective_ids=True), name(lambda: os.mkdir(top + "/as-user")))
    os.seteuid(0)
    show(open(top + "/secret").read().strip(), os.getresuid())
child(effective)
show("root", oct(os.stat(top + "/id").st_mode), os.access(top + "/secret", 7), os.access(top + "/run", 1), os.getgroups() == [] or os.getgroups() == [0])
os.chown(top + "/id", 0, 0)
show(oct(os.stat(top + "/id").st_mode))
