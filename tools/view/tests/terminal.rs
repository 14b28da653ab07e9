//! `renga top` on a terminal: what it shows there of a trace that was written by hand, its keys, and how it leaves the
//! terminal.

use renga_abi::ProcId;
use renga_trace::{ProcessKind, Timed, TraceBoard, TraceEvent, TraceHeader, TraceWriter};
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const ROWS: u16 = 20;
const COLUMNS: u16 = 120;

/// A second in which program 7 of the one board runs for 250 ms.
fn trace(complete: bool) -> PathBuf {
    let mut board = TraceBoard { name: "a".into(), ..TraceBoard::default() };
    board.add(0, 0, 0);
    let kinds = vec![ProcessKind { name: "user".into(), serves: None }];
    let mut out = TraceWriter::new(
        Vec::new(),
        &TraceHeader { boards: vec![board], kinds, protocols: Vec::new(), ..TraceHeader::default() },
    )
    .expect("memory");
    let process = ProcId::new(0, 0);
    let name = u64::from_le_bytes(*b"worker\0\0");
    let events = [
        (0, TraceEvent::Account { process, account: 1 }),
        (0, TraceEvent::Program { process, pid: 7, name, rest: 0 }),
        (0, TraceEvent::Enter { process }),
        (250_000_000, TraceEvent::Trap { process }),
        (250_000_000, TraceEvent::Idle {}),
        (1_000_000_000, TraceEvent::Alarm {}),
    ];
    for (time_ns, event) in events {
        out.write(&Timed { time_ns, board: 0, core: 0, event }).expect("memory");
    }
    if complete {
        out.finish().expect("memory");
    }
    let path = std::env::temp_dir().join(format!("renga-top-{}-{complete}", std::process::id()));
    fs::write(&path, out.into_inner()).expect("there is a folder for such files");
    path
}

/// A terminal with `renga top` on it.
struct TopTerminal {
    terminal: File,
    path: String,
    top: Child,
    screen: vt100::Parser,
}

impl TopTerminal {
    fn new(path: &Path) -> TopTerminal {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("there are such");
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("it is ours");
        let name = ptsname(&terminal, Vec::new()).expect("it has a name").into_string().expect("a plain name");
        let mut options = File::options();
        options.read(true).write(true).custom_flags(OFlags::NOCTTY.bits() as i32);
        let line = options.open(&name).expect("it was unlocked");
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).expect("a terminal has a size");
        let standard = || Stdio::from(line.try_clone().expect("it is open"));
        let mut renga = Command::new(env!("CARGO_BIN_EXE_renga-view"));
        renga
            .env("RENGA_ROOT", Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
            .args(["top", "--speed", "12"])
            .arg(path);
        let top = renga.stdin(standard()).stdout(standard()).stderr(standard()).spawn().expect("renga starts");
        TopTerminal { terminal: File::from(terminal), path: name, top, screen: vt100::Parser::new(ROWS, COLUMNS, 0) }
    }

    /// Types, and waits until all of these words are on the screen: the test harness ends a test that waits for ever.
    fn after(&mut self, keys: &str, wanted: &[&str]) {
        self.terminal.write_all(keys.as_bytes()).expect("the program reads");
        let mut chunk = [0; 4096];
        loop {
            let found = self.screen.screen().contents();
            if wanted.iter().all(|words| found.contains(words)) {
                return;
            }
            let count = self.terminal.read(&mut chunk).unwrap_or(0);
            assert!(count > 0, "it ended without {wanted:?}:\n{found}");
            self.screen.process(&chunk[..count]);
        }
    }
}

/// Holds: top-keys.
#[test]
fn top_on_terminal_obeys_keys_and_restores_terminal() {
    let path = trace(true);
    let mut top = TopTerminal::new(&path);
    let kept: File = File::options().read(true).write(true).open(&top.path).expect("the terminal is there");
    top.after("", &["1000000.000 us", "the end", "intervals of 100 ms"]);
    top.after("w", &["all since the beginning", "programs 25.0%"]);
    top.after("2", &["worker", "on its behalf %"]);
    top.after("\x1b[H", &["0.000 us  stopped"]);
    top.after("nn", &["200000.000 us  stopped"]);
    top.after("w", &["programs100.0%"]);
    top.after("h", &["the last interval or all since the beginning"]);
    let raw = tcgetattr(&kept).expect("a terminal");
    top.terminal.write_all(b"q").expect("it listens");
    assert!(top.top.wait().expect("it ends").success());
    let left = tcgetattr(&kept).expect("a terminal");
    use rustix::termios::LocalModes;
    assert!(
        !raw.local_modes.contains(LocalModes::ECHO) && left.local_modes.contains(LocalModes::ECHO | LocalModes::ICANON)
    );
    fs::remove_file(path).expect("it was written");
}

#[test]
fn top_on_terminal_follows_growing_trace() {
    let path = trace(false);
    let mut top = TopTerminal::new(&path);
    top.after("", &["1000000.000 us", "goes along with the run"]);
    top.after("\x03", &[]);
    assert!(top.top.wait().expect("it ends").success());
    fs::remove_file(path).expect("it was written");
}

#[test]
fn top_missing_trace_is_refused_before_terminal_changes() {
    let mut renga = Command::new(env!("CARGO_BIN_EXE_renga-view"));
    let output = renga.args(["top", "/no/such/trace"]).output().expect("renga starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(125));
    assert!(said.contains("there is no file /no/such/trace: `renga run --trace /no/such/trace` writes it"), "{said}");
}
