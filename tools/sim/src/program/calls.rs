//! System calls as programs write them: paths, buffers and results in the program's own memory.
//!
//! Invariant: each call uses the same places of the program's part of its data, so that no two
//! of its own overlap in time; a handler has other places. Not here: numbers beyond those used.

use super::elf;
use super::exchange::SimProgram;
use renga_abi::Errno;
use std::future::Future;
use std::rc::Rc;

/// Numbers of system calls, as Linux/AArch64 has them; from 1000 on, ours.
#[allow(missing_docs, reason = "their names are Linux's")]
pub mod numbers {
    pub const GETCWD: u64 = 17;
    pub const DUP3: u64 = 24;
    pub const FCNTL: u64 = 25;
    pub const FLOCK: u64 = 32;
    pub const MKNODAT: u64 = 33;
    pub const MKDIRAT: u64 = 34;
    pub const UNLINKAT: u64 = 35;
    pub const SYMLINKAT: u64 = 36;
    pub const LINKAT: u64 = 37;
    pub const STATFS: u64 = 43;
    pub const FTRUNCATE: u64 = 46;
    pub const FCHMOD: u64 = 52;
    pub const FCHMODAT: u64 = 53;
    pub const FCHOWNAT: u64 = 54;
    pub const CHDIR: u64 = 49;
    pub const OPENAT: u64 = 56;
    pub const CLOSE: u64 = 57;
    pub const PIPE2: u64 = 59;
    pub const GETDENTS64: u64 = 61;
    pub const LSEEK: u64 = 62;
    pub const READ: u64 = 63;
    pub const WRITE: u64 = 64;
    pub const PPOLL: u64 = 73;
    pub const PREAD: u64 = 67;
    pub const PWRITE: u64 = 68;
    pub const NEWFSTATAT: u64 = 79;
    pub const SYNC: u64 = 81;
    pub const FSYNC: u64 = 82;
    pub const UTIMENSAT: u64 = 88;
    pub const EXIT: u64 = 94;
    pub const NANOSLEEP: u64 = 101;
    pub const KILL: u64 = 129;
    pub const SIGACTION: u64 = 134;
    pub const SIGRETURN: u64 = 139;
    pub const GETPID: u64 = 172;
    pub const GETPPID: u64 = 173;
    pub const SOCKETPAIR: u64 = 199;
    pub const CLONE: u64 = 220;
    pub const EXECVE: u64 = 221;
    pub const MMAP: u64 = 222;
    pub const MSYNC: u64 = 227;
    pub const WAIT4: u64 = 260;
    pub const RENAMEAT2: u64 = 276;
    pub const FORK_ON: u64 = 1000;
    pub const HALT: u64 = 1002;
}
use numbers::{
    CLONE, CLOSE, DUP3, EXECVE, FCNTL, FLOCK, FORK_ON, FSYNC, FTRUNCATE, GETPID, HALT, KILL, LSEEK, NANOSLEEP, OPENAT,
    PIPE2, PPOLL, PREAD, PWRITE, READ, SIGACTION, SOCKETPAIR, WAIT4, WRITE,
};

/// "The working directory".
pub const AT_FDCWD: u64 = -100i64 as u64;
/// The signal of a child's end, which is all that a fork asks for.
const SIGCHLD: u64 = 17;
/// Where the second path, small structures and the buffer are, from the data's start.
pub(super) const SECOND: u64 = 4096;
pub(super) const SMALL: u64 = 8192;
pub(super) const BUFFER: u64 = 12288;
/// The longest transfer of one call.
const BUFFER_BYTES: usize = 240 << 10;
/// Arguments of a program, and bytes of each, that are read back.
const ARGUMENTS_MAX: u64 = 64;
const ARGUMENT_BYTES_MAX: usize = 256;
const NS_PER_S: u64 = 1_000_000_000;

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// For reading, if it is there.
    Read,
    /// For both, if it is there.
    Change,
    /// For both, created if missing.
    Create,
    /// For both, created or emptied.
    Truncate,
    /// For both, created if missing; every write goes to the end.
    Append,
}

impl Open {
    fn flags(self) -> u64 {
        match self {
            Open::Read => 0,
            Open::Change => 2,
            Open::Create => 0o102,
            Open::Truncate => 0o1102,
            Open::Append => 0o2102,
        }
    }
}

pub(super) type Result<T> = core::result::Result<T, Errno>;

impl SimProgram {
    pub(super) async fn path(&self, path: &str) -> u64 {
        self.string(self.base, path).await
    }
    pub(super) async fn string(&self, address: u64, text: &str) -> u64 {
        self.store(address, &[text.as_bytes(), b"\0"].concat()).await;
        address
    }

