//! Workers: programs that do random work, and compare every result with the model.
//!
//! Invariant: a worker uses names of its own directory only, so what it must find does not depend on
//! the others. A result that differs panics with what was done. Not here: what is left in the end.

use super::actions::{WorkerAction, WrittenData};
use super::known::KnownFiles;
use crate::program::{Open, SimProgram};
use renga_abi::Errno;

/// A sleep that a signal ends, unless its sender is gone.
const SLEEP_NS: u64 = 10_000_000_000;
/// The program that workers' children become.
pub const TOOL: &str = "/bin/tool";

/// Does `actions` with names in `folder`.
pub async fn run(program: SimProgram, folder: String, actions: Vec<WorkerAction>, files: KnownFiles) -> u8 {
    for (index, action) in actions.into_iter().enumerate() {
        files.begin_action();
        Worker { program: &program, folder: &folder, index, files: &files }.act(action).await;
    }
    0
}

/// The tool: exits with the status in its arguments.
pub async fn tool(tool: SimProgram) -> u8 {
    let arguments = tool.arguments().await;
    assert!(arguments.len() == 2 && arguments[0] == TOOL, "arguments: {arguments:?}");
    arguments[1].parse().unwrap_or(255)
}

/// What a call that cannot fail returned.
pub fn expect<T>(result: Result<T, Errno>, what: &str) -> T {
    result.unwrap_or_else(|errno| panic!("{what}: {errno:?}"))
}

struct Worker<'a> {
    program: &'a SimProgram,
    folder: &'a str,
    index: usize,
    files: &'a KnownFiles,
}

