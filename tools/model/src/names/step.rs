//! What may happen to the boards, one step at a time.
//!
//! Not here: what each does (`world.rs`, `making.rs`, `reading.rs`, `folder.rs`, `loss.rs`).

use super::making::MAKES;
use super::world::{BOARDS, NAMES, OTHERS, PLACES, World};

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
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
    /// The next board is asked, or what was to change does.
    GoOn(usize),
    /// The board that is asked gives up what it holds.
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
    /// A board learns of that, or that the disk's board began anew.
    Learn(usize),
}

impl World {
    /// All that may happen next.
    pub fn steps() -> Vec<Step> {
        let mut steps: Vec<Step> =
            (0..BOARDS).flat_map(|board| (0..PLACES).map(move |place| Step::Walk(board, place))).collect();
        for board in 0..BOARDS {
            steps.extend([Step::TellName(board), Step::TellInode(board), Step::Arrive(board), Step::Die(board)]);
            steps.extend([Step::EndSession(board), Step::Learn(board)]);
            steps.extend((0..NAMES).flat_map(|name| [Step::BeginCreation(board, name), Step::Drop(board, name)]));
            steps.extend((0..MAKES).flat_map(|make| [Step::Make(board, make), Step::EndCreation(board, make)]));
        }
        steps.extend((0..PLACES).flat_map(|place| [Step::Change(place), Step::GoOn(place), Step::GiveUp(place)]));
        steps.extend((0..NAMES).chain([OTHERS]).map(Step::Evict));
        steps.extend([Step::Read, Step::DieDisk]);
        steps
    }

    /// After `step`; `None`: it cannot happen now.
    pub fn next(&self, step: Step) -> Option<World> {
        let mut world = *self;
        match step {
            Step::Walk(board, name) => world.walk(board, name),
            Step::TellName(board) => world.tell_name(board),
            Step::TellInode(board) => world.tell_inode(board),
            Step::Arrive(board) => world.arrive(board),
            Step::BeginCreation(board, name) => world.begin_make(board, name),
            Step::Make(board, make) => world.make(board, make),
            Step::EndCreation(board, make) => world.end_make(board, make),
            Step::Change(place) => world.change(place),
            Step::Read => world.read(),
            Step::GoOn(place) => world.go_on(place),
            Step::GiveUp(place) => world.give_up(place),
            Step::Evict(name) => world.evict(name),
            Step::Drop(board, name) => world.drop_name(board, name),
            Step::Die(board) => world.die(board),
            Step::DieDisk => world.die_disk(),
            Step::EndSession(board) => world.end_session(board),
            Step::Learn(board) => world.learn(board),
        }?;
        Some(world)
    }
}
