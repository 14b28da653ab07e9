//! The boards, their caches, and the messages between them and the disk's board.
//!
//! What a name stands for, and how the inode is, is a number that each change makes one larger. Invariant: messages may
//! overtake each other, and none is lost (the sessions below see to that).
//! Not here: makes by boards (`making.rs`), reads (`reading.rs`), folders of which a board caches all names
//! (`folder.rs`), losses (`loss.rs`), properties (`properties.rs`).

use super::NamesMutant;
use super::making::{MAKES, Make};

/// Boards with a cache.
pub const BOARDS: usize = 2;
/// Good at no time.
const NO_CACHE_GENERATION: u8 = 0;
/// Names in the directory.
pub const NAMES: usize = 2;
/// The place of the inode behind the names.
pub(super) const INODE: usize = NAMES;
/// Places: entries that can be cached, and can change.
pub const PLACES: usize = NAMES + 1;
/// The place of the notes on the absence of all other names.
pub(super) const OTHERS: usize = PLACES;
/// What is noted: of each place, and of the others.
pub const NOTES: usize = PLACES + 1;

/// What may be done so many times at most.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NamesLimits {
    /// Walks for boards.
    pub walks: u8,
    /// Changes.
    pub changes: u8,
    /// Creations by boards: changes of a name and of the inode, which the reply reports.
    pub makes: u8,
    /// Times that the inode is read.
    pub reads: u8,
    /// The inode is the directory of the names, all of which the first board caches, as it has created it.
    pub folder: bool,
    /// Names forgotten by a board to make room.
    pub drops: u8,
    /// Slots of names that are needed for others.
    pub evictions: u8,
    /// Deaths of boards.
    pub deaths: u8,
    /// Deaths of the disk's board.
    pub disk_deaths: u8,
    /// Sessions with a board that end while both live.
    pub session_ends: u8,
}

/// A walk for a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Walk {
    name: usize,
    generation: u8,
    incarnation: u8,
    /// Its results.
    reply: (Option<u8>, Option<u8>),
}

/// A board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct NamesBoard {
    pub(super) generation: u8,
    pub(super) incarnation: u8,
    /// It does not know yet that the session has ended, or that the disk's board restarted; it neither requests nor
    /// answers meanwhile.
    pub(super) behind: bool,
    pub(super) cached: [Option<u8>; PLACES],
    pub(super) walk: Option<Walk>,
    pub(super) makes: [Option<Make>; MAKES],
    /// It caches the absence of all names that it does not cache.
    pub(super) others: bool,
    /// It creates one name: meanwhile it does not report its cached others.
    pub(super) made_in: bool,
}

impl NamesBoard {
    fn holds_old(&self, now: [u8; PLACES]) -> bool {
        self.cached.iter().zip(now).any(|(cached, now)| cached.is_some_and(|cached| cached != now))
    }

    pub(super) fn makes_something(&self) -> bool {
        self.makes.iter().any(Option::is_some)
    }
}

/// A change under way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct NamesChange {
    /// Boards that cache it, that may cache any name, and that cache the inode if that changes, too; a bit each.
    one: u8,
    all: u8,
    inode: u8,
    pub(super) asked: Option<usize>,
    pub(super) answered: bool,
    applied: bool,
    /// The board that has it created, by which of its creations, if that is not over.
    pub(super) maker: Option<(usize, Option<usize>)>,
    /// The inode changes, too.
    with_inode: bool,
    /// The queried board gets the future status, and keeps caching it.
    pub(super) updates: bool,
}

impl NamesChange {
    pub(super) fn leave_out(&mut self, board: usize) {
        let others = !(1 << board);
        (self.one, self.all, self.inode) = (self.one & others, self.all & others, self.inode & others);
    }
}

/// All of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NamesWorld {
    mutant: Option<NamesMutant>,
    pub(super) left: NamesLimits,
    pub(super) now: [u8; PLACES],
    /// Boards that cache it, a bit each.
    pub(super) notes: [u8; NOTES],
    /// Boards that cache names without a note.
    pub(super) spilled: u8,
    /// Of the names and of the inode: one at a time.
    pub(super) changes: [Option<NamesChange>; PLACES],
    pub(super) boards: [NamesBoard; BOARDS],
}

