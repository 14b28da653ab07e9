//! The console of real boards, with scripted peers, or emulated boards, behind pseudo-terminals. No adapter was used.

mod boards;
mod doctor;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// No wait is longer; on an idle machine the longest takes four seconds.
const LIMIT: Duration = Duration::from_secs(300);

/// The other end of a serial line.
struct Peer {
    file: File,
    path: String,
    /// Kept open: a line without a user vanishes.
    _line: File,
}

impl Peer {
    fn new() -> Peer {
        let file = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
            .expect("this host has pseudo-terminals");
        grantpt(&file).and_then(|()| unlockpt(&file)).expect("this host has pseudo-terminals");
        let path = ptsname(&file, Vec::new()).expect("it has a name").into_string().expect("a plain name");
        let mut options = File::options();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, OFlags::NOCTTY.bits() as i32);
        let line = options.read(true).write(true).open(&path).expect("it was unlocked");
        Peer { file: File::from(file), path, _line: line }
    }

    /// Waits for exactly this from the console.
    fn expect(&mut self, wanted: &str) {
        let mut found = vec![0; wanted.len()];
        let mut file = self.file.try_clone().expect("a second handle");
        let (done, read) = channel();
        std::thread::spawn(move || done.send(file.read_exact(&mut found).map(|()| found)));
        let found = read.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("the console does not type {wanted:?}"));
        assert_eq!(String::from_utf8_lossy(&found.expect("the line is there")), wanted);
    }

    fn say(&mut self, text: &[u8]) {
        self.file.write_all(text).expect("the console listens");
    }
}

/// A console with its keyboard; it ends with this.
struct Console {
    child: Child,
    keyboard: ChildStdin,
    /// What it has printed, and its messages.
    screen: Arc<Mutex<Vec<u8>>>,
    messages: Arc<Mutex<Vec<u8>>>,
}

impl Drop for Console {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Console {
    fn start(arguments: &[&str]) -> Console {
        let mut renga = Command::new(env!("CARGO_BIN_EXE_renga-serial"));
        renga.env("RENGA_ROOT", Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).arg("console").args(arguments);
        renga.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = renga.spawn().expect("renga starts");
        let keyboard = child.stdin.take().expect("it is piped");
        let screen = collect(child.stdout.take().expect("it is piped"));
        let messages = collect(child.stderr.take().expect("it is piped"));
        Console { child, keyboard, screen, messages }
    }

    fn type_line(&mut self, line: &str) {
        self.keyboard.write_all(line.as_bytes()).expect("the console reads");
    }

    fn screen(&self) -> String {
        text_of(&self.screen)
    }

    fn messages(&self) -> String {
        text_of(&self.messages)
    }

    /// Waits until the screen shows all of `wanted`.
    fn wait_for_screen(&self, wanted: &[&str]) {
        self.wait_for(&self.screen, wanted);
    }

    fn wait_for_messages(&self, wanted: &[&str]) {
        self.wait_for(&self.messages, wanted);
    }

    fn wait_for(&self, text: &Mutex<Vec<u8>>, wanted: &[&str]) {
        wait_until(
            || wanted.iter().all(|words| text_of(text).contains(words)),
            || format!("it says {wanted:?}:\n{}\n{}", self.screen(), self.messages()),
        );
    }

    /// Waits for its end, and for the last of what it prints.
    fn wait(&mut self) -> ExitStatus {
        let Console { child, screen, messages, .. } = self;
        let mut status = None;
        wait_until(
            || {
                status = status.or(child.try_wait().expect("it is a child"));
                status.is_some() && [&screen, &messages].iter().all(|text| Arc::strong_count(text) == 1)
            },
            || format!("it ends:\n{}\n{}", text_of(screen), text_of(messages)),
        );
        status.expect("it has ended")
    }
}

/// Collects what comes out of a pipe until its end.
fn collect(mut pipe: impl Read + Send + 'static) -> Arc<Mutex<Vec<u8>>> {
    let text = Arc::new(Mutex::new(Vec::new()));
    let copy = text.clone();
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(count @ 1..) = pipe.read(&mut chunk) {
            copy.lock().expect("no reader panics").extend(&chunk[..count]);
        }
    });
    text
}

fn text_of(bytes: &Mutex<Vec<u8>>) -> String {
    String::from_utf8_lossy(&bytes.lock().expect("no collector panics")).into_owned()
}

/// Waits until `condition` holds, for at most [`LIMIT`].
fn wait_until(mut condition: impl FnMut() -> bool, awaited: impl Fn() -> String) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < LIMIT, "after {LIMIT:?} it is not so that {}", awaited());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Holds: console.
#[test]
fn console_input_and_output_are_passed_and_recorded() {
    let folder = std::env::temp_dir().join(format!("renga-console-{}", std::process::id()));
    let (mut a, mut b) = (Peer::new(), Peer::new());
    let (first, second) = (format!("{}=a", a.path), format!("{}=b", b.path));
    let mut console = Console::start(&[&first, &second, "--out", folder.to_str().expect("a plain name")]);
    console.type_line("uname -n\n");
    a.expect("uname -n\n");
    // Raw: nothing is turned into something else on the way, in neither direction.
    a.say(b"a\r\n");
    console.type_line("\x1db\n");
    console.type_line("ls\n");
    b.expect("ls\n");
    b.say(b"bin\x03\x04 etc\n");
    console.wait_for_screen(&["[a] a\r\n", "[b] bin\x03\x04 etc\n"]);
    // A console ends with its lines.
    drop((a, b));
    assert!(console.wait().success(), "{}", console.messages());
    assert_eq!(fs::read(folder.join("b.serial")).expect("it is recorded"), b"bin\x03\x04 etc\n");
    assert_eq!(fs::read(folder.join("a.serial")).expect("it is recorded"), b"a\r\n");
    let _ = fs::remove_dir_all(folder);
}

/// Holds: console.
#[test]
fn console_quit_leaves_boards_running() {
    let peer = Peer::new();
    let mut console = Console::start(&[&peer.path]);
    console.type_line("\x1dquit\n");
    assert!(console.wait().success());
}

#[test]
fn console_non_serial_port_is_refused() {
    for (port, reason) in [("/no/such/port", "cannot open"), ("/dev/null", "is no serial port")] {
        let mut console = Console::start(&[port]);
        let status = console.wait();
        assert!(status.code() == Some(125) && console.messages().contains(reason), "{}", console.messages());
    }
    assert_eq!(Console::start(&["=a"]).wait().code(), Some(2));
}
