//! Complete folders: the board that has created a directory caches the absence of all other names there, as one name
//! without an inode.
//!
//! Invariant: a board that caches the others, and creates nothing there, caches each name that stands for something.
//! The status of the directory has nothing to do with it. Not here: what a make leaves of it (`making.rs`), revokes
//! (`world.rs`).

use super::NamesMutant;
use super::world::{INODE, NAMES, NamesBoard, NamesWorld, OTHERS};

impl NamesBoard {
    /// Whether it takes uncached names as absent.
    fn knows_all(&self, reports_meanwhile: bool) -> bool {
        self.others && (reports_meanwhile || !self.made_in)
    }

    /// A name with an inode may be one that is not cached; returns whether that is news.
    pub(super) fn lose_others(&mut self) -> bool {
        core::mem::take(&mut self.others)
    }
}

impl NamesWorld {
    /// The first board has created the directory of the names, which is empty.
    pub(super) fn begin_complete(&mut self) {
        (self.boards[0].cached[INODE], self.boards[0].others) = (Some(0), true);
        (self.notes[INODE], self.notes[OTHERS]) = (1, 1);
    }

    /// Whether a board would take a name to stand for nothing that stands for something.
    pub(super) fn misses_names(&self, board: &NamesBoard) -> bool {
        let missed = |(cached, now): (&Option<u8>, u8)| cached.is_none() && now != 0;
        board.knows_all(self.is(NamesMutant::MakerReportsMeanwhile))
            && board.cached[..NAMES].iter().zip(self.now).any(missed)
    }

    /// Whether a board knows all names of a directory whose status it does not cache.
    pub fn knows_names_only(&self) -> bool {
        self.boards.iter().any(|board| !board.behind && board.knows_all(false) && board.cached[INODE].is_none())
    }

    /// The boards to query for the others before a name changes. The board that has the name created is not queried,
    /// and its note stays.
    pub(super) fn take_others(&mut self, maker: Option<usize>) -> u8 {
        let not_asked = match maker {
            Some(_) => NamesMutant::OthersOutliveMake,
            None => NamesMutant::OthersOutliveRename,
        };
        if self.is(not_asked) {
            return 0;
        }
        let stays = maker.map_or(0, |board| 1 << board);
        let noted = self.notes[OTHERS];
        self.notes[OTHERS] &= if self.is(NamesMutant::MakersNoteTaken) { 0 } else { stays };
        noted & !stays
    }

    pub(super) fn drop_name(&mut self, board: usize, name: usize) -> Option<()> {
        self.left.drops = self.left.drops.checked_sub(1)?;
        let stays = self.is(NamesMutant::OthersOutliveName);
        let board = &mut self.boards[board];
        board.cached[name].take()?;
        board.others &= stays;
        Some(())
    }
}
