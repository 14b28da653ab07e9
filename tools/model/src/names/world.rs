//! The boards, what they hold, and what is under way between them and the disk's board.
//!
//! What a name stands for, and how the inode is, is a number that each change makes one larger. Invariant: messages may
//! overtake each other, and none is lost (the sessions below see to that).
//! Not here: what must hold (`properties.rs`).

use super::Mutant;

/// Boards that hold something.
pub const BOARDS: usize = 2;
/// Names in the directory.
pub const NAMES: usize = 2;
/// The place of the inode behind the names.
const INODE: usize = NAMES;
/// Places: what can be held, and can change.
pub const PLACES: usize = NAMES + 1;

/// What may be done so many times at most.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// Walks for boards.
    pub walks: u8,
    /// Changes.
    pub changes: u8,
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
struct Walk {
    name: usize,
    ticket: u8,
    life: u8,
    /// What it has been told.
    told: (Option<u8>, Option<u8>),
}

/// A board.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Board {
    ticket: u8,
    life: u8,
    /// It does not know yet that the session has ended, or that the disk's board began anew; nothing is asked or answered meanwhile.
    behind: bool,
    held: [Option<u8>; PLACES],
    walk: Option<Walk>,
}

/// A change under way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Change {
    /// Boards that hold it, and boards that may hold any name; a bit each.
    one: u8,
    all: u8,
    asked: Option<usize>,
    answered: bool,
    applied: bool,
}

/// All of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    mutant: Option<Mutant>,
    left: Limits,
    now: [u8; PLACES],
    /// Boards that hold it, a bit each.
    notes: [u8; PLACES],
    /// Boards that hold names of which there are no notes.
    spilled: u8,
    /// Of the names and of the inode: one at a time.
    changes: [Option<Change>; PLACES],
    boards: [Board; BOARDS],
}

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// A walk begins for a board, to a name.
    Walk(usize, usize),
    /// It comes to the name.
    TellName(usize),
    /// It comes to the inode.
    TellInode(usize),
    /// The answer arrives.
    Arrive(usize),
    /// A change begins.
    Change(usize),
    /// The next board is asked, or what was to change does.
    GoOn(usize),
    /// The board that is asked gives up what it holds.
    GiveUp(usize),
    /// The slot of a name is needed for another.
    Evict(usize),
    /// A board dies, and is there again without anything.
    Die(usize),
    /// The disk's board does.
    DieDisk,
    /// The session with a board ends, and both live.
    EndSession(usize),
    /// A board learns of that, or that the disk's board began anew.
    Learn(usize),
}

impl World {
    /// Nothing is held.
    pub fn new(mutant: Option<Mutant>, left: Limits) -> World {
        let boards = core::array::from_fn(|_| Board { ticket: 1, ..Board::default() });
        let (now, notes, changes) = ([0; PLACES], [0; PLACES], [None; PLACES]);
        World { mutant, left, now, notes, spilled: 0, changes, boards }
    }

    fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    /// Whether some board holds what is no longer so.
    pub fn holds_old(&self) -> bool {
        let mut boards = self.boards.iter().filter(|board| !board.behind);
        boards.any(|board| board.held.iter().zip(self.now).any(|(held, now)| held.is_some_and(|held| held != now)))
    }

    /// Whether a board holds what is no longer so, and does not know that it is cut off.
    pub fn is_cut_off_with_old(&self) -> bool {
        let mut boards = self.boards.iter().filter(|board| board.behind);
        boards.any(|board| board.held.iter().zip(self.now).any(|(held, now)| held.is_some_and(|held| held != now)))
    }

    /// All that may happen next.
    pub fn steps() -> Vec<Step> {
        let mut steps: Vec<Step> =
            (0..BOARDS).flat_map(|board| (0..NAMES).map(move |name| Step::Walk(board, name))).collect();
        for board in 0..BOARDS {
            steps.extend([Step::TellName(board), Step::TellInode(board), Step::Arrive(board), Step::Die(board)]);
            steps.extend([Step::EndSession(board), Step::Learn(board)]);
        }
        steps.extend((0..PLACES).flat_map(|place| [Step::Change(place), Step::GoOn(place), Step::GiveUp(place)]));
        steps.extend((0..NAMES).map(Step::Evict));
        steps.push(Step::DieDisk);
        steps
    }

