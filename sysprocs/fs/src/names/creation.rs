//! Making something for a board without the disk, in one call: it is made, opened, leased to be written, and what is so then is notified.
//!
//! Invariant: what is notified is so until the lock of names is given back, and the board is noted before that. Of the
//! directory that the board is *prepared* for it caches nothing that changes, so that it need not be asked.
//! Not here: making (`name_change.rs`, `open.rs`), who is prepared (`lease_cache/creation.rs`).

use crate::names::worker_state::{LookupWorker, Maker, locked};
use renga_proto::inode::STAT_BYTES;
use renga_proto::path::{Make, OPEN_WRITE, Open};
use renga_rt::Errno;

impl LookupWorker {
    /// Makes what is to be made, and writes the steps to `out`; how many bytes.
    pub(crate) async fn make(&mut self, make: Make, board: u8, path: &[u8], out: &mut [u8]) -> Result<u32, Errno> {
        let Make { at, flags, mode, directory, prepared } = make;
        let (opens, lends) = (!directory, !directory && flags & OPEN_WRITE != 0);
        self.maker = Some(Maker { board, prepared, lends, opens, granted: Ok(()) });
        self.steps.clear();
        let made = if directory {
            locked!(self, true, self.make_directory(at.into(), path, mode))
        } else {
            self.make_file(Open { at: at.into(), flags, mode }, board, path).await
        };
        self.release_all().await;
        let granted = self.maker.take().map_or(Ok(()), |maker| maker.granted);
        match made.and(granted) {
            Err(Errno::EAGAIN) => self.steps.refuse(Errno::EAGAIN),
            done => done?,
        }
        let steps = self.steps.bytes();
        out.get_mut(..steps.len()).ok_or(Errno::EINVAL)?.copy_from_slice(steps);
        Ok(steps.len() as u32)
    }

    async fn make_file(&mut self, open: Open, board: u8, path: &[u8]) -> Result<(), Errno> {
        let (node, created) = self.open_with_room(open, path).await?;
        if created {
            return Ok(());
        }
        let (facts, cuts) = self.finish_open(&node, open.flags, false).await?;
        if cuts {
            return Err(Errno::EAGAIN);
        }
        self.hand_over(node.slot, board).await?;
        self.steps.end_at(&facts, false, &[0; STAT_BYTES]);
        Ok(())
    }
}