impl NamesWorld {
    /// All caches are empty.
    pub fn new(mutant: Option<NamesMutant>, left: NamesLimits) -> NamesWorld {
        let boards = core::array::from_fn(|_| NamesBoard { generation: 1, ..NamesBoard::default() });
        let (now, notes, changes) = ([0; PLACES], [0; NOTES], [None; PLACES]);
        let mut world = NamesWorld { mutant, left, now, notes, spilled: 0, changes, boards };
        if left.folder {
            world.begin_complete();
        }
        world
    }

    pub(super) fn is(&self, mutant: NamesMutant) -> bool {
        self.mutant == Some(mutant)
    }

    /// Whether some board holds what is no longer so.
    pub fn holds_old(&self) -> bool {
        let newest = self.newest();
        self.boards.iter().any(|board| !board.behind && (board.holds_old(newest) || self.misses_names(board)))
    }

    /// Whether a board holds what is no longer so, and does not know that it is cut off.
    pub fn is_cut_off_with_old(&self) -> bool {
        self.boards.iter().any(|board| board.behind && board.holds_old(self.now))
    }

    pub(super) fn walk(&mut self, board: usize, name: usize) -> Option<()> {
        self.left.walks = self.left.walks.checked_sub(1)?;
        let any_time = self.is(NamesMutant::WalksKeptWhileMaking);
        let board = &mut self.boards[board];
        if board.behind || board.walk.is_some() || name == INODE && !self.left.folder {
            return None;
        }
        let generation = if board.makes_something() && !any_time { NO_CACHE_GENERATION } else { board.generation };
        board.walk = Some(Walk { name, generation, incarnation: board.incarnation, reply: (None, None) });
        Some(())
    }

    /// Whether a walk holds the lock of names.
    pub(super) fn is_locked_shared(&self) -> bool {
        let inside = |walk: &Walk| walk.reply.0.is_some() && walk.reply.1.is_none() && !self.left.folder;
        self.boards.iter().filter_map(|board| board.walk.as_ref()).any(inside)
    }

    pub(super) fn is_locked_exclusively(&self) -> bool {
        self.changes[..NAMES].iter().any(Option::is_some)
    }

    pub(super) fn changes_inode(&self) -> bool {
        self.changes[INODE].is_some() || self.changes.iter().flatten().any(|change| change.with_inode)
    }

    pub(super) fn tell_name(&mut self, board: usize) -> Option<()> {
        let (noted, closed) = (!self.is(NamesMutant::NameNotNoted), !self.is(NamesMutant::NamesReportedMeanwhile));
        if self.is_locked_exclusively() && closed {
            return None;
        }
        let walk = self.boards[board].walk.as_mut().filter(|walk| walk.reply.0.is_none() && walk.name != INODE)?;
        walk.reply.0 = Some(self.now[walk.name]);
        self.notes[walk.name] |= u8::from(noted) << board;
        Some(())
    }

    pub(super) fn tell_inode(&mut self, board: usize) -> Option<()> {
        let (noted, closed) = (!self.is(NamesMutant::StatusNotNoted), !self.is(NamesMutant::StatusReportedMeanwhile));
        let folder = self.left.folder;
        if self.changes_inode() && closed {
            return None;
        }
        // It is what the name stands for, or the directory, to which there is a walk of its own.
        let comes_to = |walk: &&mut Walk| if folder { walk.name == INODE } else { walk.reply.0.is_some() };
        let walk = self.boards[board].walk.as_mut().filter(|walk| walk.reply.1.is_none()).filter(comes_to)?;
        walk.reply.1 = Some(self.now[INODE]);
        self.notes[INODE] |= u8::from(noted) << board;
        Some(())
    }

    pub(super) fn arrive(&mut self, board: usize) -> Option<()> {
        let (any_generation, any_incarnation) =
            (self.is(NamesMutant::GenerationIgnored), self.is(NamesMutant::FormerIncarnation));
        let board = &mut self.boards[board];
        let walk = board.walk?;
        let (name, inode) = walk.reply;
        if !(name.is_some() && inode.is_some() || self.left.folder && name.or(inode).is_some()) {
            return None;
        }
        board.walk = None;
        if walk.incarnation != board.incarnation && !any_incarnation {
            return Some(());
        }
        if walk.generation == board.generation || any_generation {
            board.cached[walk.name] = name.or(board.cached[walk.name]);
            board.cached[INODE] = inode.or(board.cached[INODE]);
        }
        Some(())
    }

