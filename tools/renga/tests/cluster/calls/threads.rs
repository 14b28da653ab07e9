//! Threads of programs, and what the C library makes of words that threads and processes wait for: within a board, and
//! between processes of two boards.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};

/// Threads that share memory, files and numbers, wait for each other, run programs, get signals and are left behind.
const THREADS: &str = r#"
import os, queue, signal, subprocess, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
done, tasks, lock = [], queue.Queue(), threading.Lock()
def work():
    for number in iter(tasks.get, None):
        with lock:
            done.append(number * number)
        tasks.task_done()
workers = [threading.Thread(target=work) for _ in range(4)]
for worker in workers:
    worker.start()
for number in range(50):
    tasks.put(number)
tasks.join()
print(sum(done), len({worker.native_id for worker in workers} | {os.getpid()}))
for _ in workers:
    tasks.put(None)
for worker in workers:
    worker.join()
def run(number):
    return subprocess.run(["echo", str(number)], capture_output=True).stdout.split()
with ThreadPoolExecutor(8) as pool:
    print(*pool.map(run, range(8)))
reader, writer = os.pipe()
late = threading.Timer(0.01, os.write, (writer, b"from a thread"))
late.start()
print(os.read(reader, 99), threading.active_count() <= 2)
late.join()
caught = []
signal.signal(signal.SIGUSR1, lambda *_: caught.append(threading.current_thread() is threading.main_thread()))
sleeper = threading.Thread(target=time.sleep, args=(0.02,))
sleeper.start()
signal.pthread_kill(sleeper.ident, signal.SIGUSR1)
sleeper.join()
print(caught, threading.Event().wait(0.01))
child = os.fork()
if child == 0:
    threading.Thread(target=time.sleep, args=(9,)).start()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
"#;

/// As Linux prints it.
const THREADS_SAY: [&str; 5] = [
    "40425 5",
    "[b'0'] [b'1'] [b'2'] [b'3'] [b'4'] [b'5'] [b'6'] [b'7']",
    "b'from a thread' True",
    "[True] False",
    "7",
];

/// The first argument makes what is shared, or is 0 or 1; both of these run together.
const SHARED: &str = r#"
import ctypes, errno, mmap, os, sys, time
libc = ctypes.CDLL(None)
ROUNDS = 40
file = os.open("/tmp/shared", os.O_RDWR | os.O_CREAT)
os.ftruncate(file, 4096)
page = mmap.mmap(file, 4096)
start = ctypes.addressof(ctypes.c_char.from_buffer(page))
mutex, robust, condition, barrier, semaphore = [ctypes.c_void_p(start + 64 * n) for n in range(5)]
count, turn = [ctypes.c_long.from_buffer(page, 64 * n) for n in (5, 6)]
if sys.argv[1] == "make":
    shared = ctypes.create_string_buffer(64)
    for name, thing, more in (("mutex", mutex, []), ("cond", condition, []), ("barrier", barrier, [2])):
        getattr(libc, f"pthread_{name}attr_init")(shared)
        getattr(libc, f"pthread_{name}attr_setpshared")(shared, 1)
        getattr(libc, f"pthread_{name}_init")(thing, shared, *more)
    libc.pthread_mutexattr_init(shared)
    libc.pthread_mutexattr_setpshared(shared, 1)
    libc.pthread_mutexattr_setrobust(shared, 1)
    libc.pthread_mutex_init(robust, shared)
    libc.sem_init(semaphore, 1, 0)
    count.value = turn.value = 0
    sys.exit()
own = int(sys.argv[1])
def both():
    libc.pthread_barrier_wait(barrier)
both()
for n in range(ROUNDS):
    libc.pthread_mutex_lock(mutex)
    value = count.value
    if n % 8 == own:
        time.sleep(0.0005)
    count.value = value + 1
    libc.pthread_mutex_unlock(mutex)
both()
for n in range(ROUNDS):
    libc.pthread_mutex_lock(mutex)
    while turn.value % 2 != own:
        libc.pthread_cond_wait(condition, mutex)
    turn.value += 1
    libc.pthread_cond_broadcast(condition)
    libc.pthread_mutex_unlock(mutex)
both()
for n in range(ROUNDS):
    (libc.sem_wait if own else libc.sem_post)(semaphore)
both()
if own:
    libc.pthread_mutex_lock(robust)
    both()
    time.sleep(0.01)
    os._exit(0)
print(count.value, turn.value, libc.sem_trywait(semaphore), flush=True)
both()
print(errno.errorcode[libc.pthread_mutex_lock(robust)])
print(libc.pthread_mutex_consistent(robust), libc.pthread_mutex_unlock(robust), libc.pthread_mutex_lock(robust))
"#;

const SAYS: [&str; 3] = ["80 80 -1", "EOWNERDEAD", "0 0 0"];

#[test]
fn threads_and_shared_locks_hold_on_and_between_boards() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let run = "python3 /tmp/p make; python3 /tmp/p 0 &";
    let script = format!(
        "cat > /tmp/p <<'END'{SHARED}END\n{run} python3 /tmp/p 1; wait\n{run} remote -b b python3 /tmp/p 1; wait\n\
         cat > /tmp/t <<'END'{THREADS}END\npython3 /tmp/t; remote -b b python3 /tmp/t\n"
    );
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, [&SAYS[..], &SAYS, &THREADS_SAY, &THREADS_SAY].concat(), "{text}");
}
