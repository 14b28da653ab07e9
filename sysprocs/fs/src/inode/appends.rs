//! Room at the end of a file for appends that are written in pieces: who appends meanwhile does so behind them, so that the
//! appends of two programs, of whichever boards, do not mix.
//!
//! Invariant: nothing is appended before `end` but by those who have reserved it. The size of the file is what has been written, so
//! there may be a hole while an append is behind another one that is still being written, and for ever if its writer's board
//! has died. Not here: files that another board holds, which reserves there (`renga_pages`).

use crate::inode::active_inode::ActiveInode;
use crate::inode::content::FILE_BYTES_MAX;
use renga_pages::AppendRoom;
use renga_proto::pages::AT_END;
use renga_rt::Errno;

/// What is reserved.
#[derive(Clone, Copy, Default)]
pub(crate) struct Appends {
    room: AppendRoom,
    /// The board that reserved the last of it, and the session with it.
    board: u8,
    session: u32,
    /// Others have reserved some of it, too.
    shared: bool,
}

impl Appends {
    /// Where the next append goes in a file of so many bytes; `now`: which session there is with a board.
    fn next_at(self, size: u64, now: impl Fn(u8) -> u32) -> u64 {
        // What a board had reserved that has died is nobody's; what is between others' stays.
        let stands = self.shared || self.session == now(self.board);
        size.max(if stands { self.room.end() } else { 0 })
    }

    /// `board` has reserved up to `end`, too.
    fn with(self, size: u64, board: u8, end: u64, now: impl Fn(u8) -> u32) -> Appends {
        let start = self.next_at(size, &now);
        // Up to its size nothing is reserved any more.
        let shared = start > size && (self.shared || self.board != board);
        let mut room = self.room;
        room.extend(size, end.max(start));
        Appends { room, board, session: now(board), shared }
    }
}

impl ActiveInode {
    /// Where the next append goes.
    pub(crate) fn append_at(&self) -> u64 {
        self.appends.next_at(self.record.size(), |board| self.referrers.session(board))
    }

    /// Reserves `bytes` for `board`: where they begin. Or what was reserved `from` there on is not used.
    pub(crate) fn reserve_append(&mut self, board: u8, from: u64, bytes: u64) -> Result<u64, Errno> {
        self.check_regular()?;
        if from != AT_END {
            self.appends.room.give_back(from, from.saturating_add(bytes));
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

#[cfg(test)]
mod tests {
    use super::Appends;

    #[test]
    fn a_board_that_dies_leaves_what_others_have_reserved() {
        let both_live = |board: u8| [0, 11, 21][usize::from(board)];
        let second_died = |board: u8| [0, 11, 22][usize::from(board)];
        let first = Appends::default().with(0, 1, 8, both_live);
        let both = first.with(4, 2, 16, both_live);
        assert_eq!([first.next_at(4, both_live), both.next_at(4, both_live)], [8, 16]);
        assert_eq!(both.next_at(4, second_died), 16, "the first board is still at its own");
        // The second alone: its room is nobody's.
        let alone = first.with(8, 2, 16, both_live);
        assert_eq!([alone.next_at(8, both_live), alone.next_at(8, second_died)], [16, 8]);
        // What has been written is reserved no more.
        assert_eq!(both.with(16, 2, 24, both_live).next_at(16, second_died), 16);
    }
}
