//! Writing a file in the page cache of this board, under a write lease.
//!
//! A write crosses to the inode's process if that refuses the lease: no room on the medium, boards that alternate, a
//! hole. Called by: `writing.rs`. Calls: the page cache. Not here: requesting the lease (`write_lease.rs`), the cache
//! (`renga_pages`).

use crate::file::open_file::OpenFile;
use crate::file::write_lease::{PAGE, TRIES_MAX};
use renga_hal::memory::UserMemory;
use renga_proto::pages::{AT_END, NO_PAGE, WriteLeased};
use renga_rt::Errno;

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// Writes here as much of `data` as may be, at `offset` or `AT_END`; where that ended, and how many bytes it was.
    /// An error only if nothing was written.
    pub(super) async fn write_leased(&mut self, offset: u64, data: &[u8]) -> Result<(u64, usize), Errno> {
        let (mut at, mut done) = (offset, 0);
        if !self.is_elsewhere() || data.is_empty() {
            return Ok((at, 0));
        }
        self.check()?;
        self.note_losses().await;
        for _ in 0..TRIES_MAX {
            let file = self.id();
            match self.clients.pages.call(WriteLeased { file, offset: at }, &data[done..]).await {
                Ok(write) if write.missing != NO_PAGE => {
                    match self.bring_in(u64::from(write.missing) * PAGE, &mut []).await {
                        Err(_) if done > 0 => break,
                        brought => brought?,
                    };
                }
                Ok(write) => {
                    (at, done) = (write.end, done + write.bytes as usize);
                    if write.crowded {
                        // What is written is written: a failure is that of the next write, or syncs.
                        let _ = self.flush_lease().await;
                    }
                    if done == data.len() {
                        break;
                    }
                }
                Err(_) if done > 0 => break,
                Err(Errno::ENOMEM) => self.flush_lease().await?,
                Err(Errno::ENOLCK) if self.local_writes.crossings > 0 => {
                    self.local_writes.crossings -= 1;
                    break;
                }
                Err(Errno::ENOLCK) => {
                    let last = at.saturating_add((data.len() - done) as u64) - 1;
                    let page = if at == AT_END { Some(NO_PAGE) } else { u32::try_from(last / PAGE).ok() };
                    if page.is_none() || !self.ask_lease(page.unwrap_or(0)).await? {
                        break;
                    }
                }
                Err(errno) => return Err(errno),
            }
        }
        Ok((at, done))
    }
}
