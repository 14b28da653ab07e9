//! Job control: the terminal is for the foreground's group; programs of other groups of its session are stopped when
//! they read it (SIGTTIN), change it, or write to it where that is not wanted (SIGTTOU), until they are in the
//! foreground.
//!
//! Invariant: a program that ignores or blocks the signal is not sent it: its reads fail, its changes succeed. An
//! orphaned group is not stopped: `EIO`. A group is orphaned if no ancestor of the program is in the session and in
//! another group. Writers are checked only where the terminal's settings want it (TOSTOP): the terminal refuses, and
//! only then this code looks their group up. Not here: which group is in the foreground (`renga_console`).

use crate::group_kill::kill_everywhere;
use crate::signals::{SIGTTIN, SIGTTOU, bit};
use crate::user::servers::object_calls::is_inherited;
use crate::user::slot::User;
use crate::user::state::actions::SignalEffect;
use crate::user::state::{FileDescriptor, Object, SyscallEscape, SyscallResult};
use renga_hal::memory::UserMemory;
use renga_proto::console::GetJobControl;
use renga_proto::procs::{Relations, Users};
use renga_rt::{Errno, apart};

/// Ancestors of one group that are examined: more than a chain of programs has.
const ANCESTORS_MAX: u32 = 64;

impl<M: UserMemory> User<M> {
    /// Whether the program may read `from` now, as `await_foreground`; and whether the read must not wait.
    pub(crate) async fn await_reading(&mut self, from: &FileDescriptor) -> Result<bool, SyscallEscape> {
        if from.object != Object::Console {
            return Ok(false);
        }
        let nonblocking = apart!(self.await_foreground(SIGTTIN))?;
        Ok(nonblocking && is_inherited(from))
    }

    /// Has a program in the background that the terminal did not let write wait for the foreground; one that may write
    /// there makes its call again, and says so.
    pub(crate) async fn await_writing(&mut self) -> SyscallResult {
        self.await_foreground(SIGTTOU).await?;
        self.services.may_write_terminal = true;
        Err(SyscallEscape::Restart)
    }

    /// Whether the program may use the terminal now in the way that `signal` is about; if not, its group has got that,
    /// and the call restarts. The terminal's non-blocking flag.
    pub(crate) async fn await_foreground(&mut self, signal: u8) -> Result<bool, SyscallEscape> {
        let foreground = self.services.console()?.call(GetJobControl {}, ()).await?;
        let own = self.relations().await?;
        if foreground.group == 0 || own.session != foreground.session || own.group == foreground.group {
            return Ok(foreground.nonblocking);
        }
        let blocked = self.program.blocked & bit(signal) != 0;
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