    /// Opens a file; its descriptor.
    pub async fn open(&self, path: &str, how: Open) -> Result<u64> {
        let path = self.path(path).await;
        self.call(OPENAT, &[AT_FDCWD, path, how.flags(), 0o644]).await
    }
    /// Closes a descriptor.
    pub async fn close(&self, file: u64) -> Result<()> {
        self.call(CLOSE, &[file]).await.map(drop)
    }
    /// Makes `new` the same as `old`.
    pub async fn duplicate(&self, old: u64, new: u64) -> Result<u64> {
        self.call(DUP3, &[old, new, 0]).await
    }
    /// Reads once.
    pub async fn read(&self, file: u64, bytes: usize) -> Result<Vec<u8>> {
        let count = self.call(READ, &[file, self.base + BUFFER, bytes.min(BUFFER_BYTES) as u64]).await?;
        Ok(self.load(self.base + BUFFER, count as usize).await)
    }
    /// Reads to the end.
    pub async fn read_all(&self, file: u64, step: usize) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        loop {
            let part = self.read(file, step).await?;
            if part.is_empty() {
                return Ok(all);
            }
            all.extend(part);
        }
    }
    /// Reads once, from `offset`.
    pub async fn read_at(&self, file: u64, offset: u64, bytes: usize) -> Result<Vec<u8>> {
        let count = self.call(PREAD, &[file, self.base + BUFFER, bytes.min(BUFFER_BYTES) as u64, offset]).await?;
        Ok(self.load(self.base + BUFFER, count as usize).await)
    }
    /// Writes once; how much.
    pub async fn write(&self, file: u64, bytes: &[u8]) -> Result<usize> {
        let bytes = &bytes[..bytes.len().min(BUFFER_BYTES)];
        self.store(self.base + BUFFER, bytes).await;
        Ok(self.call(WRITE, &[file, self.base + BUFFER, bytes.len() as u64]).await? as usize)
    }
    /// Writes all.
    pub async fn write_all(&self, file: u64, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            bytes = &bytes[self.write(file, bytes).await?..];
        }
        Ok(())
    }
    /// Writes once, to `offset`.
    pub async fn write_at(&self, file: u64, offset: u64, bytes: &[u8]) -> Result<usize> {
        let bytes = &bytes[..bytes.len().min(BUFFER_BYTES)];
        self.store(self.base + BUFFER, bytes).await;
        Ok(self.call(PWRITE, &[file, self.base + BUFFER, bytes.len() as u64, offset]).await? as usize)
    }
    /// Moves to `offset`, counted from 0 the start, 1 here, 2 the end; where that is.
    pub async fn seek(&self, file: u64, offset: i64, whence: u64) -> Result<u64> {
        self.call(LSEEK, &[file, offset as u64, whence]).await
    }
    /// Cuts or extends.
    pub async fn truncate(&self, file: u64, bytes: u64) -> Result<()> {
        self.call(FTRUNCATE, &[file, bytes]).await.map(drop)
    }
    /// Waits until the file is on the medium.
    pub async fn sync(&self, file: u64) -> Result<()> {
        self.call(FSYNC, &[file]).await.map(drop)
    }
    /// fcntl's `command` about a lock of `kind` on all bytes of a file.
    pub async fn lock_bytes(&self, file: u64, command: u64, kind: u64) -> Result<()> {
        let place = self.base + SMALL;
        self.store(place, &[kind, 0, 0, 0].map(u64::to_le_bytes).concat()).await;
        self.call(FCNTL, &[file, command, place]).await.map(|_| ())
    }
    /// flock.
    pub async fn lock_file(&self, file: u64, operation: u64) -> Result<()> {
        self.call(FLOCK, &[file, operation]).await.map(|_| ())
    }
    /// Makes a pair of stream sockets.
    pub async fn socket_pair(&self) -> Result<(u64, u64)> {
        self.call(SOCKETPAIR, &[1, 1, 0, self.base + SMALL]).await?;
        let ends = self.load(self.base + SMALL, 8).await;
        Ok((u64::from(ends[0]), u64::from(ends[4])))
    }
    /// Makes a pipe: the end to read, the end to write.
    pub async fn pipe(&self) -> Result<(u64, u64)> {
        self.call(PIPE2, &[self.base + SMALL, 0]).await?;
        let ends = self.load(self.base + SMALL, 8).await;
        Ok((u64::from(ends[0]), u64::from(ends[4])))
    }
    /// Waits until one of some descriptors can be read; what poll says of each.
    pub async fn await_reading(&self, files: &[u64]) -> Result<Vec<u16>> {
        let place = self.base + SMALL;
        let wanted: Vec<u8> = files.iter().flat_map(|file| (1 << 32 | file).to_le_bytes()).collect();
        self.store(place, &wanted).await;
        self.call(PPOLL, &[place, files.len() as u64, 0, 0]).await?;
        let found = self.load(place, wanted.len()).await;
        Ok(found.chunks(8).map(|entry| u16::from_le_bytes([entry[6], entry[7]])).collect())
    }

    /// Forks; the child's pid. The child goes on as `child`, with the memory and files of its parent.
    pub async fn fork<F: Future<Output = u8> + 'static>(
        &self,
        child: impl FnOnce(SimProgram) -> F + 'static,
    ) -> Result<u64> {
        self.call_fork(CLONE, &[SIGCHLD], child).await
    }
    /// As `fork`, onto a board.
    pub async fn fork_on<F: Future<Output = u8> + 'static>(
        &self,
        board: u8,
        child: impl FnOnce(SimProgram) -> F + 'static,
    ) -> Result<u64> {
        self.call_fork(FORK_ON, &[u64::from(board)], child).await
    }
    /// Becomes the program at `path`: returns only if it cannot.
    pub async fn execute(&self, path: &str, arguments: &[&str]) -> Errno {
        let path = self.path(path).await;
        let mut texts = self.base + BUFFER;
        let mut words = Vec::new();
        for argument in arguments {
            words.extend(self.string(texts, argument).await.to_le_bytes());
            texts += argument.len() as u64 + 1;
        }
        words.extend([0; 8]);
        self.store(self.base + SECOND, &words).await;
        match self.call(EXECVE, &[path, self.base + SECOND, 0]).await {
            Err(errno) => errno,
            Ok(_) => unreachable!("an exec that succeeds does not return"),
        }
    }
    /// The arguments that it was executed with.
    pub async fn arguments(&self) -> Vec<String> {
        let word = |bytes: Vec<u8>| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let count = word(self.load(self.stack, 8).await);
        let mut arguments = Vec::new();
        for index in 1..=count.min(ARGUMENTS_MAX) {
            let at = word(self.load(self.stack + 8 * index, 8).await);
            let mut text = Vec::new();
            while text.len() < ARGUMENT_BYTES_MAX {
                match self.load(at + text.len() as u64, 1).await[0] {
                    0 => break,
                    byte => text.push(byte),
                }
            }
            arguments.push(String::from_utf8_lossy(&text).into_owned());
        }
        arguments
    }

    /// Waits for a child (`u64::MAX`: any); its pid and its status as `wait4` encodes it.
    pub async fn wait(&self, pid: u64) -> Result<(u64, u32)> {
        let pid = self.call(WAIT4, &[pid, self.base + SMALL, 0, 0]).await?;
        let status = self.load(self.base + SMALL, 4).await;
        Ok((pid, status.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))))
    }
    /// Its pid.
    pub async fn pid(&self) -> u64 {
        self.call(GETPID, &[]).await.unwrap_or(0)
    }
    /// Sends a signal.
    pub async fn kill(&self, pid: u64, signal: u8) -> Result<()> {
        self.call(KILL, &[pid, u64::from(signal)]).await.map(drop)
    }
    /// Runs `handler` when `signal` comes, then continues; with `restart`, interrupted calls are restarted.
    pub async fn on_signal<F: Future<Output = ()> + 'static>(
        &self,
        signal: u8,
        restart: bool,
        handler: impl Fn(SimProgram) -> F + 'static,
    ) -> Result<()> {
        const SA_RESTART: u64 = 0x1000_0000;
        let handler = Rc::new(handler);
        let body = move |program: SimProgram| -> super::exchange::ProgramRun {
            let handler = handler.clone();
            Box::pin(async move {
                handler(program).await;
                0
            })
        };
        self.handle(signal, Rc::new(body)).await;
        let flags = if restart { SA_RESTART } else { 0 };
        let action: Vec<u8> = [elf::handler(signal), flags, 0, 0].into_iter().flat_map(u64::to_le_bytes).collect();
        self.store(self.base + SMALL, &action).await;
        self.call(SIGACTION, &[u64::from(signal), self.base + SMALL, 0, 8]).await.map(drop)
    }
    /// Sleeps; `EINTR` if a handler ran.
    pub async fn sleep(&self, time_ns: u64) -> Result<()> {
        let time: Vec<u8> = [time_ns / NS_PER_S, time_ns % NS_PER_S].into_iter().flat_map(u64::to_le_bytes).collect();
        self.store(self.base + SMALL, &time).await;
        self.call(NANOSLEEP, &[self.base + SMALL, 0]).await.map(drop)
    }
    /// Init only: stops the system with everything on the medium.
    pub async fn halt(&self, status: u8) -> Result<()> {
        self.call(HALT, &[u64::from(status)]).await.map(drop)
    }
}
