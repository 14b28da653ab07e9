//! Waiting for children.

use crate::signals::{SIGCHLD, of_child};
use crate::user::facts::usage::resource_usage;
use crate::user::slot::{User, leaving};
use crate::user::state::fields::put_ints;
use crate::user::state::open_flags::O_NONBLOCK;
use crate::user::state::{SyscallEscape, SyscallResult, restartable};
use renga_hal::memory::UserMemory;
use renga_proto::procs::{
    WAIT_CONTINUED, WAIT_ENDED, WAIT_GROUP, WAIT_KEEP, WAIT_NO_HANG, WAIT_STOPPED, WaitChild, WaitedChild,
};
use renga_proto::used::Used;
use renga_rt::{Errno, apart};

/// Linux's own: which kinds of children; ours are all of one kind.
const KINDS: u32 = 0xe000_0000;
/// The states that `waitid` can report, of which it must ask for one.
const NEWS: u32 = WAIT_ENDED | WAIT_STOPPED | WAIT_CONTINUED;
const P_ALL: u32 = 0;
const P_PID: u32 = 1;
const P_PGID: u32 = 2;
const P_PIDFD: u32 = 3;
const SIGINFO_BYTES: usize = 128;

impl<M: UserMemory> User<M> {
    pub(crate) async fn wait(&mut self) -> SyscallResult {
        let (which, place, usage) = (self.int(0) as i32, self.argument(1), self.argument(3));
        let options = self.argument(2) as u32;
        if options & !(WAIT_NO_HANG | WAIT_STOPPED | WAIT_CONTINUED | KINDS) != 0 {
            return Err(Errno::EINVAL.into());
        }
        if which == i32::MIN {
            return Err(Errno::ESRCH.into());
        }
        let parent = self.thread.tid;
        let options = options & !KINDS | WAIT_ENDED;
        let (waited, used) = self.wait_for(WaitChild { parent, which, options }).await?;
        if waited.pid != 0 && place != 0 {
            self.put(place, &waited.status.to_le_bytes()).await?;
        }
        self.put_unless_null(usage, &resource_usage(used)).await?;
        Ok(u64::from(waited.pid))
    }

    /// A child, and what it used, which is added to what is known of children unless it is waited for again.
    async fn wait_for(&mut self, wanted: WaitChild) -> Result<(WaitedChild, Used), SyscallEscape> {
        let mut bytes = [0; Used::BYTES];
        let waited = restartable(leaving!(self, self.services.clients.procs.call(wanted, &mut bytes[..])))?;
        let used = Used::from_bytes(&bytes);
        if wanted.options & WAIT_KEEP == 0 {
            self.program.children = self.program.children.plus(used);
        }
        Ok((waited, used))
    }

    pub(crate) async fn wait_id(&mut self) -> SyscallResult<()> {
        let (kind, id, place, options) = (self.int(0), self.int(1) as i32, self.argument(2), self.int(3));
        let usage = self.argument(4);
        if options & !(NEWS | WAIT_NO_HANG | WAIT_KEEP | KINDS) != 0 || options & NEWS == 0 {
            return Err(Errno::EINVAL.into());
        }
        let mut may_wait = true;
        let (which, of_group) = match (kind, id) {
            (P_PIDFD, 0..) => {
                let (process, descriptor) = apart!(self.process_of(id as u64))?;
                may_wait = options & WAIT_NO_HANG != 0 || self.status_flags(&descriptor).await? & O_NONBLOCK == 0;
                (process.pid as i32, 0)
            }
            (P_ALL, _) => (-1, 0),
            (P_PID, 1..) => (id, 0),
            (P_PGID, 0) => (0, 0), // its own
            (P_PGID, 1..) => (id, WAIT_GROUP),
            _ => return Err(Errno::EINVAL.into()),
        };
        let parent = self.thread.tid;
        let options = options & !KINDS | of_group | if may_wait { 0 } else { WAIT_NO_HANG };
        let (waited, used) = self.wait_for(WaitChild { parent, which, options }).await?;
        if waited.pid == 0 && !may_wait {
            return Err(Errno::EAGAIN.into());
        }
        self.put_unless_null(place, &child_info(waited.pid, waited.status)).await?;
        Ok(self.put_unless_null(usage, &resource_usage(used)).await?)
    }
}

/// The `siginfo_t` of `waitid`.
fn child_info(pid: u32, status: u32) -> [u8; SIGINFO_BYTES] {
    let mut bytes = [0; SIGINFO_BYTES];
    if pid == 0 {
        return bytes;
    }
    let cause = of_child(pid, 0, status);
    put_ints(&mut bytes, [(0, SIGCHLD.into()), (8, cause.code as u32), (16, pid), (24, cause.value as u32)]);
    bytes
}
