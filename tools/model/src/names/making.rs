//! Creations: a board has a name created, gives up first what that changes, and gets the new state with the reply.
//!
//! Invariant: a board that creates a name caches neither that name nor the inode until the reply. Not here: revocations
//! at the others, which are those of any change (`world.rs`); creations with which the disk's board starts when their
//! session has ended.

use super::NamesMutant;
use super::world::{INODE, NamesWorld};

/// Makes that a board has under way.
pub const MAKES: usize = 2;

/// A make of a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Make {
    name: usize,
    generation: u8,
    incarnation: u8,
    /// The disk's board is at it.
    begun: bool,
    /// Name and inode, when created.
    reply: Option<(u8, u8)>,
}

impl NamesWorld {
    pub(super) fn begin_make(&mut self, board: usize, name: usize) -> Option<()> {
        self.left.makes = self.left.makes.checked_sub(1)?;
        let (keeps, old) = (self.is(NamesMutant::MakerKeepsWhatChanges), self.is(NamesMutant::GenerationOutlivesMake));
        let beside = self.is(NamesMutant::OthersCachedBesideMakes);
        let board = &mut self.boards[board];
        let free = board.makes.iter().position(Option::is_none).filter(|_| !board.behind)?;
        let alone = !board.makes_something();
        board.others &= alone || beside;
        board.made_in = alone;
        if !keeps {
            (board.cached[name], board.cached[INODE]) = (None, None);
        }
        board.generation += u8::from(!old);
        board.makes[free] = Some(Make {
            name,
            generation: board.generation,
            incarnation: board.incarnation,
            begun: false,
            reply: None,
        });
        Some(())
    }

    pub(super) fn make(&mut self, board: usize, number: usize) -> Option<()> {
        if self.is_locked_exclusively() || self.is_locked_shared() || self.changes_inode() {
            return None;
        }
        let make = self.boards[board].makes[number].as_mut().filter(|make| !make.begun)?;
        make.begun = true;
        let name = make.name;
        self.begin_change(name, Some((board, number)));
        Some(())
    }

    /// It is created, and reported under the lock of names.
    pub(super) fn report_make(&mut self, (board, number): (usize, Option<usize>), name: usize) {
        let noted = !self.is(NamesMutant::MakeNotNoted);
        for place in [name, INODE] {
            self.notes[place] |= u8::from(noted) << board;
        }
        if let Some(make) = number.and_then(|number| self.boards[board].makes[number].as_mut()) {
            make.reply = Some((self.now[name], self.now[INODE]));
        }
    }

    pub(super) fn end_make(&mut self, board: usize, number: usize) -> Option<()> {
        let (any_generation, any_incarnation) =
            (self.is(NamesMutant::GenerationIgnoredByMake), self.is(NamesMutant::FormerIncarnation));
        let (beside, stays) =
            (self.is(NamesMutant::MakeKeptBesideAnother), self.is(NamesMutant::OthersOutliveLostMake));
        let board = &mut self.boards[board];
        let Make { name, generation, incarnation, reply, .. } = board.makes[number]?;
        let (reply_name, reply_inode) = reply?;
        board.makes[number] = None;
        let alone = !board.makes_something();
        // Replies under way to others may be older than this one.
        board.generation += u8::from(!alone && !beside);
        if incarnation != board.incarnation && !any_incarnation {
            return Some(());
        }
        let good = generation == board.generation || any_generation;
        if good {
            (board.cached[name], board.cached[INODE]) = (Some(reply_name), Some(reply_inode));
        }
        // The created name is not cached.
        board.others &= good || stays || !board.made_in;
        board.made_in = false;
        Some(())
    }
}