    /// After `step`; `None`: it cannot happen now.
    pub fn next(&self, step: Step) -> Option<World> {
        let mut world = self.clone();
        match step {
            Step::Walk(board, name) => world.walk(board, name),
            Step::TellName(board) => world.tell_name(board),
            Step::TellInode(board) => world.tell_inode(board),
            Step::Arrive(board) => world.arrive(board),
            Step::Change(place) => world.change(place),
            Step::GoOn(place) => world.go_on(place),
            Step::GiveUp(place) => world.give_up(place),
            Step::Evict(name) => world.evict(name),
            Step::Die(board) => world.die(board),
            Step::DieDisk => world.die_disk(),
            Step::EndSession(board) => world.end_session(board),
            Step::Learn(board) => world.learn(board),
        }?;
        Some(world)
    }

    fn walk(&mut self, board: usize, name: usize) -> Option<()> {
        self.left.walks = self.left.walks.checked_sub(1)?;
        let board = &mut self.boards[board];
        if board.behind || board.walk.is_some() {
            return None;
        }
        board.walk = Some(Walk { name, ticket: board.ticket, life: board.life, told: (None, None) });
        Some(())
    }

    /// Whether a walk holds the lock of names.
    fn is_locked_shared(&self) -> bool {
        let inside = |walk: &Walk| walk.told.0.is_some() && walk.told.1.is_none();
        self.boards.iter().filter_map(|board| board.walk.as_ref()).any(inside)
    }

    fn is_locked_exclusively(&self) -> bool {
        self.changes[..NAMES].iter().any(Option::is_some)
    }

    fn tell_name(&mut self, board: usize) -> Option<()> {
        let (noted, closed) = (!self.is(Mutant::NameNotNoted), !self.is(Mutant::NamesToldMeanwhile));
        if self.is_locked_exclusively() && closed {
            return None;
        }
        let walk = self.boards[board].walk.as_mut().filter(|walk| walk.told.0.is_none())?;
        walk.told.0 = Some(self.now[walk.name]);
        self.notes[walk.name] |= u8::from(noted) << board;
        Some(())
    }

    fn tell_inode(&mut self, board: usize) -> Option<()> {
        let (noted, closed) = (!self.is(Mutant::StatusNotNoted), !self.is(Mutant::StatusToldMeanwhile));
        if self.changes[INODE].is_some() && closed {
            return None;
        }
        let walk = self.boards[board].walk.as_mut().filter(|walk| walk.told.0.is_some() && walk.told.1.is_none())?;
        walk.told.1 = Some(self.now[INODE]);
        self.notes[INODE] |= u8::from(noted) << board;
        Some(())
    }

    fn arrive(&mut self, board: usize) -> Option<()> {
        let (any_ticket, any_life) = (self.is(Mutant::TicketIgnored), self.is(Mutant::FormerLife));
        let board = &mut self.boards[board];
        let walk = board.walk?;
        let (Some(name), Some(inode)) = walk.told else { return None };
        board.walk = None;
        if walk.life != board.life && !any_life {
            return Some(());
        }
        if walk.ticket == board.ticket || any_ticket {
            (board.held[walk.name], board.held[INODE]) = (Some(name), Some(inode));
        }
        Some(())
    }

    fn change(&mut self, place: usize) -> Option<()> {
        self.left.changes = self.left.changes.checked_sub(1)?;
        let busy = if place == INODE { self.changes[INODE].is_some() } else { self.is_locked_exclusively() };
        if busy || (place != INODE && self.is_locked_shared()) {
            return None;
        }
        let one = core::mem::take(&mut self.notes[place]);
        let all = if place == INODE { 0 } else { core::mem::take(&mut self.spilled) };
        for notes in self.notes[..NAMES].iter_mut() {
            *notes &= !all;
        }
        let applied = self.is(Mutant::ChangeBeforeAnswers);
        self.now[place] += u8::from(applied);
        self.changes[place] = Some(Change { one: one & !all, all, asked: None, answered: false, applied });
        Some(())
    }

