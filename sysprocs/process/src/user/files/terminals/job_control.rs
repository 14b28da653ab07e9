//! Job control: the terminal is for the foreground's group; programs of other groups of its session are stopped when
//! they read it (SIGTTIN), change it, or write to it where that is not wanted (SIGTTOU), until they are in the
//! foreground.
//!
//! Invariant: a program that ignores or blocks the signal is not sent it: its reads fail, its changes succeed. An
//! orphaned group is not stopped: `EIO`. A group is orphaned if no ancestor of the program is in the session and in
//! another group. Writers are checked only where the terminal's settings want it (TOSTOP): the terminal refuses, and
//! only then this code looks their group up. Not here: which group is in the foreground (`renga_console`).

use crate::group_kill::kill_everywhere;
use crate::signals::{SIGCONT, SIGHUP, SIGTTIN, SIGTTOU, bit};
use crate::user::servers::object_calls::is_inherited;
use crate::user::slot::User;
use crate::user::state::actions::SignalEffect;
use crate::user::state::open_flags::{O_NOCTTY, O_PATH};
use crate::user::state::{FileDescriptor, Object, OwnTerminal, SyscallEscape, SyscallResult};
use renga_hal::memory::UserMemory;
use renga_proto::console::JobControl;
use renga_proto::procs::{EndedProcess, Relations, Users};
use renga_rt::{Errno, apart};

/// Ancestors of one group that are examined: more than a chain of programs has.
const ANCESTORS_MAX: u32 = 64;

impl<M: UserMemory> User<M> {
    /// Whether the program may read `from` now, as `await_foreground`; and whether the read must not wait.
    pub(crate) async fn await_reading(&mut self, from: &FileDescriptor) -> Result<bool, SyscallEscape> {
        let Some(terminal) = from.object.terminal().filter(|terminal| !terminal.is_master()) else { return Ok(false) };
        let nonblocking = apart!(self.await_foreground(terminal, SIGTTIN))?;
        Ok(nonblocking && is_inherited(from))
    }

    /// Has a program in the background that the terminal did not let write wait for the foreground; one that may write
    /// there makes its call again, and says so.
    pub(crate) async fn await_writing(&mut self, terminal: OwnTerminal) -> SyscallResult {
        self.await_foreground(terminal, SIGTTOU).await?;
        self.services.may_write_terminal = true;
        Err(SyscallEscape::Restart)
    }

    /// Whether the program may use the terminal now in the way that `signal` is about; if not, its group has got that,
    /// and the call restarts. The terminal's non-blocking flag.
    pub(crate) async fn await_foreground(&mut self, of: OwnTerminal, signal: u8) -> Result<bool, SyscallEscape> {
        let foreground = self.services.job_control(of).await?;
        let own = self.relations().await?;
        if foreground.group == 0 || own.session != foreground.session || own.group == foreground.group {
            return Ok(foreground.nonblocking);
        }
        let blocked = self.thread.blocked & bit(signal) != 0;
        if blocked || matches!(self.program.actions.effect(signal), SignalEffect::Nothing) {
            return if signal == SIGTTOU { Ok(foreground.nonblocking) } else { Err(Errno::EIO.into()) };
        }
        if self.is_orphaned(own).await {
            return Err(Errno::EIO.into());
        }
        let sender = self.program.pid;
        kill_everywhere(&mut self.services.clients.all_procs, own.group, signal, 0, (sender, Users::default())).await?;
        Err(SyscallEscape::Restart)
    }

    /// Who may use a terminal, if it is that of the program's session. `refusal`: it is not.
    pub(crate) async fn own_terminal(&mut self, of: OwnTerminal, refusal: Errno) -> Result<JobControl, Errno> {
        let terminal = self.services.job_control(of).await?;
        let own = self.relations().await?;
        if terminal.session == own.session { Ok(terminal) } else { Err(refusal) }
    }

    /// Makes the terminal that of the program's session, whose leader it is and which has none. `EPERM`: it may not,
    /// or another session has it, from which only `force` takes it.
    pub(crate) async fn take_terminal(&mut self, of: OwnTerminal, force: bool) -> Result<(), Errno> {
        let of = of.slave();
        let terminal = self.services.job_control(of).await?;
        let (own, pid) = (self.relations().await?, self.program.pid);
        if terminal.session == own.session {
            self.note_terminal(of);
            return Ok(());
        }
        if own.session != pid || self.own_terminal(self.program.terminal, Errno::ENXIO).await.is_ok() {
            return Err(Errno::EPERM);
        }
        if terminal.session != 0 && !force {
            return Err(Errno::EPERM);
        }
        self.note_terminal(of);
        self.services.set_job_control(of, own.group, pid).await
    }

    fn note_terminal(&mut self, of: OwnTerminal) {
        self.program.terminal = of;
        self.facts.info.terminal.set(of.listed());
    }

    /// The session of the leader `pid` has no terminal any more; those in the foreground get SIGHUP and SIGCONT.
    pub(crate) async fn leave_terminal(&mut self, pid: u32) -> Result<(), Errno> {
        let of = self.program.terminal.master();
        let terminal = self.services.job_control(of).await?;
        if terminal.session == pid {
            self.services.set_job_control(of, 0, 0).await?;
            self.hang_up_group(terminal.group).await;
        }
        Ok(())
    }

    async fn hang_up_group(&mut self, group: u32) {
        for signal in [SIGHUP, SIGCONT] {
            if group != 0 {
                // Both are signals.
                let _ = kill_everywhere(&mut self.services.clients.all_procs, group, signal, 0, (0, Users::default()))
                    .await;
            }
        }
    }

    /// What else the end of the program means to others.
    pub(crate) async fn hang_up(&mut self, ended: EndedProcess) {
        if ended.leads {
            let _ = self.leave_terminal(self.program.pid).await; // a dead board has no terminal
        }
        self.hang_up_group(ended.orphaned).await;
    }

    /// The device that is opened by `number`. The terminal of the program's session is what `/dev/tty` stands for;
    /// opened by another name it becomes that, as far as it may.
    pub(crate) async fn open_device(&mut self, number: u32, flags: u32) -> Result<Object, Errno> {
        match (number >> 8, number & 0xff) {
            (5, 0) => {
                let own = self.program.terminal;
                self.own_terminal(own, Errno::ENXIO).await.map_err(|_| Errno::ENXIO)?;
                if let OwnTerminal::Pair { board, at } = own {
                    return self.open_pair(board, at.number, at.generation).await.map_err(|_| Errno::ENXIO);
                }
            }
            (4, 1..=63) if flags & (O_NOCTTY | O_PATH) == 0 => {
                let _ = self.take_terminal(OwnTerminal::Console, false).await; // it need not be its session's
            }
            (5, 2) if flags & O_PATH == 0 => return self.make_pair().await,
            _ => {}
        }
        Object::of_device(number).ok_or(Errno::ENXIO)
    }

    /// Whether no process could continue the program's group.
    async fn is_orphaned(&mut self, own: Relations) -> bool {
        let mut at = own;
        for _ in 0..ANCESTORS_MAX {
            let Ok(parent) = self.relations_of(at.parent).await else { return true };
            if parent.session != own.session || parent.group != own.group {
                return parent.session != own.session;
            }
            at = parent;
        }
        true
    }
}
