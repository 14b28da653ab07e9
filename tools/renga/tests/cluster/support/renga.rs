//! Running `renga` as a user would, under a limit.

use super::{children, root, stop, system};
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Clusters that run at once: each keeps two cores busy.
const CLUSTERS_MAX: usize = 2;
/// How long a run of two boards may take on the host, with the build of a kernel beside other clusters; more boards may
/// take longer.
const LIMIT: Duration = Duration::from_secs(900);
/// Virtual seconds after which a run that hangs ends by itself.
const VIRTUAL_LIMIT_S: &str = "7200";
const POLL: Duration = Duration::from_millis(20);

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit status; -1 if it was killed.
    pub status: i32,
    /// The console of the board that owns the disk.
    pub stdout: Vec<u8>,
    /// The rest: other consoles, kernel log, complaints.
    pub stderr: String,
    /// How long it took on the host.
    pub took: Duration,
}

impl Ended {
    /// Standard output as text, without carriage returns.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).replace('\r', "")
    }

    /// Fails unless the run ended with `status`.
    pub fn expect_status(self, status: i32) -> Ended {
        assert!(self.status == status, "status {} instead of {status}\n{}", self.status, self.report());
        self
    }

    /// Fails unless the output is `expected`.
    pub fn expect_text(self, expected: &str) -> Ended {
        let found = self.text();
        let difference = || super::difference("output", expected, &found);
        assert!(found == expected, "{}\n{}", difference(), self.report());
        self
    }

    /// The figure after `name` in what `--stats` printed.
    pub fn figure(&self, name: &str) -> &str {
        let line = self.stderr.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no `{name}` in\n{}", self.report())).trim()
    }

    /// Those figures of a run with `--stats`, with their names.
    pub fn figures(&self, names: &[&str]) -> Vec<String> {
        names.iter().map(|name| format!("{name}: {}", self.figure(name))).collect()
    }

    /// Virtual seconds of a run with `--stats`.
    pub fn virtual_s(&self) -> f64 {
        let figure = self.figure("virtual time").trim_end_matches(" s");
        figure.parse().unwrap_or_else(|_| panic!("not a time: {figure}"))
    }

    /// Frames of a run with `--stats`.
    pub fn frames(&self) -> u32 {
        let figure = self.figure("frames").split(' ').next().and_then(|figure| figure.parse().ok());
        figure.unwrap_or_else(|| panic!("no number of frames: {}", self.report()))
    }

    /// Everything, for a person.
    pub fn report(&self) -> String {
        format!(
            "--- after {:.1} s, status {}\n--- standard output\n{}\n--- standard error (with the kernels' log)\n{}",
            self.took.as_secs_f64(),
            self.status,
            self.text(),
            self.stderr
        )
    }
}

/// How long a run of the system under test may take.
fn limit() -> Duration {
    LIMIT * u32::try_from(system::boards().len()).unwrap_or(u32::MAX) / 2
}

/// Whether boards can boot here; if not, the test that asks is skipped.
pub fn clusters_can_run() -> bool {
    let can = std::env::var_os("RENGA_QEMU").is_some_and(|qemu| !qemu.is_empty());
    if !can {
        renga_skip::skipped("RENGA_QEMU is not set (use ./renga test)");
    }
    can
}

/// A run of `renga` in the making.
pub struct Renga {
    command: Command,
    input: Receiver<Vec<u8>>,
    boots: bool,
    limit: Duration,
}

impl Renga {
    /// Any subcommand.
    pub fn command(arguments: &[&str]) -> Renga {
        let mut command = Command::new(env!("CARGO_BIN_EXE_renga"));
        command.env("RENGA_ROOT", root()).args(arguments);
        Renga { command, input: channel().1, boots: false, limit: limit() }
    }

    /// `renga run`, with the kernels' log and a limit of virtual time; of the system under test unless another is
    /// named.
    pub fn run() -> Renga {
        let mut run = Renga::command(&["run", "--log", "--limit-s", VIRTUAL_LIMIT_S]);
        run.boots = true;
        run
    }

    /// The same without the log, for a terminal.
    pub fn session() -> Renga {
        Renga { boots: true, ..Renga::command(&["run", "--limit-s", VIRTUAL_LIMIT_S]) }
    }

    /// `renga linux`.
    pub fn linux() -> Renga {
        Renga { boots: true, ..Renga::command(&["linux"]) }
    }

    /// `renga bench what`.
    pub fn bench(what: &str) -> Renga {
        Renga { boots: true, ..Renga::command(&["bench", what]) }
    }

    /// `renga run -c script`.
    pub fn script(script: &str) -> Renga {
        Renga::run().with(["-c", script])
    }

    /// Further arguments.
    pub fn with(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Renga {
        self.command.args(arguments.into_iter().map(Into::into));
        self
    }

    /// Runs it by this program, as its last arguments.
    pub fn below(mut self, program: &[&str]) -> Renga {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).arg(self.command.get_program()).args(self.command.get_args());
        for (name, value) in self.command.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        self.command = command;
        self
    }

