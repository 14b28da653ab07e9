//! On which cores of its board a program may run, and on which it does (`sched_setaffinity(2)`, `getcpu(2)`).
//!
//! Invariant: a set that names no core on which programs run is refused; bits of others say nothing. Not here: who runs where (`renga_core::seat`).

use crate::user::slot::user::User;
use crate::user::state::syscall_result::SyscallResult;
use renga_hal::memory::UserMemory;
use renga_proto::procs::{ASK_POLICY, Schedule};
use renga_rt::Errno;

/// Bytes of a set of processors: a word.
const SET_BYTES: u32 = 8;

impl<M: UserMemory + ?Sized> User<M> {
    pub(crate) async fn get_affinity(&mut self) -> SyscallResult {
        if self.int(1) < SET_BYTES || !self.int(1).is_multiple_of(SET_BYTES) {
            return Err(Errno::EINVAL.into());
        }
        let Schedule { cores, .. } = self.schedule_of(self.int(0), ASK_POLICY).await?;
        self.put(self.argument(2), &u64::from(cores).to_le_bytes()).await?;
        Ok(SET_BYTES.into())
    }

    pub(crate) async fn set_affinity(&mut self) -> Result<(), Errno> {
        let mut first = [0];
        if self.int(1) > 0 {
            self.get(self.argument(2), &mut first).await?;
        }
        let Schedule { policy, all_cores, .. } = self.schedule_of(self.int(0), ASK_POLICY).await?;
        let cores = first[0] & all_cores;
        if cores == 0 {
            return Err(Errno::EINVAL);
        }
        self.schedule_of(self.int(0), Schedule { policy, cores, all_cores }.to_word()).await.map(|_| ())
    }

    pub(crate) async fn get_processor(&mut self) -> Result<(), Errno> {
        let (processor, node) = (self.argument(0), self.argument(1));
        if processor != 0 {
            self.put(processor, &u32::from(self.me.program_core()).to_le_bytes()).await?;
        }
        if node != 0 {
            self.put(node, &0u32.to_le_bytes()).await?;
        }
        Ok(())
    }
}
