//! The system calls that only Renga has, but for the fork onto another board (`fork.rs`).

use super::User;
use super::escape::Outcome;
use renga_hal::memory::UserMemory;
use renga_proto::path::Unmount;
use renga_proto::procs::{Describe, INIT};
use renga_rt::Errno;

/// In `renga_info`: how many boards there are, and which one this is.
const INFO_BOARDS: u32 = 0;
/// In `renga_info`: one line of a board's table of processes; `index` is board << 16 | line.
const INFO_PROCESS: u32 = 1;
/// Bytes of a line about a process.
const LINE_BYTES: usize = 128;

impl<M: UserMemory + ?Sized> User<M> {
    /// System call 1001: facts for listings. What, index, where to, how many bytes there.
    pub(super) async fn cluster_facts(&mut self) -> Outcome {
        let (what, index, place, room) = (self.int(0), self.argument(1), self.argument(2), self.argument(3));
        match what {
            INFO_BOARDS => {
                let bytes = [self.services.clients.all_procs.boards(), self.services.board];
                let length = bytes.len().min(room as usize);
                self.put(place, &bytes[..length]).await?;
                Ok(length as u64)
            }
            INFO_PROCESS => {
                let (board, line) = ((index >> 16) as u8, index as u16);
                let mut procs = self.services.clients.all_procs.at(board, 0).ok_or(Errno::EINVAL)?;
                let text = &mut self.scratch[..LINE_BYTES];
                let bytes = procs.call(Describe { index: line }, text).await? as usize;
                let bytes = bytes.min(LINE_BYTES).min(room as usize);
                self.put_scratch(place, bytes).await?;
                Ok(bytes as u64)
            }
            _ => Err(Errno::EINVAL.into()),
        }
    }

    /// System call 1002: stops the cluster with everything on the medium. Init's alone.
    pub(super) async fn halt(&mut self) -> Outcome {
        if self.program.pid != INIT {
            return Err(Errno::EPERM.into());
        }
        self.services.walker()?.call(Unmount {}, ()).await?;
        self.power.stop(self.argument(0) as u8);
        Ok(0)
    }
}
