//! Processes among each other: ending, groups, sessions, sending signals.

use crate::group_kill::kill_everywhere;
use crate::procs::record::may_signal;
use crate::signals::{SIGCONT, SIGNALS, exited};
use crate::user::slot::User;
use crate::user::state::fields::{int_at, word_at};
use crate::user::state::{SyscallEscape, SyscallResult};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::listed::{LISTED_BYTES, Listed};
use renga_proto::procs::{
    Cause, Describe, Kill, LIST_THREADS, NewSession, Relate, Relations, Sender, SetGroup, Users, board_of,
};
use renga_rt::{Errno, Retry, apart};

/// `si_code`: sent by `kill`.
pub(crate) const SI_USER: i32 = 0;
/// By `tkill` or `tgkill`.
const SI_TKILL: i32 = -6;
/// The bytes of a `siginfo_t` that have a meaning here.
pub(crate) const INFO_BYTES: usize = 32;

impl<M: UserMemory> User<M> {
    pub(crate) async fn exit(&mut self) -> SyscallResult {
        Err(SyscallEscape::End(exited(self.argument(0) as u8)))
    }

    /// Ends this thread; of a program with no other, the program.
    pub(crate) async fn exit_thread(&mut self) -> SyscallResult {
        self.thread.ends_alone = self.group.is_some();
        self.exit().await
    }

    /// The program's own parent, group and session.
    pub(crate) async fn relations(&mut self) -> Result<Relations, Errno> {
        let pid = self.program.pid;
        self.services.clients.procs.call(Relate { pid }, ()).await
    }

    /// Those of process `pid` of any board.
    pub(crate) async fn relations_of(&mut self, pid: u32) -> Result<Relations, Errno> {
        self.services.procs_of(pid)?.call(Relate { pid }, ()).await
    }

    /// The pid that an argument means, 0 being the program itself.
    fn pid_argument(&self, index: usize) -> u32 {
        match self.int(index) {
            0 => self.program.pid,
            pid => pid,
        }
    }

    pub(crate) async fn set_group(&mut self) -> Result<(), Errno> {
        let pid = self.pid_argument(0);
        let group = match self.int(1) {
            0 => pid,
            group if group as i32 > 0 => group,
            _ => return Err(Errno::EINVAL),
        };
        let own = self.relations().await?;
        if pid != self.program.pid && self.relations_of(pid).await?.parent != self.program.pid {
            return Err(Errno::ESRCH);
        }
        if group != pid && !self.is_in_session(group, own.session).await? {
            return Err(Errno::EPERM);
        }
        let entry = SetGroup { pid, group, by: self.program.pid, session: own.session };
        self.services.procs_of(pid)?.call(entry, ()).await?;
        // The record that the parent's board has of a child elsewhere follows, if there is one.
        let parent = if pid == self.program.pid { self.program.parent } else { self.program.pid };
        let file_board = self.services.file_board;
        if parent != 0 && board_of(parent, file_board) != board_of(pid, file_board) {
            let _ = self.services.procs_of(parent)?.call(SetGroup { by: 0, ..entry }, ()).await;
        }
        Ok(())
    }

    /// Whether there is such a group, and it is of that session.
    pub(crate) async fn is_in_session(&mut self, group: u32, session: u32) -> Result<bool, Errno> {
        match self.relations_of(group).await {
            Ok(first) if first.group == group => Ok(first.session == session),
            _ => Ok(self.session_of_group(group).await == Some(session)),
        }
    }

    /// The session of a group whose first process is gone, if any board has a process of it.
    async fn session_of_group(&mut self, group: u32) -> Option<u32> {
        for board in 0..self.services.clients.all_procs.boards() {
            let Some(mut procs) = self.services.clients.all_procs.at(board, 0) else { continue };
            let mut line = 0;
            // Each pass passes lines of the board's table.
            loop {
                let wanted = Describe { index: line, pid: 0 };
                let bytes = procs.call_retrying(wanted, &mut self.scratch[..]).await.unwrap_or(0) as usize;
                let (records, _) = self.scratch[..bytes.min(PAGE_BYTES)].as_chunks::<LISTED_BYTES>();
                let mut last = None;
                for listed in records.iter().map(Listed::from_bytes) {
                    if listed.group == group && listed.state != b'Z' {
                        return Some(listed.session);
                    }
                    last = Some(listed.index).max(last);
                }
                match last {
                    Some(last) if last >= line && last < LIST_THREADS => line = last + 1,
                    _ => break,
                }
            }
        }
        None
    }

    pub(crate) async fn get_group(&mut self) -> Result<u32, Errno> {
        Ok(self.relations_of(self.pid_argument(0)).await?.group)
    }

    pub(crate) async fn get_session(&mut self) -> Result<u32, Errno> {
        Ok(self.relations_of(self.pid_argument(0)).await?.session)
    }

    pub(crate) async fn new_session(&mut self) -> Result<u32, Errno> {
        let pid = self.program.pid;
        self.services.clients.procs.call(NewSession { pid }, ()).await
    }

