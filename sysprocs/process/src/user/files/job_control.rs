//! Job control: the terminal is for the foreground's group; programs of other groups of its session are stopped when they
//! read it (SIGTTIN), change it, or write to it where that is not wanted (SIGTTOU), until they are in the foreground.
//!
//! Invariant: who ignores or blocks the signal is not sent it: to read fails, to change succeeds. A group that nobody
//! could continue is not stopped: `EIO`. That is so if no ancestor of the program's is in the session and in another group.
//! Who writes is asked for only where the terminal's settings want it (TOSTOP): the terminal refuses, and only then its group is looked
//! up. Not here: which group is in the foreground (`renga_console`).

use crate::group_kill::kill_everywhere;
use crate::signals::{SIGTTIN, SIGTTOU, bit};
use crate::user::User;
use crate::user::escape::{Escape, Outcome};
use crate::user::files::descriptors::{Descriptor, Object};
use crate::user::signals::actions::Effect;
use renga_hal::memory::UserMemory;
use renga_proto::console::GetJobControl;
use renga_proto::procs::{Relate, Relations};
use renga_rt::{Errno, apart};

/// Ancestors of one group that are looked at: more than a chain of programs has.
const ANCESTORS_MAX: u32 = 64;

impl<M: UserMemory + ?Sized> User<M> {
    /// Whether the program may read `from` now, as `await_foreground`; and whether nobody waits for what he reads there.
    pub(super) async fn await_reading(&mut self, from: &Descriptor) -> Result<bool, Escape> {
        if from.object != Object::Console {
            return Ok(false);
        }
        let nonblocking = apart!(self.await_foreground(SIGTTIN))?;
        Ok(nonblocking && from.is_inherited())
    }

    /// Has a program in the background that the terminal did not let write wait for the foreground; one that may write
    /// there makes its call again, and says so.
    pub(super) async fn await_writing(&mut self) -> Outcome {
        self.await_foreground(SIGTTOU).await?;
        self.services.may_write_terminal = true;
        Err(Escape::Restart)
    }

    /// Whether the program may use the terminal now in the way that `signal` is about; if not, its group has got that, and
    /// the call is made again. What is told of waiting there.
    pub(super) async fn await_foreground(&mut self, signal: u8) -> Result<bool, Escape> {
        let foreground = self.services.console()?.call(GetJobControl {}, ()).await?;
        let own = self.relations().await?;
        if foreground.group == 0 || own.session != foreground.session || own.group == foreground.group {
            return Ok(foreground.nonblocking);
        }
        let blocked = self.program.blocked & bit(signal) != 0;
        if blocked || matches!(self.program.actions.effect(signal), Effect::Nothing) {
            return if signal == SIGTTOU { Ok(foreground.nonblocking) } else { Err(Errno::EIO.into()) };
        }
        if self.is_orphaned(own).await {
            return Err(Errno::EIO.into());
        }
        let sender = self.program.pid;
        kill_everywhere(&mut self.services.clients.all_procs, own.group, signal, 0, sender).await?;
        Err(Escape::Restart)
    }

    /// Whether the program's group has nobody who could continue it.
    async fn is_orphaned(&mut self, own: Relations) -> bool {
        let mut at = own;
        for _ in 0..ANCESTORS_MAX {
            let pid = at.parent;
            let Ok(mut procs) = self.services.procs_of(pid) else { return true };
            let Ok(parent) = procs.call(Relate { pid }, ()).await else { return true };
            if parent.session != own.session || parent.group != own.group {
                return parent.session != own.session;
            }
            at = parent;
        }
        true
    }
}
