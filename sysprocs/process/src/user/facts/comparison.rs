//! `kcmp`: whether processes share something; and `membarrier`.
//!
//! Invariant: a program compares its own descriptors only: of another process nothing is known here.

use crate::user::slot::User;
use renga_hal::memory::UserMemory;
use renga_rt::Errno;

const KCMP_FILE: u32 = 0;
/// Memory, descriptors, directories, actions, I/O contexts, semaphore adjustments: one process has one of each.
const KCMP_VM: u32 = 1;
const KCMP_SYSVSEM: u32 = 6;

impl<M: UserMemory> User<M> {
    pub(crate) async fn compare_processes(&mut self) -> Result<u64, Errno> {
        for index in [0, 1] {
            let pid = self.int(index);
            if pid != self.program.pid {
                self.relations_of(pid).await?;
                return Err(Errno::EPERM);
            }
        }
        match self.int(2) {
            KCMP_FILE => {
                let one = self.program.files.get(self.argument(3))?.object;
                let other = self.program.files.get(self.argument(4))?.object;
                let in_order =
                    one.server().map(|at| (at.board, at.number)) < other.server().map(|at| (at.board, at.number));
                Ok(if one == other {
                    0
                } else if in_order {
                    1
                } else {
                    2
                })
            }
            KCMP_VM..=KCMP_SYSVSEM => Ok(0),
            _ => Err(Errno::EINVAL),
        }
    }

    /// No command is supported: a query says so.
    pub(crate) async fn order_memory(&mut self) -> Result<(), Errno> {
        if (self.int(0), self.int(1)) == (0, 0) { Ok(()) } else { Err(Errno::EINVAL) }
    }
}
