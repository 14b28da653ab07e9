//! The system calls that only Renga has, but for the fork onto another board (`fork.rs`).

use crate::user::slot::User;
use crate::user::state::SyscallResult;
use renga_hal::memory::UserMemory;
use renga_proto::path::Unmount;
use renga_proto::procs::INIT;
use renga_proto::router::ReadCounters;
use renga_rt::Errno;

/// In `renga_info`: how many boards there are, and which one this is.
const INFO_BOARDS: u32 = 0;
/// In `renga_info`: the counters of board `index`'s link, a little-endian `u64` each.
const INFO_LINK: u32 = 2;
/// As an index: this board.
const OWN_BOARD: u64 = 0xff;
/// Bytes of the counters of a link, at most.
const COUNTER_BYTES: usize = 256;

impl<M: UserMemory> User<M> {
    /// System call 1001: facts for listings. What, index, where to, how many bytes there.
    pub(crate) async fn cluster_facts(&mut self) -> SyscallResult {
        let (what, index, place, room) = (self.int(0), self.argument(1), self.argument(2), self.argument(3));
        match what {
            INFO_BOARDS => {
                let bytes = [self.services.clients.all_procs.boards(), self.services.board];
                let length = bytes.len().min(room as usize);
                self.put(place, &bytes[..length]).await?;
                Ok(length as u64)
            }
            INFO_LINK => {
                let board = if index == OWN_BOARD { self.services.board } else { index as u8 };
                let mut link = self.services.clients.links.at(board, 0).ok_or(Errno::ENODEV)?;
                let counters = &mut self.scratch[..COUNTER_BYTES];
                let count = link.call(ReadCounters {}, counters).await? as usize;
                let bytes = (count * size_of::<u64>()).min(COUNTER_BYTES).min(room as usize);
                self.put_scratch(place, bytes).await?;
                Ok(bytes as u64)
            }
            _ => Err(Errno::EINVAL.into()),
        }
    }

    /// System call 1002: stops the cluster with everything on the medium. Init's alone.
    pub(crate) async fn halt(&mut self) -> Result<(), Errno> {
        if self.program.pid != INIT {
            return Err(Errno::EPERM);
        }
        let mut path_lookup = self.services.clients.own_paths.at(0).ok_or(Errno::EPERM)?;
        path_lookup.call(Unmount {}, ()).await?;
        self.power.stop(self.argument(0) as u8);
        Ok(())
    }
}
