//! The room that boards have reserved at the end of a file for appends under way.
//!
//! Invariant: only the boards that reserved it append before its end. Not here: reserving (`appends.rs`).

use renga_pages::AppendReservation;

#[derive(Clone, Copy, Default)]
pub(crate) struct Appends {
    pub(super) room: AppendReservation,
    /// The board that reserved the last of it, and the session with it.
    pub(super) board: u8,
    pub(super) session: u32,
    pub(super) shared: bool,
}

impl Appends {
    /// Where the next append goes in a file of so many bytes; `now`: which session there is with a board.
    pub(super) fn next_at(self, size: u64, now: impl Fn(u8) -> u32) -> u64 {
        // The reservation of a failed board lapses; gaps between those of others stay.
        let stands = self.shared || self.session == now(self.board);
        size.max(if stands { self.room.end() } else { 0 })
    }

    /// `board` has reserved up to `end`, too.
    pub(super) fn with(self, size: u64, board: u8, end: u64, now: impl Fn(u8) -> u32) -> Appends {
        let start = self.next_at(size, &now);
        // Up to its size nothing is reserved any more.
        let shared = start > size && (self.shared || self.board != board);
        let mut room = self.room;
        room.extend(size, end.max(start));
        Appends { room, board, session: now(board), shared }
    }
}

#[cfg(test)]
mod tests {
    use super::Appends;

    #[test]
    fn append_room_board_failure_keeps_others_reservations() {
        let both_live = |board: u8| [0, 11, 21][usize::from(board)];
        let second_died = |board: u8| [0, 11, 22][usize::from(board)];
        let first = Appends::default().with(0, 1, 8, both_live);
        let both = first.with(4, 2, 16, both_live);
        assert_eq!([first.next_at(4, both_live), both.next_at(4, both_live)], [8, 16]);
        assert_eq!(both.next_at(4, second_died), 16, "the first board is still at its own");
        // The second alone: its room has no owner.
        let alone = first.with(8, 2, 16, both_live);
        assert_eq!([alone.next_at(8, both_live), alone.next_at(8, second_died)], [16, 8]);
        // What has been written is reserved no more.
        assert_eq!(both.with(16, 2, 24, both_live).next_at(16, second_died), 16);
    }
}
