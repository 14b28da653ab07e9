//! What may happen to the boards, one step at a time.
//!
//! Not here: what each does (`world.rs`, `making.rs`, `reading.rs`, `folder.rs`, `loss.rs`).

use super::making::MAKES;
use super::world::{BOARDS, NAMES, NamesWorld, OTHERS, PLACES};

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NamesStep {
    /// A walk begins for a board, to a name, or to their directory.
    Walk(usize, usize),
    /// It comes to the name.
    TellName(usize),
    /// It comes to the inode.
    TellInode(usize),
    /// The answer arrives.
    Arrive(usize),
    /// A board begins to make a name.
    BeginCreation(usize, usize),
    /// The disk's board begins with a make of a board.
    Make(usize, usize),
    /// The answer arrives.
    EndCreation(usize, usize),
    /// A change begins.
    Change(usize),
    /// The inode is read, which changes it alone.
    Read,
    /// The next board is queried, or the change happens.
    GoOn(usize),
    /// The queried board gives up its cache.
    GiveUp(usize),
    /// The slot of a name, or of the others, is needed for another.
    Evict(usize),
    /// A board forgets a name to make room.
    Drop(usize, usize),
    /// A board dies, and is there again without anything.
    Die(usize),
    /// The disk's board does.
    DieDisk,
    /// The session with a board ends, and both live.
    EndSession(usize),
    /// A board learns of that, or that the disk's board restarted.
    Learn(usize),
}

impl NamesWorld {
    /// All that may happen next.
    pub fn steps() -> Vec<NamesStep> {
        let mut steps: Vec<NamesStep> =
            (0..BOARDS).flat_map(|board| (0..PLACES).map(move |place| NamesStep::Walk(board, place))).collect();
        for board in 0..BOARDS {
            steps.extend([
                NamesStep::TellName(board),
                NamesStep::TellInode(board),
                NamesStep::Arrive(board),
                NamesStep::Die(board),
            ]);
            steps.extend([NamesStep::EndSession(board), NamesStep::Learn(board)]);
            steps.extend(
                (0..NAMES).flat_map(|name| [NamesStep::BeginCreation(board, name), NamesStep::Drop(board, name)]),
            );
            steps.extend(
                (0..MAKES).flat_map(|make| [NamesStep::Make(board, make), NamesStep::EndCreation(board, make)]),
            );
        }
        steps.extend(
            (0..PLACES).flat_map(|place| [NamesStep::Change(place), NamesStep::GoOn(place), NamesStep::GiveUp(place)]),
        );
        steps.extend((0..NAMES).chain([OTHERS]).map(NamesStep::Evict));
        steps.extend([NamesStep::Read, NamesStep::DieDisk]);
        steps
    }

    /// After `step`; `None`: it cannot happen now.
    pub fn next(&self, step: NamesStep) -> Option<NamesWorld> {
        let mut world = *self;
        match step {
            NamesStep::Walk(board, name) => world.walk(board, name),
            NamesStep::TellName(board) => world.tell_name(board),
            NamesStep::TellInode(board) => world.tell_inode(board),
            NamesStep::Arrive(board) => world.arrive(board),
            NamesStep::BeginCreation(board, name) => world.begin_make(board, name),
            NamesStep::Make(board, make) => world.make(board, make),
            NamesStep::EndCreation(board, make) => world.end_make(board, make),
            NamesStep::Change(place) => world.change(place),
            NamesStep::Read => world.read(),
            NamesStep::GoOn(place) => world.go_on(place),
            NamesStep::GiveUp(place) => world.give_up(place),
            NamesStep::Evict(name) => world.evict(name),
            NamesStep::Drop(board, name) => world.drop_name(board, name),
            NamesStep::Die(board) => world.die(board),
            NamesStep::DieDisk => world.die_disk(),
            NamesStep::EndSession(board) => world.end_session(board),
            NamesStep::Learn(board) => world.learn(board),
        }?;
        Some(world)
    }
}
