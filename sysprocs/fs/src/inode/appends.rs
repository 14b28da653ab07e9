//! Room at the end of a file for appends that are written in pieces: who appends meanwhile does so behind them, so that the
//! appends of two programs, of whichever boards, do not mix.
//!
//! Invariant: nothing is appended before `end` but by those who have reserved it. The size of the file is what has been written, so
//! there may be a hole while an append is behind another one that is still being written, and for ever if its writer's board
//! has died. Not here: files that another board holds, which reserves there (`renga_pages`).

use crate::inode::active_inode::ActiveInode;
use crate::inode::content::FILE_BYTES_MAX;
use renga_proto::pages::AT_END;
use renga_rt::Errno;

/// What is reserved.
#[derive(Clone, Copy, Default)]
pub(crate) struct Appends {
    /// Up to where.
    end: u64,
    /// The board that reserved the last of it, and the session with it.
    board: u8,
    session: u32,
}

impl ActiveInode {
    /// Where the next append goes.
    pub(crate) fn append_at(&self) -> u64 {
        let Appends { end, board, session } = self.appends;
        // What a board had reserved that has died is nobody's.
        let stands = session == self.referrers.session(board);
        self.record.size().max(if stands { end } else { 0 })
    }

    /// Reserves `bytes` for `board`: where they begin. Or what was reserved `from` there on is not used.
    pub(crate) fn reserve_append(&mut self, board: u8, from: u64, bytes: u64) -> Result<u64, Errno> {
        self.check_regular()?;
        let start = self.append_at();
        match from {
            AT_END => {
                let end = start.checked_add(bytes).filter(|end| *end <= FILE_BYTES_MAX).ok_or(Errno::EFBIG)?;
                self.note_reserved(board, end);
                return Ok(start);
            }
            from if from.checked_add(bytes) == Some(self.appends.end) => self.appends.end = from,
            _ => {}
        }
        Ok(from)
    }

    /// Appends are under way that end there, on `board`.
    pub(crate) fn note_reserved(&mut self, board: u8, end: u64) {
        let end = end.max(self.append_at());
        self.appends = Appends { end, board, session: self.referrers.session(board) };
    }
}