    /// A setting of the environment.
    pub fn setting(mut self, name: &str, value: &str) -> Renga {
        self.command.env(name, value);
        self
    }

    /// What comes on its standard input; without it, nothing.
    pub fn input(self, input: &[u8]) -> Renga {
        let (keys, typed) = channel();
        keys.send(input.to_vec()).expect("it is listened to");
        self.input_from(typed)
    }

    /// As [`Renga::input`], of arriving input, until no sender is left.
    pub fn input_from(mut self, typed: Receiver<Vec<u8>>) -> Renga {
        self.input = typed;
        self
    }

    /// It may take so long instead of what others may.
    pub fn within(mut self, limit: Duration) -> Renga {
        self.limit = limit;
        self
    }

    /// The program to start, while a cluster of its kind may run, and how long it may take.
    pub(super) fn into_parts(mut self) -> (Command, Option<ClusterSlot>, Duration) {
        let slot = self.boots.then(ClusterSlot::wait);
        let arguments: Vec<&OsStr> = self.command.get_args().collect();
        if arguments.first() == Some(&OsStr::new("run")) && !arguments.contains(&OsStr::new("--system")) {
            self.command.args(["--system", &system::name()]);
        }
        (self.command, slot, self.limit)
    }

    /// Runs it to its end.
    pub fn end(self) -> Ended {
        self.end_disturbed(|_, _| false)
    }

    /// Runs it; `disturb` is called again and again with its process id and its output so far, until it says that it
    /// has done its work.
    pub fn end_disturbed(mut self, mut disturb: impl FnMut(u32, &[u8]) -> bool) -> Ended {
        let input = std::mem::replace(&mut self.input, channel().1);
        let (mut command, _slot, limit) = self.into_parts();
        let begin = Instant::now();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running::start(command.spawn().expect("renga starts"), input);
        let mut disturbed = false;
        loop {
            if let Some(status) = running.child.try_wait().expect("a child can be waited for") {
                let (stdout, stderr) = running.outputs();
                let stderr = String::from_utf8_lossy(&stderr).into_owned();
                return Ended { status: status.code().unwrap_or(-1), stdout, stderr, took: begin.elapsed() };
            }
            if begin.elapsed() > limit {
                stop(running.child.id());
                let (stdout, stderr) = running.outputs();
                let stderr = String::from_utf8_lossy(&stderr).into_owned();
                let ended = Ended { status: -1, stdout, stderr, took: begin.elapsed() };
                panic!("no end within {} s\n{}", limit.as_secs(), ended.report());
            }
            if !disturbed {
                let so_far = running.stdout.lock().unwrap_or_else(PoisonError::into_inner).clone();
                disturbed = disturb(running.child.id(), &so_far);
            }
            thread::sleep(POLL);
        }
    }
}

pub(super) type Collected = std::sync::Arc<Mutex<Vec<u8>>>;

/// A process and what it has printed. It and its children end with this.
struct Running {
    child: Child,
    stdout: Collected,
    stderr: Collected,
    readers: Vec<thread::JoinHandle<()>>,
}

impl Running {
    fn start(mut child: Child, input: Receiver<Vec<u8>>) -> Running {
        let (stdout, stderr) = (Collected::default(), Collected::default());
        let mut stdin = child.stdin.take().expect("it was asked for");
        let readers = vec![
            collect(child.stdout.take().expect("it was asked for"), &stdout),
            collect(child.stderr.take().expect("it was asked for"), &stderr),
        ];
        // A program that ends before it has read all of it is no failure.
        thread::spawn(move || input.iter().try_for_each(|typed| stdin.write_all(&typed)));
        Running { child, stdout, stderr, readers }
    }

    fn outputs(&mut self) -> (Vec<u8>, Vec<u8>) {
        for reader in self.readers.drain(..) {
            reader.join().expect("a reader does not panic");
        }
        let take =
            |collected: &Collected| std::mem::take(&mut *collected.lock().unwrap_or_else(PoisonError::into_inner));
        (take(&self.stdout), take(&self.stderr))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let id = self.child.id();
            for (child, _) in children(id) {
                stop(child);
            }
            stop(id);
            let _ = self.child.wait();
        }
    }
}

pub(super) fn collect(mut from: impl Read + Send + 'static, to: &Collected) -> thread::JoinHandle<()> {
    let to = Collected::clone(to);
    thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut chunk) {
            to.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&chunk[..count]);
        }
    })
}

/// One of the clusters that may run.
pub(super) struct ClusterSlot;

static RUNNING: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

impl ClusterSlot {
    fn wait() -> ClusterSlot {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        while *running == CLUSTERS_MAX {
            running = ENDED.wait(running).unwrap_or_else(PoisonError::into_inner);
        }
        *running += 1;
        ClusterSlot
    }
}

impl Drop for ClusterSlot {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_one();
    }
}
