//! Roots of one's own (chroot), of programs of both boards.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};

/// Runs on Linux and on each board.
const ROOTS: &str = r#"
import errno, os, sys
def name(call):
    try:
        return call()
    except OSError as error:
        return errno.errorcode[error.errno]
def show(*words):
    print(*words, flush=True)
top = "/tmp/roots"
os.makedirs(top + "/in/deep/er")
os.mkdir(top + "/out")
open(top + "/in/file", "w").write("inside\n")
open(top + "/file", "w").write("outside\n")
os.symlink("/file", top + "/in/absolute")
os.symlink("../../../file", top + "/in/deep/above")
os.symlink("deep/er", top + "/in/near")
os.chmod(top + "/in/file", 0o644)
def child(body):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            body()
        finally:
            sys.stdout.flush()
            os._exit(0)
    show("ended", os.waitpid(pid, 0)[1])
def read(path):
    return name(lambda: open(path).read().strip())
def inside():
    os.chdir(top)
    before, proc, out = os.open("/", os.O_RDONLY), os.open("/proc/self", os.O_PATH), os.open("out", os.O_RDONLY)
    show(name(lambda: os.chroot(top + "/in/file")), name(lambda: os.chroot("no")), name(lambda: os.chroot("")))
    os.chroot("in")
    show("cwd", name(os.getcwd), read("file"), read("../roots/file"), read("/file"))
    os.chdir("/")
    show("root", os.getcwd(), sorted(os.listdir("/")), os.stat("/").st_ino == os.stat("..").st_ino, os.stat("/../..").st_ino == os.stat("/").st_ino)
    show(read("/absolute"), read("/deep/above"), read("/deep/../../../file"), read("/near/../../../../file"), os.readlink("absolute"))
    show(read("/tmp/roots/file"), name(lambda: os.stat("/proc/self")), name(lambda: os.listdir("/dev")))
    os.chdir("/near")
    show(os.getcwd(), os.path.realpath("../../.."))
    os.mkdir("/made"); os.mkdir("/deep/er/../../../../made/two")
    os.rename("/../made/two", "/two"); os.link("/file", "/../hard"); os.symlink("/hard", "/soft")
    os.truncate("/soft", 3); os.chmod("/../soft", 0o600)
    open("/soft", "a").write("new")
    show(sorted(os.listdir("/")), read("/hard"), oct(os.stat("/file").st_mode), name(lambda: os.rmdir("/")), name(lambda: os.rmdir("/..")), name(lambda: os.rename("/..", "/x")))
    os.unlink("/soft"); os.unlink("/hard"); os.rmdir("/two"); os.rmdir("/made")
    show("links", os.readlink("root", dir_fd=proc), os.readlink(f"fd/{out}", dir_fd=proc), os.readlink("cwd", dir_fd=proc))
    show(os.stat("root", dir_fd=proc).st_ino == os.stat("/").st_ino)
    os.chdir("/deep")
    os.chroot("er")
    show("again", name(os.getcwd), os.listdir("/"), sorted(os.listdir("..")), name(lambda: os.execv("/bin/true", ["true"])))
    os.fchdir(out)
    show("fchdir", sorted(os.listdir("..")), read("../file"), read("/file"), name(lambda: os.open("../in/absolute", 0)))
    show(name(lambda: os.stat("tmp", dir_fd=before).st_ino > 0), name(lambda: os.stat("/tmp", dir_fd=before)))
    def grandchild():
        show("grandchild", os.listdir("/"), name(os.getcwd))
        os.fchdir(before)
        os.chroot(".")
        show("free", read("/tmp/roots/file"), os.getcwd(), os.readlink("/proc/self/root"))
    child(grandchild)
    os.chdir("/")
    os.rmdir("tmp/roots/in/deep/er", dir_fd=before)
    show("removed", name(lambda: os.stat("/x")), name(os.getcwd), name(lambda: os.open("/x", os.O_CREAT)))
child(inside)
show("outside", read("/tmp/roots/file"), read("/tmp/roots/in/file"), os.readlink("/proc/self/root"), sorted(os.listdir(top + "/in")))
"#;

