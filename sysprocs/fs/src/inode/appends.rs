//! Room at the end of a file for appends that are written in pieces: who appends meanwhile does so behind them, so that
//! the appends of two programs, of whichever boards, do not mix.
//!
//! Invariant: nothing is appended before `end` but by those who have reserved it. The size of the file is what has been
//! written, so there may be a hole while an append is behind another one that is still being written, and for ever if
//! its writer's board has died. Not here: files that another board leases, which reserves there (`renga_pages`).

use crate::format::inode_record::FILE_BYTES_MAX;
use crate::inode::active_inode::ActiveInode;
use renga_proto::pages::AT_END;
use renga_rt::Errno;

impl ActiveInode {
    /// Reserves `bytes` for `board`: where they begin. Or what was reserved `from` there on is not used.
    pub(crate) fn reserve_append(&mut self, board: u8, from: u64, bytes: u64) -> Result<u64, Errno> {
        self.check_regular()?;
        if from != AT_END {
            self.appends.room.release(from, from.saturating_add(bytes));
            return Ok(from);
        }
        // Of a file that is as large as it may be at the end, what there is room for is written.
        let start = self.append_at();
        let end = start.saturating_add(bytes).min(FILE_BYTES_MAX);
        if start >= end {
            return Err(Errno::EFBIG);
        }
        self.note_reserved(board, end);
        Ok(start)
    }

    /// Appends are under way that end there, on `board`.
    pub(crate) fn note_reserved(&mut self, board: u8, end: u64) {
        let session = |board| self.referrers.session(board);
        self.appends = self.appends.with(self.record.size(), board, end, session);
    }
}