impl Worker<'_> {
    fn name(&self, file: u64) -> String {
        format!("{}/f{file}", self.folder)
    }
    fn context(&self, action: &str) -> String {
        format!("worker of {}, action {} ({action})", self.folder, self.index)
    }
    fn model(&self, name: &str) -> Option<Vec<u8>> {
        self.files.content(name)
    }
    fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        self.files.change(name, change);
    }
    /// What a call of this worker returned.
    async fn ok<T>(&self, result: Result<T, Errno>, what: &str) -> T {
        self.files.expect(self.program, self.folder, result, what).await
    }

    async fn open(&self, name: &str, how: Open, what: &str) -> u64 {
        self.ok(self.program.open(name, how).await, &format!("{what}, open {name}")).await
    }
    async fn close(&self, file: u64, what: &str) {
        self.ok(self.program.close(file).await, &format!("{what}, close")).await;
    }

    /// What is not as in the model.
    async fn wrong<T>(&self, what: String) -> T {
        self.files.wrong(self.program, self.folder, what).await
    }
    /// Ends the worker if something is not as it must be.
    async fn must(&self, is: bool, what: impl FnOnce() -> String) {
        if !is {
            self.wrong(what()).await
        }
    }

    async fn act(&self, action: WorkerAction) {
        if self.files.is_uncertain() {
            self.files.give_up::<()>(self.program, self.folder).await;
        }
        for file in action.changes() {
            self.files.touch(&self.name(file));
        }
        match action {
            WorkerAction::Write { file, offset, bytes } => self.write(&self.name(file), offset, &bytes).await,
            WorkerAction::Append { file, bytes, sync } => self.append(&self.name(file), &bytes, sync).await,
            WorkerAction::Truncate { file, bytes } => self.truncate(&self.name(file), bytes).await,
            WorkerAction::Read { file, step } => self.read(&self.name(file), step).await,
            WorkerAction::Rename { from, to } => self.rename(&self.name(from), &self.name(to)).await,
            WorkerAction::Unlink { file } => self.unlink(&self.name(file)).await,
            WorkerAction::Share { file, board, bytes, status } => {
                self.share(&self.name(file), board, bytes, status).await;
            }
            WorkerAction::Filter { feeder, filter, bytes, step } => self.filter(feeder, filter, bytes, step).await,
            WorkerAction::Kill { board, signal } => self.kill(board, signal).await,
            WorkerAction::Execute { board, status } => self.execute(board, status).await,
            WorkerAction::Sleep { time_ns } => {
                let slept = self.program.sleep(time_ns).await;
                assert!(matches!(slept, Ok(()) | Err(Errno::EINTR)), "{}: {slept:?}", self.context("sleep"));
            }
        }
    }

    async fn write(&self, name: &str, offset: u64, bytes: &[u8]) {
        let what = self.context("write");
        let file = self.open(name, Open::Create, &what).await;
        let mut done = 0;
        // A fault can cut a write short, and the next one reveals which it was. Each iteration writes something.
        while done < bytes.len() {
            let written = self.program.write_at(file, offset + done as u64, &bytes[done..]).await;
            let written = self.ok(written, &what).await;
            done += written;
            let fine = done == bytes.len() || (written > 0 && self.files.is_faulty());
            self.must(fine, || format!("{what}: {done} bytes of {}", bytes.len())).await;
        }
        self.close(file, &what).await;
        self.change(name, |content| {
            let end = offset as usize + bytes.len();
            content.resize(content.len().max(end), 0);
            content[offset as usize..end].copy_from_slice(bytes);
        });
    }

    async fn append(&self, name: &str, bytes: &[u8], sync: bool) {
        let what = self.context("append");
        let file = self.open(name, Open::Append, &what).await;
        self.ok(self.program.write_all(file, bytes).await, &what).await;
        if sync {
            self.ok(self.program.sync(file).await, &what).await;
        }
        self.close(file, &what).await;
        self.change(name, |content| content.extend(bytes));
        if sync {
            self.files.promise(name);
        }
    }

    async fn truncate(&self, name: &str, bytes: u64) {
        let what = self.context("truncate");
        match (self.program.open(name, Open::Change).await, self.model(name)) {
            (Ok(file), Some(_)) => {
                self.ok(self.program.truncate(file, bytes).await, &what).await;
                self.close(file, &what).await;
                self.change(name, |content| content.resize(bytes as usize, 0));
            }
            (Err(Errno::ENOENT), None) => {}
            (Err(errno), _) if self.files.explains(errno) => self.files.give_up(self.program, self.folder).await,
            (got, known) => {
                self.wrong(format!("{what}: {got:?}, the model has {:?}", known.map(|known| known.len()))).await
            }
        }
    }

    async fn read(&self, name: &str, step: usize) {
        let what = self.context("read");
        match (self.program.open(name, Open::Read).await, self.model(name)) {
            (Ok(file), Some(content)) => {
                let end = self.ok(self.program.seek(file, 0, 2).await, &what).await;
                self.must(end == content.len() as u64, || format!("{what}: {end} bytes, not {}", content.len())).await;
                self.ok(self.program.seek(file, 0, 0).await, &what).await;
                self.same(&self.ok(self.program.read_all(file, step).await, &what).await, &content, &what).await;
                self.close(file, &what).await;
            }
            (Err(Errno::ENOENT), None) => {}
            (Err(errno), _) if self.files.explains(errno) => self.files.give_up(self.program, self.folder).await,
            (got, known) => {
                self.wrong(format!("{what}: {got:?}, the model has {:?}", known.map(|known| known.len()))).await
            }
        }
    }

    async fn rename(&self, from: &str, to: &str) {
        let what = self.context("rename");
        match (self.program.rename(from, to).await, self.model(from)) {
            (Ok(()), Some(content)) => {
                self.files.remove(from);
                self.files.change(to, |there| *there = content);
            }
            (Err(Errno::ENOENT), None) => {}
            (Err(errno), _) if self.files.explains(errno) => self.files.give_up(self.program, self.folder).await,
            (got, known) => {
                self.wrong(format!("{what}: {got:?}, the model has {:?}", known.map(|known| known.len()))).await
            }
        }
    }

    async fn unlink(&self, name: &str) {
        let what = self.context("unlink");
        let Some(content) = self.model(name) else {
            return match self.program.unlink(name).await {
                Err(Errno::ENOENT) => {}
                result => {
                    self.ok(result, &what).await;
                    self.wrong(format!("{what}: removed what was not there")).await
                }
            };
        };
        let file = self.open(name, Open::Read, &what).await;
        self.ok(self.program.unlink(name).await, &what).await;
        self.files.remove(name);
        self.same(&self.ok(self.program.read_all(file, 9000).await, &what).await, &content, &what).await;
        self.close(file, &what).await;
    }

    async fn share(&self, name: &str, board: u8, bytes: WrittenData, status: u8) {
        let what = self.context("share");
        let file = self.open(name, Open::Truncate, &what).await;
        let (half, context) = (bytes.len() / 2, what.clone());
        let (files, folder) = (self.files.clone(), self.folder.to_string());
        self.ok(self.program.write_all(file, &bytes[..half]).await, &what).await;
        let rest = bytes[half..].to_vec();
        let child = move |program: SimProgram| async move {
            files.expect(&program, &folder, program.write_all(file, &rest).await, &context).await;
            status
        };
        let pid = self.ok(self.program.fork_on(board, child).await, &what).await;
        self.ended(pid, u32::from(status) << 8, &what).await;
        let end = self.ok(self.program.seek(file, 0, 1).await, &what).await;
        self.must(end == bytes.len() as u64, || format!("{what}: the offset is {end}, not {}", bytes.len())).await;
        let middle = self.ok(self.program.read_at(file, half as u64, 100).await, &what).await;
        self.same(&middle, &bytes[half..bytes.len().min(half + 100)], &what).await;
        self.close(file, &what).await;
        self.change(name, |content| *content = bytes.to_vec());
    }

    async fn filter(&self, feeder: u8, filter: u8, bytes: WrittenData, step: usize) {
        let (what, program) = (self.context("filter"), self.program);
        let (from_feeder, to_filter) = self.ok(program.pipe().await, &what).await;
        let (from_filter, to_us) = self.ok(program.pipe().await, &what).await;
        let (sent, context) = (bytes.clone(), what.clone());
        let (files, folder) = (self.files.clone(), self.folder.to_string());
        let feed = move |child: SimProgram| async move {
            for end in [from_feeder, from_filter, to_us] {
                files.expect(&child, &folder, child.close(end).await, &context).await;
            }
            files.expect(&child, &folder, child.write_all(to_filter, &sent).await, &context).await;
            1
        };
        let feeder = self.ok(program.fork_on(feeder, feed).await, &what).await;
        let context = what.clone();
        let (files, folder) = (self.files.clone(), self.folder.to_string());
        let pass = move |child: SimProgram| async move {
            // Also the end behind its own: otherwise it would never learn that no reader is left.
            for end in [to_filter, from_filter] {
                files.expect(&child, &folder, child.close(end).await, &context).await;
            }
            loop {
                let mut part = files.expect(&child, &folder, child.read(from_feeder, step).await, &context).await;
                if part.is_empty() {
                    return 2;
                }
                part.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
                files.expect(&child, &folder, child.write_all(to_us, &part).await, &context).await;
            }
        };
        let filter = self.ok(program.fork_on(filter, pass).await, &what).await;
        for end in [from_feeder, to_filter, to_us] {
            self.close(end, &what).await;
        }
        let got = self.ok(program.read_all(from_filter, step).await, &what).await;
        let wanted: Vec<u8> = bytes.iter().map(|byte| byte.wrapping_add(1)).collect();
        self.close(from_filter, &what).await;
        self.ended(feeder, 1 << 8, &what).await;
        self.ended(filter, 2 << 8, &what).await;
        self.same(&got, &wanted, &what).await;
    }

    async fn kill(&self, board: u8, signal: u8) {
        let what = self.context("kill");
        let sleep = |program: SimProgram| async move {
            let _ = program.sleep(SLEEP_NS).await;
            77
        };
        let pid = self.ok(self.program.fork_on(board, sleep).await, &what).await;
        self.ok(self.program.kill(pid, signal).await, &what).await;
        self.ended(pid, u32::from(signal), &what).await;
    }

    async fn execute(&self, board: u8, status: u8) {
        let what = self.context("execute");
        let (files, folder) = (self.files.clone(), self.folder.to_string());
        let become_tool = move |program: SimProgram| async move {
            let errno = program.execute(TOOL, &[TOOL, &status.to_string()]).await;
            files.expect(&program, &folder, Err::<(), _>(errno), TOOL).await;
            0
        };
        let pid = self.ok(self.program.fork_on(board, become_tool).await, &what).await;
        self.ended(pid, u32::from(status) << 8, &what).await;
    }

    async fn ended(&self, pid: u64, status: u32, what: &str) {
        let waited = self.ok(self.program.wait(pid).await, what).await;
        if waited.1 != status && self.files.explains_end(waited.1) {
            self.files.give_up::<()>(self.program, self.folder).await;
        }
        let context = || format!("{what}: waited for {pid}, got {waited:x?}, not status {status:#x}");
        self.must(waited == (pid, status), context).await;
    }

    /// Compares contents without printing them whole.
    async fn same(&self, got: &[u8], wanted: &[u8], what: &str) {
        let at = || got.iter().zip(wanted).position(|(got, wanted)| got != wanted);
        let context =
            || format!("{what}: {} bytes, not {}; the first difference is at {:?}", got.len(), wanted.len(), at());
        self.must(got == wanted, context).await;
    }
}