    fn go_on(&mut self, place: usize) -> Option<()> {
        let waits = !self.is(Mutant::DeadWhenAsked);
        let change = self.changes[place].as_mut()?;
        if change.asked.is_some() && !change.answered && waits {
            return None;
        }
        if let Some(board) = change.asked.take() {
            (change.one, change.all) = (change.one & !(1 << board), change.all & !(1 << board));
        }
        change.answered = false;
        let next = (change.one | change.all).trailing_zeros() as usize;
        if next < BOARDS {
            change.asked = Some(next);
            return Some(());
        }
        self.now[place] += u8::from(!change.applied);
        self.changes[place] = None;
        Some(())
    }

    fn give_up(&mut self, place: usize) -> Option<()> {
        let (one_only, must_find) = (self.is(Mutant::OneNameOfMany), self.is(Mutant::TicketOutlivesRecall));
        let change = self.changes[place].as_mut().filter(|change| !change.answered)?;
        let number = change.asked?;
        let board = &mut self.boards[number];
        if board.behind {
            return None;
        }
        let all = change.all >> number & 1 != 0 && !one_only;
        let places = if all { 0..NAMES } else { place..place + 1 };
        let found = board.held[places.clone()].iter().any(Option::is_some);
        board.held[places].fill(None);
        board.ticket += u8::from(found || !must_find);
        change.answered = true;
        Some(())
    }

    fn evict(&mut self, name: usize) -> Option<()> {
        self.left.evictions = self.left.evictions.checked_sub(1)?;
        let notes = core::mem::take(&mut self.notes[name]);
        if !self.is(Mutant::NotesLostWithSlot) {
            self.spilled |= notes;
        }
        Some(())
    }

    fn die(&mut self, number: usize) -> Option<()> {
        self.left.deaths = self.left.deaths.checked_sub(1)?;
        let Board { life, behind, walk, .. } = self.boards[number].clone();
        // Numbers begin anew with each life.
        self.boards[number] = Board { ticket: 1, life: life + 1, behind, walk, ..Board::default() };
        self.forget_board(number);
        Some(())
    }

    /// The board holds nothing any more: it is dead, or will know.
    fn forget_board(&mut self, number: usize) {
        let others = !(1 << number);
        self.notes.iter_mut().for_each(|notes| *notes &= others);
        self.spilled &= others;
        for change in self.changes.iter_mut().flatten() {
            (change.one, change.all) = (change.one & others, change.all & others);
            change.answered |= change.asked == Some(number);
        }
    }

    /// What a walk for the board has been told goes with its call.
    fn end_session(&mut self, number: usize) -> Option<()> {
        self.left.session_ends = self.left.session_ends.checked_sub(1)?;
        if core::mem::replace(&mut self.boards[number].behind, true) {
            return None;
        }
        self.forget_board(number);
        Some(())
    }

    fn die_disk(&mut self) -> Option<()> {
        self.left.disk_deaths = self.left.disk_deaths.checked_sub(1)?;
        (self.notes, self.spilled, self.changes) = ([0; PLACES], 0, [None; PLACES]);
        self.boards.iter_mut().for_each(|board| board.behind = true);
        Some(())
    }

    fn learn(&mut self, board: usize) -> Option<()> {
        let (keeps, arrives) = (self.is(Mutant::HeldOutlivesDisk), self.is(Mutant::WalkOutlivesSession));
        let board = &mut self.boards[board];
        if !core::mem::take(&mut board.behind) {
            return None;
        }
        if !keeps {
            board.held = [None; PLACES];
            board.ticket += u8::from(!arrives);
        }
        if !arrives {
            // Its calls ended with the session.
            board.walk = None;
        }
        Some(())
    }
}