/// As Linux printed it.
const ROOTS_SAY: &[&str] = &[
    "ENOTDIR ENOENT ENOENT",
    "cwd ENOENT outside outside inside",
    "root / ['absolute', 'deep', 'file', 'near'] True True",
    "inside inside inside inside /file",
    "ENOENT ENOENT ENOENT",
    "/deep/er /",
    "['absolute', 'deep', 'file', 'hard', 'made', 'near', 'soft', 'two'] insnew 0o100600 EBUSY ENOTEMPTY EBUSY",
    "links / /tmp/roots/out /deep/er",
    "True",
    "again ENOENT [] ['absolute', 'deep', 'file', 'near'] ENOENT",
    "fchdir ['file', 'in', 'out'] outside ENOENT ENOENT",
    "True ENOENT",
    "grandchild [] ENOENT",
    "free outside / /",
    "ended 0",
    "removed ENOENT ENOENT ENOENT",
    "ended 0",
    "outside outside insnew / ['absolute', 'deep', 'file', 'near']",
];

/// Holds: timers-locks.
#[test]
fn chroot_paths_match_linux() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script =
        format!("cat > /tmp/r <<'END'{ROOTS}END\npython3 /tmp/r\nrm -r /tmp/roots\nremote -b b python3 /tmp/r\n");
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, [ROOTS_SAY, ROOTS_SAY].concat(), "{text}");
}

/// Its programs see nothing of the disk but `/tmp/in`: on b, and from there on a again.
const TRAVELS: &str = r#"
mkdir -p /tmp/in/bin; cp /bin/busybox /bin/remote /tmp/in/bin; echo out > /tmp/f; echo in > /tmp/in/f
chroot /tmp/in /bin/busybox sh -c '/bin/remote -b b /bin/busybox sh -c "/bin/busybox pwd; cd ..
  /bin/busybox cat /f ../f; exec /bin/remote -b a /bin/busybox ls .."'
chroot /tmp/in /bin/busybox sleep 2 & sleep 1; remote -b b readlink /proc/$!/root; wait
chroot /tmp/in /bin/remote -b b /bin/busybox sleep 2 & sleep 1
for pid in $(pidof busybox); do readlink /proc/$pid/root; done; wait
"#;

#[test]
fn chroot_follows_remote_fork() {
    if !clusters_can_run() {
        return;
    }
    let text = Renga::script(TRAVELS).end().expect_status(0).text();
    let lines: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(lines, ["/", "in", "in", "bin", "f", "/tmp/in", "/tmp/in"], "{text}");
}

/// A directory is removed that a process has as the working directory, or as the root; another gets its number.
const REUSED: &str = r#"
mkdir /tmp/d; number=$(stat -c %i /tmp/d); cd /tmp/d
remote -b b sh -c 'rmdir /tmp/d; mkdir /tmp/e'
(echo oops > f) 2> /dev/null || echo refused
remote -b b sh -c '(echo oops > f) 2> /dev/null || echo refused'
cd /; [ $number = $(stat -c %i /tmp/e) ] && echo reused; ls /tmp/e
mkdir -p /tmp/jail/bin; number=$(stat -c %i /tmp/jail); cp /bin/busybox /tmp/jail/bin
{ sleep 1; echo; } | chroot /tmp/jail /bin/busybox sh -c 'read line; (echo oops > /f) 2>&1 || echo refused' &
sleep .3; rm -r /tmp/jail; mkdir /tmp/home; [ $number = $(stat -c %i /tmp/home) ] && echo reused; wait; ls /tmp/home
"#;

/// Holds: removed-dirs.
#[test]
fn chroot_removed_directory_is_not_its_inode_successor() {
    if !clusters_can_run() {
        return;
    }
    let text = Renga::script(REUSED).end().expect_status(0).text();
    let messages = ["refused", "reused", "oops", "f"];
    let lines: Vec<&str> = text.lines().filter(|line| messages.contains(line)).collect();
    assert_eq!(lines, ["refused", "refused", "reused", "reused", "refused"], "{text}");
}
