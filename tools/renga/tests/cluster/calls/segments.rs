//! Shared memory of System V: as on Linux on each board, and between boards.

use crate::images::packages_can_be_had;
use crate::support::{Renga, Scratch, clusters_can_run};

/// Each line is what a call answers: an error's number, or what was found.
const RULES: &str = r#"
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
libc.shmdt.argtypes = [ctypes.c_void_p]
CREAT, EXCL, RDONLY, RND, BAD = 0o1000, 0o2000, 0o10000, 0o20000, ctypes.c_void_p(-1).value
def result(answer): return -ctypes.get_errno() if answer in (-1, BAD) else 'done'
key = 0x61000000 | os.getpid()
print('absent', result(libc.shmget(key, 100, 0o600)))
print('empty', result(libc.shmget(key, 0, CREAT | 0o600)))
one = libc.shmget(key, 8192, CREAT | EXCL | 0o600)
print('made', one >= 0, 'again', result(libc.shmget(key, 8192, CREAT | EXCL | 0o600)))
print('found', libc.shmget(key, 0, 0) == one, libc.shmget(key, 8192, CREAT | 0o600) == one)
print('larger', result(libc.shmget(key, 8193, 0)))
at = libc.shmat(one, None, 0)
print('zero', ctypes.string_at(at, 4), 'beside', result(libc.shmat(one, at + 4096, 0)), result(libc.shmat(one, at + 1, 0)))
if os.fork() == 0:
    ctypes.memmove(at, b'child', 5)
    ctypes.memmove(at + 8100, b'end', 3)
    os._exit(0)
print('status', os.wait()[1], ctypes.string_at(at, 5), ctypes.string_at(at + 8100, 3))
read = libc.shmat(one, None, RDONLY)
print('read', read != at, ctypes.string_at(read, 5))
child = os.fork()
if child == 0:
    ctypes.memmove(read, b'x', 1)
    os._exit(0)
print('written', os.wait()[1] & 127)
status = ctypes.create_string_buffer(112)
print('stat', result(libc.shmctl(one, 2, status)))
k, uid, gid, cuid, cgid, mode = struct.unpack_from('6I', status.raw)
print(k == key, uid, gid, cuid, cgid, oct(mode), *struct.unpack_from('Q', status.raw, 48), *struct.unpack_from('Q', status.raw, 88))
print('lock', result(libc.shmctl(one, 11, None)), 'none', result(libc.shmctl(one, 99, None)), result(libc.shmctl(0x7effffff, 2, status)))
print('left', result(libc.shmdt(read)), result(libc.shmdt(read)), result(libc.shmdt(at + 4096)))
if os.fork() == 0:
    os.setgid(1000); os.setuid(1000)
    print('user', result(libc.shmget(key, 0, 0o600)), result(libc.shmat(one, None, 0)), result(libc.shmctl(one, 0, None)), flush=True)
    own = libc.shmget(0, 10, 0o600)
    print('own', own >= 0, result(libc.shmctl(own, 0, None)), flush=True)
    os._exit(0)
os.wait()
print('removed', result(libc.shmctl(one, 0, None)), result(libc.shmget(key, 0, 0)), ctypes.string_at(at, 5))
# Of many that make and remove the segment of a key at once each finds a whole one.
race = key + 1
for _ in range(4):
    if os.fork() == 0:
        found = set()
        for _ in range(40):
            made = libc.shmget(race, 4096, CREAT | 0o600)
            found.add(result(made))
            libc.shmctl(made, 0, None)
        os._exit(found != {'done'})
print('race', [os.wait()[1] for _ in range(4)])
two = libc.shmget(key, 4096, CREAT | 0o644)
print('new', ctypes.string_at(libc.shmat(two, None, 0), 5), ctypes.string_at(at, 5), result(libc.shmctl(two, 0, None)))
print('left', result(libc.shmdt(at)), result(libc.shmdt(at)))
"#;

/// A segment of one board is attached on the other one, whose bytes are there at once.
const BETWEEN_BOARDS: &str = r#"
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
one = libc.shmget(0x62000001, 4096, 0o1600)
at = libc.shmat(one, None, 0)
if len(sys.argv) > 1:
    print(os.uname().nodename, ctypes.string_at(at, 6))
    ctypes.memmove(at, b'from b', 6)
else:
    ctypes.memmove(at, b'from a', 6)
    subprocess.run(['remote', '-b', 'b', 'python3', sys.argv[0], 'b'], check=True)
    print(os.uname().nodename, ctypes.string_at(at, 6), libc.shmctl(one, 0, None))
"#;

#[test]
fn segments_of_shared_memory_match_linux() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let scratch = Scratch::new("segments");
    let files = [scratch.write("rules.py", RULES.as_bytes()), scratch.write("between.py", BETWEEN_BOARDS.as_bytes())];
    let with_files = |renga: Renga| {
        let puts = files.iter().flat_map(|file| ["--put".into(), file.clone().into_os_string()]);
        renga.with(["--image", "dev"]).with(puts)
    };
    let script = "python3 /host/rules.py 2>&1";
    let linux = with_files(Renga::linux().with(["-c", script])).end().expect_status(0).text();
    assert!(linux.contains("status 0 b'child' b'end'"), "{linux}");
    let script =
        format!("{script}; echo BOARD; remote -b b {script}; echo BOARD; python3 /host/between.py; ls -A /dev/shm");
    let renga = with_files(Renga::script(&script)).end().expect_status(0).text();
    let parts: Vec<&str> = renga.split("BOARD\n").collect();
    assert_eq!(parts, [&*linux, &*linux, "b b'from a'\na b'from b' 0\n"]);
}