    pub(super) fn change(&mut self, place: usize) -> Option<()> {
        self.left.changes = self.left.changes.checked_sub(1)?;
        let busy = if place == INODE { self.changes_inode() } else { self.is_locked_exclusively() };
        if busy || (place != INODE && self.is_locked_shared()) {
            return None;
        }
        self.begin_change(place, None);
        Some(())
    }

    pub(super) fn begin_change(&mut self, place: usize, maker: Option<(usize, usize)>) {
        let maker_board = maker.map(|(board, _)| board);
        let mut one = core::mem::take(&mut self.notes[place]);
        one |= if place == INODE { 0 } else { self.take_others(maker_board) };
        let mut all = if place == INODE { 0 } else { core::mem::take(&mut self.spilled) };
        for names in (0..NAMES).chain([OTHERS]) {
            self.notes[names] &= !all;
        }
        let in_folder = self.left.folder && place != INODE;
        let with_inode = maker.is_some() || in_folder;
        let inode = if with_inode { core::mem::take(&mut self.notes[INODE]) } else { 0 };
        let applied = self.is(NamesMutant::ChangeBeforeAnswers);
        if applied {
            self.apply(place, with_inode);
        }
        // The maker has given both up itself; other names it has not.
        let others = maker_board.map_or(!0, |board| !(1 << board));
        if self.is(NamesMutant::MakerNotAskedForOthers) {
            all &= others;
        }
        let (one, inode) = (one & !all & others, inode & others);
        let maker = maker.map(|(board, make)| (board, Some(make)));
        self.changes[place] = Some(NamesChange {
            one,
            all,
            inode,
            asked: None,
            answered: false,
            applied,
            maker,
            with_inode,
            updates: false,
        });
    }

    fn apply(&mut self, place: usize, with_inode: bool) {
        self.now[place] += 1;
        self.now[INODE] += u8::from(with_inode);
    }

    pub(super) fn go_on(&mut self, place: usize) -> Option<()> {
        let waits = !self.is(NamesMutant::DeadWhenAsked);
        let change = self.changes[place].as_mut()?;
        if change.asked.is_some() && !change.answered && waits {
            return None;
        }
        if let Some(board) = change.asked.take() {
            change.leave_out(board);
        }
        change.answered = false;
        let next = (change.one | change.all | change.inode).trailing_zeros() as usize;
        if next < BOARDS {
            change.asked = Some(next);
            return Some(());
        }
        let NamesChange { applied, maker, with_inode, .. } = *change;
        if !applied {
            self.apply(place, with_inode);
        }
        self.changes[place] = None;
        if let Some(maker) = maker {
            self.report_make(maker, place);
        }
        Some(())
    }

    pub(super) fn give_up(&mut self, place: usize) -> Option<()> {
        let (one_only, must_find) =
            (self.is(NamesMutant::OneNameOfMany), self.is(NamesMutant::GenerationOutlivesRevoke));
        let change = self.changes[place].as_mut().filter(|change| !change.answered)?;
        let number = change.asked?;
        if change.updates {
            return self.update_status(number);
        }
        let board = &mut self.boards[number];
        if board.behind {
            return None;
        }
        let all = change.all >> number & 1 != 0 && !one_only;
        let named = if all || change.one >> number & 1 != 0 { place..place + 1 } else { 0..0 };
        let names = if all { 0..NAMES } else { named };
        let mut found = place != INODE && !names.is_empty() && board.lose_others();
        found |= board.cached[names.clone()].iter().any(Option::is_some);
        board.cached[names].fill(None);
        if change.inode >> number & 1 != 0 {
            found |= board.cached[INODE].take().is_some();
        }
        board.generation += u8::from(found || !must_find);
        change.answered = true;
        Some(())
    }

    pub(super) fn evict(&mut self, name: usize) -> Option<()> {
        self.left.evictions = self.left.evictions.checked_sub(1)?;
        let notes = core::mem::take(&mut self.notes[name]);
        let lost = if name == OTHERS { NamesMutant::OthersLostWithSlot } else { NamesMutant::NotesLostWithSlot };
        if !self.is(lost) {
            self.spilled |= notes;
        }
        Some(())
    }
}
