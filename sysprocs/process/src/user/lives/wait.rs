//! Waiting for children.

use crate::signals::SIGCHLD;
use crate::user::User;
use crate::user::escape::{Escape, Outcome, restartable};
use crate::user::facts::usage::resource_usage;
use renga_hal::memory::UserMemory;
use renga_proto::procs::{WAIT_NO_HANG, WAIT_STOPPED, WaitChild, Waited};
use renga_proto::used::Used;
use renga_rt::Errno;

const WCONTINUED: u32 = 8;
const WEXITED: u32 = 4;
const WNOWAIT: u32 = 0x0100_0000;
/// Linux's own: which kinds of children; ours are all of one kind.
const KINDS: u32 = 0xe000_0000;
const P_ALL: u32 = 0;
const P_PID: u32 = 1;
const P_PGID: u32 = 2;
const CLD_EXITED: u32 = 1;
const CLD_KILLED: u32 = 2;
const CLD_STOPPED: u32 = 5;
/// Bytes of `siginfo_t`.
const SIGINFO_BYTES: usize = 128;

impl<M: UserMemory + ?Sized> User<M> {
    pub(in crate::user) async fn wait(&mut self) -> Outcome {
        let (which, place, usage) = (self.int(0) as i32, self.argument(1), self.argument(3));
        let options = self.argument(2) as u32;
        if options & !(WAIT_NO_HANG | WAIT_STOPPED | WCONTINUED | KINDS) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let parent = self.program.pid;
        let options = options & (WAIT_NO_HANG | WAIT_STOPPED);
        let (waited, used) = self.wait_for(WaitChild { parent, which, options }).await?;
        if waited.pid != 0 && place != 0 {
            self.put(place, &waited.status.to_le_bytes()).await?;
        }
        if usage != 0 {
            self.put(usage, &resource_usage(used)).await?;
        }
        Ok(u64::from(waited.pid))
    }

    /// A child, and what it used, which is added to what is known of children.
    async fn wait_for(&mut self, wanted: WaitChild) -> Result<(Waited, Used), Escape> {
        let mut bytes = [0; Used::BYTES];
        let waited = restartable(self.services.clients.procs.call(wanted, &mut bytes[..]).await)?;
        let used = Used::from_bytes(&bytes);
        self.program.children = self.program.children.plus(used);
        Ok((waited, used))
    }

    pub(in crate::user) async fn wait_id(&mut self) -> Outcome {
        let (kind, id, place, options) = (self.int(0), self.int(1), self.argument(2), self.int(3));
        let which = match kind {
            P_ALL => -1,
            P_PID => id as i32,
            P_PGID => (id as i32).wrapping_neg(),
            _ => return Err(Errno::EINVAL.into()),
        };
        // Looking without taking is not offered by the table.
        if options & WEXITED == 0 || options & WNOWAIT != 0 {
            return Err(Errno::EINVAL.into());
        }
        let parent = self.program.pid;
        let options = options & (WAIT_NO_HANG | WAIT_STOPPED);
        let (waited, _) = self.wait_for(WaitChild { parent, which, options }).await?;
        if place != 0 {
            self.put(place, &child_info(waited.pid, waited.status)).await?;
        }
        Ok(0)
    }
}

/// The `siginfo_t` of `waitid`.
fn child_info(pid: u32, status: u32) -> [u8; SIGINFO_BYTES] {
    let mut bytes = [0; SIGINFO_BYTES];
    if pid == 0 {
        return bytes;
    }
    let (code, value) = match status & 0x7f {
        0 => (CLD_EXITED, status >> 8 & 0xff),
        0x7f => (CLD_STOPPED, status >> 8 & 0xff),
        signal => (CLD_KILLED, signal),
    };
    for (at, word) in [(0, u32::from(SIGCHLD)), (8, code), (16, pid), (24, value)] {
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    bytes
}
