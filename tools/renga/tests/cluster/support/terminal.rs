//! A session of `renga` on a pseudo-terminal, as a person has it.

use super::Renga;
use super::renga::{ClusterSlot, Collected, collect};
use super::stop;
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Stdio};
use std::sync::PoisonError;
use std::thread;
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(10);

/// The session; it ends with this.
pub struct TerminalSession {
    keyboard: File,
    /// The program's side.
    line: File,
    run: Child,
    screen: Collected,
    /// What a wait has seen of it.
    seen: usize,
    limit: Duration,
    _slot: Option<ClusterSlot>,
}

impl TerminalSession {
    /// Starts a run.
    pub fn start(run: Renga) -> TerminalSession {
        let (mut command, slot, limit) = run.into_parts();
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("there are such");
        grantpt(&keyboard).and_then(|()| unlockpt(&keyboard)).expect("it is ours");
        let name = ptsname(&keyboard, Vec::new()).expect("it has a name").into_string().expect("a plain name");
        let mut options = File::options();
        options.read(true).write(true).custom_flags(OFlags::NOCTTY.bits() as i32);
        let line = options.open(&name).expect("it was unlocked");
        let standard = || Stdio::from(line.try_clone().expect("it is open"));
        let run = command.stdin(standard()).stdout(standard()).stderr(standard()).spawn().expect("renga starts");
        let keyboard = File::from(keyboard);
        let screen = Collected::default();
        // It ends when nobody has the program's side any more.
        collect(keyboard.try_clone().expect("it is open"), &screen);
        TerminalSession { keyboard, line, run, screen, seen: 0, limit, _slot: slot }
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// Types, and waits until all of these words are shown, behind what the last wait has seen.
    pub fn after(&mut self, keys: &str, wanted: &[&str]) {
        self.keyboard.write_all(keys.as_bytes()).expect("the program reads");
        let begin = Instant::now();
        loop {
            let shown = self.shown();
            let new = shown.get(self.seen..).unwrap_or("");
            let ends: Option<Vec<usize>> = wanted.iter().map(|words| Some(new.find(words)? + words.len())).collect();
            if let Some(ends) = ends {
                self.seen += ends.into_iter().max().unwrap_or(0);
                return;
            }
            let ended = self.run.try_wait().expect("a child can be waited for");
            assert!(ended.is_none(), "it ended ({ended:?}) without {wanted:?}:\n{new}");
            assert!(begin.elapsed() < self.limit, "no {wanted:?} within {} s:\n{new}", self.limit.as_secs());
            thread::sleep(POLL);
        }
    }

    /// Types what ends the session; its status.
    pub fn end_after(mut self, keys: &str) -> i32 {
        self.keyboard.write_all(keys.as_bytes()).expect("the program reads");
        let begin = Instant::now();
        loop {
            if let Some(status) = self.run.try_wait().expect("a child can be waited for") {
                let modes = tcgetattr(&self.line).expect("a terminal").local_modes;
                assert!(modes.contains(LocalModes::ECHO | LocalModes::ICANON), "the terminal is left as {modes:?}");
                return status.code().unwrap_or(-1);
            }
            assert!(begin.elapsed() < self.limit, "no end within {} s:\n{}", self.limit.as_secs(), self.shown());
            thread::sleep(POLL);
        }
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        if self.run.try_wait().is_ok_and(|status| status.is_none()) {
            stop(self.run.id());
            // Killed, it can only be waited for.
            let _ = self.run.wait();
        }
    }
}
