//! The console of real boards, with scripted peers, or emulated boards, behind pseudo-terminals. No adapter was used.

mod boards;
mod doctor;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The other end of a serial line.
struct Peer {
    file: File,
    path: String,
    /// Kept open until the console has it: a line without a user vanishes.
    line: Option<File>,
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
        Peer { file: File::from(file), path, line: Some(line) }
    }

    /// Waits for exactly this from the console.
    fn expect(&mut self, wanted: &str) {
        let mut found = vec![0; wanted.len()];
        self.file.read_exact(&mut found).expect("the console types it");
        assert_eq!(String::from_utf8_lossy(&found), wanted);
    }

    fn say(&mut self, text: &[u8]) {
        self.file.write_all(text).expect("the console listens");
    }
}

fn console(arguments: &[&str]) -> Child {
    let mut renga = Command::new(env!("CARGO_BIN_EXE_renga-serial"));
    renga.env("RENGA_ROOT", Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).arg("console").args(arguments);
    renga.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("renga starts")
}

/// Ends the lines, and waits for the console, which then ends too.
fn end(console: Child, peers: Vec<Peer>) -> Output {
    drop(peers);
    console.wait_with_output().expect("it ends with its lines")
}

fn type_line(console: &mut Child, line: &str) {
    console.stdin.as_mut().expect("it is piped").write_all(line.as_bytes()).expect("the console reads");
}

/// Holds: console.
#[test]
fn console_input_and_output_are_passed_and_recorded() {
    let folder = std::env::temp_dir().join(format!("renga-console-{}", std::process::id()));
    let (mut a, mut b) = (Peer::new(), Peer::new());
    let (first, second) = (format!("{}=a", a.path), format!("{}=b", b.path));
    let mut console = console(&[&first, &second, "--out", folder.to_str().expect("a plain name")]);
    type_line(&mut console, "uname -n\n");
    a.expect("uname -n\n");
    // Raw: nothing is turned into something else on the way, in neither direction.
    a.say(b"a\r\n");
    type_line(&mut console, "\x1db\n");
    type_line(&mut console, "ls\n");
    b.expect("ls\n");
    b.say(b"bin\x03\x04 etc\n");
    wait_for(&folder.join("b.serial"), b"bin\x03\x04 etc\n");
    (a.line, b.line) = (None, None);
    let output = end(console, vec![a, b]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(text.contains("[a] a\r\n") && text.contains("[b] bin\x03\x04 etc\n"), "{text:?}");
    assert_eq!(fs::read(folder.join("a.serial")).expect("it is recorded"), b"a\r\n");
    let _ = fs::remove_dir_all(folder);
}

/// Waits until a file holds this: the test harness ends a test that waits for ever.
fn wait_for(path: &PathBuf, content: &[u8]) {
    while fs::read(path).unwrap_or_default() != content {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Holds: console.
#[test]
fn console_quit_leaves_boards_running() {
    let peer = Peer::new();
    let mut console = console(&[&peer.path]);
    type_line(&mut console, "\x1dquit\n");
    assert!(console.wait().expect("it ends").success());
}

#[test]
fn console_non_serial_port_is_refused() {
    for (port, reason) in [("/no/such/port", "cannot open"), ("/dev/null", "is no serial port")] {
        let output = console(&[port]).wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(125) && said.contains(reason), "{said}");
    }
    let output = console(&["=a"]).wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
}