    pub(crate) async fn kill(&mut self) -> Result<(), Errno> {
        let signal = u8::try_from(self.int(1)).map_err(|_| Errno::EINVAL)?;
        match self.int(0) as i32 {
            pid @ 1.. => self.send(pid as u32, signal, self.cause(SI_USER)).await,
            0 => {
                let group = self.relations().await?.group;
                self.kill_group(group, signal, 0).await
            }
            // To everybody, but not to itself.
            -1 => self.kill_group(0, signal, self.program.pid).await,
            group => self.kill_group(group.unsigned_abs(), signal, 0).await,
        }
    }

    /// `tkill`, and `tgkill` with the process before it: argument `first` is the thread.
    pub(crate) async fn kill_thread(&mut self, first: usize) -> Result<(), Errno> {
        let signal = u8::try_from(self.int(first + 1)).map_err(|_| Errno::EINVAL)?;
        let pid = self.thread_argument(first).await?;
        self.send(pid, signal, self.cause(SI_TKILL)).await
    }

    /// The thread that argument `index` means; `ESRCH` if the argument before it is another process.
    async fn thread_argument(&mut self, index: usize) -> Result<u32, Errno> {
        let (process, thread) = (self.int(0), self.int(index));
        if process as i32 <= 0 || thread as i32 <= 0 {
            return Err(Errno::EINVAL);
        }
        if index > 0 {
            self.check_thread(process, thread).await?;
        }
        Ok(thread)
    }

    /// `ESRCH` unless `thread` is one of `process`, which the table of its board knows.
    pub(crate) async fn check_thread(&mut self, process: u32, thread: u32) -> Result<(), Errno> {
        if (process, thread) == (self.program.pid, self.thread.tid) {
            return Ok(());
        }
        let cause = Cause { code: Cause::FOR_THREAD, value: process.into(), ..Cause::KERNEL };
        self.services.procs_of(thread)?.call(Kill { pid: thread, signal: 0, cause }, ()).await.map(|_| ())
    }

    /// The cause of a signal from this program.
    pub(crate) fn cause(&self, code: i32) -> Cause {
        let sender = Sender { pid: self.program.pid, uid: self.program.credentials.users.real };
        Cause { code, sender, ..Cause::KERNEL }
    }

    /// Sends `signal` to `pid` of any board because of `cause`.
    pub(crate) async fn send(&mut self, pid: u32, signal: u8, cause: Cause) -> Result<(), Errno> {
        if pid as i32 <= 0 {
            return Err(Errno::EINVAL);
        }
        if !self.program.credentials.is_root() {
            apart!(self.allow_signal(pid, signal))?;
        }
        self.services.procs_of(pid)?.call(Kill { pid, signal, cause }, ()).await.map(|_| ())
    }

    /// Whether the program, which is not root's, may signal `pid`.
    async fn allow_signal(&mut self, pid: u32, signal: u8) -> Result<(), Errno> {
        if signal > SIGNALS {
            return Err(Errno::EINVAL);
        }
        let Relations { users, further, session, .. } = self.relations_of(pid).await?;
        let goes_on = signal == SIGCONT && session == self.relations().await?.session;
        let own = self.program.credentials.users();
        if goes_on || may_signal(own, users.real, further.saved) { Ok(()) } else { Err(Errno::EPERM) }
    }

    /// Whether the program may change how `pid` runs.
    pub(crate) async fn allow_change_of(&mut self, pid: u32) -> Result<(), Errno> {
        if self.program.credentials.is_root() || pid == 0 || pid == self.program.pid || pid == self.thread.tid {
            return Ok(());
        }
        let Users { real, effective } = apart!(self.relations_of(pid))?.users;
        let own = self.program.credentials.users.effective;
        if [real, effective].contains(&own) { Ok(()) } else { Err(Errno::EPERM) }
    }

    /// Sends to a group on every board, but not to `except`.
    async fn kill_group(&mut self, group: u32, signal: u8, except: u32) -> Result<(), Errno> {
        let sender = (self.program.pid, self.program.credentials.users());
        match kill_everywhere(&mut self.services.clients.all_procs, group, signal, except, sender).await? {
            0 => Err(Errno::ESRCH),
            _ => Ok(()),
        }
    }

    /// Sends to the thread of argument `first` a signal with a `siginfo_t`, but for its user.
    pub(crate) async fn queue_signal(&mut self, first: usize) -> Result<(), Errno> {
        let pid = self.thread_argument(first).await?;
        let (signal, info) = (u8::try_from(self.int(first + 1)).map_err(|_| Errno::EINVAL)?, self.argument(first + 2));
        let mut bytes = [0; INFO_BYTES];
        self.get(info, &mut bytes).await?;
        let cause = queued_cause(&bytes, pid == self.thread.tid || pid == self.program.pid)?;
        self.send(pid, signal, cause).await
    }
}

/// The cause that a `siginfo_t` names, of a signal to another program or to the own.
pub(crate) fn queued_cause(info: &[u8; INFO_BYTES], is_own: bool) -> Result<Cause, Errno> {
    let (code, value) = (int_at(info, 8) as i32, word_at(info, 24));
    let sender = Sender { pid: int_at(info, 16), uid: int_at(info, 20) };
    // Only the system may claim towards others to be the sender.
    if code == Cause::OF_SIBLING || (code >= 0 || code == SI_TKILL) && !is_own {
        return Err(Errno::EPERM);
    }
    // No timer of the clock: a program may say what it likes otherwise.
    Ok(Cause { code, sender, value, timer: 0 })
}
