//! What is lost: boards that die, sessions that end, and what a board learns of that.
//!
//! Not here: names forgotten to make room (`folder.rs`).

use super::NamesMutant;
use super::making::MAKES;
use super::world::{NOTES, NamesBoard, NamesWorld, PLACES};

impl NamesWorld {
    pub(super) fn die(&mut self, number: usize) -> Option<()> {
        self.left.deaths = self.left.deaths.checked_sub(1)?;
        let NamesBoard { incarnation, behind, walk, makes, .. } = self.boards[number];
        // Numbers restart with each incarnation.
        self.boards[number] =
            NamesBoard { generation: 1, incarnation: incarnation + 1, behind, walk, makes, ..NamesBoard::default() };
        self.forget_board(number);
        Some(())
    }

    /// The board holds nothing any more: it is dead, or will know.
    fn forget_board(&mut self, number: usize) {
        let others = !(1 << number);
        self.notes.iter_mut().for_each(|notes| *notes &= others);
        self.spilled &= others;
        for change in self.changes.iter_mut().flatten() {
            change.leave_out(number);
            change.answered |= change.asked == Some(number);
        }
    }

    /// The calls of a board are over; what is being changed for them is changed all the same.
    fn lose_makes(&mut self, board: usize) {
        for (maker, make) in self.changes.iter_mut().flatten().filter_map(|change| change.maker.as_mut()) {
            *make = make.filter(|_| *maker != board);
        }
    }

    /// The results of a walk for the board are lost with its call.
    pub(super) fn end_session(&mut self, number: usize) -> Option<()> {
        self.left.session_ends = self.left.session_ends.checked_sub(1)?;
        if core::mem::replace(&mut self.boards[number].behind, true) {
            return None;
        }
        self.forget_board(number);
        Some(())
    }

    pub(super) fn die_disk(&mut self) -> Option<()> {
        self.left.disk_deaths = self.left.disk_deaths.checked_sub(1)?;
        (self.notes, self.spilled, self.changes) = ([0; NOTES], 0, [None; PLACES]);
        self.boards.iter_mut().for_each(|board| board.behind = true);
        Some(())
    }

    pub(super) fn learn(&mut self, number: usize) -> Option<()> {
        let (keeps, arrives) = (self.is(NamesMutant::CacheOutlivesDisk), self.is(NamesMutant::WalkOutlivesSession));
        let others = self.is(NamesMutant::OthersOutliveSession);
        let board = &mut self.boards[number];
        if !core::mem::take(&mut board.behind) {
            return None;
        }
        if !keeps {
            board.cached = [None; PLACES];
            (board.others, board.made_in) = (board.others && others, false);
            board.generation += u8::from(!arrives);
        }
        if !arrives {
            // Its calls ended with the session.
            (board.walk, board.makes) = (None, [None; MAKES]);
            self.lose_makes(number);
        }
        Some(())
    }
}
